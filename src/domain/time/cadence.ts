/** Recurring due times: a rule over local calendar days, a time of day, and the zone of both. */
import {
  addDays,
  type Day,
  dayAt,
  dayExists,
  endOfUnit,
  instantOf,
  isoWeekday,
  type Millis,
  shiftUnits,
  startOfUnit,
  type Zone,
} from './calendar.ts';

/** Monday to Sunday; ISO 8601 counts them from 1. */
export const WEEKDAY_NAMES: readonly string[] =
  'Monday Tuesday Wednesday Thursday Friday Saturday Sunday'.split(' ');

export type Cadence =
  | { readonly kind: 'daily' }
  /** Monday to Friday. */
  | { readonly kind: 'weekdays' }
  /** 1 for Monday to 7 for Sunday. */
  | { readonly kind: 'weekly'; readonly weekday: number }
  /** 1 to 31, or the last day; a shorter month's last day if it has no such day. */
  | { readonly kind: 'monthly'; readonly day: number | 'last' };

export interface Timing {
  readonly cadence: Cadence;
  /** '09:00', 24 hours, on the zone's wall clock */
  readonly time: string;
  readonly zone: Zone;
}

/** One occurrence of a timing. */
export interface DueTime {
  /** The local date, which identifies it. */
  readonly date: Day;
  /** ms since the epoch: the first instant after the gap for a skipped time of day, the first of two for a doubled one */
  readonly at: Millis;
}

/** @returns the days of the rule from `first` on, without end, those that the zone skipped included */
function* daysOf(cadence: Cadence, first: Day): Generator<Day> {
  if (cadence.kind === 'monthly')
    for (let month = startOfUnit('month', first); ; month = shiftUnits('month', month, 1)) {
      const length = Number(endOfUnit('month', month).slice(8));
      const due = addDays(month, Math.min(cadence.day === 'last' ? length : cadence.day, length) - 1);
      if (due >= first) yield due;
    }
  const [start, step] =
    cadence.kind === 'weekly'
      ? [addDays(first, (cadence.weekday - isoWeekday(first) + 7) % 7), 7]
      : [first, 1];
  for (let day = start; ; day = addDays(day, step))
    if (cadence.kind !== 'weekdays' || isoWeekday(day) <= 5) yield day;
}

/**
 * @param after ms since the epoch
 * @returns the due times later than `after`, in order and without end; a day that the zone skipped has none
 */
export function* dueTimes(timing: Timing, after: Millis): Generator<DueTime> {
  for (const date of daysOf(timing.cadence, dayAt(after, timing.zone))) {
    const due = { date, at: instantOf(date, timing.time, timing.zone) };
    if (due.at > after && dayExists(date, timing.zone)) yield due;
  }
}

/** @returns the due times later than `after` and no later than `until` (ms), in order. Takes time in proportion to the days between. */
export function dueTimesBetween(timing: Timing, after: Millis, until: Millis): readonly DueTime[] {
  const between: DueTime[] = [];
  for (const due of dueTimes(timing, after)) {
    if (due.at > until) break;
    between.push(due);
  }
  return between;
}

/**
 * @param at ms since the epoch
 * @returns how many days a report of yesterday covers: since the last weekday for a cadence of weekdays, so that Monday's
 * covers Friday to Sunday; otherwise 1
 */
export function daysCovered({ cadence, zone }: Timing, at: Millis): number {
  if (cadence.kind !== 'weekdays') return 1;
  const day = isoWeekday(dayAt(at, zone));
  return day === 1 ? 3 : day === 7 ? 2 : 1;
}

function describeCadence(cadence: Cadence): string {
  switch (cadence.kind) {
    case 'daily':
      return 'Every day';
    case 'weekdays':
      return 'Every weekday';
    case 'weekly':
      return `Every ${WEEKDAY_NAMES[cadence.weekday - 1]}`;
    case 'monthly': {
      if (cadence.day === 'last') return 'Monthly on the last day';
      return `Monthly on day ${cadence.day}${cadence.day > 28 ? ' (or the last of a shorter month)' : ''}`;
    }
  }
}

/** @returns 'Every weekday at 09:00 (Europe/Rome)' */
export function formatTiming({ cadence, time, zone }: Timing): string {
  return `${describeCadence(cadence)} at ${time} (${zone})`;
}
