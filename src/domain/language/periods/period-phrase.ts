/** A period phrase: its syntax tree, its canonical text and its grammar. No clock or time zone is known here. */
import type { Unit } from '../../time/calendar.ts';
import {
  firstOf,
  type Match,
  ParseError,
  type Parser,
  parseErrorAt,
  senseOf,
  typedText,
  type WithoutSource,
} from '../parse.ts';
import { clipWord } from '../text.ts';
import type { Token, TokenizedText } from '../tokenizer.ts';
import {
  type DateExpression,
  dateText,
  isSpacedQuarter,
  isYearWord,
  parseDateExpression,
} from './date-expression.ts';

type Phrase =
  | { readonly kind: 'last'; readonly unit: Unit; readonly count: number }
  | { readonly kind: 'this'; readonly unit: Unit }
  | { readonly kind: 'at'; readonly at: DateExpression }
  | { readonly kind: 'range'; readonly from: DateExpression; readonly to: DateExpression }
  | { readonly kind: 'since'; readonly from: DateExpression };

/** `includingToday` as asked for; `resolveRange` decides whether the period can include today. */
export type PeriodPhrase = Phrase & { readonly typed: string; readonly includingToday: boolean };

export const LAST_7_DAYS: PeriodPhrase = {
  kind: 'last',
  unit: 'day',
  count: 7,
  typed: 'last-7-days',
  includingToday: false,
};

function lastText(unit: Unit, count: number): string {
  return count > 1 ? `last-${count}-${unit}s` : `last-${unit}`;
}

function phraseText(phrase: PeriodPhrase): string {
  switch (phrase.kind) {
    case 'last':
      return lastText(phrase.unit, phrase.count);
    case 'this':
      return `this-${phrase.unit}`;
    case 'at':
      return dateText(phrase.at);
    case 'range':
      return `${dateText(phrase.from)}..${dateText(phrase.to)}`;
    case 'since':
      return `since ${dateText(phrase.from)}`;
  }
}

/** The canonical text, which parses back to the same phrase alone and in a command: `last-7-days`, `year-2026`. */
export function formatPhrase(phrase: PeriodPhrase): string {
  return `${phraseText(phrase)}${phrase.includingToday ? ' including today' : ''}`;
}

/** Ten years; a longer period is almost certainly a mistake. */
export const MAX_PERIOD_DAYS = 3660;
export const PERIOD_TOO_LONG = 'is longer than 3,660 days';

/** The index after a range sign, 'to' or a dash. */
function afterConnector({ tokens }: TokenizedText, at: number): number | undefined {
  const token = tokens[at];
  if (token?.kind === 'range-sign' || senseOf(token, 'to')) return at + 1;
  return token?.dashed ? at : undefined;
}

/** A date expression, or a range if a second one follows. @param alone the meaning of a single one */
function pointOrRange(
  source: TokenizedText,
  at: number,
  bareYear: boolean,
  alone: (date: DateExpression) => WithoutSource<PeriodPhrase>,
): Match<WithoutSource<PeriodPhrase>> | undefined {
  const from = parseDateExpression(source, at, bareYear);
  if (!from) return undefined;
  const second = afterConnector(source, from.next);
  const to = second === undefined ? undefined : parseDateExpression(source, second, bareYear);
  return to
    ? { value: { kind: 'range', from: from.value, to: to.value }, next: to.next }
    : { value: alone(from.value), next: from.next };
}

const dateOrRange: Parser<WithoutSource<PeriodPhrase>> = (source, at, bareYear) =>
  pointOrRange(source, at, bareYear, (date) => ({ kind: 'at', at: date }));

const since: Parser<WithoutSource<PeriodPhrase>> = (source, at, bareYear) =>
  senseOf(source.tokens[at], 'since') &&
  pointOrRange(source, at + 1, bareYear, (from) => ({ kind: 'since', from }));

/** Refuses a count beyond the limit before it becomes a number, which would not be exact. */
function countOf(digits: string, refuse: (why: string, works: string) => Error): number {
  const count = digits.replace(/^0+/, '');
  if (count === '') throw refuse('asks for nothing', 'Counts start at 1, such as last-1-day or last-7-days.');
  if (count.length > 4 || Number(count) > MAX_PERIOD_DAYS)
    throw refuse(PERIOD_TOO_LONG, 'Ask for ten years or less, such as last-3-years.');
  return Number(count);
}

/** Whether a unit starts its own phrase ('month to date', 'year 2026', 'w45'), so that the number before it is not its count. */
function beginsAnother({ tokens }: TokenizedText, at: number): boolean {
  const [token, next, afterNext] = [tokens[at], tokens[at + 1], tokens[at + 2]];
  if (toDateAfter(token, next, afterNext) || (next?.kind === 'number' && !next.spaced)) return true;
  if (isYearWord(token) && next?.kind === 'number' && /^\d{4}$/.test(next.digits)) return true;
  return isSpacedQuarter(token, next);
}

function toDateAfter(token?: Token, next?: Token, afterNext?: Token): Unit | undefined {
  const named = senseOf(token, 'unit')?.unit;
  const singular = token?.kind === 'word' && token.spelling === named;
  const joined = next?.kind === 'word' && next.spelling === 'to' && senseOf(afterNext, 'date');
  return singular && joined ? named : undefined;
}

