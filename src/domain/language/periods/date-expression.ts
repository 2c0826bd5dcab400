/** A named part of the calendar (a date, month, quarter, year, today or yesterday): its syntax tree, text and grammar. */
import type { Day } from '../../time/calendar.ts';
import {
  DAY_IN_WORDS,
  DAYS_IN_DIGITS,
  firstOf,
  type Match,
  ParseError,
  type Parser,
  parseErrorAt,
  senseOf,
  typedText,
  type WithoutSource,
} from '../parse.ts';
import type { Token, TokenizedText } from '../tokenizer.ts';
import { MONTH_NAMES } from '../vocabulary.ts';
import { MAX_YEAR, MIN_YEAR, yearMonthDay } from './date-literal.ts';

type At =
  | { readonly kind: 'day'; readonly day: Day }
  /** Without a year: the latest that has begun. `month` is 1 to 12, `quarter` 1 to 4. */
  | { readonly kind: 'month'; readonly month: number; readonly year?: number }
  | { readonly kind: 'quarter'; readonly quarter: number; readonly year?: number }
  | { readonly kind: 'year'; readonly year: number }
  | { readonly kind: 'today' }
  | { readonly kind: 'yesterday' };

/** A named part of the calendar. `typed` is its source text. */
export type DateExpression = At & { readonly typed: string };

/** Its canonical text. */
export function dateText(date: DateExpression): string {
  switch (date.kind) {
    case 'day':
      return date.day;
    case 'month':
      return date.year === undefined
        ? (MONTH_NAMES[date.month - 1] ?? '')
        : `${date.year}-${String(date.month).padStart(2, '0')}`;
    case 'quarter':
      return date.year === undefined ? `q${date.quarter}` : `${date.year}-q${date.quarter}`;
    case 'year':
      return `year-${date.year}`;
    default:
      return date.kind;
  }
}

export const isBareYear = (digits: string): boolean => /^20\d\d$/.test(digits);

/** The year after a month or quarter; one of the last century only when it is attached, as in 'oct1999'. */
function yearBeside(token: Token | undefined): number | undefined {
  if (token?.kind !== 'number') return undefined;
  const clear = isBareYear(token.digits) || (!token.spaced && /^19\d\d$/.test(token.digits));
  return clear ? Number(token.digits) : undefined;
}

function quarterNumber(source: TokenizedText, at: number, next: number, digits: string): number {
  if (/^[1-4]$/.test(digits)) return Number(digits);
  throw parseErrorAt(source, at, next, 'isn’t a quarter', 'Quarters are q1 to q4, such as 2026-q3.');
}

export const isDayNumber = (token: Token | undefined): token is Token & { kind: 'number' } =>
  token?.kind === 'number' && /^(?:0?[1-9]|[12]\d|3[01])$/.test(token.digits);

/** The index after `3`, `3-9` or `3 to 9`; `at` when there is no number of a day. */
function afterDayNumbers({ tokens }: TokenizedText, at: number): number {
  if (!isDayNumber(tokens[at])) return at;
  const [token, last] = [tokens[at + 1], tokens[at + 2]];
  if (isDayNumber(token) && token.dashed) return at + 2;
  return isDayNumber(last) && (token?.kind === 'range-sign' || senseOf(token, 'to')) ? at + 3 : at + 1;
}

/**
 * Refuses `3 october` and `oct 1-15`: a number of 1 to 31 beside a month is a day, never a product or a project.
 * @throws ParseError, which offers the date in digits where the year is there as well
 */
export function refuseDayInWords(source: TokenizedText, at: number): void {
  const { tokens } = source;
  const isFirst = isDayNumber(tokens[at]);
  const month = isFirst ? afterDayNumbers(source, at) : at;
  const last = isFirst ? month + 1 : afterDayNumbers(source, at + 1);
  const sense = senseOf(tokens[month], 'month');
  if (sense === undefined || last === at + 1) return;
  const yearAt = tokens[last]?.kind === 'comma' ? last + 1 : last;
  const year = yearBeside(tokens[yearAt]);
  const day = tokens[isFirst ? at : at + 1];
  const [start, end] = [tokens[at]?.start ?? 0, tokens[year === undefined ? last - 1 : yearAt]?.end ?? 0];
  if (year === undefined || last > at + 2 || day?.kind !== 'number')
    throw new ParseError(start, end, DAY_IN_WORDS, DAYS_IN_DIGITS);
  const date = yearMonthDay(year, sense.month, Number(day.digits));
  if (date.kind === 'bad') throw new ParseError(start, end, date.why, date.works);
  if (date.kind !== 'day') return;
  // The first bare number may be the project.
  const readings = isFirst ? [date.day, `project ${day.digits} ${year}-${date.day.slice(5, 7)}`] : [date.day];
  throw new ParseError(start, end, DAY_IN_WORDS, DAYS_IN_DIGITS, readings, isFirst);
}

/** A month or quarter without its year; also 'q 3', unless the q belongs to the number before it: '2q 3'. */
const season: Parser<WithoutSource<Extract<DateExpression, { kind: 'month' | 'quarter' }>>> = (
  source,
  at,
) => {
  const [token, after] = [source.tokens[at], source.tokens[at + 1]];
  const month = senseOf(token, 'month')?.month;
  if (month) refuseDayInWords(source, at);
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

/** '2026-q3'. With a space, '2026 q3' is a quarter only when the project is known: 2026 may be the project. */
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
    'is outside the years that Tally covers',
    `Type a year from ${MIN_YEAR} to ${MAX_YEAR}.`,
  );
};

/** A range sign also shows that a number is a year: '2024..2025'. */
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
  refuseDayInWords(source, at);
  const found = anyPoint(source, at, bareYear);
  return (
    found && {
      ...found,
      value: { ...found.value, typed: typedText(source, at, found.next) } as DateExpression,
    }
  );
}
