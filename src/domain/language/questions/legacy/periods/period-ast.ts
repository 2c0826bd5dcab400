/** A period phrase: its syntax tree, what it is made of and its canonical text. No clock or time zone is known here. */
import { InvalidWord } from '../../../../failure/index.ts';
import { type Day, daysBetween, type Unit } from '../../../../time/calendar.ts';
import { canonical, type DateExpression, type DateMeaning, dateText, type YearOf } from './date-ast.ts';
import { pad } from './date-literal.ts';
import { RefusedPhrase } from './grammar.ts';

export type PhraseMeaning =
  | { readonly kind: 'last'; readonly unit: Unit; readonly count: number }
  | { readonly kind: 'this'; readonly unit: Unit }
  | { readonly kind: 'at'; readonly at: DateExpression }
  | { readonly kind: 'range'; readonly from: DateExpression; readonly to: DateExpression }
  | { readonly kind: 'since'; readonly from: DateExpression };

/** `includingToday` as asked for; `resolveRange` decides whether the period can include today. */
export type PeriodPhrase = PhraseMeaning & { readonly typed: string; readonly includingToday: boolean };

export const LAST_7_DAYS: PeriodPhrase = {
  kind: 'last',
  unit: 'day',
  count: 7,
  typed: 'last-7-days',
  includingToday: false,
};

/**
 * The phrase that includes today, or that ends with yesterday where it runs until now.
 * @throws InvalidWord where it depends on the day whether it runs until now
 */
export function withToday(phrase: PeriodPhrase, includes: boolean): PeriodPhrase {
  if (includes || phrase.kind === 'last') return { ...phrase, includingToday: includes };
  if (phrase.kind === 'at' || phrase.kind === 'range')
    throw new InvalidWord(
      'excluding today',
      'doesn’t work with dates',
      'Name the last day instead, such as 2026-11-01..2026-11-15.',
    );
  const from: DateMeaning =
    phrase.kind === 'since' ? phrase.from : { kind: 'ago', count: 0, unit: phrase.unit, as: phrase.unit };
  const typed = `${phrase.typed} excluding today`;
  return {
    kind: 'range',
    from: canonical(from),
    to: canonical({ kind: 'yesterday' }),
    typed,
    includingToday: false,
  };
}

/** `last-week`, `this-month` */
export const unitPhrase = (kind: 'last' | 'this', unit: Unit): PeriodPhrase => ({
  ...(kind === 'last' ? { kind, unit, count: 1 } : { kind, unit }),
  typed: `${kind}-${unit}`,
  includingToday: false,
});

export function phraseText(phrase: PhraseMeaning): string {
  switch (phrase.kind) {
    case 'last':
      return phrase.count > 1 ? `last-${phrase.count}-${phrase.unit}s` : `last-${phrase.unit}`;
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

export const sincePhrase = (from: DateExpression): PhraseMeaning => ({ kind: 'since', from });

/** Ten years; a longer period is almost certainly a mistake. */
export const MAX_PERIOD_DAYS = 3660;
export const PERIOD_TOO_LONG = 'is longer than 3,660 days';

/** Digits as typed, because they may be too many for a number. */
export interface Count {
  readonly digits: string;
}

/** Refuses a count beyond the limit before it becomes a number, which would not be exact. */
export function countOf({ digits }: Count): number | RefusedPhrase {
  const count = digits.replace(/^0+/, '');
  if (count === '')
    return new RefusedPhrase('asks for nothing', 'Counts start at 1, such as last-1-day or last-7-days.');
  return count.length > 4 || Number(count) > MAX_PERIOD_DAYS
    ? new RefusedPhrase(PERIOD_TOO_LONG, 'Ask for ten years or less, such as last-3-years.')
    : Number(count);
}

export function lastUnits(unit: Unit, counted: Count): PhraseMeaning | RefusedPhrase {
  const count = countOf(counted);
  return count instanceof RefusedPhrase ? count : { kind: 'last', unit, count };
}

/** `weeks 40 to 45` */
export function weeksOf(first: number, last: number, year?: YearOf): PhraseMeaning {
  const week = (number: number) =>
    canonical({ kind: 'week', week: number, ...(year !== undefined && { year }) });
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

/** Undefined where other productions apply. */
export function rangePhrase(
  from: DateExpression,
  to: DateExpression,
): PhraseMeaning | RefusedPhrase | undefined {
  if (from.kind === 'day' && to.kind === 'day' && to.day < from.day) return endBeforeBegin(from, to);
  return sharesMonth(from, to) ? undefined : { kind: 'range', from, to };
}

/** The days in the other order are offered. */
export const endBeforeBegin = (from: DateMeaning, to: DateMeaning): RefusedPhrase =>
  new RefusedPhrase('ends before it begins', 'Put the earlier day first.', [
    `${dateText(to)}..${dateText(from)}`,
  ]);

/** `the last month` means the same as `last month`. */
export function datePhrase(at: DateExpression): PhraseMeaning {
  if (at.kind !== 'ago' || at.unit === 'day' || at.as !== at.unit || at.count > 1) return { kind: 'at', at };
  return at.count === 0 ? { kind: 'this', unit: at.unit } : { kind: 'last', unit: at.unit, count: 1 };
}

/** The first day of a leap year, which has every date that any year has. */
const LEAP_YEAR: Day = '2024-01-01';

/** The number of a month, quarter, weekday, year or day in its sequence, and how many there are before it starts again. */
function placeOf(date: DateExpression): readonly [place: number, of: number] | undefined {
  const year = 'year' in date && typeof date.year === 'number' ? date.year : 0;
  switch (date.kind) {
    case 'month':
    case 'quarter': {
      const of = date.kind === 'month' ? 12 : 4;
      return [of * year + date.number, of];
    }
    case 'year':
      return [date.year, Number.POSITIVE_INFINITY];
    case 'day':
      return [daysBetween(LEAP_YEAR, date.day), Number.POSITIVE_INFINITY];
    case 'month-day':
      return [daysBetween(LEAP_YEAR, `2024-${pad(date.month)}-${pad(date.day)}`), 366];
    case 'weekday':
      return date.week === undefined ? [date.weekday, 7] : undefined;
    default:
      return undefined;
  }
}

/** Whether they are two of a kind in a row: `september and october`, `2024 and 2025`. */
function isNext(from: DateExpression, to: DateExpression): boolean {
  const [first, last] = [placeOf(from), placeOf(to)];
  if (first === undefined || last === undefined || from.kind !== to.kind) return false;
  const steps = last[0] - first[0] - 1;
  return 'year' in from ? typeof from.year === 'number' && steps === 0 : steps % first[1] === 0;
}

export const NOT_ONE_PERIOD = new RefusedPhrase(
  'isn’t one period',
  'Ask about one at a time, or a range such as 2026-08..2026-10.',
);

/** Joins two dates that follow one another into one period. */
export function joinedPhrase(
  from: DateExpression,
  to: DateExpression,
): PhraseMeaning | RefusedPhrase | undefined {
  if (sharesMonth(from, to)) return undefined;
  if (isNext(from, to) || (from.kind === 'yesterday' && to.kind === 'today'))
    return { kind: 'range', from, to };
  if (from.kind === 'today' && to.kind === 'yesterday') return { kind: 'range', from: to, to: from };
  return NOT_ONE_PERIOD;
}
