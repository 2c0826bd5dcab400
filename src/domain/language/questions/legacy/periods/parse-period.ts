/** Parses a period; if it has several meanings or can't be asked for, says why, what to type and what is nearest. */
import type { Unit } from '../../../../time/calendar.ts';
import { clipWord, ordinal } from '../../../text.ts';
import { catchParseError, type Match, ParseError, parseErrorAt, senseOf, typedText } from '../parser.ts';
import type { TokenizedText } from '../tokenizer.ts';
import { nameOfMonth } from '../vocabulary.ts';
import { type DateExpression, dateText, NAME_DAYS } from './date-ast.ts';
import { pad } from './date-literal.ts';
import { RefusedPhrase } from './grammar.ts';
import {
  type Count,
  lastUnits,
  PERIOD_TOO_LONG,
  type PeriodPhrase,
  type PhraseMeaning,
  phraseText,
  sincePhrase,
} from './period-ast.ts';
import { periods } from './period-grammar.ts';

const FUTURE = 'Ask about a period up to today, such as this-week, mtd or last-7-days.';

const refuseFuture = (unit?: Unit): RefusedPhrase =>
  new RefusedPhrase('is in the future', FUTURE, [
    unit === undefined || unit === 'day' ? 'today' : `this-${unit}`,
  ]);

const HOURS_IN_DAY = 24;

const refuseHours = (count?: Count): RefusedPhrase =>
  new RefusedPhrase('isn’t in whole days', 'The shortest period is a day.', [
    Number(count?.digits ?? 0) < HOURS_IN_DAY ? 'today' : 'yesterday',
  ]);

/** Tally counts whole days, so the period nearest to some minutes is today. */
function minutesOrMonths({ digits }: Count): RefusedPhrase {
  const n = clipWord(digits);
  return new RefusedPhrase(
    n === '1' ? 'could be a minute or a month' : `could be ${n} minutes or ${n} months`,
    `Type ${n}mo for months. The shortest period is a day.`,
    [`${n}mo`, 'today'],
  );
}

/** `the 17`: a day, or a project or product. */
const dayOrNumber = (day: number): RefusedPhrase =>
  new RefusedPhrase('could be a day or a number', `For the day, type the-${ordinal(day)}.`, [
    `the-${ordinal(day)}`,
    String(day),
  ]);

/** `1, 2 october`: two days, or a product or project before the second. */
const numberOrDays = (first: number, _: true, last: number, month: number): RefusedPhrase =>
  new RefusedPhrase(
    'could be days, or a number and a day',
    'Type 1-2 october for days, or 1,2 in october for projects.',
    last === first + 1 ? [`${nameOfMonth(month)}-${first}..${nameOfMonth(month)}-${last}`] : [],
  );

/** As many as are drawn one by one, where shorter units would be too many. */
const DRAWN: Readonly<Record<Unit, number>> = { day: 7, week: 12, month: 12, quarter: 8, year: 6 };

/** `monthly`, `by month` */
function refuseEach(unit: Unit, among?: unknown): RefusedPhrase {
  const readings = [unit === 'day' ? 'yesterday' : `last-${unit}`, `last-${DRAWN[unit]}-${unit}s`];
  return new RefusedPhrase(
    'isn’t a period. Tally shows days, weeks or months by how long the period is',
    `Type ${readings[0]}, or ${readings[1]} to see each ${unit}.`,
    among === undefined ? readings : [],
  );
}

const VAGUE = 'doesn’t say which days';

const refuseVague = (...nearest: string[]): RefusedPhrase => new RefusedPhrase(VAGUE, NAME_DAYS, nearest);

const refuseWithoutCount = (unit: Unit): RefusedPhrase =>
  new RefusedPhrase(
    'doesn’t say how many',
    `Type last-3-${unit}s or last-7-days.`,
    unit === 'day' ? ['last-3-days', 'last-7-days'] : [`last-2-${unit}s`, `last-3-${unit}s`],
  );

/** `first week`; `first quarter` has a year of its own. */
const refusePlace = (_: number, unit: Unit): RefusedPhrase | undefined =>
  unit === 'quarter'
    ? undefined
    : new RefusedPhrase('doesn’t say of what', 'Say of which, such as first day of october.');

const orSince = (at: DateExpression): RefusedPhrase =>
  new RefusedPhrase('could be that period, or everything since', 'Name one of them.', [
    dateText(at),
    phraseText(sincePhrase(at)),
  ]);

/** `last month`, `last weekend` */
const isPastUnit = (at: DateExpression): boolean =>
  at.kind === 'ago' ? at.count > 0 && at.as !== 'day' : at.kind === 'weekend' && at.which !== 'this';

/** `since 2 weeks` */
const sinceAgo = ({ count, unit }: { readonly count: Count; readonly unit: Unit }): RefusedPhrase =>
  new RefusedPhrase('needs “ago” after it', 'Type since 3-days-ago.', [
    `since ${dateText({ kind: 'ago', count: Number(count.digits), unit, as: 'day' })}`,
  ]);

