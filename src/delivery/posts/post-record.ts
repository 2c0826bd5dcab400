/** The posts of a schedule in the delivery log, and which dates are still due. */
import * as z from 'zod';
import { type StoredFailure, storedFailure } from '../../domain/failure/index.ts';
import { type DueTime, dueTimes } from '../../domain/time/cadence.ts';
import { type Day, HOUR, MINUTE, type Millis } from '../../domain/time/calendar.ts';
import { type Schedule, scheduleContentSchema } from '../../workspace/record/automation-records.ts';
import type { DeliveryLogSnapshot, OutboxMessage } from '../delivery-log.ts';

/** Days that a post covers, in this time zone. */
const coveredDays = z.object({ first: z.iso.date(), last: z.iso.date(), zone: z.string() });
export type CoveredDays = Readonly<z.infer<typeof coveredDays>>;

const figures = z.record(z.string(), z.string());

/** What a post says about missed dates, oldest first. */
const missedDates = z.object({
  /** Missed dates that are only counted; they precede the named ones. */
  counted: z.int(),
  /** With their figures, or why there are none. */
  named: z
    .array(
      z.union([
        z.object({ date: z.string(), covers: coveredDays, figures }),
        z.object({ date: z.string(), cause: storedFailure }),
      ]),
    )
    .readonly(),
});
export type MissedDates = Readonly<z.infer<typeof missedDates>>;

const postContent = z.object({
  isLate: z.boolean(),
  earlier: missedDates,
  /** `<project id>:<product>` → digits as posted. */
  figures,
  /** `<project id>:<product>` → why it didn't answer last time. An earlier figure may still be shown. */
  unanswered: z.record(z.string(), storedFailure),
  /** The day that billing hadn't reported in time. */
  without: z.string().exactOptional(),
  /** When it was last corrected. */
  corrected: z.int().exactOptional(),
  /** Schedule and settings at posting time; both may change later. */
  subject: scheduleContentSchema.extend({
    /** Reporting time zone. */
    zone: z.string(),
    covers: coveredDays,
    /** Connection names, in the order of the projects. */
    connections: z.array(z.string()).readonly(),
  }),
});
export type PostContent = Readonly<z.infer<typeof postContent>>;

/** Record format of `post/<schedule>/<date>`. A damaged record counts as failed. */
export const POSTS = {
  name: 'post',
  about: z.object({
    /** The date's due time. */
    due: z.int().default(0),
    post: postContent.exactOptional(),
    /** The day that billing has not reported, while it waits for that. */
    awaits: z.string().exactOptional(),
    /** When it was tried last, in ms, if that failed. */
    tried: z.int().exactOptional(),
    /** Set while paused: a hash of the setup. A change means retry. */
    basis: z.string().exactOptional(),
  }),
} as const;
export type PostAbout = Readonly<z.infer<typeof POSTS.about>>;
export type PostMessage = OutboxMessage<PostAbout>;

export const postKey = (schedule: string, date: Day): string => `post/${schedule}/${date}`;
export const scheduleOf = ({ key }: Pick<OutboxMessage, 'key'>): string => key.split('/')[1] ?? '';
export const dateOf = ({ key }: Pick<OutboxMessage, 'key'>): Day => key.split('/')[2] ?? '';

/** A schedule's posts, by date. */
export function postsOf(
  schedule: string,
  snapshot: Pick<DeliveryLogSnapshot, 'messagesOf'>,
): readonly PostMessage[] {
  return snapshot
    .messagesOf(POSTS)
    .filter((post) => scheduleOf(post) === schedule)
    .toSorted((a, b) => (dateOf(a) < dateOf(b) ? -1 : 1));
}

export const isHandled = ({ state }: OutboxMessage): boolean => state !== 'due' && state !== 'sending';
/** How the newest date of a schedule ended that was posted or tried, to show to people. */
export interface LastDelivery {
  readonly date: Day;
  /** When it was due, and when this came out, in ms. */
  readonly due: Millis;
  readonly at: Millis;
  /** `paused`: nothing can be posted until somebody mends the cause. */
  readonly result: 'posted' | 'posted-late' | 'failed' | 'trying' | 'waiting' | 'paused';
  /** Why it failed, for `failed`, `trying` and `paused`. */
  readonly cause?: StoredFailure | undefined;
  /** For `waiting`: the day that billing has not reported. */
  readonly awaits?: Day | undefined;
  /** When the next attempt is, in ms, for `trying` and `waiting`. */
  readonly next?: Millis | undefined;
}

/** @returns undefined where nothing of the schedule was posted or tried */
export function lastDelivery(
  schedule: string,
  snapshot: Pick<DeliveryLogSnapshot, 'messagesOf'>,
): LastDelivery | undefined {
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

function resultOf({ state, cause, about }: PostMessage): LastDelivery['result'] | undefined {
  if (state === 'posted') return about.post?.isLate ? 'posted-late' : 'posted';
  if (about.awaits !== undefined) return 'waiting';
  if (cause === undefined) return undefined;
  if (about.basis !== undefined) return 'paused';
  return state === 'failed' ? 'failed' : 'trying';
}

/** The newest post that was sent or given up. */
export const lastHandled = (
  schedule: string,
  snapshot: Pick<DeliveryLogSnapshot, 'messagesOf'>,
): PostMessage | undefined => postsOf(schedule, snapshot).findLast(isHandled);

/**
 * Splits a schedule's open dates into overdue ones and the next `ahead`. Shared by posts, forms and lists, so that they
 * agree. Never returns a date before `last`, even if the clock was set back. @param last the newest finished date
 */
export function splitDueTimes(
  { timing, since }: Pick<Schedule, 'timing' | 'since'>,
  last: PostMessage | undefined,
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

/** The date to post now: the newest overdue one. It names the missed dates before it. */
export function planDates(schedule: Schedule, posts: readonly PostMessage[], now: Millis) {
  const last = posts.findLast(isHandled);
  // The next post names a failed date too, like one that was never tried.
  const settled = posts.findLast(({ state }) => state === 'posted');
  if (schedule.paused !== undefined) return { last, settled, missed: [] };
  const { overdue, next } = splitDueTimes(schedule, last, now);
  const due = overdue.at(-1);
  const unnamed = settled === last ? overdue : splitDueTimes(schedule, settled, now).overdue;
  const missed = unnamed.filter(({ date }) => due && date < due.date);
  return { last, settled, due, upcoming: next[0], missed };
}

/** Check a post again this long after it was sent. */
const LOOKS: readonly Millis[] = [6, 24, 72].map((hours) => hours * HOUR);
/** After the post and after each check, ask silent projects again for this long. */
const FILL_IN: Millis = 3 * HOUR;
/** Interval of those retries. */
const ASK_AGAIN: Millis = 30 * MINUTE;

/** Whether a retry could add a missing project. One that the channel may no longer see stays out. */
const isIncomplete = (post: Pick<PostContent, 'unanswered'> | undefined): boolean =>
  Object.values(post?.unanswered ?? {}).some(({ kind }) => kind !== 'not-allowed');

/** When a post is looked at again, in ms; undefined for never. @param shown with what gave no answer just now */
export function nextRefresh(
  { at }: PostMessage,
  shown: Pick<PostContent, 'unanswered'> | undefined,
  now: Millis,
): Millis | undefined {
  const age = now - at;
  const began = LOOKS.findLast((look) => look <= age) ?? 0;
  if (isIncomplete(shown) && age + ASK_AGAIN <= began + FILL_IN) return now + ASK_AGAIN;
  const next = LOOKS.find((look) => look > age);
  return next && at + next;
}
