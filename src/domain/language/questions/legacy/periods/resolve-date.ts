/** Resolves a named part of the calendar to its days, as of today. */
import { InvalidWord } from '../../../../failure/index.ts';
import { WEEKDAY_NAMES } from '../../../../time/cadence.ts';
import {
  addDays,
  countUnits,
  type Day,
  daysBefore,
  daysBetween,
  daysInMonth,
  endOfUnit,
  formatDays,
  isoWeekday,
  shiftUnits,
  startOfUnit,
  type Unit,
  type Zone,
} from '../../../../time/calendar.ts';
import type { ComparisonRule } from '../../../../time/comparison-window.ts';
import { clipWord, pluralize } from '../../../text.ts';
import { nameOfMonth } from '../vocabulary.ts';
import { type DatedSpan, type DateExpression, dateText, type Each, type YearOf } from './date-ast.ts';
import { pad } from './date-literal.ts';

/** Days of the calendar: `count` units, or days that are compared by a rule of their own. */
export interface CalendarSpan {
  readonly first: Day;
  readonly last: Day;
  readonly unit: Unit;
  readonly count: number;
  readonly rule?: ComparisonRule;
}

type Point<K extends DateExpression['kind']> = Extract<DateExpression, { kind: K }>;

/** Days that come again every year, month or week: which ones are meant depends on the days beside them. */
type RecurringDay = Point<'month-day' | 'day-of-month' | 'weekday'>;

/** Whether two ends of a range are days of one kind, so that each may be found by the other: `20 dec - 5 jan`. */
export function areSameKind(a: DateExpression, b: DateExpression): boolean {
  const [first, second] = [a, b].map(({ kind }) => (kind === 'month-day' ? 'day' : kind));
  return first === second;
}

/** `2026-10-05`, `october 2026`: it means the same on every day. */
export const namesYear = (point: DateExpression): boolean =>
  point.kind === 'day' ||
  (point.kind === 'part' && namesYear(point.of)) ||
  ('year' in point && point.kind !== 'year' && typeof point.year === 'number');

/** `october`, `q3`, `w45`: the year is that of the other end of a range, or the one before. */
export const lacksYear = (point: DateExpression): boolean =>
  point.kind === 'part'
    ? lacksYear(point.of)
    : /^(?:month|quarter|half|week)$/.test(point.kind) && !('year' in point);

export const isRecurring = (point: DateExpression): point is RecurringDay =>
  (point.kind === 'month-day' && point.year === undefined) ||
  point.kind === 'day-of-month' ||
  (point.kind === 'weekday' && point.week === undefined);

const yearOf = (day: Day): number => Number(day.slice(0, 4));

const numberedYear = (year: YearOf, today: Day): number =>
  typeof year === 'number' ? year : yearOf(today) - (year === 'last' ? 1 : 0);

/** Refuses a date or a period. */
export const createInvalidDate = (
  { typed }: { readonly typed: string },
  why: string,
  works: string,
  instead?: string | readonly string[],
): InvalidWord => new InvalidWord(clipWord(typed), why, works, instead);

const dayAlone = (day: Day): CalendarSpan => ({ first: day, last: day, unit: 'day', count: 1 });

function unitAt(unit: Unit, day: Day, count = 1): CalendarSpan {
  const first = startOfUnit(unit, day);
  return { first, last: addDays(shiftUnits(unit, first, count), -1), unit, count };
}

const MONTHS = { month: 1, quarter: 3, half: 6 } as const;

function spanOf({ kind, number }: DatedSpan, year: number): CalendarSpan {
  const first = `${year}-${pad((number - 1) * MONTHS[kind] + 1)}-01`;
  return kind === 'half' ? unitAt('quarter', first, 2) : unitAt(kind, first);
}

/** Without a year the latest that has begun by `today`. */
export function datedSpan(point: DatedSpan, today: Day): CalendarSpan {
  const { year } = point;
  if (year !== undefined && year !== 'whole') return spanOf(point, numberedYear(year, today));
  const current = spanOf(point, yearOf(today));
  const isMeant = year === 'whole' ? current.last < today : current.first <= today;
  return isMeant ? current : spanOf(point, yearOf(today) - 1);
}

/** The most years between two 29ths of February. */
const LEAP_GAP = 8;
/** Enough months in a row, back or ahead, for a day of any number: even a 31st that has begun, or that is to come. */
const MONTHS_TO_31ST = 4;

