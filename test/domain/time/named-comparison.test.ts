import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCommandText } from '../../../src/domain/language/read-command.ts';
import { compareWith } from '../../../src/domain/time/named-comparison.ts';
import { periodOf } from '../../../src/domain/time/period.ts';
import { readerAt, resolvePeriodText } from '../../support/read-words.ts';
import { beginning, daysOf, moments, todayAt, zones } from '../wall-clock.ts';

/** Saturday */
const now = Date.parse('2026-11-21T10:15:30.123Z');
const on = (day: string) => Date.parse(`${day}T10:15:30.123Z`);

/** `text` is as after the project: 'october vs september'. */
function compared(text: string, at = now, zone = 'UTC', writtenAt = at) {
  const { phrase, versus } = parseCommandText(text, readerAt(at, zone, writtenAt));
  if (phrase === undefined || versus === undefined) throw new Error(`${text} names no comparison`);
  return compareWith(periodOf(phrase, at, zone), versus).comparison;
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

describe('a named comparison on Saturday 2026-11-21', () => {
  it('uses the days that the words meant when they were written', () => {
    const later = on('2026-12-03');
    expect(compared('2026-01 vs last-month', later, 'UTC', on('2026-11-21'))).toMatchObject({
      label: '1–31 Oct',
    });
    expect(compared('2026-01 vs last-month', later)).toMatchObject({ label: '1–30 Nov' });
  });
});

describe('vs last year', () => {
  it('of a day that the zone skipped a year before is refused as well', () => {
    expect(refused('2012-12-30 vs last year', now, 'Pacific/Apia').offered).toEqual([
      ...['2011-12-29', '2011-12-31'],
    ]);
  });
});

describe('a comparison that is refused', () => {
  it('offers the whole text put right', () => {
    expect(refused('october vs 2026-12')).toMatchObject({ offered: ['october vs this-month'] });
    expect(refused('mtd vs 2026-10-15..2026-10-01')).toMatchObject({
      offered: ['mtd vs 2026-10-01..2026-10-15'],
    });
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
