import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { groupDays, pairDays } from '../../../src/domain/money/period-rows.ts';
import { addDays, dayNamerFor, daysInRange, type Unit } from '../../../src/domain/time/calendar.ts';
import { runs } from '../../support/test-run.ts';

const days = (first: string, last: string) => daysInRange(first, last, 'UTC');

function paired(current: readonly string[], before: readonly string[], most = 20, finest?: Unit) {
  const { unit, isCalendar, pairs } = pairDays({ current, before }, most, finest);
  const ends = (list: readonly string[]) => [list[0]?.slice(5), list.at(-1)?.slice(5)].join('..');
  return {
    unit,
    isCalendar,
    pairs: pairs.map((pair) => `${ends(pair.current)} ${ends(pair.before)}`),
  };
}

describe('the paired days of two periods', () => {
  const dayPairs = (...sides: readonly (readonly [string, string])[]) => {
    const [current = [], before = []] = sides.map(([first, last]) => days(first, last));
    return paired(current, before).pairs.map((pair) => pair.replace(/\.\.\S+/g, ''));
  };

  it('fall on the same weekday, or have the same position in their periods if no weekday matches', () => {
    expect(dayPairs(['2026-11-14', '2026-11-16'], ['2026-10-01', '2026-10-02'])).toEqual([
      ...['11-14 10-01', '11-15 10-02', '11-16 ..'],
    ]);
    expect(dayPairs(['2026-11-14', '2026-11-14'], ['2026-10-01', '2026-10-03'])).toEqual([
      ...['11-14 10-03', '.. 10-01', '.. 10-02'],
    ]);
  });

  it('fall on the same weekday if both periods are seven days long', () => {
    expect(dayPairs(['2026-11-14', '2026-11-20'], ['2025-11-14', '2025-11-20'])).toEqual([
      ...['11-14 11-15', '11-15 11-16', '11-16 11-17', '11-17 11-18', '11-18 11-19', '11-19 11-20'],
      '11-20 11-14',
    ]);
  });

  it('have the same day of the month if both periods begin on the first of a month', () => {
    const pairs = dayPairs(['2026-11-01', '2026-11-20'], ['2026-10-01', '2026-10-20']);
    expect(pairs[19]).toBe('11-20 10-20');
    const { pairs: months } = pairDays(
      { current: days('2026-03-01', '2026-04-30'), before: days('2026-01-01', '2026-02-28') },
      99,
    );
    expect(months.find(({ current: [day] }) => day === '2026-04-01')?.before).toEqual(['2026-02-01']);
    expect(months.filter(({ before }) => before.length === 0).map(({ current }) => current[0])).toEqual([
      ...['2026-04-29', '2026-04-30'],
    ]);
  });

  it('are grouped in sevens if there are too many pairs', () => {
    expect(paired(days('2026-10-01', '2026-10-31'), days('2026-09-01', '2026-09-30'))).toEqual({
      unit: 'week',
      isCalendar: false,
      pairs: [
        ...['10-01..10-07 09-01..09-07', '10-08..10-14 09-08..09-14', '10-15..10-21 09-15..09-21'],
        ...['10-22..10-28 09-22..09-28', '10-29..10-31 09-29..09-30'],
      ],
    });
  });

  it('are grouped by calendar month if both periods begin on the first of a month', () => {
    const { unit, isCalendar, pairs } = paired(
      days('2026-01-01', '2026-11-20'),
      days('2025-01-01', '2025-12-31'),
    );
    expect([unit, isCalendar, pairs.length]).toEqual(['month', true, 12]);
    expect(pairs.slice(-2)).toEqual(['11-01..11-20 11-01..11-30', '.. 12-01..12-31']);
  });

  it('include each day once, in at most the requested number of pairs', () => {
    const lengths = fc.integer({ min: 1, max: 3660 });
    const firsts = fc.integer({ min: 0, max: 4000 }).map((n) => addDays('2015-01-01', n));
    fc.assert(
      fc.property(firsts, firsts, lengths, lengths, (a, b, n, m) => {
        const periods = { current: days(a, addDays(a, n - 1)), before: days(b, addDays(b, m - 1)) };
        const { pairs } = pairDays(periods, 20);
        expect(pairs.length).toBeLessThanOrEqual(20);
        expect(pairs.flatMap((pair) => pair.current)).toEqual(periods.current);
        expect(pairs.flatMap((pair) => pair.before).sort()).toEqual(periods.before);
      }),
      { numRuns: runs(50) },
    );
  });
});

