import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsePeriodText } from '../../../src/domain/language/parse-command.ts';
import { compareWith } from '../../../src/domain/time/named-comparison.ts';
import { resolvePeriodText } from '../../../src/domain/time/resolve-period.ts';
import { beginning, daysOf, moments, todayAt, zones } from '../wall-clock.ts';

/** Saturday */
const now = Date.parse('2026-11-21T10:15:30.123Z');
const on = (day: string) => Date.parse(`${day}T10:15:30.123Z`);

const versusOf = (text: string) => (text === 'last year' ? 'year-before' : parsePeriodText(text));

/** `text` is as after the project: 'october vs september'. */
function compared(text: string, at = now, zone = 'UTC', writtenAt?: number) {
  const [period = '', versus = ''] = text.split(' vs ');
  const instants = { now: at, writtenAt };
  return compareWith(resolvePeriodText(period, at, zone), versusOf(versus), instants).comparison;
}

const daysIn = (text: string, at = now) => {
  const { days = [], currentDays = [] } = compared(text, at) ?? {};
  return [currentDays[0], currentDays.at(-1), currentDays.length, days[0], days.at(-1), days.length];
};

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

describe('a named comparison on Saturday 2026-11-21', () => {
  it.each([
    ['october vs september', '1–30 Sep', 31, 30],
    ['mtd vs last-month', '1–31 Oct', 20, 31],
    ['october vs mtd', '1–20 Nov', 31, 20],
    ['last-month vs 2026-10-01..2026-10-15', 'refused', 0, 0],
    ['september vs october', '1–31 Oct', 30, 31],
    ['january vs december', '1–31 Dec 2025', 31, 31],
    ['october 2025 vs october', '1–31 Oct', 31, 31],
    ['october 2025 vs september 2025', '1–30 Sep 2025', 31, 30],
    ['last-7-days vs 2026-10-01..2026-10-15', '1–15 Oct', 7, 15],
    ['last-7-days including today vs last-month', '1–31 Oct', 6, 31],
    ['yesterday vs 2026-10-20', 'Tue 20 Oct', 1, 1],
    ['q3 vs q2', '1 Apr – 30 Jun', 92, 91],
    ['2026 vs 2025', '1 Jan – 31 Dec 2025', 324, 365],
    ['last-week vs last-4-weeks', 'refused', 0, 0],
  ])('“%s” is with %s', (text, label, current, before) => {
    if (label === 'refused') return expect(refused(text).message).toContain('shares days with');
    const comparison = compared(text);
    expect(comparison).toMatchObject({ label, basis: 'the named days' });
    expect(comparison?.currentDays).toHaveLength(current);
    expect(comparison?.days).toHaveLength(before);
  });

  it('uses the days that the words meant when they were written', () => {
    const later = on('2026-12-03');
    expect(compared('2026-01 vs last-month', later, 'UTC', on('2026-11-21'))).toMatchObject({
      label: '1–31 Oct',
    });
    expect(compared('2026-01 vs last-month', later)).toMatchObject({ label: '1–30 Nov' });
  });
});

