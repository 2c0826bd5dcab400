/** A named part of the calendar (a day, week, month, quarter, half, year or weekend): its syntax tree, its parts and its canonical text. */
import { WEEKDAY_NAMES } from '../../../../time/cadence.ts';
import { type Day, daysInMonth, type Unit } from '../../../../time/calendar.ts';
import { ordinal, pluralize } from '../../../text.ts';
import { nameOfMonth, RANKS } from '../vocabulary.ts';
import { pad } from './date-literal.ts';
import { RefusedPhrase } from './grammar.ts';

/** A year by its number, or seen from today's. */
export type YearOf = number | 'last' | 'this';

/** The third month, quarter or half of a year: numbers are from 1 on. */
export interface Span {
  readonly kind: 'month' | 'quarter' | 'half';
  readonly number: number;
}

/** Without a year: the latest that has begun; `whole`: the latest that is over. */
export type DatedSpan = Span & { readonly year?: YearOf | 'whole' };

/** The first and the last day of each half of a month, as places in it. */
export const HALVES = [
  [1, 15],
  [16, -1],
] as const;

/** What a part of the calendar is counted in; a number is a weekday, 1 for Monday. */
export type Each = 'day' | 'weekend' | 'month' | 'quarter' | number;

export type DateMeaning =
  | { readonly kind: 'day'; readonly day: Day }
  /** Without a year: the latest such day that has begun. `weekday`: the weekday that was named with it, 1 for Monday. */
  | {
      readonly kind: 'month-day';
      readonly month: number;
      readonly day: number;
      readonly year?: YearOf;
      readonly weekday?: number;
    }
  /** The 17th: the latest such day that has begun. */
  | { readonly kind: 'day-of-month'; readonly day: number; readonly weekday?: number }
  /** The latest such weekday before today; `before-last`: a week before that; `last`, `this`: the one in that week. */
  | { readonly kind: 'weekday'; readonly weekday: number; readonly week?: 'before-last' | 'last' | 'this' }
  /** `count` units before today: that day, or the unit that contains it; 0 is the current unit. */
  | { readonly kind: 'ago'; readonly count: number; readonly unit: Unit; readonly as: Unit }
  | DatedSpan
  /** Some of its days, weekdays, weekends, months or quarters: from the first on they count from 1, from the last back from -1. */
  | {
      readonly kind: 'part';
      readonly each: Each;
      readonly from: number;
      readonly to: number;
      readonly of: DateExpression;
    }
  /** By ISO 8601. Without a year: the latest that has begun. */
  | { readonly kind: 'week'; readonly week: number; readonly year?: YearOf }
  /** The week of a day. With an `edge`, the day has to be the week's first or last. */
  | { readonly kind: 'week-of'; readonly day: DateExpression; readonly edge?: 'starting' | 'ending' }
  /** `last` is the latest complete weekend, `before-last` the weekend before it, `this` this week's. */
  | { readonly kind: 'weekend'; readonly which: 'before-last' | 'last' | 'this' }
  | { readonly kind: 'year'; readonly year: number }
  | { readonly kind: 'today' }
  | { readonly kind: 'yesterday' };

/** A named part of the calendar. `typed` is its source text. */
export type DateExpression = DateMeaning & { readonly typed: string };

const weekdayName = (weekday: number): string => WEEKDAY_NAMES[weekday - 1]?.toLowerCase() ?? '';

const weekdayText = (weekday?: number): string => (weekday === undefined ? '' : `${weekdayName(weekday)}-`);

/** `october`, `2026-10`, `october-last-year` */
function withYear(name: string, year: YearOf | undefined, numbered: string): string {
  if (year === undefined) return name;
  return typeof year === 'number' ? `${year}-${numbered}` : `${name}-${year}-year`;
}

function spanText({ kind, number, year }: DatedSpan): string {
  const name = kind === 'month' ? nameOfMonth(number) : `${kind.charAt(0)}${number}`;
  return year === 'whole' ? `last-${name}` : withYear(name, year, kind === 'month' ? pad(number) : name);
}

/** `last-week`, `this-week`, `week-2-weeks-ago`, `day-2-weeks-ago`, `2-days-ago` */
function agoText({ count, unit, as }: Extract<DateMeaning, { kind: 'ago' }>): string {
  if (unit !== 'day' && as === unit && count < 2) return `${count === 0 ? 'this' : 'last'}-${unit}`;
  return `${unit === 'day' ? '' : `${as}-`}${pluralize(count, unit).replace(' ', '-')}-ago`;
}

export const isMonth = (date: DateMeaning): boolean =>
  date.kind === 'month' || (date.kind === 'ago' && date.as === 'month');

/** `first-half-of-october`, `first-10-days-of-2026-10`, `last-friday-of-last-month` */
function partText({ each, from, to, of }: Extract<DateMeaning, { kind: 'part' }>): string {
  const name = typeof each === 'number' ? weekdayName(each) : each;
  const half = each === 'day' && isMonth(of) ? HALVES.findIndex((days) => `${days}` === `${[from, to]}`) : -1;
  const place = from < 0 ? 'last' : (RANKS[from - 1] ?? ordinal(from));
  const several = `${from < 0 ? 'last' : 'first'}-${to - from + 1}-${name}s`;
  const said = half >= 0 ? `${RANKS[half]}-half` : from === to ? `${place}-${name}` : several;
  return `${said}-of-${dateText(of)}`;
}

