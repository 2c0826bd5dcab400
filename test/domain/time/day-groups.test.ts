import { describe, expect, it } from 'vitest';
import { daysInRange, type Unit } from '../../../src/domain/time/calendar.ts';
import { dayNamerFor, groupDays } from '../../../src/domain/time/day-groups.ts';

describe('the name of a day', () => {
  it('has its year only if the days are of several years', () => {
    expect(dayNamerFor(['2026-11-16', '2026-11-17'])('2026-11-16')).toBe('Mon 16 Nov');
    const ofTwoYears = dayNamerFor(['2025-12-31', '2026-01-01']);
    expect(['2025-12-31', '2026-01-01'].map((day) => ofTwoYears(day))).toEqual([
      ...['Wed 31 Dec 2025', 'Thu 1 Jan 2026'],
    ]);
    expect(dayNamerFor([])('2026-01-01')).toBe('Thu 1 Jan 2026');
  });
});

describe('days in groups', () => {
  const group = (first: string, last: string, most: number, finest?: Unit, left: readonly string[] = []) => {
    const asked = daysInRange(first, last, 'UTC');
    const items = asked.filter((day) => !left.includes(day)).map((day) => ({ day }));
    const { unit, groups } = groupDays(items, most, asked, finest);
    expect(groups.flatMap((one) => one.items)).toEqual(items);
    return { unit, labels: groups.map(({ label }) => label), sizes: groups.map((one) => one.items.length) };
  };

  it('use the finest unit that gives few enough groups', () => {
    const units = (most: number) => group('2026-01-01', '2026-12-31', most).unit;
    expect([365, 364, 53, 52, 12, 11, 4, 3, 1].map(units)).toEqual([
      ...['day', 'week', 'week', 'month', 'month', 'quarter', 'quarter', 'year', 'year'],
    ]);
    expect(group('2024-06-01', '2026-06-01', 1).unit).toBe('year');
    expect(group('2026-11-01', '2026-11-05', 20, 'month').unit).toBe('month');
    expect(group('2026-11-01', '2026-11-05', 20, 'week').unit).toBe('week');
  });

  it('are named by the day', () => {
    expect(group('2026-11-16', '2026-11-18', 3)).toEqual({
      ...{ unit: 'day', labels: ['Mon 16 Nov', 'Tue 17 Nov', 'Wed 18 Nov'], sizes: [1, 1, 1] },
    });
  });

  it('are named by the days of a week that were asked about, reported or not', () => {
    expect(group('2026-10-01', '2026-10-20', 5, 'day', ['2026-10-01', '2026-10-05', '2026-10-20'])).toEqual({
      unit: 'week',
      labels: ['1–4 Oct', '5–11 Oct', '12–18 Oct', '19–20 Oct'],
      sizes: [3, 6, 7, 1],
    });
    expect(group('2026-12-28', '2027-01-10', 2).labels).toEqual(['28 Dec – 3 Jan', '4–10 Jan']);
  });

  it('have distinct labels, with the year if two weeks would have the same', () => {
    // 3 to 9 January are a week of 2022 and, eleven years later, of 2033.
    const asked = ['2022-01-03', '2022-01-05', '2026-12-30', '2027-01-01', '2033-01-03', '2033-01-05'];
    const whole = asked.map((day) => ({ day }));
    const all = daysInRange('2022-01-03', '2033-01-09', 'UTC');
    expect(groupDays(whole, 4, all, 'week').groups.map(({ label }) => label)).toEqual([
      ...['3–9 Jan 2022', '28 Dec – 3 Jan 2027', '3–9 Jan 2033'],
    ]);
  });

  it('are named by month, quarter and year', () => {
    expect(group('2025-12-01', '2026-02-10', 3).labels).toEqual(['Dec 2025', 'Jan 2026', 'Feb 2026']);
    expect(group('2025-12-01', '2026-12-10', 5).labels).toEqual([
      ...['2025 Q4', '2026 Q1', '2026 Q2', '2026 Q3', '2026 Q4'],
    ]);
    expect(group('2025-12-01', '2026-12-10', 2).labels).toEqual(['2025', '2026']);
  });

  it('are months with their year unless it is the current one', () => {
    const labels = (today: string) =>
      groupDays([{ day: '2025-12-31' }, { day: '2026-01-01' }], 2, [], 'month', today).groups.map(
        ({ label }) => label,
      );
    expect(labels('2026-11-21')).toEqual(['Dec 2025', 'Jan']);
    expect(labels('2025-12-31')).toEqual(['Dec', 'Jan 2026']);
  });
});
