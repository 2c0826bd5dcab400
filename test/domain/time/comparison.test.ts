/** The days that a period is compared with, by default and after `vs`. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCommandText } from '../../../src/domain/language/parse-command-text.ts';
import { compareWith, periodOf } from '../../../src/domain/time/period.ts';
import { contextAt, resolvePeriodText } from '../../support/read-words.ts';
import { beginning, daysAhead, daysOf, moments, plus, todayAt, zones } from '../wall-clock.ts';

const now = Date.parse('2026-11-21T10:15:30.123Z');
const on = (day: string) => Date.parse(`${day}T10:15:30.123Z`);

/** @param text `october`, `october vs september` */
function compared(text: string, at = now, zone = 'UTC', writtenAt = at) {
  const { phrase, versus } = parseCommandText(text, contextAt(at, zone, writtenAt));
  const period = phrase && periodOf(phrase, at, zone);
  return period && versus ? compareWith(period, versus).comparison : period?.comparison;
}

function refused(text: string, at = now, zone = 'UTC') {
  try {
    compared(text, at, zone);
  } catch (error) {
    return error as { message: string; offered: readonly string[] };
  }
  throw new Error(`${text} was compared`);
}

function comparedUnlessRefused(text: string, at: number, zone: string) {
  try {
    return compared(text, at, zone);
  } catch (error) {
    expect(['invalid-word', 'period-just-began']).toContain((error as { kind?: string }).kind);
    return undefined;
  }
}

describe('a comparison without “vs”', () => {
  it('covers whole days, to the millisecond', () => {
    const { from = 0, to = 0 } = compared('last-7-days', now, 'America/New_York') ?? {};
    expect([new Date(from).toISOString(), new Date(to).toISOString()]).toEqual([
      '2026-11-07T05:00:00.000Z',
      '2026-11-14T04:59:59.999Z',
    ]);
  });
});

describe('the comparison of a running month or year', () => {
  it('is absent on the first day', () => {
    expect(compared('mtd', on('2026-11-01'))).toBeUndefined();
    expect(compared('this-week', on('2026-11-16'))).toBeUndefined();
    expect(compared('2026', on('2026-01-01'))).toBeUndefined();
  });

  it('covers one day on the second day', () => {
    expect(compared('mtd', on('2026-11-02'))).toMatchObject({ label: 'Thu 1 Oct' });
  });

  it('covers no more than the whole previous month or year', () => {
    const comparison = compared('mtd', on('2026-03-31'));
    expect(comparison?.currentDays).toHaveLength(30);
    expect(comparison).toMatchObject({ label: 'February' });
    expect(compared('ytd', on('2028-12-31'))).toMatchObject({ label: '2027' });
  });
});

it('a compared period’s name includes the year unless that is the current year', () => {
  expect(compared('last november', on('2026-11-21'))).toMatchObject({ label: 'October 2025' });
  expect(compared('yesterday', on('2027-01-01'))).toMatchObject({ label: 'Thu 24 Dec 2026' });
  expect(compared('last-month', on('2027-01-15'))).toMatchObject({ label: 'November 2026' });
});

describe('the comparison of a single day', () => {
  it('is absent if the time zone skipped the day a week before', () => {
    // Samoa skipped Friday 30 December 2011, when it crossed the date line.
    expect(compared('yesterday', on('2012-01-06'), 'Pacific/Apia')).toBeUndefined();
    expect(compared('yesterday', on('2012-01-13'), 'Pacific/Apia')).toMatchObject({ label: 'Fri 6 Jan' });
  });
});

describe('the comparison of any period without “vs”', () => {
  it('for several days, covers the same number of days directly before them', () => {
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

  it('for the current month, covers the beginning of last month', () => {
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

  it('ends directly before a period of whole weeks, months or years', () => {
    const texts = fc.constantFrom(
      'last-week',
      ...['4w', 'last-month', '3mo', 'last-quarter', 'last-2-years', 'last-year'],
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

describe('a typed comparison', () => {
  it('covers the days that its words meant when they were typed', () => {
    const later = on('2026-12-03');
    expect(compared('2026-01 vs last-month', later, 'UTC', on('2026-11-21'))).toMatchObject({
      label: 'October',
    });
    expect(compared('2026-01 vs last-month', later)).toMatchObject({ label: 'November' });
  });
});

describe('the words “vs last year”', () => {
  it('are refused if the time zone skipped the day a year before', () => {
    expect(refused('2012-12-30 vs last year', now, 'Pacific/Apia').message).toContain('doesn’t exist');
  });
});

describe('a refused comparison', () => {
  it('comes with the whole corrected command as a suggestion', () => {
    expect(refused('october vs 2026-12')).toMatchObject({ offered: ['october vs this-month'] });
    expect(refused('mtd vs 2026-10-15..2026-10-01')).toMatchObject({
      offered: ['mtd vs 2026-10-01..2026-10-15'],
    });
  });
});

describe('any typed comparison', () => {
  const phrases = fc.constantFrom(
    ...['yesterday', 'last-7-days', 'last-7-days including today', 'this-week', 'last-week', 'last-4-weeks'],
    ...['mtd', 'last-month', 'last-3-months', 'qtd', 'last-quarter', 'ytd', 'last-year', 'february', 'q1'],
  );

  it('covers complete days outside the period, to the millisecond', () => {
    const named = fc.oneof(phrases, fc.constant('last year'));
    fc.assert(
      fc.property(phrases, named, moments, zones, (text, versus, at, zone) => {
        const comparison = comparedUnlessRefused(`${text} vs ${versus}`, at, zone);
        if (comparison === undefined) return;
        const { days = [], currentDays = [], from = 0, to = 0 } = comparison;
        const period = resolvePeriodText(text, at, zone);
        const today = todayAt(at, zone);
        expect(currentDays).toEqual(period.days.filter((day) => day !== today));
        expect(days).toEqual(daysOf(days[0] ?? '', days.at(-1) ?? '', zone));
        expect(days.filter((day) => period.days.includes(day) || day >= today)).toEqual([]);
        expect(from).toBe(beginning(days[0] ?? '', zone));
        expect(to).toBeLessThan(at);
      }),
    );
  });

  it('with “last year” covers the same dates a year before, or the same weekdays if weeks are compared', () => {
    fc.assert(
      fc.property(phrases, moments, zones, (text, at, zone) => {
        const comparison = comparedUnlessRefused(`${text} vs last year`, at, zone);
        fc.pre(comparison !== undefined);
        const { currentDays = [], days = [] } = comparison ?? {};
        const isWeek = text.includes('week');
        for (const [day, before] of [
          [currentDays[0], days[0]],
          [currentDays.at(-1), days.at(-1)],
        ] as const) {
          const [now, then] = [new Date(day ?? ''), new Date(before ?? '')];
          if (isWeek) expect((now.getTime() - then.getTime()) / 86_400_000).toBe(364);
          else if (!/02-2[89]$/.test(day ?? '')) {
            expect(before?.slice(5)).toBe(day?.slice(5));
            expect(then.getUTCFullYear()).toBe(now.getUTCFullYear() - 1);
          }
        }
      }),
    );
  });
});
