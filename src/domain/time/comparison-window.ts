/** The window of earlier days that a period's complete days are compared with. */
import {
  addDays,
  type Day,
  dayExists,
  daysBefore,
  daysInRange,
  endOfDay,
  endOfUnit,
  formatRequestedDays,
  type Millis,
  type RequestedDays,
  shiftUnits,
  startOfDay,
  type Unit,
  type Zone,
} from './calendar.ts';

export interface ComparisonWindow {
  /** First and last millisecond of the window. */
  readonly from: Millis;
  readonly to: Millis;
  /** The days of the window, in order. */
  readonly days: readonly Day[];
  /** The complete days of the period: what the window is compared with. */
  readonly currentDays: readonly Day[];
  /** The first and the last date that the window was asked for, and today if it is the last. */
  readonly requested: RequestedDays;
  /** '7–13 Nov', or '7–13 Nov 2025' if the period ends in another year. */
  readonly label: string;
  /** 'the 7 days before', 'the month before', 'the same days a year before', or 'the named days' */
  readonly basis: string;
}

/** Days are compared with days, whole units with whole units, a running unit with the beginning of the one before. */
export type ComparisonRule =
  | { readonly kind: 'days' }
  | { readonly kind: 'units'; readonly unit: Unit; readonly count: number }
  | { readonly kind: 'running'; readonly unit: Unit; readonly count: number }
  /** Saturday and Sunday, or Saturday alone. */
  | { readonly kind: 'weekend'; readonly unit: 'week' };

type Window = Pick<ComparisonWindow, 'days' | 'basis'>;

const countOf = (count: number, unit: Unit): string => (count === 1 ? unit : `${count} ${unit}s`);

/**
 * Compares weekdays with the same weekdays: spending drops every Saturday.
 *
 * @returns the days a week before, without those that the zone skipped
 */
export const sameDaysLastWeek = (days: readonly Day[], zone: Zone): readonly Day[] =>
  days.map((day) => addDays(day, -7)).filter((day) => dayExists(day, zone));

/** @param count how many days of the period are complete, at least one */
function windowBefore(first: Day, rule: ComparisonRule, count: number, zone: Zone): Window {
  if (rule.kind === 'units' || rule.kind === 'running') {
    const days = daysInRange(shiftUnits(rule.unit, first, -rule.count), addDays(first, -1), zone);
    const basis = `the ${countOf(rule.count, rule.unit)} before`;
    // Ends with the units before at the latest: 30 days of March are compared with the 28 of February.
    if (rule.kind === 'units' || count >= days.length) return { days, basis };
    return { days: days.slice(0, count), basis: `the first ${countOf(count, 'day')} of ${basis}` };
  }
  if (count === 1) return { days: sameDaysLastWeek([first], zone), basis: 'the same weekday a week before' };
  if (rule.kind === 'weekend')
    return { days: sameDaysLastWeek([first, addDays(first, 1)], zone), basis: 'the weekend before' };
  return { days: daysBefore(first, count, zone), basis: `the ${countOf(count, 'day')} before` };
}

/** @param leapDay replaces 29 February, which the year before doesn't have */
export const dayOneYearBefore = (day: Day, leapDay: '02-28' | '03-01' = '02-28'): Day =>
  `${Number(day.slice(0, 4)) - 1}-${day.endsWith('-02-29') ? leapDay : day.slice(5)}`;

/** @returns the day so many months earlier; where that month is shorter its last day, or, as a beginning, the day after it */
function monthsBefore(day: Day, months: number, isBeginning: boolean): Day {
  const month = shiftUnits('month', `${day.slice(0, 7)}-01`, -months);
  const same = `${month.slice(0, 8)}${day.slice(8)}`;
  const last = endOfUnit('month', month);
  return same <= last ? same : isBeginning ? addDays(last, 1) : last;
}

const MONTHS = { month: 1, quarter: 3, year: 12 } as const;

/**
 * Whole months, quarters and years one unit earlier, 28 days of February or 29; weeks by the same weekdays; anything else by
 * its first and last date. 29 February itself has no day a year before.
 *
 * @param complete the complete days of a period, in order, at least one
 * @param rule how the period is compared by default
 */
export function sameDaysBefore(
  unit: Unit,
  complete: readonly [Day, ...Day[]],
  rule: ComparisonRule,
  zone: Zone,
): Window {
  const [first, last = first] = [complete[0], complete.at(-1)];
  const isOfWeeks = rule.kind !== 'days' && rule.unit === 'week';
  const shift = unit === 'day' ? 1 : unit === 'week' ? 7 : unit === 'year' && isOfWeeks ? 364 : undefined;
  if (shift !== undefined)
    return {
      days: daysInRange(addDays(first, -shift), addDays(last, -shift), zone),
      basis: shift === 364 ? 'the same weekdays 52 weeks before' : `the same days a ${unit} before`,
    };
  const months = MONTHS[unit as keyof typeof MONTHS];
  const end =
    rule.kind === 'units'
      ? addDays(monthsBefore(addDays(last, 1), months, false), -1)
      : monthsBefore(last, months, false);
  return {
    days: daysInRange(monthsBefore(first, months, true), end, zone),
    basis: `the same days a ${unit} before`,
  };
}

/**
 * @param first the first day of the period
 * @param complete its complete days
 * @returns undefined when it has no complete day, or the zone skipped the whole window
 */
export function findComparisonWindow(
  first: Day,
  complete: readonly Day[],
  rule: ComparisonRule,
  zone: Zone,
): ComparisonWindow | undefined {
  const end = complete.at(-1);
  return end === undefined
    ? undefined
    : describeWindow(windowBefore(first, rule, complete.length, zone), complete, zone, end);
}

/**
 * @param complete the complete days of the period that the window is compared with
 * @param today a day of the year that the label leaves out, if any
 * @returns undefined if the window has no day
 */
export function describeWindow(
  { days, basis }: Window,
  complete: readonly Day[],
  zone: Zone,
  today: Day | undefined,
): ComparisonWindow | undefined {
  const [from, to] = [days[0], days.at(-1)];
  if (from === undefined || to === undefined) return undefined;
  const requested = { first: from, last: to, today };
  return {
    from: startOfDay(from, zone),
    to: endOfDay(to, zone),
    days,
    currentDays: complete,
    requested,
    label: formatRequestedDays(requested),
    basis,
  };
}