it('a day’s name includes the year if the days are in several years', () => {
  expect(dayNamerFor(['2026-11-16', '2026-11-17'])('2026-11-16')).toBe('Mon 16 Nov');
  const ofTwoYears = dayNamerFor(['2025-12-31', '2026-01-01']);
  expect(['2025-12-31', '2026-01-01'].map((day) => ofTwoYears(day))).toEqual([
    ...['Wed 31 Dec 2025', 'Thu 1 Jan 2026'],
  ]);
  expect(dayNamerFor([])('2026-01-01')).toBe('Thu 1 Jan 2026');
});

describe('groups of days', () => {
  const group = (first: string, last: string, most: number, finest?: Unit, left: readonly string[] = []) => {
    const asked = daysInRange(first, last, 'UTC');
    const days = asked.filter((day) => !left.includes(day));
    const { unit, groups } = groupDays(days, most, asked, finest);
    expect(groups.flatMap((one) => one.days)).toEqual(days);
    return { unit, labels: groups.map(({ label }) => label), sizes: groups.map((one) => one.days.length) };
  };

  it('are as short as possible without exceeding the maximum number of groups', () => {
    const units = (most: number) => group('2026-01-01', '2026-12-31', most).unit;
    expect([365, 364, 53, 52, 12, 11, 4, 3, 1].map(units)).toEqual([
      ...['day', 'week', 'week', 'month', 'month', 'quarter', 'quarter', 'year', 'year'],
    ]);
    expect(group('2024-06-01', '2026-06-01', 1).unit).toBe('year');
    expect(group('2026-11-01', '2026-11-05', 20, 'month').unit).toBe('month');
    expect(group('2026-11-01', '2026-11-05', 20, 'week').unit).toBe('week');
  });

  it('are named after their day if each group is a single day', () => {
    expect(group('2026-11-16', '2026-11-18', 3)).toEqual({
      unit: 'day',
      labels: ['Mon 16 Nov', 'Tue 17 Nov', 'Wed 18 Nov'],
      sizes: [1, 1, 1],
    });
  });

  it('are named after the requested days of their week, reported or not', () => {
    expect(group('2026-10-01', '2026-10-20', 5, 'day', ['2026-10-01', '2026-10-05', '2026-10-20'])).toEqual({
      unit: 'week',
      labels: ['1–4 Oct', '5–11 Oct', '12–18 Oct', '19–20 Oct'],
      sizes: [3, 6, 7, 1],
    });
    expect(group('2026-12-28', '2027-01-10', 2).labels).toEqual(['28 Dec – 3 Jan', '4–10 Jan']);
  });

  it('are named after their month, quarter or year', () => {
    expect(group('2025-12-01', '2026-02-10', 3).labels).toEqual(['Dec 2025', 'Jan 2026', 'Feb 2026']);
    expect(group('2025-12-01', '2026-12-10', 5).labels).toEqual([
      ...['2025 Q4', '2026 Q1', '2026 Q2', '2026 Q3', '2026 Q4'],
    ]);
    expect(group('2025-12-01', '2026-12-10', 2).labels).toEqual(['2025', '2026']);
  });

  it('include the year in a month’s name unless it is the current year', () => {
    const labels = (today: string) =>
      groupDays(['2025-12-31', '2026-01-01'], 2, [], 'month', today).groups.map(({ label }) => label);
    expect(labels('2026-11-21')).toEqual(['Dec 2025', 'Jan']);
    expect(labels('2025-12-31')).toEqual(['Dec', 'Jan 2026']);
  });
});