function weekdayOfWeekText({ weekday, week }: Extract<DateMeaning, { kind: 'weekday' }>): string {
  if (week === undefined) return weekdayName(weekday);
  return `${weekdayName(weekday)}-${week === 'before-last' ? week : `${week}-week`}`;
}

/** The date's canonical text. */
export function dateText(date: DateMeaning): string {
  switch (date.kind) {
    case 'day':
      return date.day;
    case 'month-day': {
      const name = `${nameOfMonth(date.month)}-${date.day}`;
      return weekdayText(date.weekday) + withYear(name, date.year, `${pad(date.month)}-${pad(date.day)}`);
    }
    case 'day-of-month':
      return `${weekdayText(date.weekday)}the-${ordinal(date.day)}`;
    case 'weekday':
      return weekdayOfWeekText(date);
    case 'ago':
      return agoText(date);
    case 'part':
      return partText(date);
    case 'week':
      return withYear(`w${date.week}`, date.year, `w${pad(date.week)}`);
    case 'week-of':
      return `week-${date.edge ?? 'of'}-${dateText(date.day)}`;
    case 'weekend':
      return date.which === 'before-last' ? 'weekend-before-last' : `${date.which}-weekend`;
    case 'year':
      return `year-${date.year}`;
    case 'today':
    case 'yesterday':
      return date.kind;
    default:
      return spanText(date);
  }
}

/** The date with its canonical text as its source text. */
export const canonical = (date: DateMeaning): DateExpression => ({ ...date, typed: dateText(date) });

/** The year, if the date is exactly a year: `2025`, `last year`. */
function yearOf(date: DateMeaning): YearOf | undefined {
  if (date.kind === 'year') return date.year;
  if (date.kind !== 'ago' || date.as !== 'year' || date.unit !== 'year' || date.count > 1) return undefined;
  return date.count === 0 ? 'this' : 'last';
}

/** Undefined for a single day, a weekend and a part of something. */
export const sizeOf = (date: DateMeaning): Unit | 'half' | undefined => {
  if (date.kind === 'ago') return date.as;
  if (date.kind === 'week-of') return 'week';
  return /^(?:week|month|quarter|half|year)$/.test(date.kind) ? (date.kind as Unit | 'half') : undefined;
};

const SIZES = ['day', 'week', 'month', 'quarter', 'half', 'year'];

/** `2026-10-01`, `october-1`: a day of a month that has a name. */
const dayText = (of: DateMeaning, day: number): string | undefined =>
  of.kind === 'month' && of.year !== 'whole'
    ? dateText({ kind: 'month-day', month: of.number, day, ...(of.year !== undefined && { year: of.year }) })
    : undefined;

export const NAME_DAYS = 'Name the first and the last day, such as 1-7 october.';

/** Weeks of a month may be seven days each from its first on, or back from its last, or weeks from Monday. */
function refuseWeeks(from: number, to: number, of: DateExpression): RefusedPhrase {
  const [first, last] = from < 0 ? [7 * from, 7 * to + 6] : [7 * from - 6, 7 * to];
  const length =
    of.kind === 'month' ? daysInMonth(typeof of.year === 'number' ? of.year : 2025, of.number) : 0;
  const [begin, end] = from < 0 ? [length + first + 1, length + last + 1] : [first, last];
  const [monday, sunday] = [dayText(of, from < 0 ? end : begin), dayText(of, end)];
  const readings =
    monday === undefined || from !== to ? [] : [`${dayText(of, begin)}..${sunday}`, `week-of-${monday}`];
  return new RefusedPhrase('could be seven days or a week from Monday', NAME_DAYS, readings);
}

const SPANS_IN_YEAR = { month: 12, quarter: 4 } as const;

/**
 * Some of the days, weekdays, weekends, months or quarters of a longer part of the calendar.
 *
 * @param each a unit, a weekend, or a weekday (1 for Monday)
 * @param from the first place, from 1 on, or from -1 back from the end
 * @returns undefined where one is no part of the other
 */
export function partOf(
  each: Unit | Each,
  [from, to]: readonly [number, number],
  of: DateMeaning,
): DateMeaning | RefusedPhrase | undefined {
  const size = sizeOf(of);
  const piece = typeof each === 'number' ? 'day' : each === 'weekend' ? 'week' : each;
  if (size === undefined || SIZES.indexOf(size) <= SIZES.indexOf(piece)) return undefined;
  const whole = canonical(of);
  if (each === 'week') return refuseWeeks(from, to, whole);
  if (each === 'year') return undefined;
  const year = yearOf(of);
  if (year === undefined || from !== to || (each !== 'month' && each !== 'quarter'))
    return { kind: 'part', each, from, to, of: whole };
  const place = from > 0 ? from : SPANS_IN_YEAR[each] + 1 + from;
  if (place > SPANS_IN_YEAR[each]) return undefined;
  return { kind: each, number: place, year };
}
