import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCommandText, parsePeriodText } from '../../../src/domain/language/parse-command.ts';
import type { DateExpression } from '../../../src/domain/language/periods/date-ast.ts';
import {
  formatPhrase,
  LAST_7_DAYS,
  type PeriodPhrase,
} from '../../../src/domain/language/periods/period-ast.ts';
import { runs } from '../../support/thorough.ts';

/** What was typed is no part of what was said. */
const said = (phrase: PeriodPhrase | undefined): unknown =>
  JSON.parse(JSON.stringify(phrase, (key, value) => (key === 'typed' ? undefined : value)));

const typed = '';
const year = fc.integer({ min: 2000, max: 2099 });

const points: fc.Arbitrary<DateExpression> = fc.oneof(
  fc
    .date({ min: new Date('1900-01-01'), max: new Date('2199-12-31'), noInvalidDate: true })
    .map((date): DateExpression => ({ kind: 'day', day: date.toISOString().slice(0, 10), typed })),
  fc.integer({ min: 1, max: 12 }).map((month): DateExpression => ({ kind: 'month', number: month, typed })),
  fc
    .tuple(fc.integer({ min: 1, max: 12 }), year)
    .map(([month, y]): DateExpression => ({ kind: 'month', number: month, year: y, typed })),
  fc
    .integer({ min: 1, max: 4 })
    .map((quarter): DateExpression => ({ kind: 'quarter', number: quarter, typed })),
  fc
    .tuple(fc.integer({ min: 1, max: 4 }), year)
    .map(([quarter, y]): DateExpression => ({ kind: 'quarter', number: quarter, year: y, typed })),
  year.map((y): DateExpression => ({ kind: 'year', year: y, typed })),
  fc.constantFrom<DateExpression>({ kind: 'today', typed }, { kind: 'yesterday', typed }),
);

const phrases: fc.Arbitrary<PeriodPhrase> = fc
  .tuple(
    fc.oneof(
      fc.record({
        kind: fc.constant('last' as const),
        unit: fc.constantFrom(
          'day' as const,
          'week' as const,
          'month' as const,
          'quarter' as const,
          'year' as const,
        ),
        count: fc.integer({ min: 1, max: 3660 }),
      }),
      fc.record({
        kind: fc.constant('this' as const),
        unit: fc.constantFrom('week' as const, 'month' as const, 'quarter' as const, 'year' as const),
      }),
      fc.record({ kind: fc.constant('at' as const), at: points }),
      fc
        .record({ kind: fc.constant('range' as const), from: points, to: points })
        .filter(({ from, to }) => from.kind !== 'day' || to.kind !== 'day' || from.day <= to.day),
      fc.record({ kind: fc.constant('since' as const), from: points }),
    ),
    fc.boolean(),
  )
  .map(([says, includingToday]) => ({ ...says, includingToday, typed }));

describe('a phrase', () => {
  it('reads back from its canonical text, alone and in a command', () => {
    fc.assert(
      fc.property(phrases, (phrase) => {
        const text = formatPhrase(phrase);
        expect(said(parsePeriodText(text))).toEqual(said(phrase));
        expect(said(parseCommandText(text).phrase)).toEqual(said(phrase));
        expect(parseCommandText(`${text} 123 cloud`)).toMatchObject({ project: '123', product: 1 });
        expect(said(parseCommandText(`storage 123 ${text}`).phrase)).toEqual(said(phrase));
      }),
      { numRuns: runs(500) },
    );
  });

  it('is the last 7 days when there is none', () => {
    expect(parsePeriodText('')).toEqual(LAST_7_DAYS);
    expect(parseCommandText('')).not.toHaveProperty('phrase');
  });

  it('knows what was typed', () => {
    expect(parsePeriodText('  From 2026-10-01 to october ')).toMatchObject({
      typed: 'From 2026-10-01 to october',
      from: { typed: '2026-10-01' },
      to: { typed: 'october' },
    });
  });

  it.each([
    ['LAST 7 d', 'last-7-days'],
    ['1w', 'last-week'],
    ['ytd', 'this-year'],
    ['Oct 2026', '2026-10'],
    ['sept', 'september'],
    ['q3-2026', '2026-q3'],
    ['year 2026', 'year-2026'],
    ['from oct until 2026/11/05', 'october..2026-11-05'],
    ['from q3', 'since q3'],
    ['incl today 3 days', 'last-3-days including today'],
  ])('“%s” is called %s', (text, name) => expect(formatPhrase(parsePeriodText(text))).toBe(name));
});
