import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Cadence, daysCovered, formatTiming, type Timing } from '../../../src/domain/time/cadence.ts';
import { dueTimesBetween, nextDueTimes } from '../../support/next-due-times.ts';
import { runs } from '../../support/test-run.ts';
import { beginning, isLeftOut, moments, plus, shown, todayAt, zones } from '../wall-clock.ts';

const DAILY: Cadence = { kind: 'daily' };

const cadences: fc.Arbitrary<Cadence> = fc.oneof(
  fc.constant(DAILY),
  fc.constant<Cadence>({ kind: 'weekdays' }),
  fc.integer({ min: 1, max: 7 }).map((weekday): Cadence => ({ kind: 'weekly', weekday })),
  fc.integer({ min: 1, max: 31 }).map((day): Cadence => ({ kind: 'monthly', day })),
  fc.constant<Cadence>({ kind: 'monthly', day: 'last' }),
);
const two = (n: number) => String(n).padStart(2, '0');
const times = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
  .map(([hour, minute]) => `${two(hour)}:${two(minute)}`);
const timings: fc.Arbitrary<Timing> = fc.record({ cadence: cadences, time: times, zone: zones });

/** Whether a schedule posts on a day, computed with methods of Date. */
function means(cadence: Cadence, day: string): boolean {
  const date = new Date(`${day}T00:00Z`);
  const isLast = plus(day, 1).endsWith('-01');
  switch (cadence.kind) {
    case 'daily':
      return true;
    case 'weekdays':
      return date.getUTCDay() % 6 !== 0;
    case 'weekly':
      return date.getUTCDay() === cadence.weekday % 7;
    case 'monthly':
      if (cadence.day === 'last') return isLast;
      return date.getUTCDate() === cadence.day || (isLast && date.getUTCDate() < cadence.day);
  }
}

/** Finds due times by looking at every minute. */
function slowly({ cadence, time, zone }: Timing, after: number, until: number) {
  const found: { date: string; at: number }[] = [];
  for (
    let date = plus(todayAt(after, zone), -2);
    date <= plus(todayAt(until, zone), 2);
    date = plus(date, 1)
  ) {
    if (!means(cadence, date) || isLeftOut(date, zone)) continue;
    const at = beginning(date, zone, time);
    if (at > after && at <= until) found.push({ date, at });
  }
  return found;
}

const iso = (timing: Timing, from: string, count: number) =>
  nextDueTimes(timing, Date.parse(from), count).map(
    ({ date, at }) => `${date} ${new Date(at).toISOString().slice(0, 16)}`,
  );

describe('the due times of a schedule', () => {
  it('equal the times found by checking every minute, for every time zone and rhythm', () => {
    fc.assert(
      fc.property(timings, moments, fc.integer({ min: 0, max: 20 * 86_400_000 }), (timing, after, length) => {
        expect(dueTimesBetween(timing, after, after + length)).toEqual(slowly(timing, after, after + length));
      }),
      { numRuns: runs(60) },
    );
  });

  it('are at the chosen time, or later if the clocks skip that time', () => {
    fc.assert(
      fc.property(timings, moments, (timing, after) => {
        for (const due of nextDueTimes(timing, after, 40)) {
          const said = `${due.date} ${timing.time}:00`;
          if (shown(due.at, timing.zone) === said) continue;
          expect(shown(due.at, timing.zone) > said).toBe(true);
          expect(shown(due.at - 1000, timing.zone) < said).toBe(true);
        }
      }),
    );
  });

  it('are in order, one per date, whether computed at once or step by step', () => {
    fc.assert(
      fc.property(timings, moments, (timing, after) => {
        const found = nextDueTimes(timing, after, 60);
        expect(found).toHaveLength(60);
        let last = { date: '', at: after };
        for (const due of found) {
          expect(due.at).toBeGreaterThan(last.at);
          expect(due.date > last.date).toBe(true);
          expect(nextDueTimes(timing, last.at, 1)).toEqual([due]);
          expect(nextDueTimes(timing, due.at - 1, 1)).toEqual([due]);
          last = due;
        }
        expect(dueTimesBetween(timing, after, last.at)).toEqual(found);
        expect(dueTimesBetween(timing, after, last.at - 1)).toEqual(found.slice(0, -1));
      }),
      { numRuns: runs(30) },
    );
  });

  it('for day 31 fall on the last day in shorter months', () => {
    const timing: Timing = { cadence: { kind: 'monthly', day: 31 }, time: '09:00', zone: 'UTC' };
    expect(nextDueTimes(timing, Date.UTC(2028, 0, 31, 9), 4).map(({ date }) => date)).toEqual([
      ...['2028-02-29', '2028-03-31', '2028-04-30', '2028-05-31'],
    ]);
    const last: Timing = { ...timing, cadence: { kind: 'monthly', day: 'last' } };
    expect(nextDueTimes(last, Date.UTC(2026, 1, 27), 2).map(({ date }) => date)).toEqual([
      '2026-02-28',
      '2026-03-31',
    ]);
  });
});

