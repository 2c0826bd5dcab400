import { Big } from 'big.js';
import { describe, expect, it } from 'vitest';
import {
  formatBalance,
  formatBonuses,
  formatRunwayBasis,
  formatRunwayLine,
  formatRunwayShort,
  isRunningOut,
  type Runway,
} from '../../../src/domain/money/runway.ts';

const money = (value: Big) => value.toFixed(2);
const funds = { left: new Big(-5), bonusesCounted: true };
const basis = { average: new Big('30535.61'), reported: 6, of: 7, ...funds };
const lasting = (days: number): Runway => ({ kind: 'estimate', days, until: '2027-01-01', ...basis });

describe('how long the money lasts', () => {
  it.each<[Runway, line: string, short: string, basis: string]>([
    [
      lasting(40),
      '*About 40 days*, until around 1 Jan 2027',
      '40 days',
      'at 30535.61 a day (6 of the last 7 days reported)',
    ],
    [
      lasting(14),
      '*About 14 days*, until around 1 Jan 2027',
      '14 days',
      'at 30535.61 a day (6 of the last 7 days reported)',
    ],
    [
      lasting(1),
      ':warning: *About 1 day, until around 1 Jan 2027*',
      '1 day',
      'at 30535.61 a day (6 of the last 7 days reported)',
    ],
    [
      lasting(0),
      ':warning: *Less than a day, until around 1 Jan 2027*',
      '< 1 day',
      'at 30535.61 a day (6 of the last 7 days reported)',
    ],
    [
      { kind: 'beyond', years: 10, ...basis, bonusesCounted: false },
      '*More than 10 years*',
      '> 10 years',
      'at 30535.61 a day (6 of the last 7 days reported, bonuses not counted)',
    ],
    [
      { kind: 'no-spend', ...basis },
      '*Nothing is being spent*',
      'no spending',
      '6 of the last 7 days reported',
    ],
    [
      { kind: 'overdrawn', which: 'balance', balance: new Big(-9), ...funds },
      ':warning: *The balance is used up*',
      'overdrawn',
      '',
    ],
    [
      { kind: 'overdrawn', which: 'balance', balance: new Big(-9), average: new Big(30), ...funds },
      ':warning: *The balance is used up: still spending 30.00 a day*',
      'overdrawn',
      '',
    ],
    [
      { kind: 'overdrawn', which: 'sum', balance: new Big(9), ...funds },
      ':warning: *Overdrawn: balance and bonuses together are -5.00*',
      'overdrawn',
      '',
    ],
    [{ kind: 'unknown', reason: 'unreadable' }, '*No runway* without a readable balance', 'unknown', ''],
    [
      { kind: 'unknown', reason: 'too-few-days', reported: 2, of: 7, ...funds },
      '*No runway yet*: 2 of the last 7 days reported, Tally needs at least 3',
      'unknown',
      '',
    ],
  ])('%j', (runway, line, short, rests) => {
    expect(formatRunwayLine(runway, money)).toBe(line);
    expect(formatRunwayShort(runway)).toBe(short);
    expect(formatRunwayBasis(runway, money)).toBe(rests);
    expect(isRunningOut(runway)).toBe(line.startsWith(':warning:'));
  });

  it('is short under two weeks', () => {
    expect([13, 14].map((days) => isRunningOut(lasting(days)))).toEqual([true, false]);
  });
});

describe('a balance and its bonuses', () => {
  const amount = (value: string) => ({ value: new Big(value), raw: value });
  const unreadable = { unreadable: '*x*' };

  it.each([
    [amount('1234'), '1234.00 left', 'bonuses 1234.00'],
    [amount('0'), '0.00 left', ''],
    [amount('-5'), '5.00 overdrawn', 'bonuses -5.00'],
    [unreadable, 'unreadable balance (*x*)', 'bonuses not readable (*x*)'],
  ])('of %j', (value, balance, bonuses) => {
    expect(formatBalance(value, money)).toBe(balance);
    expect(formatBonuses(value, money)).toBe(bonuses);
  });
});
