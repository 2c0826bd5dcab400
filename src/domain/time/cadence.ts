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

export const WEEKDAY_NAMES: readonly string[] =
  'Monday Tuesday Wednesday Thursday Friday Saturday Sunday'.split(' ');

export type Cadence =
  | { readonly kind: 'daily' }
  | { readonly kind: 'weekdays' }
  /** 1 for Monday to 7 for Sunday. */
  | { readonly kind: 'weekly'; readonly weekday: number }
  /** In a month without the `day`, the schedule posts on the last day. */
  | { readonly kind: 'monthly'; readonly day: number | 'last' };

export interface Timing {
  readonly cadence: Cadence;
  /** `09:00`, on the zone's clocks */
  readonly time: string;
  readonly zone: Zone;
}

export interface DueTime {
  readonly date: Day;
  readonly at: Millis;
}

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

export function* dueTimes(timing: Timing, after: Millis): Generator<DueTime> {
  for (const date of daysOf(timing.cadence, dayAt(after, timing.zone))) {
    const due = { date, at: instantOf(date, timing.time, timing.zone) };
    if (due.at > after && dayExists(date, timing.zone)) yield due;
  }
}

/** @returns how many days a “yesterday” report covers: a weekday schedule's post on Monday covers Friday to Sunday */
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
      return `Monthly on day ${cadence.day}${cadence.day > 28 ? ' (or the last day of shorter months)' : ''}`;
    }
  }
}

export const formatTiming = ({ cadence, time, zone }: Timing): string =>
  `${describeCadence(cadence)} at ${time} (${zone})`;
