/** How people name a period. */
import { type Match, ParseError, type Parser, senseOf, tryParse, typedText } from '../parse.ts';
import type { Token, TokenizedText } from '../tokenizer.ts';
import { MONTH_NAMES } from '../vocabulary.ts';
import { type DateExpression, type DateMeaning, dateText, type YearOf } from './date-expression.ts';
import { dayOfMonth } from './date-grammar.ts';
import { monthDay, yearMonthDay } from './date-literal.ts';
import { Grammar, RefusedPhrase } from './grammar.ts';
import { PERIOD_CLASSES, type PeriodClasses } from './period-classes.ts';
import { lastUnits, type PeriodPhrase, type PhraseMeaning, phraseText, since } from './period-phrase.ts';
import { addRefusedPeriods } from './refused-periods.ts';
import { DATE_CLASSES } from './token-classes.ts';

/** The day of a month that is shared with the other end of a range. */
function dayOf(month: number, day: number, year: YearOf | undefined): DateExpression | RefusedPhrase {
  const typed = `${day} ${MONTH_NAMES[month - 1]}`;
  const read = typeof year === 'number' ? yearMonthDay(year, month, day) : monthDay(month, day);
  if (read.kind === 'bad') return new RefusedPhrase(read.why, read.works);
  if (read.kind === 'day') return { kind: 'day', day: read.day, typed };
  return { kind: 'month-day', month, day, ...(year !== undefined && { year }), typed };
}

function daysOf(month: number, first: number, last: number, year?: YearOf): PhraseMeaning | RefusedPhrase {
  const [from, to] = [dayOf(month, first, year), dayOf(month, last, year)];
  if (from instanceof RefusedPhrase) return from;
  if (to instanceof RefusedPhrase) return to;
  if (first > last)
    return new RefusedPhrase('ends before it begins', 'Put the earlier day first, such as 1-15 october.');
  return { kind: 'range', from, to };
}

/** `the 1st to the 15th of last month` */
function rangeInMonth(
  first: number,
  last: number,
  of: DateMeaning,
): PhraseMeaning | RefusedPhrase | undefined {
  const [from, to] = [dayOfMonth(first, of), dayOfMonth(last, of)];
  if (first > last)
    return new RefusedPhrase('ends before it begins', 'Put the earlier day first, such as 1-15 october.');
  return from && to && { kind: 'range', from: named(from), to: named(to) };
}

const named = (date: DateMeaning): DateExpression => ({ ...date, typed: dateText(date) });

/** `weeks 40 to 45` */
function weeksOf(first: number, last: number, year?: YearOf): PhraseMeaning {
  const week = (number: number) => named({ kind: 'week', week: number, ...(year !== undefined && { year }) });
  return { kind: 'range', from: week(first), to: week(last) };
}

/** `1st to 15th october`, `october 1st to 15th`: the month is that of both days, which other productions say. */
function sharesMonth(from: DateExpression, to: DateExpression): boolean {
  const [first, last] = [from, to].map(({ kind }) => kind.replace(/^month-day$/, 'day'));
  return (
    (first === 'day' && last === 'day-of-month') ||
    (first === 'day-of-month' && (last === 'day' || last === 'part'))
  );
}

const range = (from: DateExpression, to: DateExpression): PhraseMeaning | undefined =>
  sharesMonth(from, to) ? undefined : { kind: 'range', from, to };

/** `the last month` is the unit that `last month` is. */
function alone(at: DateExpression): PhraseMeaning {
  if (at.kind !== 'ago' || at.unit === 'day' || at.as !== at.unit || at.count > 1) return { kind: 'at', at };
  return at.count === 0 ? { kind: 'this', unit: at.unit } : { kind: 'last', unit: at.unit, count: 1 };
}

/** The place of a month, quarter, weekday, year or day among the others, and after how many the first comes again. */
function placeOf(date: DateExpression): readonly [place: number, of: number] | undefined {
  const year = 'year' in date && typeof date.year === 'number' ? date.year : 0;
  switch (date.kind) {
    case 'month':
      return [12 * year + date.month, 12];
    case 'quarter':
      return [4 * year + date.quarter, 4];
    case 'year':
      return [date.year, Number.POSITIVE_INFINITY];
    case 'month-day':
      return [(12 * year + date.month) * 32 + date.day, Number.POSITIVE_INFINITY];
    case 'weekday':
      return date.week === undefined ? [date.weekday, 7] : undefined;
    default:
      return undefined;
  }
}

