/** The dates on which a schedule posts, and the times when a sent post is checked again. */
import { type DueTime, dueTimes } from '../../domain/time/cadence.ts';
import { HOUR, MINUTE, type Millis } from '../../domain/time/calendar.ts';
import type { Schedule } from '../../workspace/record/automation-records.ts';
import { dateOf, isHandled, type PostContent, type PostEntry } from './post-record.ts';

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
  // The next post names a failed date in the same way as one that was never tried.
  const settled = posts.findLast(({ state }) => state === 'posted');
  if (schedule.paused !== undefined) return { last, settled, missed: [] };
  const { overdue, next } = splitDueTimes(schedule, last, now);
  const due = overdue.at(-1);
  const unnamed = settled === last ? overdue : splitDueTimes(schedule, settled, now).overdue;
  const missed = unnamed.filter(({ date }) => due && date < due.date);
  return { last, settled, due, upcoming: next[0], missed };
}

const REFRESH_TIMES: readonly Millis[] = [6, 24, 72].map((hours) => hours * HOUR);
/** After the post and after each check, Tally asks again for this long about projects that didn't answer. */
const ASK_AGAIN_FOR: Millis = 3 * HOUR;
const ASK_AGAIN_INTERVAL: Millis = 30 * MINUTE;

/** Whether asking again could add a missing project. A project that the channel may not see is never added. */
const isIncomplete = (post: Pick<PostContent, 'unanswered'> | undefined): boolean =>
  Object.values(post?.unanswered ?? {}).some(({ kind }) => kind !== 'not-allowed');

/** When to check a post again; undefined for never. @param shown includes the projects that didn't answer just now */
export function nextRefresh(
  { at }: PostEntry,
  shown: Pick<PostContent, 'unanswered'> | undefined,
  now: Millis,
): Millis | undefined {
  const age = now - at;
  const began = REFRESH_TIMES.findLast((look) => look <= age) ?? 0;
  if (isIncomplete(shown) && age + ASK_AGAIN_INTERVAL <= began + ASK_AGAIN_FOR)
    return now + ASK_AGAIN_INTERVAL;
  const next = REFRESH_TIMES.find((look) => look > age);
  return next && at + next;
}
