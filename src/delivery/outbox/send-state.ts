/** What a message is, the steps of its record, and when it is sent and tried again. */
import { isFailure } from '../../domain/failure/index.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { earliest, HOUR, MINUTE, type Millis } from '../../domain/time/calendar.ts';
import type { Message } from '../../slack/kit/blocks.ts';
import type { ChosenProject } from '../../workspace/projects/chosen-project.ts';
import type { DeliveryLogSnapshot, LogWrite } from '../log/delivery-log.ts';
import type { SendState } from '../log/delivery-log-entry.ts';
import type { Recipient, Refusal } from './check-recipient.ts';
import {
  type Effect,
  type FailureEffect,
  isUnreachable,
  MAX_RETRY_DELAY,
  type MessageKind,
} from './failures.ts';
import type { MessageTopic } from './remember-topic.ts';

/** A message on its way: its kind says what goes out, and where its record is. */
export interface OutboxMessage {
  readonly kind: MessageKind;
  /** Identifies the message in its conversation, in every process. */
  readonly key: string;
  readonly to: SlackId;
  /** The ID of the schedule or the watch that it is about. */
  readonly schedule?: string | undefined;
  readonly watch?: string | undefined;
  /** When it was to go out, in ms; by default when it became due. */
  readonly due?: Millis | undefined;
  /** The message that it answers; a broadcast is shown in the channel too. */
  readonly thread?: { readonly ts: string; readonly isBroadcast: boolean } | undefined;
  /** As the delivery log has it. If it is `sending`, a run claimed it and died: Slack may have it already. */
  readonly stored: SendState;
  /** @returns why nothing is to be sent, if so; the kind has stored that @throws Failure */
  prepare(isAgain: boolean): Promise<Draft | 'skipped' | 'waiting'>;
  /** What follow-ups in its thread refer to, once Slack has it; undefined for none. */
  readonly topic?: (() => MessageTopic | undefined) | undefined;
  /**
   * Stores what `change` makes of the record, as it is at that moment. A claim needs the lease; what Slack has taken or
   * refused is stored without it, and what follow-ups there refer to. @throws LeaseLostError, StoreUnavailable
   */
  save(
    change: (now: SendState) => SendState,
    step: Pick<LogWrite, 'needsLease' | 'questions'>,
  ): Promise<void>;
  /** Called when the recipient may not see it: decides what happens instead. @returns false if nothing does: then it has failed */
  onRefused?(refusal: Refusal, mayBeInSlack: boolean): Promise<boolean>;
  /** Stores that it failed, if its kind doesn't only try again. @returns what became of it */
  fail?(failure: SendFailure): Promise<FailedState>;
}

/** `refused`: it goes to somebody else, or to nobody. */
export type FailedState = 'retrying' | 'paused' | 'failed' | 'refused';

/** A message that could go out now. */
export interface Draft {
  /** The projects that it names or has figures of. */
  readonly projects: readonly ChosenProject[];
  /** In the moment before the claim. @returns with `claim` if what the message shows is stored with it */
  render(
    sending: SendAttempt,
    recipient: Recipient,
  ): { readonly message: Message; readonly claim?: OutboxMessage['save'] };
}

export const newMessage = (to: SlackId, at: Millis) => ({ to, state: 'due', at, tries: 0 }) as const;

/** When it is to be sent, in ms; undefined after it was sent or given up. */
export function sendsAt({ state, at, next = 0 }: SendState): number | undefined {
  if (state !== 'due' && state !== 'sending') return undefined;
  return Math.max(next, state === 'sending' ? at + SLACK_SETTLE_MS : 0);
}

/** A record of a message after a step. */
export function withSendState<M extends SendState>(message: M, after: SendState): M {
  const { next, isAgain, channel, ts, cause, ...rest } = message;
  return { ...rest, ...after } as M;
}

/** An attempt to send a message, at the moment of its claim. */
export interface SendAttempt {
  readonly channel: SlackId;
  readonly at: Millis;
  /** Slack may have it already, and Tally can't read the channel to find out. */
  readonly isAgain: boolean;
}

export const markSending = ({ tries }: SendState, { channel, at, isAgain }: SendAttempt): SendState => ({
  state: 'sending',
  at,
  tries,
  channel,
  ...(isAgain && { isAgain }),
});

/** The state of a message that Slack has taken. */
export const markPosted = (
  { at, tries, isAgain }: SendState,
  { channel, ts }: Required<Pick<SendState, 'channel' | 'ts'>>,
): SendState => ({
  state: 'posted',
  at,
  tries,
  channel,
  ts,
  ...(isAgain && { isAgain }),
});

export interface SendFailure {
  readonly error: unknown;
  readonly effect: FailureEffect;
  /** Slack may have taken it before. */
  readonly mayBeInSlack: boolean;
}

/**
 * What a failure makes of a message: it is tried again, looked for, or given up. What Slack may have is looked for around
 * the instant when it was sent, however often that fails, and keeps its channel when it is given up.
 *
 * @param before as it was stored when this try began
 * @param current as it is stored now
 * @param delayAfter of its kind
 * @param began when it was first tried, in ms, if a rate limit counts after an hour
 */
