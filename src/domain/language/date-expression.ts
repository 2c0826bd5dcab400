/** Finds a point, a named stretch of the calendar, at a place among tokens: a date, month, quarter, year, today. */

import {
  firstOf,
  type Match,
  type Parser,
  parseErrorAt,
  senseOf,
  typedText,
  type WithoutSource,
} from './combinators.ts';
import { MAX_YEAR, MIN_YEAR } from './date-literal.ts';
import { ParseError } from './parse-error.ts';
import type { DateExpression } from './period-phrase.ts';
import type { Token, TokenizedText } from './tokenizer.ts';

export const isBareYear = (digits: string): boolean => /^20\d\d$/.test(digits);

/** A number that a word beside it makes a year, be it of the last century when the two hang together. */
function yearBeside(token: Token | undefined): number | undefined {
  if (token?.kind !== 'number') return undefined;
  const clear = isBareYear(token.digits) || (!token.spaced && /^19\d\d$/.test(token.digits));
  return clear ? Number(token.digits) : undefined;
}

function quarterNumber(source: TokenizedText, at: number, next: number, digits: string): number {
  if (/^[1-4]$/.test(digits)) return Number(digits);
  throw parseErrorAt(source, at, next, 'is no quarter', 'Quarters are q1, q2, q3 and q4, as in 2026-q3.');
}

/** A month or quarter without its year; 'q 3' is a quarter too, unless the q belongs to a number before it: '2q 3'. */
const season: Parser<WithoutSource<Extract<DateExpression, { kind: 'month' | 'quarter' }>>> = (
  source,
  at,
) => {
  const [token, after] = [source.tokens[at], source.tokens[at + 1]];
  const month = senseOf(token, 'month')?.month;
  if (month) return { value: { kind: 'month', month }, next: at + 1 };
  if (token?.kind === 'quarter')
    return {
      value: { kind: 'quarter', quarter: quarterNumber(source, at, at + 1, token.digits) },
      next: at + 1,
    };
  return isSpacedQuarter(token, after)
    ? { value: { kind: 'quarter', quarter: Number(after.digits) }, next: at + 2 }
    : undefined;
};

export function isSpacedQuarter(
  token: Token | undefined,
  after: Token | undefined,
): after is Token & { kind: 'number' } {
  const apart = token?.kind === 'word' && token.spelling === 'q' && (token.spaced || token.dashed);
  return apart && after?.kind === 'number' && /^[1-4]$/.test(after.digits);
}

const seasonThenYear: Parser<WithoutSource<DateExpression>> = (source, at, bareYear) => {
  const found = season(source, at, bareYear);
  const year = yearBeside(source.tokens[found?.next ?? at]);
  if (!found || year === undefined) return found;
  return { value: { ...found.value, year }, next: found.next + 1 };
};

/** '2026-q3' hangs together; '2026 q3' may be project 2026, and is a quarter only when the project is known. */
const yearThenSeason: Parser<WithoutSource<DateExpression>> = (source, at, bareYear) => {
  const [token, after] = [source.tokens[at], source.tokens[at + 1]];
  if (token?.kind !== 'number' || !after || (after.spaced && !bareYear)) return undefined;
  const found = season(source, at + 1, bareYear);
  const plausible = after.spaced ? isBareYear(token.digits) : /^(19|20)\d\d$/.test(token.digits);
  if (!found || !plausible) return undefined;
  return { ...found, value: { ...found.value, year: Number(token.digits) } };
};

export const isYearWord = (token: Token | undefined): boolean =>
  token?.kind === 'word' && token.spelling === 'year';

const yearNamed: Parser<WithoutSource<DateExpression>> = ({ tokens }, at) => {
  const number = tokens[at + 1];
  if (!isYearWord(tokens[at]) || number?.kind !== 'number' || !/^\d{4}$/.test(number.digits))
    return undefined;
  const year = Number(number.digits);
  if (year >= MIN_YEAR && year <= MAX_YEAR) return { value: { kind: 'year', year }, next: at + 2 };
  throw new ParseError(
    number.start,
    number.end,
    'is no year that Tally asks about',
    `Years from ${MIN_YEAR} to ${MAX_YEAR} work.`,
  );
};

/** A range sign beside it shows as well that a number is no project: '2024..2025'. */
const yearBare: Parser<WithoutSource<DateExpression>> = ({ tokens }, at, bareYear) => {
  const token = tokens[at];
  const inRange = tokens[at - 1]?.kind === 'range-sign' || tokens[at + 1]?.kind === 'range-sign';
  if (token?.kind !== 'number' || !isBareYear(token.digits) || !(bareYear || inRange)) return undefined;
  return { value: { kind: 'year', year: Number(token.digits) }, next: at + 1 };
};

const dated: Parser<WithoutSource<DateExpression>> = ({ tokens }, at) => {
  const token = tokens[at];
  if (token?.kind === 'day') return { value: { kind: 'day', day: token.day }, next: at + 1 };
  if (token?.kind === 'year-month')
    return { value: { kind: 'month', month: token.month, year: token.year }, next: at + 1 };
  if (senseOf(token, 'today')) return { value: { kind: 'today' }, next: at + 1 };
  return senseOf(token, 'yesterday') && { value: { kind: 'yesterday' }, next: at + 1 };
};

const anyPoint = firstOf(dated, seasonThenYear, yearThenSeason, yearNamed, yearBare);

export function parseDateExpression(
  source: TokenizedText,
  at: number,
  bareYear: boolean,
): Match<DateExpression> | undefined {
  const found = anyPoint(source, at, bareYear);
  return (
    found && {
      ...found,
      value: { ...found.value, typed: typedText(source, at, found.next) } as DateExpression,
    }
  );
}
