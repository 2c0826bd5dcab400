import { describe, expect, it } from 'vitest';
import { parsePeriodText } from '../../../src/domain/language/parse-command.ts';
import { formatPhrase, type PeriodPhrase } from '../../../src/domain/language/periods/period-ast.ts';
import type { Unit } from '../../../src/domain/time/calendar.ts';
import { fixDays, phraseWithin, unitBefore } from '../../../src/domain/time/rephrase-period.ts';
import { resolvePeriod } from '../../../src/domain/time/resolve-period.ts';

const AT = Date.UTC(2026, 10, 21, 10, 15, 30, 123);
const DAY = 86_400_000;
const textOf = (phrase: PeriodPhrase | undefined) => phrase && formatPhrase(phrase);
const fixed = (text: string, later: number, zone = 'UTC') =>
  formatPhrase(fixDays(parsePeriodText(text), AT, AT + later, zone));

describe('the phrase of an earlier answer', () => {
  it.each([
    ['last-7-days', '2026-11-14..2026-11-20'],
    ['yesterday', '2026-11-20'],
    ['last-week', '2026-11-09..2026-11-15'],
    ['last-month', '2026-10'],
    ['last-3-months', '2026-08..2026-10'],
    ['last-quarter', '2026-07..2026-09'],
    ['last-year', '2025-01..2025-12'],
  ])('keeps its days: %s', (text, same) => {
    expect(fixed(text, 50 * DAY)).toBe(same);
  });

  it.each(['this-month', 'today', 'since 2026-11-01', '2026-10', '2026-10-01..2026-10-05', 'last-month'])(
    'keeps its words while they still mean the same days, or its period was not over: %s',
    (text) => expect(fixed(text, 2 * DAY)).toBe(formatPhrase(parsePeriodText(text))),
  );

  it.each([
    ['this-week', 2, '2026-11-16..2026-11-22'],
    ['this-month', 10, '2026-11'],
    ['november', 400, '2026-11'],
    ['this-quarter', 50, '2026-10..2026-12'],
    ['this-year', 50, '2026-01..2026-12'],
    ['2026', 50, 'year-2026'],
  ])('is the whole week, month or year once that is over: %s, %i days later', (text, days, whole) =>
    expect(fixed(text, days * DAY)).toBe(whole),
  );

  it('is unchanged on the same day in the zone', () => {
    expect(fixed('yesterday', DAY / 2)).toBe('yesterday');
    expect(fixed('yesterday', DAY / 2, 'Asia/Tokyo')).toBe('2026-11-20');
  });

  it.each([
    'last-7-days',
    'last-week',
    'last-4-weeks',
    'last-month',
    'last-2-quarters',
    'yesterday',
    'last-year',
  ])('gives the period and the comparison of an answer that is shared later: %s', (text) => {
    for (const days of [1, 9, 40, 400]) {
      const phrase = parsePeriodText(text);
      const now = AT + days * DAY;
      const { comparison, days: asked } = resolvePeriod(phrase, now, 'UTC', AT);
      const again = resolvePeriod(fixDays(phrase, AT, now, 'UTC'), now, 'UTC');
      expect([again.days, again.comparison?.days]).toEqual([asked, comparison?.days]);
    }
  });
});

describe('the unit before a phrase', () => {
  const precedingDays = (text: string, unit: Unit) =>
    textOf(unitBefore(parsePeriodText(text), unit, AT, 'UTC'));

  it.each([
    ['day', 'yesterday', '2026-11-19'],
    ['week', 'last-week', '2026-11-02..2026-11-08'],
    ['week', 'this-week', '2026-11-09..2026-11-15'],
    ['week', 'last-7-days', '2026-11-07..2026-11-13'],
    ['week', '2026-11-03..2026-11-09', '2026-10-27..2026-11-02'],
    ['month', 'this-month', '2026-10'],
    ['month', '2026-10', '2026-09'],
    ['quarter', 'last-quarter', '2026-04..2026-06'],
    ['year', 'last-year', '2024-01..2024-12'],
  ] as const)('is as long, and ends where that begins: the %s before %s', (unit, text, days) =>
    expect(precedingDays(text, unit)).toBe(days),
  );

  it.each([
    ['day', 'last-7-days'],
    ['week', 'yesterday'],
    ['week', 'last-8-days'],
    ['week', 'last-2-weeks'],
    ['week', 'last-month'],
    ['month', 'last-7-days'],
    ['month', 'last-30-days'],
    ['month', 'last-2-months'],
    ['month', 'last-quarter'],
  ] as const)('is unknown where the phrase means another unit or several: the %s before %s', (unit, text) =>
    expect(precedingDays(text, unit)).toBeUndefined(),
  );
});

describe('a phrase that names days of a year, a month or a week without saying which', () => {
  const within = (text: string, around: string) =>
    textOf(phraseWithin(parsePeriodText(text), parsePeriodText(around), AT, 'UTC'));

  it.each([
    ['2025', 'september', '2025-09'],
    ['2025', 'q3', '2025-07..2025-09'],
    ['2025', 'h1', '2025-01..2025-06'],
    ['2025', 'october 3', '2025-10-03'],
    ['2025', 'w40', '2025-09-29..2025-10-05'],
    ['2025', 'march to may', '2025-03..2025-05'],
    ['september', 'the 3rd', '2026-09-03'],
    ['2026-11-02..2026-11-08', 'monday', '2026-11-02'],
    ['last-week', 'monday', '2026-11-09'],
    ['2026-11-02..2026-11-08', 'monday to wednesday', '2026-11-02..2026-11-04'],
    ['2026-11-02..2026-11-08', 'weekend', '2026-11-07..2026-11-08'],
  ])('means the ones in %s: %s', (around, text, days) => expect(within(text, around)).toBe(days));

  it.each([
    // Those that are meant without it are there already.
    ['2026', 'september'],
    ['last-week', 'weekend'],
    // Not yet.
    ['2026', 'december'],
    ['this-week', 'monday'],
    // They say which.
    ['2024', 'september 2025'],
    ['2025', 'w40 2026'],
    ['2025', 'march to may 2026'],
    ['2026-11-02..2026-11-08', 'monday last week'],
    ['2026-11-02..2026-11-08', 'this weekend'],
    ['2025', 'yesterday'],
    // Of different units, or in several.
    ['2025', 'monday to 20 november'],
    ['last-3-years', 'september'],
    // There is none.
    ['september', 'the 31st'],
    ['2025', 'since march'],
  ])('is left as it is where %s does not help: %s', (around, text) =>
    expect(within(text, around)).toBeUndefined(),
  );
});