export function afterFailure(
  before: SendState,
  current: SendState,
  { error, effect, mayBeInSlack }: SendFailure,
  now: Millis,
  delayAfter: typeof postRetryDelay = messageRetryDelay,
  began?: Millis,
): SendState {
  const { cause } = effect;
  const tried = { tries: before.tries, ...(began !== undefined && { began }) };
  const { tries, next } = nextTry(tried, effect, now, delayAfter);
  const isOver = next === undefined || isUnconfirmed(error) || isUnreachable(error);
  const sent = effect.kind === 'unclear' ? current : mayBeInSlack ? before : undefined;
  if (sent === undefined && isOver) return { state: 'failed', at: now, tries, cause };
  const { at, isAgain } = sent ?? { at: before.at };
  const { channel } = sent ?? current;
  return {
    at,
    tries,
    cause,
    ...(channel && { channel }),
    ...(isAgain && { isAgain }),
    ...(isOver ? { state: 'failed' } : { state: sent === undefined ? 'due' : 'sending', next }),
  };
}

/** Whether it was sent twice, and Tally can't see whether it arrived. */
const isUnconfirmed = (error: unknown): boolean => isFailure(error) && error.kind === 'not-sent';

/** The wait after the first failure and each further one, in ms: an hour in all. After an outage, a post comes within five minutes. */
const PAUSES = [1, 2, 4, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 3].map((minutes) => minutes * MINUTE);

/** By then a Slack call of a killed process has ended; in ms. */
export const SLACK_SETTLE_MS = 20_000;

/** In ms, after so many failures; undefined for a post that is given up: the next one names its date. */
export const postRetryDelay = (tries: number): Millis | undefined => PAUSES[tries - 1];

/** After the tries of the first hour, one each hour for three days. */
const MAX_MESSAGE_TRIES = PAUSES.length + 72;
/** Like `postRetryDelay`, for every other message. */
const messageRetryDelay = (tries: number): Millis | undefined =>
  tries > MAX_MESSAGE_TRIES ? undefined : (PAUSES[tries - 1] ?? HOUR);

/** Like `postRetryDelay`, for an update of a message that was sent: six times within three hours. */
export const updateRetryDelay = (tries: number): Millis | undefined =>
  tries > 6 ? undefined : tries === 1 ? 10 * MINUTE : 30 * MINUTE;

/**
 * The next try of a post or a message that failed. Slack's rate limit counts as a failure only once it has gone on for an hour.
 *
 * @param tried how often it has failed before, and when it was first tried, if that matters; in ms
 * @param delayAfter of its kind
 * @returns how often it has failed now, and when it is tried again, in ms; no `next` once it is given up
 */
export function nextTry(
  { tries: before, began }: { readonly tries: number; readonly began?: Millis },
  effect: Effect,
  now: Millis,
  delayAfter: typeof postRetryDelay,
): { readonly tries: number; readonly next?: Millis } {
  const counts = effect.kind !== 'wait' || (began !== undefined && now - began > HOUR);
  const tries = before + (counts ? 1 : 0);
  const delay = counts ? delayAfter(tries) : 0;
  if (delay === undefined) return { tries };
  const least = effect.kind === 'wait' ? effect.for : effect.kind === 'unclear' ? SLACK_SETTLE_MS : 0;
  return { tries, next: now + Math.max(delay, least) };
}

/** How long until a paused schedule is probed again, in ms. Each due date is attempted as well. */
const PROBES: readonly number[] = [5, 15, 30, 60, 120, 240, 360].map((minutes) => minutes * MINUTE);

/** The longest time between two probes, in ms. */
export const MAX_PROBE_DELAY = 6 * HOUR;

/** In ms. @param probes how often it was probed since the pause, from 1 */
export const probeDelayAfter = (probes: number): number => PROBES[probes - 1] ?? MAX_PROBE_DELAY;

/** A wait longer than `farthest` ms can only come from a clock that has gone back since: it ends now. */
export const capWait = (at: Millis, now: Millis, farthest: number): number => (at - now > farthest ? 0 : at);

/** Until when nothing is sent, because Slack limits the rate; in ms. */
export const backOffEnd = (
  { backOffUntil = 0 }: Pick<DeliveryLogSnapshot, 'backOffUntil'>,
  now: Millis,
): Millis => capWait(backOffUntil, now, MAX_RETRY_DELAY);

/**
 * Splits off what is to be sent now, which is nothing while Slack limits the rate.
 *
 * @param planned `at` in ms; undefined for never
 * @returns also when the next of the rest is to be sent; undefined for never
 */
export function splitByTime<T>(
  planned: readonly { readonly what: T; readonly at: Millis | undefined }[],
  snapshot: Pick<DeliveryLogSnapshot, 'backOffUntil'>,
  now: Millis,
): { readonly due: readonly T[]; readonly next: Millis | undefined } {
  const backOffUntil = backOffEnd(snapshot, now);
  const sends = planned.flatMap(({ what, at }) =>
    at === undefined ? [] : [{ what, at: Math.max(at, backOffUntil) }],
  );
  return {
    due: sends.flatMap(({ what, at }) => (at <= now ? [what] : [])),
    next: earliest(...sends.flatMap(({ at }) => (at > now ? [at] : []))),
  };
}
