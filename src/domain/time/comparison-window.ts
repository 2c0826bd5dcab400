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
}

/** Days are compared with days, whole units with whole units, a running unit with the beginning of the one before. */
export type ComparisonRule =
  | { readonly kind: 'days' }
  | { readonly kind: 'units'; readonly unit: Unit; readonly count: number }
  | { readonly kind: 'running'; readonly unit: Unit; readonly count: number }
  /** Saturday and Sunday, or Saturday alone. */
  | { readonly kind: 'weekend'; readonly unit: 'week' };

/**
 * Compares weekdays with the same weekdays: spending drops every Saturday.
 *
 * @returns the days a week before, without those that the zone skipped
 */
export const sameDaysLastWeek = (days: readonly Day[], zone: Zone): readonly Day[] =>
  days.map((day) => addDays(day, -7)).filter((day) => dayExists(day, zone));

/** @param count how many days of the period are complete, at least one */
function daysBeforePeriod(first: Day, rule: ComparisonRule, count: number, zone: Zone): readonly Day[] {
  if (rule.kind === 'units' || rule.kind === 'running') {
    const days = daysInRange(shiftUnits(rule.unit, first, -rule.count), addDays(first, -1), zone);
    // Ends with the units before at the latest: 30 days of March are compared with the 28 of February.
    return rule.kind === 'units' ? days : days.slice(0, count);
  }
  if (count === 1) return sameDaysLastWeek([first], zone);
  if (rule.kind === 'weekend') return sameDaysLastWeek([first, addDays(first, 1)], zone);
  return daysBefore(first, count, zone);
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
): readonly Day[] {
  const [first, last = first] = [complete[0], complete.at(-1)];
  const isOfWeeks = rule.kind !== 'days' && rule.unit === 'week';
  const shift = unit === 'day' ? 1 : unit === 'week' ? 7 : unit === 'year' && isOfWeeks ? 364 : undefined;
  if (shift !== undefined) return daysInRange(addDays(first, -shift), addDays(last, -shift), zone);
  const months = MONTHS[unit as keyof typeof MONTHS];
  const end =
    rule.kind === 'units'
      ? addDays(monthsBefore(addDays(last, 1), months, false), -1)
      : monthsBefore(last, months, false);
  return daysInRange(monthsBefore(first, months, true), end, zone);
}

/**
 * @param first the first day of the period
 * @param complete its complete days
 * @returns undefined when it has no complete day, or the zone skipped the whole window
 */
export const findComparisonWindow = (
  first: Day,
  complete: readonly Day[],
  rule: ComparisonRule,
  zone: Zone,
): ComparisonWindow | undefined =>
  complete.length === 0
    ? undefined
    : describeWindow(daysBeforePeriod(first, rule, complete.length, zone), complete, zone, complete.at(-1));

/**
 * @param complete the complete days of the period that the window is compared with
 * @param today a day of the year that the label leaves out, if any
 * @returns undefined if the window has no day
 */
export function describeWindow(
  days: readonly Day[],
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
  };
}