/** The days on which a day of a month falls, from the year or month of `near` on: later ones, or earlier ones. */
function fallsOn(point: Point<'month-day' | 'day-of-month'>, near: Day, step: 1 | -1): readonly Day[] {
  const start = `${near.slice(0, 7)}-01`;
  const months =
    point.kind === 'month-day'
      ? Array.from({ length: LEAP_GAP + 1 }, (_, n) => `${yearOf(near) + step * n}-${pad(point.month)}-01`)
      : Array.from({ length: MONTHS_TO_31ST }, (_, n) => shiftUnits('month', start, step * n));
  return months
    .filter((first) => endOfUnit('month', first).slice(8) >= pad(point.day))
    .map((first) => `${first.slice(0, 8)}${pad(point.day)}`);
}

/** The latest such day up to `limit`; a weekday always before today. */
export function latestDay(point: RecurringDay, today: Day, limit: Day = today): CalendarSpan {
  if (point.kind === 'weekday') {
    const before = limit < today ? addDays(limit, 1) : today;
    return dayAlone(addDays(before, -((isoWeekday(before) - point.weekday + 6) % 7) - 1));
  }
  return onWeekday(point, fallsOn(point, limit, -1).find((day) => day <= limit) ?? limit);
}

/** The first such day from `first` on. */
export function nextDay(point: RecurringDay, first: Day): CalendarSpan {
  if (point.kind === 'weekday') return dayAlone(addDays(first, (point.weekday - isoWeekday(first) + 7) % 7));
  return onWeekday(point, fallsOn(point, first, 1).find((day) => day >= first) ?? first);
}

function onWeekday(point: Point<'month-day' | 'day-of-month'>, day: Day): CalendarSpan {
  const actual = isoWeekday(day);
  if (point.weekday === undefined || point.weekday === actual) return dayAlone(day);
  const why = `isn’t a date: ${formatDays(day, day).slice(4)} is a ${WEEKDAY_NAMES[actual - 1]}`;
  throw createInvalidDate(point, why, 'Leave out the weekday.');
}

function dayOfYear(point: Point<'month-day'>, year: number): CalendarSpan {
  const length = daysInMonth(year, point.month);
  if (point.day <= length) return onWeekday(point, `${year}-${pad(point.month)}-${pad(point.day)}`);
  const why = `isn’t a date: ${nameOfMonth(point.month)} ${year} has ${length} days`;
  throw createInvalidDate(point, why, `Type ${year}-${pad(point.month)}-${length}.`);
}

const weekendFrom = (saturday: Day): CalendarSpan => ({
  ...dayAlone(saturday),
  last: addDays(saturday, 1),
  rule: { kind: 'weekend', unit: 'week' },
});

/** Each day, weekday, weekend, month or quarter of a part of the calendar. */
function piecesOf(each: Each, { first, last }: CalendarSpan): readonly CalendarSpan[] {
  if (each === 'month' || each === 'quarter') {
    const count = countUnits(each, first, last);
    return Array.from({ length: count }, (_, n) => unitAt(each, shiftUnits(each, first, n)));
  }
  const days = Array.from({ length: daysBetween(first, last) + 1 }, (_, n) => addDays(first, n));
  if (each === 'weekend') return days.filter((day) => isoWeekday(day) === 6 && day < last).map(weekendFrom);
  return (typeof each === 'number' ? days.filter((day) => isoWeekday(day) === each) : days).map(dayAlone);
}

/** A weekend of which only one day is within may count or not: 31 October 2026 is a Saturday. */
function refuseHalfWeekend(point: Point<'part'>, { first, last }: CalendarSpan, whole: CalendarSpan): void {
  const isHalf = point.from > 0 ? isoWeekday(whole.first) === 7 : isoWeekday(whole.last) === 6;
  if (!isHalf) return;
  const readings = [0, point.from > 0 ? -7 : 7].map((n) => `${addDays(first, n)}..${addDays(last, n)}`);
  throw createInvalidDate(
    point,
    'could be either of two weekends',
    `Type ${readings.join(' or ')}.`,
    readings,
  );
}

function partOf(point: Point<'part'>, whole: CalendarSpan): CalendarSpan {
  const { each, from, to } = point;
  const pieces = piecesOf(each, whole);
  const [first, last] = [from, to].map((place) => pieces.at(place > 0 ? place - 1 : place));
  const isWithin = from > 0 ? Math.max(from, to) <= pieces.length : -from <= pieces.length;
  if (first === undefined || last === undefined || !isWithin) {
    const name = typeof each === 'number' ? (WEEKDAY_NAMES[each - 1] ?? '') : each;
    throw createInvalidDate(
      point,
      `doesn’t exist: ${formatDays(whole.first, whole.last)} has ${pluralize(pieces.length, name)}`,
      'Name the days, such as 2026-10-01..2026-10-15.',
    );
  }
  if (each === 'weekend') refuseHalfWeekend(point, first, whole);
  return { ...first, last: last.last, count: first.unit === 'day' ? 1 : to - from + 1 };
}

