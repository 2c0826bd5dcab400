import { type DueTime, dueTimes, type Timing } from '../../src/domain/time/cadence.ts';
import type { Millis } from '../../src/domain/time/calendar.ts';

/** @returns the next `count` due times later than `after`, in order, one for each local date */
export function nextDueTimes(timing: Timing, after: Millis, count: number): readonly DueTime[] {
  const next: DueTime[] = [];
  if (count < 1) return next;
  for (const due of dueTimes(timing, after)) if (next.push(due) >= count) break;
  return next;
}

export function dueTimesBetween(timing: Timing, after: Millis, until: Millis): readonly DueTime[] {
  const between: DueTime[] = [];
  for (const due of dueTimes(timing, after)) {
    if (due.at > until) break;
    between.push(due);
  }
  return between;
}
