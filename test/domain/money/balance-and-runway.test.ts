import { Big } from 'big.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAmount, toPlainDigits } from '../../../src/domain/money/amount.ts';
import {
  computeRunway,
  formatBalance,
  formatBonuses,
  formatRunwayBasis,
  formatRunwayLine,
  formatRunwayShort,
  isRunningOut,
  type Runway,
} from '../../../src/domain/money/balance-and-runway.ts';
import { addDays } from '../../../src/domain/time/calendar.ts';
import { daysFrom, itemsOf, usageOfItems } from '../../support/usage.ts';

const TODAY = '2026-11-21';
const DAYS = daysFrom('2026-11-14', 7);
const amount = (digits: string | null) => parseAmount(digits === null ? { missing: true } : { text: digits });

/** A week with these amounts from the first day on; undefined for an unreported day. */
function week(...amounts: (string | null | undefined)[]) {
  return usageOfItems(
    itemsOf(DAYS, (_, at) => amounts[at]),
    { days: DAYS, zone: 'UTC' },
  );
}

const estimate = (
  balance: string | null,
  bonuses: string | null,
  ...amounts: (string | null | undefined)[]
) => computeRunway({ balance: amount(balance), bonuses: amount(bonuses) }, week(...amounts), TODAY);
const aWeekOf = (each: string) => Array.from({ length: 7 }, () => each);

describe('the runway', () => {
  it('is balance and bonuses divided by the daily average, in whole days', () => {
    const result = estimate('1234567.80', '12000', ...aWeekOf('29870.12'));
    expect(result).toMatchObject({ kind: 'estimate', days: 41, until: '2027-01-01', reported: 7, of: 7 });
  });

  it('is based on the average of the reported days only', () => {
    const result = estimate('100', '0', '10', undefined, '20', undefined, '30');
    expect(result).toMatchObject({ kind: 'estimate', days: 5, until: '2026-11-26', reported: 3, of: 7 });
    expect('average' in result && toPlainDigits(result.average)).toBe('20');
  });

  it('counts a day with a reported cost of zero as a reported day', () => {
    expect(estimate('100', '0', '0', '0', '30')).toMatchObject({ kind: 'estimate', days: 10, reported: 3 });
  });

  it('ends today if the money lasts less than a day', () => {
    expect(estimate('0', '0', ...aWeekOf('1'))).toMatchObject({ kind: 'estimate', days: 0, until: TODAY });
    expect(estimate('0.99', '0', ...aWeekOf('1'))).toMatchObject({ days: 0, until: TODAY });
  });

  it('is shown as “less than a day” below one day', () => {
    for (const balance of ['0', '0.10', '0.99']) {
      const result = estimate(balance, '0', ...aWeekOf('1'));
      expect(formatRunwayLine(result, toPlainDigits)).toMatch(/^:warning: \*Less than a day, until around /);
      expect(formatRunwayBasis(result, toPlainDigits)).toBe('at 1 a day');
      expect(formatRunwayShort(result)).toBe('< 1 day');
    }
    expect(formatRunwayLine(estimate('1', '0', ...aWeekOf('1')), toPlainDigits)).toMatch(
      /^:warning: \*About 1 day, until around \d+ Nov 2026\*$/,
    );
  });

  it('is shown with a warning sign below 14 days, but without one at 14 days', () => {
    expect(formatRunwayLine(estimate('13.9', '0', ...aWeekOf('1')), toPlainDigits)).toMatch(
      /^:warning: \*About 13 /,
    );
    expect(formatRunwayLine(estimate('14', '0', ...aWeekOf('1')), toPlainDigits)).toMatch(
      /^\*About 14 days\*, until/,
    );
  });

  it('is exact to the day, although the average is rounded', () => {
    // The average is a third of the balance, so the balance lasts exactly three days.
    expect(estimate('1', '0', '0.5', '0.25', '0.25')).toMatchObject({ days: 3 });
    expect(estimate(`0.${'9'.repeat(60)}`, '0', '0.5', '0.25', '0.25')).toMatchObject({ days: 2 });
  });

  it('counts 29 February in a leap year', () => {
    const result = computeRunway(
      { balance: amount('10'), bonuses: amount('0') },
      week('1', '1', '1'),
      '2028-02-25',
    );
    expect(result).toMatchObject({ days: 10, until: '2028-03-06' });
  });
});

it.each(['rubbish', null])(
  'the runway leaves out bonuses that are missing or unreadable, and the result says so: %s',
  (bonuses) => {
    const result = estimate('10', bonuses, ...aWeekOf('1'));
    expect(result).toMatchObject({ kind: 'estimate', days: 10, bonusesCounted: false });
    expect(estimate('10', '0', ...aWeekOf('1'))).toMatchObject({ bonusesCounted: true });
  },
);

