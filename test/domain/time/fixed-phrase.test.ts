import { describe, expect, it } from 'vitest';
import { parsePeriodText } from '../../../src/domain/language/parse-command.ts';
import { formatPhrase } from '../../../src/domain/language/periods/period-phrase.ts';
import { resolvePeriod } from '../../../src/domain/time/period.ts';
import { fixPhrase } from '../../../src/domain/time/rephrase-period.ts';

const AT = Date.UTC(2026, 10, 21, 10, 15, 30, 123);
const DAY = 86_400_000;
const fixed = (text: string, later: number, zone = 'UTC') =>
  formatPhrase(fixPhrase(parsePeriodText(text), AT, AT + later, zone));

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
      const again = resolvePeriod(fixPhrase(phrase, AT, now, 'UTC'), now, 'UTC');
      expect([again.days, again.comparison?.days]).toEqual([asked, comparison?.days]);
    }
  });
});
