/** How people name a period: a production a line. */
import type { Unit } from '../../../../time/calendar.ts';
import { type Parser, senseOf } from '../parser.ts';
import { isDay, type Token, type TokenizedText } from '../tokenizer.ts';
import { nameOfMonth } from '../vocabulary.ts';
import { canonical, type DateMeaning, type YearOf } from './date-ast.ts';
import { dayOf, dayOfMonth, monthly, parseDateExpression } from './date-grammar.ts';
import { END, Grammar, memoize, RefusedPhrase } from './grammar.ts';
import {
  type Count,
  datePhrase,
  endBeforeBegin,
  joinedPhrase,
  lastUnits,
  NOT_ONE_PERIOD,
  type PhraseMeaning,
  phraseText,
  rangePhrase,
  sincePhrase,
  weeksOf,
} from './period-ast.ts';
import { DATE_CLASSES, isWeekNumber, numberThat, tokenOfKind, wordOfRole } from './token-classes.ts';

function daysOf(first: number, last: number, month: number, year?: YearOf): PhraseMeaning | RefusedPhrase {
  const [from, to] = [dayOf(month, first, year), dayOf(month, last, year)];
  if (from instanceof RefusedPhrase) return from;
  if (to instanceof RefusedPhrase) return to;
  if (first > last) return endBeforeBegin(from, to);
  const named = (date: DateMeaning, day: number) => ({ ...date, typed: `${day} ${nameOfMonth(month)}` });
  return { kind: 'range', from: named(from, first), to: named(to, last) };
}

/** `the 1st to the 15th of last month` */
function rangeInMonth(
  first: number,
  last: number,
  of: DateMeaning,
): PhraseMeaning | RefusedPhrase | undefined {
  const [from, to] = [dayOfMonth(first, of), dayOfMonth(last, of)];
  if (from && to && first > last) return endBeforeBegin(from, to);
  return from && to && { kind: 'range', from: canonical(from), to: canonical(to) };
}

/**
 * '7 quarter 3': a number before a singular unit, with another bare number after it, is more likely the project than a
 * count. '7-quarter 3' and '7 quarters 3' are counts.
 */
function isProbablyProject({ tokens }: TokenizedText, at: number): boolean {
  const [number, word] = [tokens[at], tokens[at + 1]];
  if (number?.kind !== 'number' || number.digits === '1' || !word?.spaced) return false;
  const isSingular = senseOf(word, 'unit') && word.kind === 'word' && !word.spelling.endsWith('s');
  return (isSingular ?? false) && tokens.findLastIndex((_, later) => isBareNumber(tokens, later)) > at + 1;
}

function isBareNumber(tokens: readonly Token[], at: number): boolean {
  const [before, token] = [tokens[at - 1], tokens[at]];
  const isNamed = senseOf(before, 'project') ?? senseOf(before, 'product');
  return token?.kind === 'number' && token.spaced && token.end === token.raw.end && !isNamed;
}

/** '7 days', unless the unit begins a phrase of its own: '7 month to date', '2 week 45', but not '7 quarter 3'. */
const counted: Parser<{ readonly count: Count; readonly unit: Unit }> = (source, at, bareYear) => {
  const number = DATE_CLASSES.COUNT.parse(source, at, bareYear);
  const unit = number && DATE_CLASSES.UNIT.parse(source, number.next, bareYear);
  if (number === undefined || unit === undefined) return undefined;
  const named = periods.parse(source, number.next, bareYear);
  const isQuarter = named?.value.kind === 'at' && unit.value === 'quarter' && number.next + 2 === named.next;
  if (named !== undefined && !isQuarter) return undefined;
  const isAfterLast = senseOf(source.tokens[at - 1], 'last') ?? senseOf(source.tokens[at - 1], 'trailing');
  if (!isAfterLast && !bareYear && isProbablyProject(source, at)) return undefined;
  return { value: { count: number.value, unit: unit.value }, next: unit.next };
};

/** The year of `in 2026`, which in `in 2026-q3` is part of a date. */
const yearAlone: Parser<number> = (source, at) => {
  const found = parseDateExpression(source, at, true);
  return found?.value.kind === 'year' && found.next === at + 1
    ? { value: found.value.year, next: found.next }
    : undefined;
};

const weekNumber = numberThat(isWeekNumber);

const weeks: Parser<number> = (source, at, bareYear) => {
  const isPlural = DATE_CLASSES.PLURAL_UNIT.parse(source, at, bareYear)?.value === 'week';
  return isPlural
    ? weekNumber.parse(source, at + 1, bareYear)
    : DATE_CLASSES.WEEK.parse(source, at, bareYear);
};

