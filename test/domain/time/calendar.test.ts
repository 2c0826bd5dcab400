import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addDays,
  dayAt,
  daysBefore,
  daysBetween,
  daysInRange,
  endOfDay,
  formatDays,
  isTimeZone,
  startOfDay,
} from '../../../src/domain/time/calendar.ts';
import { beginning, daysOf, moments, plus, todayAt, zones } from '../wall-clock.ts';

const starts = (day: string, zone: string) => new Date(startOfDay(day, zone)).toISOString();
const days = moments.map((instant) => new Date(instant).toISOString().slice(0, 10));

describe('the beginning of a day', () => {
  it.each([
    ['2026-11-21', 'UTC', '2026-11-21T00:00:00.000Z'],
    ['2026-11-20', 'America/New_York', '2026-11-20T05:00:00.000Z'],
    ['2026-11-20', 'Asia/Kolkata', '2026-11-19T18:30:00.000Z'],
    ['2026-11-20', 'Asia/Kathmandu', '2026-11-19T18:15:00.000Z'],
    ['2026-11-20', 'Pacific/Chatham', '2026-11-19T10:15:00.000Z'],
  ])('is midnight: %s in %s', (day, zone, instant) => {
    expect(starts(day, zone)).toBe(instant);
  });

  it.each([
    ['2018-11-04', 'America/Sao_Paulo', '2018-11-04T03:00:00.000Z'],
    ['2026-04-24', 'Africa/Cairo', '2026-04-23T22:00:00.000Z'],
    ['2026-03-29', 'Asia/Beirut', '2026-03-28T22:00:00.000Z'],
    ['2026-03-08', 'America/Havana', '2026-03-08T05:00:00.000Z'],
  ])('is the moment of the clock change if the clocks skip midnight: %s in %s', (day, zone, instant) => {
    expect(starts(day, zone)).toBe(instant);
  });

  it.each([
    ['2026-11-01', 'America/Havana', '2026-11-01T04:00:00.000Z'],
    ['2010-11-07', 'America/St_Johns', '2010-11-07T02:30:00.000Z'],
  ])('is the first midnight if there are two: %s in %s', (day, zone, instant) => {
    expect(starts(day, zone)).toBe(instant);
  });

  it('is the later midnight if the clocks are set back an hour on reaching midnight', () => {
    expect(starts('2018-02-18', 'America/Sao_Paulo')).toBe('2018-02-18T03:00:00.000Z');
  });

  it('equals the instant found by checking every minute, in every time zone and year', () => {
    fc.assert(
      fc.property(days, zones, (day, zone) => {
        expect(startOfDay(day, zone)).toBe(beginning(day, zone));
      }),
    );
  });
});

describe('the day at an instant', () => {
  it('stays the new day when the clocks are set back across midnight', () => {
    expect(dayAt(Date.parse('2010-11-07T02:29:59.999Z'), 'America/St_Johns')).toBe('2010-11-06');
    expect(dayAt(Date.parse('2010-11-07T03:00:00.000Z'), 'America/St_Johns')).toBe('2010-11-07');
  });

  it('is the day that has begun and has not ended', () => {
    fc.assert(
      fc.property(moments, zones, (now, zone) => {
        const day = dayAt(now, zone);
        expect(day).toBe(todayAt(now, zone));
        expect(startOfDay(day, zone)).toBeLessThanOrEqual(now);
        expect(endOfDay(day, zone)).toBeGreaterThanOrEqual(now);
      }),
    );
  });

  it('ends exactly when the next day begins', () => {
    fc.assert(
      fc.property(days, zones, (day, zone) => {
        expect(endOfDay(day, zone) + 1).toBe(beginning(plus(day, 1), zone));
      }),
    );
  });

  it('lasts 23 or 25 hours if the clocks change', () => {
    const hours = (day: string) =>
      (endOfDay(day, 'America/New_York') + 1 - startOfDay(day, 'America/New_York')) / 3_600_000;
    expect([hours('2026-03-08'), hours('2026-03-09'), hours('2026-11-01')]).toEqual([23, 24, 25]);
  });
});

describe('consecutive days', () => {
  it('leave out a day that the time zone skipped', () => {
    expect(daysInRange('2011-12-29', '2012-01-01', 'Pacific/Apia')).toEqual([
      '2011-12-29',
      '2011-12-31',
      '2012-01-01',
    ]);
    expect(daysInRange('1993-08-20', '1993-08-22', 'Pacific/Kwajalein')).toEqual([
      '1993-08-20',
      '1993-08-22',
    ]);
    expect(daysInRange('2011-12-30', '2011-12-30', 'Pacific/Apia')).toEqual([]);
    expect(daysInRange('2011-12-30', '2011-12-30', 'UTC')).toEqual(['2011-12-30']);
  });

  it('leave out only the skipped day, wherever the range begins', () => {
    for (const first of ['2011-11-30', '2011-12-01', '2011-12-29', '2011-12-30', '2002-01-01'])
      expect(daysInRange(first, '2012-01-01', 'Pacific/Apia')).toEqual(
        daysOf(first, '2012-01-01', 'Pacific/Apia'),
      );
  });

  it('can be counted backwards over a skipped day', () => {
    expect(daysBefore('2012-01-01', 3, 'Pacific/Apia')).toEqual(['2011-12-28', '2011-12-29', '2011-12-31']);
    expect(daysBefore('2012-01-01', 0, 'UTC')).toEqual([]);
  });

  it('are an empty list if the last day is before the first', () => {
    expect(daysInRange('2026-01-02', '2026-01-01', 'UTC')).toEqual([]);
  });

  it('are counted correctly between any two days', () => {
    fc.assert(
      fc.property(days, fc.integer({ min: -4000, max: 4000 }), (day, n) => {
        expect(addDays(day, n)).toBe(plus(day, n));
        expect(daysBetween(day, addDays(day, n))).toBe(n);
      }),
    );
  });
});

describe('a time zone', () => {
  it.each(['UTC', 'Europe/Dublin', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5', 'America/Port-au-Prince'])(
    'may be %s',
    (name) => expect(isTimeZone(name)).toBe(true),
  );
  it.each(['+05:00', '', '-0330', 'Mars/Olympus', 'Europe', 'UTC; DROP', 'Europe/Dublin\n', '🙂'])(
    'may not be %j',
    (name) => expect(isTimeZone(name)).toBe(false),
  );
});

describe('the text of a range of days', () => {
  it.each([
    ['2026-11-14', '2026-11-20', '14–20 Nov 2026'],
    ['2026-10-28', '2026-11-03', '28 Oct – 3 Nov 2026'],
    ['2025-12-30', '2026-01-02', '30 Dec 2025 – 2 Jan 2026'],
    ['2026-11-20', '2026-11-20', 'Fri 20 Nov 2026'],
    ['2025-11-01', '2026-11-01', '1 Nov 2025 – 1 Nov 2026'],
  ])('for %s to %s is “%s”', (first, last, text) => expect(formatDays(first, last)).toBe(text));

  it('names the year unless it is the current one', () => {
    expect(formatDays('2026-11-07', '2026-11-13', '2026')).toBe('7–13 Nov');
    expect(formatDays('2026-10-28', '2026-11-03', '2026')).toBe('28 Oct – 3 Nov');
    expect(formatDays('2026-11-19', '2026-11-19', '2026')).toBe('Thu 19 Nov');
    expect(formatDays('2025-11-07', '2025-11-13', '2026')).toBe('7–13 Nov 2025');
    expect(formatDays('2025-12-30', '2026-01-02', '2026')).toBe('30 Dec 2025 – 2 Jan 2026');
  });
});
