import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toWireTimestamp } from '../../../src/domain/time/period.ts';
import { resolvePeriodText } from '../../support/read-words.ts';
import { beginning, daysAhead, moments, plus, todayAt, zones } from '../wall-clock.ts';

const now = Date.parse('2026-11-21T10:15:30.123Z');

const compared = (text: string, at = now, zone = 'UTC') => resolvePeriodText(text, at, zone).comparison;
const on = (day: string) => Date.parse(`${day}T10:15:30.123Z`);

describe('on Saturday 2026-11-21', () => {
  it('asks about whole days, to the millisecond', () => {
    const { from = 0, to = 0 } = compared('last-7-days', now, 'America/New_York') ?? {};
    expect([toWireTimestamp(from), toWireTimestamp(to)]).toEqual([
      '2026-11-07T05:00:00.000Z',
      '2026-11-14T04:59:59.999Z',
    ]);
  });
});

describe('a unit that runs', () => {
  it('has nothing to compare on its first day', () => {
    expect(compared('mtd', on('2026-11-01'))).toBeUndefined();
    expect(compared('this-week', on('2026-11-16'))).toBeUndefined();
    expect(compared('2026', on('2026-01-01'))).toBeUndefined();
  });

  it('has one day on its second', () => {
    expect(compared('mtd', on('2026-11-02'))).toMatchObject({
      label: 'Thu 1 Oct',
    });
  });

  it('is clamped if the unit before was shorter', () => {
    const comparison = compared('mtd', on('2026-03-31'));
    expect(comparison?.currentDays).toHaveLength(30);
    expect(comparison).toMatchObject({ label: '1–28 Feb' });
    expect(compared('ytd', on('2028-12-31'))).toMatchObject({ label: '1 Jan – 31 Dec 2027' });
  });
});

describe('a single day', () => {
  it('has no comparison if the zone left out the day a week before', () => {
    // Friday 30 December 2011 was not in Apia.
    expect(compared('yesterday', on('2012-01-06'), 'Pacific/Apia')).toBeUndefined();
    expect(compared('yesterday', on('2012-01-13'), 'Pacific/Apia')).toMatchObject({ label: 'Fri 6 Jan' });
  });
});

describe('every comparison', () => {
  it('of several days has as many days, directly before, none of them today', () => {
    const counts = fc.integer({ min: 1, max: 100 });
    fc.assert(
      fc.property(counts, fc.boolean(), moments, zones, (n, including, at, zone) => {
        const today = todayAt(at, zone);
        const complete = n + 1;
        const text = `${complete + (including ? 1 : 0)} days${including ? ' including today' : ''}`;
        const both = daysAhead(today, 2 * complete, zone);
        expect(compared(text, at, zone)).toMatchObject({
          days: both.slice(0, complete),
          currentDays: both.slice(complete),
          from: beginning(both[0] ?? '', zone),
          to: beginning(both[complete] ?? '', zone) - 1,
        });
      }),
      // A Saturday and a Sunday.
      { examples: [[1, false, Date.UTC(2025, 1, 3), 'UTC']] },
    );
  });

  it('of a month that runs lies at the beginning of the month before', () => {
    fc.assert(
      fc.property(moments, zones, (at, zone) => {
        const today = todayAt(at, zone);
        fc.pre(!today.startsWith('2011-12') && !today.startsWith('2012-01') && !today.endsWith('-01'));
        const first = plus(`${today.slice(0, 8)}01`, -1).slice(0, 8);
        const comparison = compared('mtd', at, zone);
        expect(comparison?.days[0]).toBe(`${first}01`);
        expect(comparison?.days.every((day) => day.startsWith(first))).toBe(true);
        expect(comparison?.currentDays).toHaveLength(Number(today.slice(8)) - 1);
        const length = Number(plus(`${today.slice(0, 8)}01`, -1).slice(8));
        expect(comparison?.days).toHaveLength(Math.min(length, Number(today.slice(8)) - 1));
      }),
    );
  });

  it('of whole units ends where the period begins', () => {
    const texts = fc.constantFrom(
      'last-week',
      '4w',
      'last-month',
      '3mo',
      'last-quarter',
      'last-2-years',
      'last-year',
    );
    fc.assert(
      fc.property(texts, moments, zones, (text, at, zone) => {
        const { from, days, comparison } = resolvePeriodText(text, at, zone);
        expect(comparison?.to).toBe(from - 1);
        expect(comparison?.currentDays).toEqual(days);
      }),
    );
  });
});
