/** The dates of a schedule's posts: the next date, overdue dates and missed dates. */
import { type DueTime, dueTimes } from '../../domain/time/cadence.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import type { Schedule } from '../../workspace/record/automation-records.ts';
import { dateOf, isHandled, type PostEntry } from './post-record.ts';

/**
 * A schedule's dates without a post: overdue ones, and `ahead` later ones. No date is before `last`, even if the
 * clock was set back.
 */
export function splitDueTimes(
  { timing, since }: Pick<Schedule, 'timing' | 'since'>,
  last: PostEntry | undefined,
  now: Millis,
  ahead = 1,
): { readonly overdue: readonly DueTime[]; readonly next: readonly DueTime[] } {
  const [overdue, next]: [DueTime[], DueTime[]] = [[], []];
  for (const due of dueTimes(timing, Math.max(since, last?.about.due ?? 0))) {
    if (last !== undefined && due.date <= dateOf(last)) continue;
    if (due.at <= now) overdue.push(due);
    else if (next.push(due) >= ahead) break;
  }
  return { overdue, next };
}

/** Only the newest overdue date gets a post. That post names the earlier dates. */
export function planDates(schedule: Schedule, posts: readonly PostEntry[], now: Millis) {
  const last = posts.findLast(isHandled);
  // The next post also names dates whose post failed, so only posted dates are settled.
  const settled = posts.findLast(({ state }) => state === 'posted');
  if (schedule.paused !== undefined) return { last, settled, missed: [] };
  const { overdue, next } = splitDueTimes(schedule, last, now);
  const due = overdue.at(-1);
  const unnamed = settled === last ? overdue : splitDueTimes(schedule, settled, now).overdue;
  const missed = unnamed.filter(({ date }) => due && date < due.date);
  return { last, settled, due, upcoming: next[0], missed };
}
