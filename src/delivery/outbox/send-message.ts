/**
 * The one way in which Tally sends without a person: a message is claimed, sent and confirmed; after a crash it is found
 * again; or it is given up. What its recipient may see is checked each time, in the moment before it goes out.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { isFailure, NotSent, StoreUnavailable } from '../../domain/failure/index.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import type { Message } from '../../slack/kit/atoms.ts';
import { openDirectMessage, type PostedTo, postMessage } from '../../slack/reply/post-message.ts';
import type { ChosenProject } from '../../workspace/projects/chosen-project.ts';
import { isPerson } from '../../workspace/record/record-schema.ts';
import { type DeliveryContext, LeaseLostError, ScheduleChangedError } from '../context.ts';
import { deliveryMetadata, findPost } from './find-post.ts';
import { checkRecipient, type MessageKind, type Recipient, type Refusal } from './recipients.ts';
import { type MessageTopic, rememberTopic } from './remember-topic.ts';
import { classifyFailure, type FailureEffect } from './retry.ts';

/** A message on its way. Its kind says what goes out and stores each step; the outbox takes the steps. */
export interface OutboxMessage {
  readonly kind: MessageKind;
  /** Identifies the message in its conversation, in every process. */
  readonly key: string;
  /** A channel or a person. */
  readonly to: SlackId;
  /** A person's direct message, where it is known. */
  readonly channel?: SlackId | undefined;
  /** The message that it answers; a broadcast is shown in the channel too. */
  readonly thread?: { readonly ts: string; readonly isBroadcast: boolean } | undefined;
  /** Set when a run claimed the message and died: Slack may have it already. */
  readonly doubt?: Sending | undefined;
  /** @returns undefined if nothing is to go out by now, which the kind has stored @throws Failure */
  prepare(isAgain: boolean): Promise<Draft | undefined>;
  /** What follow-ups in its thread refer to, once Slack has it; undefined for none. */
  readonly topic?: (() => MessageTopic | undefined) | undefined;
  /** Stores where Slack has it, even without the lease. */
  confirm(posted: PostedTo): Promise<void>;
  /** Stores that its recipient may not get it, or that it goes to somebody else. */
  refuse(refusal: Refusal, attempt: Omit<Sending, 'at'>): Promise<void>;
  /** Stores that it failed, and when it is tried again. */
  fail(failure: SendFailure): Promise<void>;
}

/** A message that could go out now. */
export interface Draft {
  /** The projects that it names or has figures of. */
  readonly projects: readonly ChosenProject[];
  /** Stores that it goes out, as long as the lease is held. @returns what it says */
  claim(sending: Sending, recipient: Recipient): Promise<Message>;
}

export interface Sending {
  readonly channel: SlackId;
  readonly at: Millis;
  /** Sent again without knowing whether the first one arrived, so the conversation may show it twice. */
  readonly isAgain: boolean;
}

export interface SendFailure {
  readonly error: unknown;
  readonly effect: FailureEffect;
  /** Slack may have taken it before. */
  readonly isDoubtful: boolean;
}

/** Nothing may take longer between the claim and the call to Slack; in ms. */
const FRESH = 3_000;
/** A rate limit of up to this is waited out within the run; in ms. */
const SHORT_WAIT = 5_000;
const MAX_SHORT_WAITS = 3;
/** How long a confirmation waits for a store that is away; in ms. */
const CONFIRM_TIMEOUT = 30_000;

/**
 * @returns `failed` if it is neither out nor superfluous: its kind has stored why, and when it is tried again
 * @throws LeaseLostError, StoreUnavailable
 */
export async function sendMessage(
  message: OutboxMessage,
  context: DeliveryContext,
): Promise<'done' | 'failed'> {
  const attempt = { isDoubtful: message.doubt !== undefined };
  try {
    if (await confirmIfPosted(message, attempt, context)) return 'done';
    // A doubtful message is sent a second time, but not a third.
    if (attempt.isDoubtful && message.doubt?.isAgain) throw new NotSent('post-unconfirmed');
    const draft = await message.prepare(attempt.isDoubtful);
    return draft === undefined ? 'done' : await postInTime(message, draft, attempt, context);
  } catch (error) {
    // The next pass reads the change.
    if (error instanceof ScheduleChangedError) return 'failed';
    const { isDoubtful } = attempt;
    await recordFailed(message.kind, error, context, (effect) => message.fail({ error, effect, isDoubtful }));
    return 'failed';
  }
}

/**
 * Stores that a message could not be made or sent, and when it is tried again. Slack's rate limit delays the whole
 * workspace.
 *
 * @throws LeaseLostError and StoreUnavailable as they are; once the process is stopping, also every error that did not
 * come from Slack
 */
