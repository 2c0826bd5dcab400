/**
 * Sends every message that no person asked for: a message is claimed, sent and confirmed; after a crash it is found
 * again; or it is given up. What its recipient may see is checked each time, in the moment before it goes out.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { isFailure, NotSent, StoreUnavailable } from '../../domain/failure/index.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import { type MessageWork, type Note, trackWork } from '../../runtime/work.ts';
import type { Message } from '../../slack/kit/atoms.ts';
import { openDirectMessage, type PostedTo, postMessage } from '../../slack/reply/post-message.ts';
import type { Right } from '../../workspace/permissions.ts';
import type { ChosenProject } from '../../workspace/projects/chosen-project.ts';
import { isPerson } from '../../workspace/record/record-schema.ts';
import { type DeliveryContext, LeaseLostError, ScheduleChangedError } from '../context.ts';
import { deliveryMetadata, findPost } from './find-post.ts';
import { checkRecipient, type MessageKind, type Recipient, type Refusal } from './recipients.ts';
import { type AskedInThread, type MessageTopic, threadQuestions } from './remember-topic.ts';
import { classifyFailure, type FailureEffect } from './retry.ts';

/** A message on its way. Its kind says what goes out and stores each step; the outbox takes the steps. */
export interface OutboxMessage {
  readonly kind: MessageKind;
  /** Identifies the message in its conversation, in every process. */
  readonly key: string;
  /** A channel or a person. */
  readonly to: SlackId;
  /** For its record. */
  readonly about: MessageAbout;
  /** A person's direct message, where it is known. */
  readonly channel?: SlackId | undefined;
  /** What a person must be to get it; a full member by default. */
  readonly right?: Right | undefined;
  /** The message that it answers; a broadcast is shown in the channel too. */
  readonly thread?: { readonly ts: string; readonly isBroadcast: boolean } | undefined;
  /** Set when a run claimed the message and died: Slack may have it already. */
  readonly doubt?: Sending | undefined;
  /** @returns why nothing is to go out by now, if so: the kind has stored that @throws Failure */
  prepare(isAgain: boolean): Promise<Draft | 'skipped' | 'waiting'>;
  /** What follow-ups in its thread refer to, once Slack has it; undefined for none. */
  readonly topic?: (() => MessageTopic | undefined) | undefined;
  /** Stores where Slack has it, even without the lease, and what follow-ups there refer to. */
  confirm(posted: PostedTo, questions: readonly AskedInThread[]): Promise<void>;
  /** Stores that its recipient may not get it, or that it goes to somebody else. */
  refuse(refusal: Refusal, attempt: Omit<Sending, 'at'>): Promise<void>;
  /** Stores that it failed, and when it is tried again. @returns what became of it */
  fail(failure: SendFailure): Promise<FailedState>;
}

/** `refused`: it goes to somebody else, or to nobody. */
export type FailedState = 'retrying' | 'paused' | 'failed' | 'refused';