/** Clock changes of the past. Each row has the local dates and the instants of the next three posts. */
describe('the posts around a clock change', () => {
  it.each([
    'America/New_York 02:30 after 2026-03-07T00:00Z: 2026-03-07 2026-03-07T07:30 · 2026-03-08 2026-03-08T07:00 · 2026-03-09 2026-03-09T06:30',
    'America/New_York 01:30 after 2026-10-31T00:00Z: 2026-10-31 2026-10-31T05:30 · 2026-11-01 2026-11-01T05:30 · 2026-11-02 2026-11-02T06:30',
    'Europe/Rome 02:30 after 2026-03-28T00:00Z: 2026-03-28 2026-03-28T01:30 · 2026-03-29 2026-03-29T01:00 · 2026-03-30 2026-03-30T00:30',
    'Europe/Rome 02:30 after 2026-10-24T00:00Z: 2026-10-24 2026-10-24T00:30 · 2026-10-25 2026-10-25T00:30 · 2026-10-26 2026-10-26T01:30',
    'Australia/Lord_Howe 02:15 after 2026-10-03T00:00Z: 2026-10-04 2026-10-03T15:30 · 2026-10-05 2026-10-04T15:15 · 2026-10-06 2026-10-05T15:15',
    'Australia/Lord_Howe 01:45 after 2026-04-03T20:00Z: 2026-04-05 2026-04-04T14:45 · 2026-04-06 2026-04-05T15:15 · 2026-04-07 2026-04-06T15:15',
    'Africa/Cairo 00:30 after 2026-04-23T00:00Z: 2026-04-24 2026-04-23T22:00 · 2026-04-25 2026-04-24T21:30 · 2026-04-26 2026-04-25T21:30',
    'America/Santiago 00:00 after 2026-09-05T12:00Z: 2026-09-06 2026-09-06T04:00 · 2026-09-07 2026-09-07T03:00 · 2026-09-08 2026-09-08T03:00',
    'America/Santiago 23:30 after 2026-04-04T00:00Z: 2026-04-03 2026-04-04T02:30 · 2026-04-04 2026-04-05T02:30 · 2026-04-05 2026-04-06T03:30',
    'Pacific/Apia 09:00 after 2011-12-29T00:00Z: 2011-12-29 2011-12-29T19:00 · 2011-12-31 2011-12-30T19:00 · 2012-01-01 2011-12-31T19:00',
    'Pacific/Apia 00:00 after 2011-12-29T00:00Z: 2011-12-29 2011-12-29T10:00 · 2011-12-31 2011-12-30T10:00 · 2012-01-01 2011-12-31T10:00',
    'Antarctica/Troll 01:30 after 2026-03-28T12:00Z: 2026-03-29 2026-03-29T01:00 · 2026-03-30 2026-03-29T23:30 · 2026-03-31 2026-03-30T23:30',
    'Antarctica/Troll 01:30 after 2026-10-24T12:00Z: 2026-10-25 2026-10-24T23:30 · 2026-10-26 2026-10-26T01:30 · 2026-10-27 2026-10-27T01:30',
    'Africa/Casablanca 02:30 after 2026-02-14T12:00Z: 2026-02-15 2026-02-15T01:30 · 2026-02-16 2026-02-16T02:30 · 2026-02-17 2026-02-17T02:30',
    'Africa/Casablanca 02:30 after 2026-03-21T12:00Z: 2026-03-22 2026-03-22T02:00 · 2026-03-23 2026-03-23T01:30 · 2026-03-24 2026-03-24T01:30',
    'America/Nuuk 23:30 after 2026-03-28T12:00Z: 2026-03-28 2026-03-29T01:00 · 2026-03-29 2026-03-30T00:30 · 2026-03-30 2026-03-31T00:30',
  ])('are due on the right dates at the right times: %s', (row) => {
    const [zone = '', time = '', from = '', expected = ''] = row.split(/ after |: | (?=\d\d:\d\d after)/);
    expect(iso({ cadence: DAILY, time, zone }, from, 3).join(' · ')).toBe(expected);
  });

  it('leave out a date that the time zone skipped', () => {
    const timing: Timing = { cadence: { kind: 'weekdays' }, time: '09:00', zone: 'Pacific/Apia' };
    expect(nextDueTimes(timing, Date.parse('2011-12-29T00:00Z'), 2).map(({ date }) => date)).toEqual([
      '2011-12-29',
      '2012-01-02',
    ]);
  });
});

