import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAmount, toPlainDigits } from '../../src/domain/money/amount.ts';
import { computeReportFigures, type ReportName, reportPeriodsOf } from '../../src/domain/report.ts';
import { daysCovered, type Timing } from '../../src/domain/time/cadence.ts';
import {
  dayAt,
  daysInRange,
  endOfDay,
  formatRequestedDays,
  startOfDay,
} from '../../src/domain/time/calendar.ts';
import { nextDueTimes } from '../support/next-due-times.ts';
import { chargesOf } from '../support/usage.ts';

const ZONES = ['UTC', 'America/New_York', 'Pacific/Apia', 'Australia/Lord_Howe', 'America/Santiago'];
const SCOPES: readonly ReportName[] = ['yesterday', 'last-week', 'month-to-date'];
const requested = fc.record({
  at: fc.integer({ min: Date.UTC(2009, 0), max: Date.UTC(2031, 0) }),
  zone: fc.constantFrom(...ZONES),
  scope: fc.constantFrom(...SCOPES),
  count: fc.integer({ min: 1, max: 3 }),
});
const scalar = (text: string) => ({ text });

describe('the period of a post', () => {
  it('is over when the post is sent, in every time zone and at every hour', () => {
    fc.assert(
      fc.property(requested, ({ at, zone, scope, count }) => {
        const brief = reportPeriodsOf(scope, at, zone, count);
        const { main, month, week, charted } = brief;
        const all = [main.window.days, main.before.days, month, week, charted].flat();
        for (const day of all) {
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

  it('begins where the previous post’s period ended, even if posts come only from Monday to Friday', () => {
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

  it('shares no day with the period it is compared with', () => {
    fc.assert(
      fc.property(requested, ({ at, zone, scope, count }) => {
        const { window, before } = reportPeriodsOf(scope, at, zone, count).main;
        expect(before.days.filter((day) => window.days.includes(day))).toEqual([]);
      }),
    );
  });
});

describe('the numbers in a post', () => {
  it('include each billing item of the reported days exactly once', () => {
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
        const { main, charted, strays } = computeReportFigures(chargesOf(items), brief, undefined);
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

  /** 10 a day, except where `costs` names another amount; undefined for an unreported day. */
  const itemsFrom = (first: string, last: string, costs: Readonly<Record<string, string | undefined>> = {}) =>
    daysInRange(first, last, 'UTC').flatMap((day) => {
      const amount = day in costs ? costs[day] : '10';
      return amount === undefined
        ? []
        : [{ day: scalar(day), totalAmount: scalar(amount), totalBonuses: scalar('0') }];
    });
  const figuresOf = (scope: ReportName, at: number, items: ReturnType<typeof itemsFrom>) => {
    const account = { balance: parseAmount(scalar('70')), bonuses: parseAmount(scalar('5')) };
    const found = computeReportFigures(chargesOf(items), reportPeriodsOf(scope, at, 'UTC'), account);
    const shown = (change: typeof found.change) =>
      change?.figures && [change.figures.current, change.figures.before].map(toPlainDigits).join(' vs ');
    return {
      main: toPlainDigits(found.main.total.value),
      change: shown(found.change),
      month: toPlainDigits(found.month.total.value),
      usual: found.usual && toPlainDigits(found.usual),
      charted: found.charted.reported.length,
      forecast: found.forecast && toPlainDigits(found.forecast.total),
      runway: found.runway?.kind === 'estimate' ? found.runway.days : undefined,
      strays: found.strays,
    };
  };
  const SATURDAY = Date.UTC(2026, 10, 21, 9);

  it('come from the days of the report, of the month and of the last week', () => {
    const items = itemsFrom('2026-07-04', '2026-11-20', { '2026-11-20': '45', '2026-10-20': '12' });
    expect(figuresOf('yesterday', SATURDAY, items)).toEqual({
      main: '45',
      change: '45 vs 10',
      usual: '10',
      month: '235',
      charted: 14,
      // A single expensive Friday is not expected again: ten days of 10 are left.
      forecast: '335',
      // The last 7 days cost 105; balance and bonuses are 75.
      runway: 5,
      strays: 0,
    });
    expect(figuresOf('last-week', SATURDAY, items)).toMatchObject({ main: '70', charted: 7 });
    expect(figuresOf('month-to-date', SATURDAY, items)).toMatchObject({ main: '235', charted: 20 });
  });

  it('include today’s cost only in the forecast', () => {
    const items = itemsFrom('2026-07-04', '2026-11-21', { '2026-11-21': '70' });
    expect(figuresOf('month-to-date', SATURDAY, items)).toMatchObject({ main: '200', forecast: '360' });
  });

  it('include the usual cost of a weekday if it was reported in at least 3 of the last 4 weeks', () => {
    const fridays = { '2026-10-23': '1', '2026-10-30': '30', '2026-11-06': '20', '2026-11-13': '40' };
    const usualOf = (costs: Readonly<Record<string, string | undefined>>, scope: ReportName = 'yesterday') =>
      figuresOf(scope, SATURDAY, itemsFrom('2026-07-04', '2026-11-20', { ...fridays, ...costs })).usual;
    expect(usualOf({})).toBe('25');
    expect(usualOf({ '2026-10-23': undefined })).toBe('30');
    expect(usualOf({ '2026-10-23': undefined, '2026-10-30': undefined })).toBeUndefined();
    expect(usualOf({ '2026-11-20': undefined })).toBeUndefined();
    expect(usualOf({}, 'last-week')).toBeUndefined();
  });

  it('include the usual cost of a weekday even on the first of a month', () => {
    const items = itemsFrom('2026-02-01', '2026-02-28', { '2026-02-07': '9', '2026-02-14': '9' });
    expect(figuresOf('yesterday', Date.UTC(2026, 2, 1, 9), items)).toMatchObject({ usual: '9' });
  });

  it('include no forecast if the month is over or too few days are reported', () => {
    const items = itemsFrom('2026-07-04', '2026-11-30');
    expect(figuresOf('yesterday', Date.UTC(2026, 11, 1, 9), items)).toMatchObject({
      month: '300',
      forecast: undefined,
    });
    expect(figuresOf('yesterday', SATURDAY, itemsFrom('2026-11-18', '2026-11-20')).forecast).toBeUndefined();
  });

  it('include no runway without a balance', () => {
    const items = itemsFrom('2026-07-04', '2026-11-20');
    const periods = reportPeriodsOf('yesterday', SATURDAY, 'UTC');
    expect(computeReportFigures(chargesOf(items), periods, undefined).runway).toBeUndefined();
  });

  it('include a separate count of billing items dated more than a day outside the requested days', () => {
    const stray = (...days: readonly string[]) =>
      figuresOf(
        'yesterday',
        SATURDAY,
        days.flatMap((day) => itemsFrom(day, day)),
      ).strays;
    expect(stray('2026-11-21', '2026-07-03')).toBe(0);
    expect(stray('2026-11-22')).toBe(1);
    expect(stray('2026-07-02')).toBe(1);
  });
});

describe('the days in a post', () => {
  const of = (scope: ReportName, at: string, zone = 'UTC', count?: number) => {
    const { main, month, week, charted, history, requested, from, to } = reportPeriodsOf(
      scope,
      Date.parse(at),
      zone,
      count,
    );
    const range = (days: readonly string[]) => `${days[0]?.slice(5)}..${days.at(-1)?.slice(5)}`;
    return {
      main: [main.window.label, main.before.label],
      days: [month, week, charted, history].map(range),
      label: formatRequestedDays(requested),
      from: dayAt(from, zone),
      to: dayAt(to + 1, zone),
    };
  };

  it.each([
    [
      'yesterday',
      ['Fri 20 Nov', 'Fri 13 Nov'],
      ['11-01..11-20', '11-14..11-20', '11-07..11-20', '07-04..11-20'],
    ],
    ['last-week', ['9–15 Nov', '2–8 Nov'], ['11-01..11-20', '11-14..11-20', '11-09..11-15', '07-04..11-20']],
    [
      'month-to-date',
      ['1–20 Nov', '1–20 Oct'],
      ['11-01..11-20', '11-14..11-20', '11-01..11-20', '07-04..11-20'],
    ],
  ] as const)('for the report “%s” are %j (reported, compared)', (scope, main, days) => {
    expect(of(scope, '2026-11-21T09:00Z')).toEqual({
      main,
      days,
      label: main[0],
      from: '2026-07-04',
      to: '2026-11-21',
    });
  });

  it('include the weekend in the Monday post of a weekday schedule', () => {
    expect(of('yesterday', '2026-11-23T09:00Z', 'UTC', 3).main).toEqual(['20–22 Nov', '13–15 Nov']);
  });

  it('in a month-to-date report are the whole last month on the 1st, and only the 1st on the 2nd', () => {
    expect(of('month-to-date', '2026-12-01T09:00Z')).toMatchObject({
      main: ['November', 'October'],
      label: 'November',
      days: ['11-01..11-30', '11-24..11-30', '11-01..11-30', 'undefined..undefined'],
    });
    expect(of('month-to-date', '2026-12-02T09:00Z')).toMatchObject({
      main: ['Tue 1 Dec', 'Sun 1 Nov'],
      days: ['12-01..12-01', '11-25..12-01', '11-18..12-01', '08-04..12-01'],
    });
    expect(of('yesterday', '2027-01-01T09:00Z')).toMatchObject({
      main: ['Thu 31 Dec 2026', 'Thu 24 Dec 2026'],
      label: 'Thu 31 Dec 2026',
      from: '2026-12-01',
    });
  });

  it('are not compared if the time zone skipped the same weekday one week earlier', () => {
    expect(of('yesterday', '2012-01-07T09:00+14:00', 'Pacific/Apia').main).toEqual(['Fri 6 Jan', '']);
    const periods = reportPeriodsOf('yesterday', Date.parse('2012-01-07T09:00+14:00'), 'Pacific/Apia');
    expect(computeReportFigures([], periods, undefined).change).toBeUndefined();
  });
});
