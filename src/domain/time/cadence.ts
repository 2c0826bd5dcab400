/** Schedules: which days, what time, which zone. */
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
  /** 1 to 31, or 'last'. Shorter months use their last day. */
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
  /** If DST skips the time: the first instant after the gap. If it repeats: the first. */
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

/** @returns due times after `after`, endless; days that the zone skipped have none */
export function* dueTimes(timing: Timing, after: Millis): Generator<DueTime> {
  for (const date of daysOf(timing.cadence, dayAt(after, timing.zone))) {
    const due = { date, at: instantOf(date, timing.time, timing.zone) };
    if (due.at > after && dayExists(date, timing.zone)) yield due;
  }
}

/**
 * @returns days a “yesterday” report covers: since the last weekday for weekday schedules (Monday: Friday–Sunday),
 * else 1
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