describe('the text of a schedule’s timing', () => {
  it.each<[Cadence, string]>([
    [{ kind: 'daily' }, 'Every day at 09:00 (Europe/Rome)'],
    [{ kind: 'weekdays' }, 'Every weekday at 09:00 (Europe/Rome)'],
    [{ kind: 'weekly', weekday: 1 }, 'Every Monday at 09:00 (Europe/Rome)'],
    [{ kind: 'weekly', weekday: 7 }, 'Every Sunday at 09:00 (Europe/Rome)'],
    [{ kind: 'monthly', day: 5 }, 'Monthly on day 5 at 09:00 (Europe/Rome)'],
    [
      { kind: 'monthly', day: 31 },
      'Monthly on day 31 (or the last day of shorter months) at 09:00 (Europe/Rome)',
    ],
    [{ kind: 'monthly', day: 'last' }, 'Monthly on the last day at 09:00 (Europe/Rome)'],
  ])('for %j is “%s”', (cadence, words) => {
    expect(formatTiming({ cadence, time: '09:00', zone: 'Europe/Rome' })).toBe(words);
  });
});

describe('the report of yesterday', () => {
  /** From Monday, 16 November 2026, to Sunday. */
  const WEEK = Array.from({ length: 7 }, (_, n) => Date.UTC(2026, 10, 16 + n, 9));
  const covered = (cadence: Cadence, at: number, zone = 'UTC') =>
    daysCovered({ cadence, time: '09:00', zone }, at);

  it('in a schedule for weekdays covers the days from the previous weekday to yesterday', () => {
    expect(WEEK.map((at) => covered({ kind: 'weekdays' }, at))).toEqual([3, 1, 1, 1, 1, 1, 2]);
  });

  it('covers one day in a daily, weekly or monthly schedule', () => {
    for (const cadence of [DAILY, { kind: 'weekly', weekday: 1 }, { kind: 'monthly', day: 'last' }] as const)
      expect(new Set(WEEK.map((at) => covered(cadence, at)))).toEqual(new Set([1]));
  });

  it('in a schedule for weekdays covers three days if it is Monday in the schedule’s time zone', () => {
    const late = Date.UTC(2026, 10, 15, 20);
    expect([covered({ kind: 'weekdays' }, late), covered({ kind: 'weekdays' }, late, 'Asia/Tokyo')]).toEqual([
      ...[2, 3],
    ]);
  });
});
