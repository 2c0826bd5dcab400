import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  computeReportFigures,
  type ReportScope,
  reportPeriodsOf,
} from '../../../src/domain/money/report-figures.ts';
import { daysCovered, nextDueTimes, type Timing } from '../../../src/domain/time/cadence.ts';
import { dayAt, daysInRange, endOfDay, startOfDay } from '../../../src/domain/time/calendar.ts';

const ZONES = ['UTC', 'America/New_York', 'Pacific/Apia', 'Australia/Lord_Howe', 'America/Santiago'];
const SCOPES: readonly ReportScope[] = ['yesterday', 'last-week', 'month-to-date'];
const asked = fc.record({
  at: fc.integer({ min: Date.UTC(2009, 0), max: Date.UTC(2031, 0) }),
  zone: fc.constantFrom(...ZONES),
  scope: fc.constantFrom(...SCOPES),
  count: fc.integer({ min: 1, max: 3 }),
});
const scalar = (text: string) => ({ text });

describe('what a post is about', () => {
  it('is over when the post goes out, whatever the zone and the hour', () => {
    fc.assert(
      fc.property(asked, ({ at, zone, scope, count }) => {
        const brief = reportPeriodsOf(scope, at, zone, count);
        const { main, month, week, charted } = brief;
        const all = [main.window, main.before, month.window, month.before].flatMap(({ days }) => days);
        for (const day of [...all, ...week, ...charted]) {
          expect(endOfDay(day, zone)).toBeLessThan(at);
          expect(startOfDay(day, zone)).toBeGreaterThanOrEqual(brief.from);
          expect(endOfDay(day, zone)).toBeLessThanOrEqual(brief.to);
        }
        expect(main.window.days.length).toBeGreaterThan(0);
        expect(week).toHaveLength(7);
        expect(dayAt(brief.to + 1, zone)).toBe(dayAt(at, zone));
      }),
    );
  });

  it('is each day once, weekends too, where it comes Monday to Friday', () => {
    const given = fc.record({
      from: fc.integer({ min: Date.UTC(2009, 0), max: Date.UTC(2031, 0) }),
      zone: fc.constantFrom(...ZONES),
      hour: fc.integer({ min: 0, max: 23 }),
    });
    fc.assert(
      fc.property(given, ({ from, zone, hour }) => {
        const time = `${String(hour).padStart(2, '0')}:30`;
        const timing: Timing = { cadence: { kind: 'weekdays' }, time, zone };
        const told = nextDueTimes(timing, from, 12).flatMap(
          ({ at }) => reportPeriodsOf('yesterday', at, zone, daysCovered(timing, at)).main.window.days,
        );
        expect(told).toEqual(daysInRange(told[0]!, told.at(-1)!, zone));
        expect(told.length).toBeGreaterThan(13);
      }),
    );
  });

  it('never counts a day on both sides', () => {
    fc.assert(
      fc.property(asked, ({ at, zone, scope, count }) => {
        for (const { window, before } of Object.values(reportPeriodsOf(scope, at, zone, count)).filter(
          isCompared,
        ))
          expect(before.days.filter((day) => window.days.includes(day))).toEqual([]);
      }),
    );
  });
});

function isCompared(value: unknown): value is ReturnType<typeof reportPeriodsOf>['main'] {
  return typeof value === 'object' && value !== null && 'window' in value;
}

describe('the figures of a post', () => {
  it('hold every item once, or call it a stray unless it is of the day before or after', () => {
    const day = fc.oneof(
      fc
        .integer({ min: 0, max: 220 })
        .map((ago) => dayAt(Date.UTC(2026, 10, 21, 9) - ago * 86_400_000, 'UTC')),
      fc.constantFrom('', 'soon', '2026-02-30'),
    );
    fc.assert(
      fc.property(fc.array(day, { maxLength: 40 }), (days) => {
        const brief = reportPeriodsOf('yesterday', Date.UTC(2026, 10, 21, 9), 'UTC');
        const items = days.map((one) => ({
          day: scalar(one),
          totalAmount: scalar('1'),
          totalBonuses: scalar('0'),
        }));
        const { main, charted, strays } = computeReportFigures(items, brief, undefined);
        const within = (first: string, last: string) =>
          days.filter((one) => one >= first && one <= last).length;
        expect(main.total.readable).toBe(within('2026-11-20', '2026-11-20'));
        expect(charted.total.readable).toBe(within('2026-11-07', '2026-11-20'));
        expect(strays).toBe(
          days.filter((one) => !/^\d{4}-(?!02-30)/.test(one) || one > '2026-11-21' || one < '2026-07-03')
            .length,
        );
      }),
    );
  });
});