export async function recordFailed(
  kind: MessageKind,
  error: unknown,
  context: DeliveryContext,
  record: (effect: FailureEffect) => Promise<void>,
): Promise<void> {
  const { stopping, log, teamId: workspace, clock } = context;
  // What Slack said is stored in any case: otherwise Slack would have to be searched.
  if (error instanceof LeaseLostError || (stopping.aborted && !isSlackError(error))) throw error;
  const effect = classifyFailure(error);
  log[isFailure(error) ? 'warn' : 'error']({ err: error, workspace, kind }, 'could not send a message');
  await record(effect);
  if (effect.kind === 'wait') await context.backOff(clock() + effect.for);
}

interface Attempt {
  /** Slack may have taken it before. */
  isDoubtful: boolean;
}

/** @returns whether it is there; where Slack does not say, the attempt stays doubtful */
async function confirmIfPosted(
  message: OutboxMessage,
  attempt: Attempt,
  context: DeliveryContext,
): Promise<boolean> {
  const { key, doubt, thread } = message;
  if (doubt === undefined) return false;
  const { channel, at } = doubt;
  const known = context.unrecordedPosts.get(nameOf(message, context));
  const found =
    known === undefined
      ? await findPost(await context.client(), channel, key, at, thread?.ts)
      : { ts: known };
  if (found === 'absent') attempt.isDoubtful = false;
  if (typeof found === 'string') return false;
  await confirm(message, { channel, ...found }, context);
  return true;
}

/** Waits out a short rate limit, because a further run would come later. */
async function postInTime(
  message: OutboxMessage,
  draft: Draft,
  attempt: Attempt,
  context: DeliveryContext,
): Promise<'done' | 'failed'> {
  const channel = await channelOf(message, context);
  for (let waits = 0; ; waits += 1) {
    try {
      return await post(message, draft, { channel, isAgain: attempt.isDoubtful }, context);
    } catch (error) {
      const effect = isFailure(error) ? classifyFailure(error) : undefined;
      if (effect?.kind !== 'wait' || effect.for > SHORT_WAIT || waits >= MAX_SHORT_WAITS) throw error;
      await delay(effect.for, undefined, { signal: context.stopping }).catch(() => {
        throw error;
      });
    }
  }
}

async function post(
  message: OutboxMessage,
  { projects, claim }: Draft,
  { channel, isAgain }: Omit<Sending, 'at'>,
  context: DeliveryContext,
): Promise<'done' | 'failed'> {
  const { kind, to, key, thread } = message;
  const client = await context.client();
  await context.waitForChannel(channel, context.logSnapshot.lastPost(channel));
  const { recipient, refusal } = await checkRecipient(kind, to, projects, context);
  if (refusal !== undefined) {
    await message.refuse(refusal, { channel, isAgain });
    return 'failed';
  }
  const began = performance.now();
  const content = await claim({ channel, at: context.clock(), isAgain }, recipient);
  // After a longer hang another worker may hold the lease. The next run asks Slack whether it is there.
  if (performance.now() - began > FRESH) throw new LeaseLostError();
  const { ts } = await postMessage(client, { channel, thread: thread?.ts }, content, {
    metadata: deliveryMetadata(key),
    isBroadcast: thread?.isBroadcast,
  });
  context.notePosted(channel);
  await confirm(message, { channel, ts }, context);
  return 'done';
}

/**
 * Slack has the message, so this is stored even after the lease is lost. While the store is away, this process
 * remembers it.
 */
async function confirm(message: OutboxMessage, posted: PostedTo, context: DeliveryContext): Promise<void> {
  const name = nameOf(message, context);
  context.unrecordedPosts.set(name, posted.ts);
  const began = performance.now();
  for (;;) {
    try {
      await message.confirm(posted);
      break;
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || performance.now() - began > CONFIRM_TIMEOUT) throw error;
      await delay(500);
    }
  }
  context.unrecordedPosts.delete(name);
  const topic = message.topic?.();
  if (topic !== undefined) void rememberTopic(topic, posted, message.thread?.ts, context);
}

const nameOf = ({ key, to }: OutboxMessage, { teamId }: DeliveryContext): string => `${teamId}/${key}/${to}`;

const channelOf = async ({ channel, to }: OutboxMessage, { client }: DeliveryContext): Promise<string> =>
  channel ?? (isPerson(to) ? openDirectMessage(await client(), to) : to);

const isSlackError = (error: unknown): boolean =>
  isFailure(error) && (error.kind === 'cannot-post' || error.kind === 'slack-failed');