/** Tally counts whole days, so the period nearest to some minutes is today. */
function minutesOrMonths(source: TokenizedText, from: number, at: number, digits: string): ParseError {
  const [start, end] = [source.tokens[from]?.start ?? 0, source.tokens[at + 1]?.end ?? 0];
  const n = clipWord(digits);
  const why = `could be ${n} minutes or ${n} months`;
  const works = `Type ${n}mo for months. The shortest period is a day.`;
  return new ParseError(start, end, why, works, [`${n}mo`, 'today'], true);
}

/** '7 days', as part of a phrase that begins at `from`. */
function countedFrom(
  source: TokenizedText,
  from: number,
  at: number,
): Match<WithoutSource<PeriodPhrase>> | undefined {
  const [number, word] = [source.tokens[at], source.tokens[at + 1]];
  if (number?.kind !== 'number' || beginsAnother(source, at + 1)) return undefined;
  const refuse = (why: string, works: string) => parseErrorAt(source, from, at + 2, why, works);
  if (senseOf(word, 'minute-or-month')) throw minutesOrMonths(source, from, at, number.digits);
  const unit = senseOf(word, 'unit')?.unit;
  return unit && { value: { kind: 'last', unit, count: countOf(number.digits, refuse) }, next: at + 2 };
}

/**
 * '7 quarter 3': a number before a singular unit, with another bare number after it, is more likely the project than a
 * count. '7-quarter 3' and '7 quarters 3' are counts.
 */
function isProbablyProject({ tokens }: TokenizedText, at: number): boolean {
  const [number, word] = [tokens[at], tokens[at + 1]];
  if (number?.kind !== 'number' || number.digits === '1' || !word?.spaced) return false;
  const isSingular = senseOf(word, 'unit') && word.kind === 'word' && !word.spelling.endsWith('s');
  return (isSingular ?? false) && tokens.some((_, later) => later > at + 1 && isBareNumber(tokens, later));
}

function isBareNumber(tokens: readonly Token[], at: number): boolean {
  const [before, token] = [tokens[at - 1], tokens[at]];
  const isNamed = senseOf(before, 'project') ?? senseOf(before, 'product');
  return token?.kind === 'number' && token.spaced && token.end === token.raw.end && !isNamed;
}

const counted: Parser<WithoutSource<PeriodPhrase>> = (source, at, projectKnown) =>
  !projectKnown && isProbablyProject(source, at) ? undefined : countedFrom(source, at, at);

/** 'last week', 'last 4 weeks'; 'last weeks' doesn't say how many. */
const last: Parser<WithoutSource<PeriodPhrase>> = (source, at) => {
  const [token, word] = [source.tokens[at], source.tokens[at + 1]];
  if (!senseOf(token, 'last')) return undefined;
  const unit = senseOf(word, 'unit')?.unit;
  if (unit && word?.kind === 'word' && word.spelling === `${unit}s`)
    throw parseErrorAt(source, at, at + 2, 'doesn’t say how many', `Type last-${unit} or last-3-${unit}s.`);
  return unit ? { value: { kind: 'last', unit, count: 1 }, next: at + 2 } : countedFrom(source, at, at + 1);
};

const current: Parser<WithoutSource<PeriodPhrase>> = ({ tokens }, at) => {
  const short = senseOf(tokens[at], 'to-date')?.unit;
  if (short) return { value: { kind: 'this', unit: short }, next: at + 1 };
  const unit = senseOf(tokens[at], 'this') && senseOf(tokens[at + 1], 'unit')?.unit;
  if (unit === 'day')
    return { value: { kind: 'at', at: { kind: 'today', typed: 'this day' } }, next: at + 2 };
  if (unit) return { value: { kind: 'this', unit }, next: at + 2 };
  const toDate = toDateAfter(tokens[at], tokens[at + 1], tokens[at + 2]);
  return toDate && { value: { kind: 'this', unit: toDate }, next: at + 3 };
};

/** 'next week', 'tomorrow': refused. */
const future: Parser<WithoutSource<PeriodPhrase>> = (source, at) => {
  const { tokens } = source;
  if (!senseOf(tokens[at], 'next') && !senseOf(tokens[at], 'tomorrow')) return undefined;
  const counts = tokens[at + 1]?.kind === 'number' && senseOf(tokens[at + 2], 'unit');
  const unit = senseOf(tokens[counts ? at + 2 : at + 1], 'unit')?.unit;
  const next = counts ? at + 3 : senseOf(tokens[at + 1], 'unit') ? at + 2 : at + 1;
  throw parseErrorAt(
    source,
    at,
    next,
    'is in the future',
    'Ask about a period up to today, such as this-week, mtd or last-7-days.',
    unit === undefined || unit === 'day' ? 'today' : `this-${unit}`,
  );
};

const anyPhrase = firstOf(future, last, current, counted, since, dateOrRange);

/** The phrase that begins at a token, without `including today`, which may come anywhere in the text. */
export function parsePeriodPhrase(
  source: TokenizedText,
  at: number,
  bareYear: boolean,
): Match<PeriodPhrase> | undefined {
  const found = anyPhrase(source, at, bareYear);
  return (
    found && {
      ...found,
      value: {
        ...found.value,
        typed: typedText(source, at, found.next),
        includingToday: false,
      } as PeriodPhrase,
    }
  );
}
