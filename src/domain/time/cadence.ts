/** When schedules post: on which days, at what time, in which time zone. */
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
  /** `weekday` is 1 for Monday to 7 for Sunday. */
  | { readonly kind: 'weekly'; readonly weekday: number }
  /** `day` is 1 to 31, or 'last'. A month without that day uses its last one. */
  | { readonly kind: 'monthly'; readonly day: number | 'last' };

export interface Timing {
  readonly cadence: Cadence;
  /** A local time of the zone, with 24 hours: '09:00' */
  readonly time: string;
  readonly zone: Zone;
}

/** One occurrence of a timing. */
export interface DueTime {
  /** The local date, which identifies it. */
  readonly date: Day;
  /** If daylight saving time skips the time, the first instant after the gap; if it repeats the time, the first one. */
  readonly at: Millis;
}

/** @returns the cadence's days from `first` on, endlessly, including days that the zone skipped */
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

/** @returns the due times after `after`, endlessly; days that the zone skipped have none */
export function* dueTimes(timing: Timing, after: Millis): Generator<DueTime> {
  for (const date of daysOf(timing.cadence, dayAt(after, timing.zone))) {
    const due = { date, at: instantOf(date, timing.time, timing.zone) };
    if (due.at > after && dayExists(date, timing.zone)) yield due;
  }
}

/**
 * @returns how many days a “yesterday” report covers: 1, but a weekday schedule posts all days since its last post, on
 * Monday those from Friday to Sunday
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
export const formatTiming = ({ cadence, time, zone }: Timing): string =>
  `${describeCadence(cadence)} at ${time} (${zone})`;
