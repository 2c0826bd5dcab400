import { describe, expect, it } from 'vitest';
import type { WireCharge } from '../../../src/domain/money/charges.ts';
import { describeUnreadable, formatCoverage, formatReportedDays } from '../../../src/domain/money/usage.ts';
import { addDays } from '../../../src/domain/time/calendar.ts';
import { usageOfItems } from '../../support/usage.ts';

const daysFrom = (first: string, count: number) => Array.from({ length: count }, (_, n) => addDays(first, n));
const item = (day: string, amount: string, bonuses = '0'): WireCharge => ({
  ...{ day: { text: day }, totalAmount: { text: amount }, totalBonuses: { text: bonuses } },
});
const usageOf = (days: readonly string[], items: readonly WireCharge[]) =>
  usageOfItems(items, { days, zone: 'UTC' });
/** `14` */
const nameOf = (day: string, last = day) => [...new Set([day.slice(8), last.slice(8)])].join('–');

describe('the days that are reported', () => {
  const WEEK = daysFrom('2026-11-14', 7);
  const reported = (...missing: readonly string[]) =>
    formatReportedDays(
      usageOf(
        WEEK,
        WEEK.filter((day) => !missing.includes(nameOf(day))).map((day) => item(day, '1')),
      ),
      nameOf,
    );

  it.each([
    [[], '7 of 7 days reported'],
    [['16'], '6 of 7 days reported, no data for 16'],
    [['16', '18'], '5 of 7 days reported, no data for 16 and 18'],
    [['14', '16', '18'], '4 of 7 days reported, no data for 14, 16 and 18'],
    [['14', '15', '17', '18', '19'], '2 of 7 days reported, no data for 14, 15 and 17–19'],
    [['14', '15', '16', '17', '18', '19'], '1 of 7 days reported, no data for 14–19'],
  ])('without %j: %s', (missing, text) => expect(reported(...missing)).toBe(text));

  it('of a single day are named only if it is missing, and never without a complete day', () => {
    expect(formatReportedDays(usageOf(['2026-11-14'], [item('2026-11-14', '1')]), nameOf)).toBe('');
    expect(formatReportedDays(usageOf(['2026-11-14'], []), nameOf)).toBe('no data yet');
    const today = usageOfItems([], { days: ['2026-11-14'], today: '2026-11-14', zone: 'UTC' });
    expect(formatReportedDays(today, nameOf)).toBe('');
  });
});

describe('what could not be read', () => {
  const DAYS = daysFrom('2026-11-14', 3);
  const said = (...items: readonly WireCharge[]) => describeUnreadable(usageOf(DAYS, items), nameOf);

  it('is not mentioned if everything could be read', () => {
    expect(said(item('2026-11-14', '1'))).toEqual([]);
  });

  it('names a day, with how many amounts the total lacks', () => {
    expect(said(item('2026-11-14', 'x'), item('2026-11-15', 'y'), item('2026-11-16', '1'))).toEqual([
      'The amount for 14 and 15 couldn’t be read in full: it isn’t in the average.',
      'The total is incomplete: 2 amounts couldn’t be read.',
    ]);
  });

  it('names a part of a day', () => {
    expect(said(item('2026-11-14', 'x'), item('2026-11-14', '1'))).toEqual([
      'The amount for 14 couldn’t be read in full: it isn’t in the average.',
      'The total is incomplete: 1 amount couldn’t be read.',
    ]);
  });

  it('names some bonuses, or all of them', () => {
    expect(said(item('2026-11-14', '1', 'x'), item('2026-11-15', '1'))).toEqual([
      'The bonuses are incomplete: 1 amount couldn’t be read.',
    ]);
    expect(said(item('2026-11-14', '1', 'x'), item('2026-11-15', '1', 'x'))).toEqual([
      'The bonuses are incomplete: none could be read.',
    ]);
  });
});

describe('how well a period is reported', () => {
  it.each([
    [0, 1, 'not reported'],
    [1, 1, 'reported'],
    [6, 7, '6 of 7 days reported'],
    [0, 0, '0 of 0 days reported'],
  ])('%i of %i: %s', (reported, of, text) => expect(formatCoverage({ reported, of })).toBe(text));
});