const refuseOpenStart = (): RefusedPhrase =>
  new RefusedPhrase('doesn’t say where it begins', 'Name the first day too, such as 2026-10-01..2026-10-15.');

// Phrases that are refused: they have more than one meaning, or name days that can't be asked about.
periods
  .rule('the NUMBER', dayOrNumber)
  .rule('NUMBER COMMA NUMBER of? MONTH', numberOrDays)
  .rule('YEAR_MONTH ZERO_DAY', ({ year, month }, day) => {
    const date = `${year}-${pad(month)}-${pad(day)}`;
    return new RefusedPhrase('isn’t how to type a date', `Type ${date}.`, [date]);
  })
  .rule('next', () => new RefusedPhrase('is in the future', FUTURE))
  .rule('the? next COUNT? UNIT', (_, unit) => refuseFuture(unit))
  .rule(['next WEEKDAY', 'next SPAN', 'tomorrow'], () => refuseFuture())
  .rule('next weekend', () => refuseFuture('week'))
  .rule('WEEKDAY week', () => new RefusedPhrase('could be a week from that day', FUTURE))
  .rule('in COUNT UNIT', (count, unit) => {
    const meaning = lastUnits(unit, count);
    return meaning instanceof RefusedPhrase
      ? meaning
      : new RefusedPhrase('could be a time from now', FUTURE, [phraseText(meaning)]);
  })
  .rule(['RANK SINGULAR_UNIT', 'ORDINAL SINGULAR_UNIT'], refusePlace)
  .rule('in? last? COUNT m', minutesOrMonths)
  .rule(['last? COUNT? hour', 'COUNT hour ago'], refuseHours)
  .rule('this hour', () => refuseHours())
  .rule('all time', () => new RefusedPhrase(PERIOD_TOO_LONG, 'Ask for ten years or less.', ['last-3-years']))
  .rule('last? a? few of? UNIT', refuseWithoutCount)
  .rule(
    'last? a UNIT',
    (unit) =>
      new RefusedPhrase(
        VAGUE,
        unit === 'day' ? 'Type today or yesterday.' : `Type last-${unit} or this-${unit}.`,
      ),
  )
  .rule('last? half a? year', () => refuseVague('last-6-months'))
  .rule('since COUNTED', sinceAgo)
  .rule('last? fortnight', () => refuseVague('last-14-days', 'last-2-weeks'))
  .rule(
    'last? COUNT? weekdays',
    () => new RefusedPhrase('aren’t one period', 'Type last-weekend, or a range such as monday..friday.'),
  )
  .rule(['before DATE', 'up? until|to now'], refuseOpenStart)
  .rule('SINGULAR_UNIT until|to DATE', (unit) => (unit === 'year' ? refuseOpenStart() : undefined))
  .rule(['EACH', 'EACH filler? DATE', 'EACH filler? YEAR_ALONE'], refuseEach)
  .rule('up? until|to DATE', ({ kind }) => (kind === 'year' ? undefined : refuseOpenStart()))
  .rule(
    'after DATE',
    ({ typed }) =>
      new RefusedPhrase('doesn’t say whether that day counts', `If it does, type since ${typed}.`),
  )
  .rule('DATE on END', (at) => (at.kind === 'ago' && at.count === 0 ? undefined : orSince(at)))
  .rule('DATE to date', (at) => (isPastUnit(at) ? orSince(at) : undefined))
  .rule('early|mid|late last UNIT', (unit) => refuseVague(`last-${unit}`))
  .rule('early|mid|late of? this UNIT', (unit) => refuseVague(`this-${unit}`))
  .rule('early of? MONTH', (month) => refuseVague(`first-half-of-${nameOfMonth(month)}`, nameOfMonth(month)))
  .rule('early|mid|late of? UNIT', (unit) => refuseVague(`this-${unit}`, `last-${unit}`))
  .rule('late of? MONTH', (month) => refuseVague(`second-half-of-${nameOfMonth(month)}`, nameOfMonth(month)))
  .rule('mid of? MONTH', (month) => refuseVague(nameOfMonth(month)));

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
  const rest = catchParseError(() => periods.parse(source, number + 1, true));
  if (rest instanceof ParseError || rest.value?.next !== next) return undefined;
  const { value } = rest.value;
  // A day from a month on is not what people ask for: after `3` in `3 october - 5 november` comes no period.
  if (value.kind === 'range' && value.from.kind === 'month' && value.to.kind === 'month-day')
    return undefined;
  return `project ${token.digits} ${phraseText(value)}`;
}

/** The text could name a project instead. It is a period only where something else names the project. */
function doubtIn(source: TokenizedText, at: number, found: Match<PhraseMeaning>): ParseError | undefined {
  const project = projectReading(source, at, found);
  if (project === undefined) return undefined;
  const readings = [phraseText(found.value), project];
  const works = `Type ${readings.join(' or ')}.`;
  return parseErrorAt(source, at, found.next, 'could be a date or a project', works, ...readings);
}

/** A period. `doubt`: what is wrong if nothing else in the text names a project, because its number may be the project. */
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