describe('a project’s runway', () => {
  it('is unknown if the balance is missing or unreadable', () => {
    for (const balance of [null, 'rubbish']) {
      expect(estimate(balance, '100', ...aWeekOf('1'))).toEqual({ kind: 'unknown', reason: 'unreadable' });
    }
  });

  it('is unknown if fewer than three days have readable amounts', () => {
    const few = { kind: 'unknown', reason: 'too-few-days', reported: 2, of: 7 };
    expect(estimate('100', '0', '1', '1')).toMatchObject(few);
    expect(estimate('100', '0', '1', '1', null, 'x')).toMatchObject(few);
    expect(estimate('100', '0', '1', '1', '1')).toMatchObject({ kind: 'estimate' });
  });

  it('is not estimated if the project spends nothing or gets more credits than it spends', () => {
    expect(estimate('100', '0', ...aWeekOf('0'))).toMatchObject({ kind: 'no-spend', reported: 7, of: 7 });
    expect(estimate('100', '0', '5', '-5', '-1')).toMatchObject({ kind: 'no-spend', reported: 3 });
  });

  it('is “overdrawn” if the balance is negative, even with larger bonuses', () => {
    const result = estimate('-100', '500', ...aWeekOf('1'));
    expect(result).toMatchObject({ kind: 'overdrawn', which: 'balance', bonusesCounted: true });
    expect('balance' in result && [toPlainDigits(result.balance), toPlainDigits(result.left)]).toEqual([
      '-100',
      '400',
    ]);
  });

  it('is “overdrawn” if negative bonuses are larger than the balance', () => {
    const result = estimate('100', '-500', ...aWeekOf('1'));
    expect(result).toMatchObject({ kind: 'overdrawn', which: 'sum' });
    expect(formatRunwayLine(result, toPlainDigits)).toBe(
      ':warning: *Overdrawn: balance and bonuses together are -400*',
    );
  });

  it('is “overdrawn” if the balance is negative, even if no day is reported', () => {
    expect(estimate('-1', null)).toMatchObject({
      kind: 'overdrawn',
      which: 'balance',
      bonusesCounted: false,
    });
  });
});

it('a runway of more than ten years has no date', () => {
  expect(estimate('3652', '0', ...aWeekOf('1'))).toMatchObject({
    kind: 'estimate',
    days: 3652,
    until: '2036-11-20',
  });
  expect(estimate('3653', '0', ...aWeekOf('1'))).toMatchObject({ kind: 'beyond', years: 10 });
  expect(estimate('1e39', '1e39', ...aWeekOf('1e-60'))).toMatchObject({ kind: 'beyond', years: 10 });
  expect(estimate('1e39', '1e39', ...aWeekOf('1e-60'))).not.toHaveProperty('until');
});

describe('the runway of random amounts', () => {
  const cents = (min: bigint, max: bigint) => fc.bigInt({ min, max });
  const written = (units: bigint) => `${units}e-2`;

  it('equals the result of a calculation in whole cents', () => {
    const spent = fc.array(cents(-1000n, 100_000n), { minLength: 3, maxLength: 7 });
    fc.assert(
      fc.property(cents(0n, 10n ** 9n), cents(0n, 10n ** 6n), spent, (balance, bonuses, amounts) => {
        const total = amounts.reduce((a, b) => a + b, 0n);
        const result = estimate(written(balance), written(bonuses), ...amounts.map(written));
        const days = total > 0n ? ((balance + bonuses) * BigInt(amounts.length)) / total : 0n;
        if (total <= 0n) expect(result.kind).toBe('no-spend');
        else if (days > 3652n) expect(result.kind).toBe('beyond');
        else
          expect(result).toMatchObject({
            kind: 'estimate',
            days: Number(days),
            until: addDays(TODAY, Number(days)),
          });
      }),
    );
  });
});

const money = (value: Big) => value.toFixed(2);
const funds = { left: new Big(-5), bonusesCounted: true };
const basis = { average: new Big('30535.61'), reported: 6, of: 7, ...funds };
const lasting = (days: number): Runway => ({ kind: 'estimate', days, until: '2027-01-01', ...basis });

describe('the text of a runway', () => {
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
    [{ kind: 'unknown', reason: 'unreadable' }, '*No runway*: the balance can’t be read', 'unknown', ''],
    [
      { kind: 'unknown', reason: 'too-few-days', reported: 2, of: 7, ...funds },
      '*No runway yet*: 2 of the last 7 days are reported, and Tally needs at least 3',
      'unknown',
      '',
    ],
  ])('for %j is “%s”', (runway, line, short, rests) => {
    expect(formatRunwayLine(runway, money)).toBe(line);
    expect(formatRunwayShort(runway)).toBe(short);
    expect(formatRunwayBasis(runway, money)).toBe(rests);
    expect(isRunningOut(runway)).toBe(line.startsWith(':warning:'));
  });
});

describe('the text of balance and bonuses', () => {
  const amount = (value: string) => ({ value: new Big(value), raw: value });
  const unreadable = { unreadable: '*x*' };

  it.each([
    [amount('1234'), '1234.00 left', 'bonuses 1234.00'],
    [amount('0'), '0.00 left', ''],
    [amount('-5'), '5.00 overdrawn', 'bonuses -5.00'],
    [unreadable, 'unreadable balance (*x*)', 'unreadable bonuses (*x*)'],
  ])('for %j is “%s” and “%s”', (value, balance, bonuses) => {
    expect(formatBalance(value, money)).toBe(balance);
    expect(formatBonuses(value, money)).toBe(bonuses);
  });
});
