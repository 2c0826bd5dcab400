/** Alerts and reminders: messages that are sent exactly once, even after a crash. */

import * as z from 'zod';
import { isFailure } from '../../domain/failure/index.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import type { Message } from '../../slack/kit/atoms.ts';
import { openDirectMessage, postWithMetadata, type ThreadTarget } from '../../slack/reply/post-message.ts';
import { isPerson } from '../../workspace/record/record-schema.ts';
import { type DeliveryContext, LeaseLostError } from '../context.ts';
import { SLACK_SETTLE_MS } from '../posts/post-plan.ts';
import { retryUntilStored } from '../posts/record-post.ts';
import { deliveryMetadata, findPost } from './find-post.ts';
import type { Refusal } from './recipients.ts';
import { classifyFailure, type FailureEffect, retryDelayAfter } from './retry.ts';

/** Stored with what it is about. */
export const outgoingSchema = z.object({
  /** Slack ID of a channel or a person. */
  to: z.string(),
  /** `sending`: Slack may have taken it. `failed` is final, too. */
  state: z.enum(['due', 'sending', 'posted', 'failed']),
  /** When that was written, in ms. */
  at: z.int(),
  /** How often it has failed, and when it is retried, in ms. */
  tries: z.int().default(0),
  next: z.int().exactOptional(),
  /** The conversation may hold it twice. */
  isAgain: z.boolean().exactOptional(),
  /** Where Slack put it: for a person, the direct message. */
  channel: z.string().exactOptional(),
  ts: z.string().exactOptional(),
  /** Why it failed, in a sentence. */
  cause: z.string().exactOptional(),
});
export type Outgoing = Readonly<z.infer<typeof outgoingSchema>>;

/** When it is due, in ms; undefined after it was sent or given up. */
export function sendsAt({ state, at, next = 0 }: Outgoing): number | undefined {
  if (state === 'posted' || state === 'failed') return undefined;
  return Math.max(next, state === 'sending' ? at + SLACK_SETTLE_MS : 0);
}

export interface OutgoingJob {
  /** As it is stored. */
  readonly message: Outgoing;
  /** Names it in its conversation, the same in every process. */
  readonly key: string;
  /** Of the message that it answers. */
  readonly thread?: ThreadTarget;
  /** Why the channel or person may not get it; undefined when they may. */
  refusal(): Promise<Refusal | undefined>;
  content(isAgain: boolean): Message;
  /** Stores it. Before it goes out that takes the lease; what Slack took is stored without. */
  save(message: Outgoing, needsLease: boolean): Promise<void>;
  /** @returns whether that settles it; otherwise it has failed */
  onRefused(refusal: Refusal): Promise<boolean>;
}

/** Nothing may take longer between the stored `sending` and the call; in ms. */
const FRESH = 3_000;
/** After the tries of the first hour, one each hour for three days. */
const MAX_TRIES = 78;
const HOUR = 3_600_000;
const UNCONFIRMED = 'Slack didn’t confirm the message; it may have arrived.';

interface Attempt {
  message: Outgoing;
  /** Slack may have taken it before. */
  isDoubtful: boolean;
}

/** Sends it, or stores why not. @throws LeaseLostError, ScheduleChangedError, StoreUnavailable */
export async function sendOutgoing(job: OutgoingJob, context: DeliveryContext): Promise<void> {
  const attempt: Attempt = { message: job.message, isDoubtful: job.message.state === 'sending' };
  try {
    await send(job, attempt, context);
  } catch (error) {
    if (!isFailure(error)) throw error;
    const isSlack = error.kind === 'cannot-post' || error.kind === 'slack-failed';
    // What Slack said is recorded even by a process that is stopping.
    if (context.stopping.aborted && !isSlack) throw error;
    const effect = classifyFailure(error);
    const { teamId: workspace, log, clock } = context;
    log.warn({ err: error, workspace }, 'could not send a message of Tally’s own');
    const isGone = error.kind === 'cannot-post' || (error.kind === 'slack-failed' && GONE.has(error.code));
    if (isGone && (await job.onRefused({ cause: effect.cause, isGone }))) return;
    await job.save(afterFailure(job.message, attempt, { effect, isGone, now: clock() }), false);
    if (effect.kind === 'wait') await context.backOff(clock() + effect.for);
  }
}

/** Slack's codes for a person who can no longer get messages. */
const GONE: ReadonlySet<string> = new Set([
  'user_not_found',
  'user_disabled',
  'users_not_found',
  'user_not_visible',
  'cannot_dm_bot',
  'messages_tab_disabled',
]);

interface SendFailure {
  readonly effect: FailureEffect;
  readonly isGone: boolean;
  readonly now: Millis;
}

function afterFailure(
  stored: Outgoing,
  { message, isDoubtful }: Attempt,
  { effect, isGone, now }: SendFailure,
): Outgoing {
  const { cause } = effect;
  const tries = message.tries + (effect.kind === 'wait' ? 0 : 1);
  const isOver = isGone || tries > MAX_TRIES;
  if (isOver) return { ...message, state: 'failed', at: now, tries, cause };
  const wait = effect.kind === 'wait' ? effect.for : (retryDelayAfter(tries) ?? HOUR);
  const failed = { ...message, tries, cause, next: now + wait };
  if (effect.kind === 'unclear') return { ...failed, state: 'sending' };
  // Slack is searched around the instant when it was sent, however often that fails.
  return isDoubtful ? { ...failed, state: 'sending', at: stored.at } : { ...failed, state: 'due' };
}

async function send(job: OutgoingJob, attempt: Attempt, context: DeliveryContext): Promise<void> {
  const { key, thread, message } = job;
  const client = await context.client();
  const channel =
    message.channel ?? (isPerson(message.to) ? await openDirectMessage(client, message.to) : message.to);
  const unrecorded = `${context.teamId}/${key}/${message.to}`;
  const { cause: _, next, ...base } = { ...message, channel };
  if (attempt.isDoubtful) {
    const known = context.unrecordedPosts.get(unrecorded);
    const found =
      known === undefined ? await findPost(client, channel, key, message.at, thread?.ts) : { ts: known };
    if (typeof found !== 'string') return job.save({ ...base, ...found, state: 'posted' }, false);
    attempt.isDoubtful = found === 'unknown';
    // A doubtful message is sent a second time, but not a third.
    if (attempt.isDoubtful && message.isAgain)
      return job.save({ ...base, state: 'failed', cause: UNCONFIRMED }, false);
  }
  await context.waitForChannel(channel, context.logSnapshot.lastPost(channel));
  const refusal = await job.refusal();
  if (refusal !== undefined) {
    const { cause, isGone } = refusal;
    if ((isGone || !attempt.isDoubtful) && (await job.onRefused(refusal))) return;
    return job.save({ ...base, state: 'failed', at: context.clock(), cause }, false);
  }
  const at = context.clock();
  const sending: Outgoing = { ...base, state: 'sending', at, ...(attempt.isDoubtful && { isAgain: true }) };
  const began = performance.now();
  await job.save(sending, true);
  attempt.message = sending;
  // After a longer hang another worker may hold the lease. The next run asks Slack whether it is there.
  if (performance.now() - began > FRESH) throw new LeaseLostError();
  const content = job.content(attempt.isDoubtful);
  const ts = await postWithMetadata(client, channel, content, deliveryMetadata(key), thread);
  context.notePosted(channel);
  context.unrecordedPosts.set(unrecorded, ts);
  await retryUntilStored(() => job.save({ ...sending, state: 'posted', ts }, false));
  context.unrecordedPosts.delete(unrecorded);
}