/** Whether they are two of a kind in a row: `september and october`, `2024 and 2025`. */
function follows(from: DateExpression, to: DateExpression): boolean {
  const [first, last] = [placeOf(from), placeOf(to)];
  if (first === undefined || last === undefined || from.kind !== to.kind) return false;
  const steps = last[0] - first[0] - 1;
  return 'year' in from ? typeof from.year === 'number' && steps === 0 : steps % first[1] === 0;
}

const NOT_ONE_PERIOD = new RefusedPhrase(
  'isn’t one period',
  'Ask about one at a time, or a range such as 2026-08..2026-10.',
);

/** Two that follow one another are one period. */
function joined(from: DateExpression, to: DateExpression): PhraseMeaning | RefusedPhrase | undefined {
  if (sharesMonth(from, to)) return undefined;
  if (follows(from, to) || (from.kind === 'yesterday' && to.kind === 'today'))
    return { kind: 'range', from, to };
  if (from.kind === 'today' && to.kind === 'yesterday') return { kind: 'range', from: to, to: from };
  return NOT_ONE_PERIOD;
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
const counted: Parser<PeriodClasses['COUNTED']> = (source, at, bareYear) => {
  const number = DATE_CLASSES.COUNT.parse(source, at, bareYear);
  const unit = number && DATE_CLASSES.UNIT.parse(source, number.next, bareYear);
  if (number === undefined || unit === undefined) return undefined;
  const named = periods.parse(source, number.next, bareYear);
  const isQuarter = named?.value.kind === 'at' && unit.value === 'quarter' && number.next + 2 === named.next;
  if (named !== undefined && !isQuarter) return undefined;
  const isAfterLast = senseOf(source.tokens[at - 1], 'last');
  if (!isAfterLast && !bareYear && isProbablyProject(source, at)) return undefined;
  return { value: { count: number.value, unit: unit.value }, next: unit.next };
};

const periods: Grammar<PeriodClasses, PhraseMeaning> = new Grammar<PeriodClasses, PhraseMeaning>(
  { ...PERIOD_CLASSES, COUNTED: { begins: DATE_CLASSES.COUNT.begins, parse: counted } },
  phraseText,
)
  .rule('last UNIT', (unit) => lastUnits(unit, { digits: '1' }))
  .rule('over? the? last? COUNTED', ({ count, unit }) => lastUnits(unit, count))
  .rule('last whole UNIT', (unit) => lastUnits(unit, { digits: '1' }))
  .rule('last COUNT whole UNIT', (count, unit) => lastUnits(unit, count))
  .rule('TO_DATE', (unit) => ({ kind: 'this', unit }))
  .rule('this UNIT', (unit) => (unit === 'day' ? undefined : { kind: 'this', unit }))
  .rule('SINGULAR_UNIT to date', (unit) => (unit === 'day' ? undefined : { kind: 'this', unit }))
  .rule('SINGULAR_UNIT so far', (unit) => (unit === 'day' ? undefined : { kind: 'this', unit }))
  .rule('DATE', alone)
  .rule('in|of|during YEAR_ALONE', (year) => ({
    kind: 'at',
    at: { kind: 'year', year, typed: String(year) },
  }))
  .rule('over|whole of? DATE', (at) => (at.kind === 'year' ? undefined : alone(at)))
  .rule('all of DATE', alone)
  .rule('DATE and DATE', joined)
  .rule('DATE to DATE', range)
  .rule('since DATE', since)
  .rule('since|between DATE to DATE', range)
  .rule('since? DATE up? to now', since)
  .rule('DATE to date', since)
  .rule('since DATE to date', since)
  .rule('since? DATE onwards', since)
  .rule('starting since|on? DATE', since)
  .rule('since the? beginning|start of DATE', since)
  .rule('since the? beginning|start of the? SINGULAR_UNIT', (unit) => ({ kind: 'this', unit }))
  .rule('between DATE and DATE', range)
  .rule('since? WEEKS to WEEK_NUMBER of|in? YEAR?', weeksOf)
  .rule('between WEEKS and WEEK_NUMBER of|in? YEAR?', weeksOf)
  .rule('WEEKS and WEEK_NUMBER of|in? YEAR?', (first, last, year) =>
    last === first + 1 ? weeksOf(first, last, year) : NOT_ONE_PERIOD,
  )
  .rule('between DATE and now', since)
  .rule('since? the? DAY to the? DAY of? MONTH of|in? YEAR?', (first, last, month, year) =>
    daysOf(month, first, last, year),
  )
  .rule('since? MONTH the? DAY to the? DAY of|in? YEAR?', (month, first, last, year) =>
    daysOf(month, first, last, year),
  )
  .rule('between the? DAY and the? DAY of? MONTH of|in? YEAR?', (first, last, month, year) =>
    daysOf(month, first, last, year),
  )
  .rule('the? DAY and the? DAY of? MONTH of|in? YEAR?', (first, last, month, year) =>
    last === first + 1 ? daysOf(month, first, last, year) : undefined,
  )
  .rule('between MONTH the? DAY and the? DAY of|in? YEAR?', (month, first, last, year) =>
    daysOf(month, first, last, year),
  )
  .rule('since? the? DAY to the? DAY of? MONTHLY', rangeInMonth)
  .rule('between the? DAY and the? DAY of? MONTHLY', rangeInMonth)
  .rule('ORDINAL to DAY_MONTH', (first, { month, day }) => daysOf(month, first, day))
  .rule('ORDINAL to ISO_DAY', (first, day) => {
    const [year, month, last] = day.split('-').map(Number);
    return daysOf(month ?? 0, first, last ?? 0, year);
  });

addRefusedPeriods(periods);

/** A day from a month on is not what people ask for: after `3` in `3 october - 5 november` comes no period. */
const isMixed = (phrase: PhraseMeaning): boolean =>
  phrase.kind === 'range' && phrase.from.kind === 'month' && phrase.to.kind === 'month-day';

/** What else the words mean if their number is a project: `3 october`, `in 2025`, `friday 13`. */
function projectReading(source: TokenizedText, at: number, found: Match<PhraseMeaning>): string | undefined {
  const { tokens } = source;
  const { next } = found;
  const number = senseOf(tokens[at], 'filler') && at + 2 === next ? at + 1 : at;
  const [token, after] = [tokens[number], tokens[number + 1]];
  if (senseOf(token, 'all')) return `all ${phraseText(found.value)}`;
  const end = tokens[next - 1];
  const isDated = found.value.kind === 'range' && found.value.from.kind === 'day-of-month';
  if (end?.kind === 'number' && end.spaced && !isDated && senseOf(tokens[next - 2], 'weekday'))
    return end.digits.startsWith('0')
      ? undefined
      : `project ${end.digits} ${typedText(source, at, next - 1)}`;
  // No project ID begins with a zero.
  if (
    token?.kind !== 'number' ||
    !token.spaced ||
    token.end !== token.raw.end ||
    token.digits.startsWith('0')
  )
    return undefined;
  if (number + 1 === next) return `project ${token.digits}`;
  if (!after?.spaced || after.dashed) return undefined;
  const rest = tryParse(() => periods.parse(source, number + 1, true));
  if (rest instanceof ParseError || rest.value?.next !== next || isMixed(rest.value.value)) return undefined;
  return `project ${token.digits} ${phraseText(rest.value.value)}`;
}

/** The text could name a project instead. It is a period only where something else names the project. */
function doubtIn(source: TokenizedText, at: number, found: Match<PhraseMeaning>): ParseError | undefined {
  const project = projectReading(source, at, found);
  if (project === undefined) return undefined;
  const readings = [phraseText(found.value), project];
  const [start, end] = [source.tokens[at]?.start ?? 0, source.tokens[found.next - 1]?.end ?? 0];
  const works = `Type ${readings.join(' or ')}.`;
  return new ParseError(start, end, 'could be a date or a project', works, readings, true);
}

/** A period, and the error that it is if nothing else in the text names a project: its number may be one. */
export type PeriodMatch = Match<PeriodPhrase> & { readonly doubt: () => ParseError | undefined };

/**
 * The phrase that begins at a token, without `including today`, which may come anywhere in the text.
 * @param bareYear the project is known, so that a bare number from 2000 to 2099 may be a year
 * @throws ParseError where its words are refused or have several meanings
 */
export function parsePeriodPhrase(
  source: TokenizedText,
  at: number,
  bareYear: boolean,
): PeriodMatch | undefined {
  const found = periods.parse(source, at, bareYear);
  if (found === undefined) return undefined;
  const typed = typedText(source, at, found.next);
  return {
    next: found.next,
    value: { typed, includingToday: false, ...found.value },
    doubt: () => (bareYear ? undefined : doubtIn(source, at, found)),
  };
}