/** What a message is about. */
export interface MessageAbout {
  /** The ID of a schedule or a watch. */
  readonly schedule?: string | undefined;
  readonly watch?: string | undefined;
  /** When it was to go out, in ms. */
  readonly due?: Millis | undefined;
  /** How often it has failed. */
  readonly tries?: number | undefined;
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
export const sendMessage = (message: OutboxMessage, context: DeliveryContext): Promise<'done' | 'failed'> =>
  trackMessage(message.kind, message.about, context, async (note) => {
    const outcome = await send(message, note, context);
    note({ outcome });
    return DONE.has(outcome) ? 'done' : 'failed';
  });

const DONE: ReadonlySet<string> = new Set(['sent', 'found', 'skipped', 'waiting']);

async function send(
  message: OutboxMessage,
  note: Note<MessageWork>,
  context: DeliveryContext,
): Promise<string> {
  const { doubt } = message;
  let isDoubtful = doubt !== undefined;
  try {
    const found = doubt && (await findAndConfirm(message, doubt, context));
    if (found === 'confirmed') {
      noteLate(note, message.about, doubt?.at);
      return 'found';
    }
    isDoubtful = found === 'unknown';
    // A doubtful message is sent a second time, but not a third.
    if (isDoubtful && doubt?.isAgain) throw new NotSent('post-unconfirmed');
    const draft = await message.prepare(isDoubtful);
    noteLate(note, message.about, context.clock());
    return typeof draft === 'string' ? draft : await postInTime(message, draft, isDoubtful, context);
  } catch (error) {
    // The next pass reads the change.
    if (error instanceof ScheduleChangedError) return 'changed';
    noteLate(note, message.about, context.clock());
    let state: FailedState = 'retrying';
    await recordFailed(error, note, context, async (effect) => {
      state = await message.fail({ error, effect, isDoubtful });
    });
    return state;
  }
}

function noteLate(note: Note<MessageWork>, { due }: MessageAbout, at: Millis | undefined): void {
  if (due !== undefined && at !== undefined) note({ late: Math.max(0, at - due) });
}

/** Makes the record of a message on its way. */
export const trackMessage = <T>(
  kind: MessageKind,
  { schedule, watch, tries }: MessageAbout,
  { teamId: workspace, workspace: { waits }, onFinished }: DeliveryContext,
  run: (note: Note<MessageWork>) => Promise<T>,
): Promise<T> =>
  trackWork(
    {
      ...{ kind: 'message', message: kind, outcome: 'sent', began: performance.now() },
      ...{ workspace, schedule, watch, tries, waits, waited: { ms: waits.ms, calls: waits.calls } },
    },
    onFinished,
    run,
  );

/**
 * Stores that a message could not be made or sent, and when it is tried again. Slack's rate limit delays the whole
 * workspace.
 *
 * @throws LeaseLostError and StoreUnavailable as they are; once the process is stopping, also every error that did not
 * come from Slack
 */
export async function recordFailed(
  error: unknown,
  note: Note<MessageWork>,
  context: DeliveryContext,
  record: (effect: FailureEffect) => Promise<void>,
): Promise<void> {
  const { stopping, clock } = context;
  // What Slack said is stored in any case: otherwise Slack would have to be searched.
  const isLost = error instanceof LeaseLostError;
  const isOver = isLost || (stopping.aborted && !isSlackError(error));
  note({ outcome: isLost ? 'lease-lost' : isOver ? 'stopped' : 'retrying', error });
  if (isOver) throw error;
  const effect = classifyFailure(error);
  await record(effect);
  if (effect.kind === 'wait') await context.backOff(clock() + effect.for);
}

/** @returns `unknown` where Slack does not say whether it is there */
async function findAndConfirm(
  message: OutboxMessage,
  { channel, at }: Sending,
  context: DeliveryContext,
): Promise<'confirmed' | 'absent' | 'unknown'> {
  const { key, thread } = message;
  const ts = context.unrecordedPosts.get(nameOf(message, context));
  const found = ts ? { ts } : await findPost(await context.client(), channel, key, at, thread?.ts);
  if (typeof found === 'string') return found;
  await confirm(message, { channel, ...found }, context);
  return 'confirmed';
}

/** Waits out a short rate limit, because a further run would come later. @param isAgain Slack may have taken it before */
async function postInTime(
  message: OutboxMessage,
  draft: Draft,
  isAgain: boolean,
  context: DeliveryContext,
): Promise<'sent' | 'refused'> {
  const channel = await channelOf(message, context);
  for (let waits = 0; ; waits += 1) {
    try {
      return await post(message, draft, { channel, isAgain }, context);
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
): Promise<'sent' | 'refused'> {
  const { to, key, thread, right } = message;
  const client = await context.client();
  await context.waitForChannel(channel, context.logSnapshot.lastPost(channel));
  const { recipient, refusal } = await checkRecipient(to, projects, context, right);
  if (refusal !== undefined) {
    await message.refuse(refusal, { channel, isAgain });
    return 'refused';
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
  return 'sent';
}

/**
 * Slack has the message, so this is stored even after the lease is lost. While the store is away, this process
 * remembers it.
 */
async function confirm(message: OutboxMessage, posted: PostedTo, context: DeliveryContext): Promise<void> {
  const name = nameOf(message, context);
  context.unrecordedPosts.set(name, posted.ts);
  const topic = message.topic?.();
  const questions = topic === undefined ? [] : threadQuestions(topic, posted, message.thread?.ts, context);
  const began = performance.now();
  for (;;) {
    try {
      await message.confirm(posted, questions);
      break;
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || performance.now() - began > CONFIRM_TIMEOUT) throw error;
      await delay(500);
    }
  }
  context.unrecordedPosts.delete(name);
}

const nameOf = ({ key, to }: OutboxMessage, { teamId }: DeliveryContext): string => `${teamId}/${key}/${to}`;

const channelOf = async ({ channel, to }: OutboxMessage, { client }: DeliveryContext): Promise<string> =>
  channel ?? (isPerson(to) ? openDirectMessage(await client(), to) : to);

const isSlackError = (error: unknown): boolean =>
  isFailure(error) && (error.kind === 'cannot-post' || error.kind === 'slack-failed');
