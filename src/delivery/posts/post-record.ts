/** A schedule's posts in the delivery log, and the dates that are still to be posted. */
import * as z from 'zod';
import { type StoredFailure, storedFailureSchema } from '../../domain/failure/index.ts';
import { type DueTime, dueTimes } from '../../domain/time/cadence.ts';
import { type Day, HOUR, MINUTE, type Millis } from '../../domain/time/calendar.ts';
import { type Schedule, scheduleContentSchema } from '../../workspace/record/automation-records.ts';
import type { DeliveryLogSnapshot, OutboxMessage } from '../delivery-log.ts';

const coveredDays = z.object({ first: z.iso.date(), last: z.iso.date(), zone: z.string() });
export type CoveredDays = Readonly<z.infer<typeof coveredDays>>;

const figures = z.record(z.string(), z.string());

const missedDates = z.object({
  counted: z.int(),
  /** Oldest first. */
  named: z
    .array(z.object({ date: z.string(), covers: coveredDays.exactOptional(), figures: figures.default({}) }))
    .readonly(),
});
export type MissedDates = Readonly<z.infer<typeof missedDates>>;

const postContent = z.object({
  isLate: z.boolean(),
  earlier: missedDates,
  figures,
  unanswered: z.record(z.string(), storedFailureSchema),
  /** The day that billing hadn't reported when the post was sent. */
  without: z.string().exactOptional(),
  /** When figures were corrected or added. `was`: the figures before the first correction. */
  changed: z.object({ at: z.int(), was: figures.exactOptional() }).exactOptional(),
  /** The schedule and settings when the post was sent. Both may change later. */
  subject: scheduleContentSchema.extend({
    zone: z.string(),
    covers: coveredDays,
    connections: z.array(z.string()).readonly(),
  }),
});
export type PostContent = Readonly<z.infer<typeof postContent>>;

export const POST_FORMAT = {
  name: 'post',
  about: z.object({
    due: z.int().default(0),
    post: postContent.exactOptional(),
    /** The day that the post waits for, because billing hasn't reported it. */
    awaits: z.string().exactOptional(),
    tried: z.int().exactOptional(),
    /** While the post is paused: a hash of the setup. When the hash changes, Tally tries again. */
    basis: z.string().exactOptional(),
  }),
} as const;
export type PostAbout = Readonly<z.infer<typeof POST_FORMAT.about>>;
export type PostEntry = OutboxMessage<PostAbout>;

export const postKey = (schedule: string, date: Day): string => `post/${schedule}/${date}`;
export const scheduleOf = ({ key }: Pick<OutboxMessage, 'key'>): string => key.split('/')[1] ?? '';
export const dateOf = ({ key }: Pick<OutboxMessage, 'key'>): Day => key.split('/')[2] ?? '';

export function postsOf(schedule: string, snapshot: DeliveryLogSnapshot): readonly PostEntry[] {
  return snapshot
    .messagesOf(POST_FORMAT)
    .filter((post) => scheduleOf(post) === schedule)
    .toSorted((a, b) => (dateOf(a) < dateOf(b) ? -1 : 1));
}

export const isHandled = ({ state }: OutboxMessage): boolean => state !== 'due' && state !== 'sending';

/** The newest date that Tally posted or tried to post, for display. */
export interface LastDelivery {
  readonly date: Day;
  /** `due`: when the post was due. `at`: when Tally sent it or gave up. */
  readonly due: Millis;
  readonly at: Millis;
  readonly result: 'posted' | 'posted-late' | 'failed' | 'trying' | 'waiting' | 'paused';
  readonly cause?: StoredFailure | undefined;
  readonly awaits?: Day | undefined;
  readonly next?: Millis | undefined;
}

export function lastDelivery(schedule: string, snapshot: DeliveryLogSnapshot): LastDelivery | undefined {
  const last = postsOf(schedule, snapshot).findLast((post) => resultOf(post) !== undefined);
  const result = last && resultOf(last);
  if (last === undefined || result === undefined) return undefined;
  const { cause, channel, next, at, about } = last;
  const { due, tried = at, awaits } = about;
  const ended = { date: dateOf(last), due, at: tried, result };
  if (result === 'posted' || result === 'posted-late') return { ...ended, at };
  if (result === 'waiting') return { ...ended, awaits, next };
  const mayBePosted = result === 'failed' && channel !== undefined;
  return { ...ended, cause: cause && { ...cause, ...(mayBePosted && { mayBePosted }) }, next };
}

function resultOf({ state, cause, about }: PostEntry): LastDelivery['result'] | undefined {
  if (state === 'posted') return about.post?.isLate ? 'posted-late' : 'posted';
  if (about.awaits !== undefined) return 'waiting';
  if (cause === undefined) return undefined;
  if (about.basis !== undefined) return 'paused';
  return state === 'failed' ? 'failed' : 'trying';
}

export const lastHandled = (schedule: string, snapshot: DeliveryLogSnapshot): PostEntry | undefined =>
  postsOf(schedule, snapshot).findLast(isHandled);

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
  // The next post names a failed date like a date that was never tried.
  const settled = posts.findLast(({ state }) => state === 'posted');
  if (schedule.paused !== undefined) return { last, settled, missed: [] };
  const { overdue, next } = splitDueTimes(schedule, last, now);
  const due = overdue.at(-1);
  const unnamed = settled === last ? overdue : splitDueTimes(schedule, settled, now).overdue;
  const missed = unnamed.filter(({ date }) => due && date < due.date);
  return { last, settled, due, upcoming: next[0], missed };
}

const REFRESH_TIMES: readonly Millis[] = [6, 24, 72].map((hours) => hours * HOUR);
/** After the post and each check, projects that didn't answer are asked again for this long. */
const ASK_AGAIN_FOR: Millis = 3 * HOUR;
const ASK_AGAIN_INTERVAL: Millis = 30 * MINUTE;

/** Whether asking again could add a missing project. A project that the channel may not see is never added. */
const isIncomplete = (post: Pick<PostContent, 'unanswered'> | undefined): boolean =>
  Object.values(post?.unanswered ?? {}).some(({ kind }) => kind !== 'not-allowed');

/** When to check a post again; undefined for never. @param shown has the projects that didn't answer just now */
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
