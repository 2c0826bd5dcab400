/** A schedule's posts in the delivery log. */
import * as z from 'zod';
import { type StoredFailure, storedFailureSchema } from '../../domain/failure/index.ts';
import type { Day, Millis } from '../../domain/time/calendar.ts';
import { scheduleContentSchema } from '../../workspace/record/automation-records.ts';
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

/** For display: the newest date for which Tally posted or tried to post. */
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