const classes = {
  ...DATE_CLASSES,
  /** A date, named in any way. */
  DATE: { begins: undefined, parse: memoize(parseDateExpression) },
  COUNTED: { begins: DATE_CLASSES.COUNT.begins, parse: counted },
  /** `mtd` */
  TO_DATE: wordOfRole('to-date', ({ unit }) => unit),
  NUMBER: numberThat(isDay),
  /** `05`, which no project’s ID is. */
  ZERO_DAY: numberThat((digits) => /^0[1-9]$/.test(digits)),
  YEAR_MONTH: tokenOfKind('year-month', (date) => date),
  COMMA: tokenOfKind('comma', () => true as const),
  YEAR_ALONE: { begins: undefined, parse: yearAlone },
  /** The first of several weeks: `weeks 40`. */
  WEEKS: { begins: DATE_CLASSES.WEEK.begins, parse: weeks },
  WEEK_NUMBER: weekNumber,
  MONTHLY: { begins: undefined, parse: monthly },
  END,
};

/** Periods that can be asked for; `parse-period.ts` adds the phrases that are refused. */
export const periods = new Grammar(classes, phraseText)
  .rule('last UNIT', (unit) => lastUnits(unit, { digits: '1' }))
  .rule('over? the? last|trailing? COUNTED', ({ count, unit }) => lastUnits(unit, count))
  .rule('last COUNT? whole UNIT', (count, unit) => lastUnits(unit, count ?? { digits: '1' }))
  .rule('TO_DATE', (unit) => ({ kind: 'this', unit }))
  .rule(['SINGULAR_UNIT to date', 'SINGULAR_UNIT so far'], (unit) =>
    unit === 'day' ? undefined : { kind: 'this', unit },
  )
  .rule(['DATE', 'all of DATE'], datePhrase)
  .rule('in|of|during YEAR_ALONE', (year) => ({
    kind: 'at',
    at: { kind: 'year', year, typed: String(year) },
  }))
  .rule('over|whole of? DATE', (at) => (at.kind === 'year' ? undefined : datePhrase(at)))
  .rule('DATE and DATE', joinedPhrase)
  .rule('DATE and DATE and DATE', (first, second, third) =>
    [joinedPhrase(first, second), joinedPhrase(second, third)].includes(NOT_ONE_PERIOD)
      ? NOT_ONE_PERIOD
      : rangePhrase(first, third),
  )
  .rule(['DATE to DATE', 'since|between DATE to DATE', 'between DATE and DATE'], rangePhrase)
  .rule(['since DATE', 'since? DATE up? to now', 'since? DATE to date', 'since? DATE onwards'], sincePhrase)
  .rule(
    ['starting since|on? DATE', 'since the? beginning|start of DATE', 'between DATE and now'],
    sincePhrase,
  )
  .rule('since the? beginning|start of the? SINGULAR_UNIT', (unit) => ({ kind: 'this', unit }))
  .rule(['since? WEEKS to WEEK_NUMBER of|in? YEAR?', 'between WEEKS and WEEK_NUMBER of|in? YEAR?'], weeksOf)
  .rule('WEEKS and WEEK_NUMBER of|in? YEAR?', (first, last, year) =>
    last === first + 1 ? weeksOf(first, last, year) : NOT_ONE_PERIOD,
  )
  .rule(
    [
      'since? the? DAY to the? DAY of? MONTH of|in? YEAR?',
      'between the? DAY and the? DAY of? MONTH of|in? YEAR?',
    ],
    daysOf,
  )
  .rule(
    ['since? MONTH the? DAY to the? DAY of|in? YEAR?', 'between MONTH the? DAY and the? DAY of|in? YEAR?'],
    (month, first, last, year) => daysOf(first, last, month, year),
  )
  .rule('the? DAY and the? DAY of? MONTH of|in? YEAR?', (first, last, ...of) =>
    last === first + 1 ? daysOf(first, last, ...of) : undefined,
  )
  .rule(
    ['since? the? DAY to the? DAY of? MONTHLY', 'between the? DAY and the? DAY of? MONTHLY'],
    rangeInMonth,
  )
  .rule('ORDINAL to DAY_MONTH', (first, { month, day }) => daysOf(first, day, month))
  .rule('ORDINAL to ISO_DAY', (first, day) => {
    const [year, month, last] = day.split('-').map(Number);
    return daysOf(first, last ?? 0, month ?? 0, year);
  });
