/** When something is due again and again: a rule over local calendar days, a time of day, and the zone of both. */
import {
  addDays,
  type Day,
  dayAt,
  dayExists,
  daysInMonth,
  instantOf,
  isoWeekday,
  wallClockAt,
} from './calendar.ts';

/** Monday to Sunday: the first is 1, as ISO 8601 counts. */
export const WEEKDAY_NAMES = [
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
  'Sunday',
] as const;

export type Cadence =
  | { readonly kind: 'daily' }
  /** Monday to Friday. */
  | { readonly kind: 'weekdays' }
  /** 1 for Monday to 7 for Sunday. */
  | { readonly kind: 'weekly'; readonly weekday: number }
  /** 1 to 31, a shorter month's last day where it has no such day; or the last day of each month. */
  | { readonly kind: 'monthly'; readonly day: number | 'last' };

export interface Timing {
  readonly cadence: Cadence;
  /** '09:00', 24 hours, of the zone's wall clock */
  readonly time: string;
  /** IANA */
  readonly zone: string;
}

/** One time that something is due. */
export interface DueTime {
  /** The local date it is due on: what makes it this one and no other. */
  readonly date: Day;
  /** ms since the epoch: a time of day that the zone skips is the first instant after the gap, a doubled one its first */
  readonly at: number;
}

/** The month's day that a monthly cadence means; `month` is '2026-02'. */
function dayInMonth(month: string, wanted: number | 'last'): Day {
  const last = daysInMonth(Number(month.slice(0, 4)), Number(month.slice(5)));
  const day = wanted === 'last' ? last : Math.min(wanted, last);
  return `${month}-${String(day).padStart(2, '0')}`;
}

function* monthly(first: Day, wanted: number | 'last'): Generator<Day> {
  for (let day = first; ; day = addDays(`${day.slice(0, 7)}-28`, 4)) {
    const due = dayInMonth(day.slice(0, 7), wanted);
    if (due >= first) yield due;
  }
}

function* daily(first: Day, step: number): Generator<Day> {
  for (let day = first; ; day = addDays(day, step)) yield day;
}

function* weekdays(first: Day): Generator<Day> {
  for (const day of daily(first, 1)) if (isoWeekday(day) <= 5) yield day;
}

/** The days of the rule from `firstOf` on, whatever the zone made of them; without end. */
function daysOf(cadence: Cadence, first: Day): Generator<Day> {
  switch (cadence.kind) {
    case 'daily':
      return daily(first, 1);
    case 'weekdays':
      return weekdays(first);
    case 'weekly':
      return daily(addDays(first, (cadence.weekday - isoWeekday(first) + 7) % 7), 7);
    case 'monthly':
      return monthly(first, cadence.day);
  }
}

function isAsSaid({ date, at }: DueTime, { time, zone }: Timing): boolean {
  const shown = wallClockAt(at, zone);
  return shown.day === date && shown.time === time;
}

/**
 * Those later than `after` (ms), in order and without end. Every day before the one that has begun at `after` was due by
 * then. A day that the zone left out is none.
 */
export function* dueTimes(timing: Timing, after: number): Generator<DueTime> {
  for (const date of daysOf(timing.cadence, dayAt(after, timing.zone))) {
    const due = { date, at: instantOf(date, timing.time, timing.zone) };
    if (due.at > after && (isAsSaid(due, timing) || dayExists(date, timing.zone))) yield due;
  }
}

/** The next `count` after the instant `after` (ms), which itself is none of them; in order, one a local date. */
export function nextDueTimes(timing: Timing, after: number, count: number): readonly DueTime[] {
  const found: DueTime[] = [];
  if (count < 1) return found;
  for (const due of dueTimes(timing, after)) if (found.push(due) >= count) break;
  return found;
}

/** Those later than `after` and no later than `until` (ms), in order: worked out day by day, so a year is a moment's work. */
export function dueTimesBetween(timing: Timing, after: number, until: number): readonly DueTime[] {
  const found: DueTime[] = [];
  for (const due of dueTimes(timing, after)) {
    if (due.at > until) break;
    found.push(due);
  }
  return found;
}

/** What the clocks do to a due time: `skipped` where the zone jumps over it, `doubled` where they show it twice. */
export function clockChangeAt(due: DueTime, timing: Timing): 'skipped' | 'doubled' | undefined {
  if (!isAsSaid(due, timing)) return 'skipped';
  const again = [30, 60, 120].some((minutes) => isAsSaid({ ...due, at: due.at + minutes * 60_000 }, timing));
  return again ? 'doubled' : undefined;
}

/**
 * How many days a report of the day before is about at an instant (ms): Monday to Friday, those since the last weekday
 * that was due, so that Monday's has Friday to Sunday in it; otherwise one.
 */
export function daysCovered({ cadence, zone }: Timing, at: number): number {
  if (cadence.kind !== 'weekdays') return 1;
  const day = isoWeekday(dayAt(at, zone));
  return day === 1 ? 3 : day === 7 ? 2 : 1;
}

function cadenceWords(cadence: Cadence): string {
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

/** 'Every weekday at 09:00 (Europe/Rome)' */
export function formatTiming({ cadence, time, zone }: Timing): string {
  return `${cadenceWords(cadence)} at ${time} (${zone})`;
}
