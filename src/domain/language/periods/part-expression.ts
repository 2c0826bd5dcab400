/** Some of the days, weekdays, months or quarters of a longer part of the calendar. */
import { daysInMonth, type Unit } from '../../time/calendar.ts';
import { type DateExpression, type DateMeaning, dateText, type YearOf } from './date-expression.ts';
import { RefusedPhrase } from './grammar.ts';

/** The year of a date that is one: `2025`, `last year`. */
function yearOf(date: DateMeaning): YearOf | undefined {
  if (date.kind === 'year') return date.year;
  if (date.kind !== 'ago' || date.as !== 'year' || date.unit !== 'year' || date.count > 1) return undefined;
  return date.count === 0 ? 'this' : 'last';
}

const sizeOf = (date: DateMeaning): Unit | 'half' | undefined => {
  if (date.kind === 'ago') return date.as;
  if (date.kind === 'week-of') return 'week';
  return /^(?:week|month|quarter|half|year)$/.test(date.kind) ? (date.kind as Unit | 'half') : undefined;
};

const SIZES = ['day', 'week', 'month', 'quarter', 'half', 'year'];

/** `2026-10-01`, `october-1`: a day of a month that has a name. */
const dayText = (of: DateMeaning, day: number): string | undefined =>
  of.kind === 'month' && of.year !== 'whole'
    ? dateText({ kind: 'month-day', month: of.month, day, ...(of.year !== undefined && { year: of.year }) })
    : undefined;

const NAME_DAYS = 'Name the first and the last day, such as 1-7 october.';

/** Weeks of a month may be seven days each from its first on, or back from its last, or weeks from Monday. */
function refuseWeeks(from: number, to: number, of: DateExpression): RefusedPhrase {
  const [first, last] = from < 0 ? [7 * from, 7 * to + 6] : [7 * from - 6, 7 * to];
  const length =
    of.kind === 'month' ? daysInMonth(typeof of.year === 'number' ? of.year : 2025, of.month) : 0;
  const [begin, end] = from < 0 ? [length + first + 1, length + last + 1] : [first, last];
  const [monday, sunday] = [dayText(of, from < 0 ? end : begin), dayText(of, end)];
  const readings =
    monday === undefined || from !== to ? [] : [`${dayText(of, begin)}..${sunday}`, `week-of-${monday}`];
  return new RefusedPhrase('could be seven days or a week from Monday', NAME_DAYS, readings);
}

/**
 * @param each a unit, or a weekday (1 for Monday)
 * @param from the first place, from 1 on, or from -1 back from the end
 * @returns undefined where one is no part of the other
 */
export function partOf(
  each: Unit | number,
  [from, to]: readonly [number, number],
  of: DateMeaning,
): DateMeaning | RefusedPhrase | undefined {
  const size = sizeOf(of);
  const piece = typeof each === 'number' ? 'day' : each;
  if (size === undefined || SIZES.indexOf(size) <= SIZES.indexOf(piece)) return undefined;
  const whole: DateExpression = { ...of, typed: dateText(of) };
  if (each === 'week') return refuseWeeks(from, to, whole);
  if (each === 'year') return undefined;
  const year = yearOf(of);
  if (year === undefined || from !== to || (each !== 'month' && each !== 'quarter'))
    return { kind: 'part', each, from, to, of: whole };
  const place = from > 0 ? from : SPANS_IN_YEAR[each] + 1 + from;
  if (place > SPANS_IN_YEAR[each]) return undefined;
  return each === 'month' ? { kind: 'month', month: place, year } : { kind: 'quarter', quarter: place, year };
}

const SPANS_IN_YEAR = { month: 12, quarter: 4 } as const;