describe('vs last year', () => {
  it.each([
    ['october', '2026-10-01', '2026-10-31', 31, '2025-10-01', '2025-10-31', 31],
    ['mtd', '2026-11-01', '2026-11-20', 20, '2025-11-01', '2025-11-20', 20],
    ['yesterday', '2026-11-20', '2026-11-20', 1, '2025-11-20', '2025-11-20', 1],
    ['last-7-days', '2026-11-14', '2026-11-20', 7, '2025-11-14', '2025-11-20', 7],
    ['2025', '2025-01-01', '2025-12-31', 365, '2024-01-01', '2024-12-31', 366],
    ['q1', '2026-01-01', '2026-03-31', 90, '2025-01-01', '2025-03-31', 90],
    ['2025-12-20..2026-01-05', '2025-12-20', '2026-01-05', 17, '2024-12-20', '2025-01-05', 17],
  ])('of %s is the same days', (text, ...days) => {
    expect(daysIn(`${text} vs last year`)).toEqual(days);
    expect(compared(`${text} vs last year`)?.basis).toBe('the same days a year before');
  });

  it.each([
    ['last-week', '2026-11-09', '2026-11-15', 7, '2025-11-10', '2025-11-16', 7],
    ['this-week', '2026-11-16', '2026-11-20', 5, '2025-11-17', '2025-11-21', 5],
    ['last-4-weeks', '2026-10-19', '2026-11-15', 28, '2025-10-20', '2025-11-16', 28],
  ])('of %s is 52 weeks before, from Monday to the same weekday', (text, ...days) => {
    expect(daysIn(`${text} vs last year`)).toEqual(days);
    expect(compared(`${text} vs last year`)?.basis).toBe('the same weekdays 52 weeks before');
  });

  it.each([
    ['2025-02', '2025-02-01', '2025-02-28', 28, '2024-02-01', '2024-02-29', 29],
    ['2024-02', '2024-02-01', '2024-02-29', 29, '2023-02-01', '2023-02-28', 28],
    ['2025-02-01..2025-02-28', '2025-02-01', '2025-02-28', 28, '2024-02-01', '2024-02-28', 28],
    ['2024-02-01..2024-02-29', '2024-02-01', '2024-02-29', 29, '2023-02-01', '2023-02-28', 28],
    ['2024-02-29..2024-03-05', '2024-02-29', '2024-03-05', 6, '2023-03-01', '2023-03-05', 5],
  ])('of %s leaves out 29 February if the other year has none', (text, ...days) =>
    expect(daysIn(`${text} vs last year`)).toEqual(days),
  );

  it('of 29 February alone is refused, with both days beside it', () => {
    expect(refused('2024-02-29 vs last year')).toMatchObject({
      message: '“vs last year” has no day for Thu 29 Feb 2024. Compare with a day beside it.',
      offered: ['2023-02-28', '2023-03-01'],
    });
  });

  it('of a day that the zone skipped a year before is refused as well', () => {
    expect(refused('2012-12-30 vs last year', now, 'Pacific/Apia').offered).toEqual([
      ...['2011-12-29', '2011-12-31'],
    ]);
  });
});

describe('a comparison that is refused', () => {
  it.each([
    ['last-7-days vs last-30-days', '“vs last-30-days” shares days with 14–20 Nov.'],
    ['mtd vs yesterday', '“vs yesterday” shares days with 1–21 Nov.'],
    ['mtd vs today', '“vs today” has no complete day to compare yet.'],
    ['october vs 2026-10', '“vs 2026-10” is the same days, 1–31 Oct.'],
    ['last-2-years vs last year', '“vs last year” shares days with 1 Jan 2024 – 31 Dec 2025.'],
    ['today vs yesterday', '“today” has no complete day to compare yet.'],
    ['october vs today', '“vs today” has no complete day to compare yet.'],
    ['october vs last-4000-days', '“last-4000-days” is longer than 3,660 days.'],
  ])('“%s”', (text, message) => expect(refused(text).message).toContain(message));

  it('offers another one only if that can be compared', () => {
    expect(refused('october vs 2026-12')).toMatchObject({ offered: ['this-month'] });
    expect(refused('mtd vs 2026-12')).toMatchObject({ offered: [] });
    expect(refused('mtd vs 2026-10-15..2026-10-01')).toMatchObject({ offered: ['2026-10-01..2026-10-15'] });
  });
});

describe('every named comparison', () => {
  const phrases = fc.constantFrom(
    ...['yesterday', 'last-7-days', 'last-7-days including today', 'this-week', 'last-week', 'last-4-weeks'],
    ...['mtd', 'last-month', 'last-3-months', 'qtd', 'last-quarter', 'ytd', 'last-year', 'february', 'q1'],
  );

  it('is of complete days that the period does not have, and asks for them to the millisecond', () => {
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

  it('with last year begins and ends at the same date, or the same weekday', () => {
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