/** Without a year, the latest such part that has begun. */
function partSpan(point: Point<'part'>, today: Day, zone: Zone): CalendarSpan {
  const { of } = point;
  const whole = calendarSpan(of, today, zone);
  const found = partOf(point, whole);
  const isDated = of.kind === 'month' || of.kind === 'quarter' || of.kind === 'half';
  if (!isDated || of.year !== undefined || found.first <= today) return found;
  return partOf(point, spanOf(of, yearOf(whole.first) - 1));
}

/** The Monday of an ISO week, if the year has it. */
function mondayOf(week: number, year: number): Day | undefined {
  const monday = addDays(startOfUnit('week', `${year}-01-04`), 7 * (week - 1));
  return yearOf(addDays(monday, 3)) === year ? monday : undefined;
}

function isoWeek(point: Point<'week'>, today: Day): CalendarSpan {
  if (point.year !== undefined) {
    const year = numberedYear(point.year, today);
    const monday = mondayOf(point.week, year);
    if (monday !== undefined) return unitAt('week', monday);
    throw createInvalidDate(point, `isn’t a week: ${year} has 52 weeks`, `Type ${year}-w52.`);
  }
  const thisYear = yearOf(addDays(startOfUnit('week', today), 3));
  const mondays = Array.from({ length: LEAP_GAP }, (_, n) => mondayOf(point.week, thisYear - n));
  return unitAt('week', mondays.find((monday) => monday !== undefined && monday <= today) ?? today);
}

function weekOf(point: Point<'week-of'>, today: Day, zone: Zone): CalendarSpan {
  const { first: day } = calendarSpan(point.day, today, zone);
  const weekday = isoWeekday(day);
  if (point.edge === undefined || weekday === (point.edge === 'starting' ? 1 : 7)) return unitAt('week', day);
  const { edge: _, ...any } = point;
  throw createInvalidDate(
    point,
    `doesn’t ${point.edge === 'starting' ? 'start on a Monday' : 'end on a Sunday'}: ${formatDays(day, day).slice(4)} is a ${WEEKDAY_NAMES[weekday - 1]}`,
    'Weeks are Monday to Sunday.',
    startOfUnit('week', day) <= today ? dateText(any) : undefined,
  );
}

const SATURDAYS = { 'before-last': -9, last: -2, this: 5 } as const;

function weekdayOf({ week, ...point }: Point<'weekday'>, today: Day): CalendarSpan {
  const latest = latestDay(point, today).first;
  if (week === undefined) return dayAlone(latest);
  if (week === 'before-last') return dayAlone(addDays(latest, -7));
  const monday = addDays(startOfUnit('week', today), week === 'last' ? -7 : 0);
  return dayAlone(addDays(monday, point.weekday - 1));
}

function spanBefore({ count, unit, as }: Point<'ago'>, today: Day, zone: Zone): CalendarSpan {
  const [day] = unit === 'day' ? daysBefore(today, count, zone) : [shiftUnits(unit, today, -count)];
  return unitAt(as, day ?? today);
}

/** The days of a part of the calendar, wholly or partly in the future too. @throws InvalidWord if it does not exist */
export function calendarSpan(point: DateExpression, today: Day, zone: Zone): CalendarSpan {
  switch (point.kind) {
    case 'day':
      return dayAlone(point.day);
    case 'today':
      return dayAlone(today);
    case 'yesterday':
      return dayAlone(daysBefore(today, 1, zone)[0] ?? addDays(today, -1));
    case 'month-day':
      return point.year === undefined
        ? latestDay(point, today)
        : dayOfYear(point, numberedYear(point.year, today));
    case 'day-of-month':
      return latestDay(point, today);
    case 'weekday':
      return weekdayOf(point, today);
    case 'ago':
      return spanBefore(point, today, zone);
    case 'part':
      return partSpan(point, today, zone);
    case 'week':
      return isoWeek(point, today);
    case 'week-of':
      return weekOf(point, today, zone);
    case 'weekend':
      return weekendFrom(addDays(startOfUnit('week', today), SATURDAYS[point.which]));
    case 'year':
      return unitAt('year', `${point.year}-01-01`);
    default:
      return datedSpan(point, today);
  }
}
