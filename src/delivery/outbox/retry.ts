import { type FailureOf, isFailure, NotSent } from '../../domain/failure/index.ts';
import { HOUR, MINUTE, type Millis } from '../../domain/time/calendar.ts';
import type { PauseReason } from '../../workspace/owned/schedules.ts';
import { type StoredFailure, storeFailure } from '../../workspace/record/stored-failure.ts';
import type { DeliveryLogSnapshot } from '../log/delivery-log.ts';
import { earliest } from '../log/due-dates.ts';

/** What a failure means for a schedule. */
export type FailureEffect = { readonly cause: StoredFailure } & Effect;

type Effect =
  /** It cannot work until a person fixes something. */
  | { readonly kind: 'pause'; readonly why: PauseReason }
  /** Slack limits the rate of the whole workspace, for this many ms. */
  | { readonly kind: 'wait'; readonly for: number }
  /** Slack may or may not have taken the post. */
  | { readonly kind: 'unclear' }
  /** It may work later. */
  | { readonly kind: 'later' };

/** The wait after the first failure and each further one, in ms: an hour in all. */
const PAUSES: readonly number[] = [1, 2, 4, 8, 15, 30].map((minutes) => minutes * MINUTE);

/** The longest wait, in ms, even if Slack asks for more. */
export const MAX_RETRY_DELAY = HOUR;

/** By then a Slack call of a killed process has ended; in ms. */
export const SLACK_SETTLE_MS = 20_000;

/** In ms, after so many failures; undefined for a post that is given up: the next one names its date. */
export const postRetryDelay = (tries: number): Millis | undefined => PAUSES[tries - 1];

/** After the tries of the first hour, one each hour for three days. */
const MAX_MESSAGE_TRIES = 78;
/** The same for every other message. */
export const messageRetryDelay = (tries: number): Millis | undefined =>
  tries > MAX_MESSAGE_TRIES ? undefined : (PAUSES[tries - 1] ?? HOUR);

/** How often something has failed, and when it was first tried, if that matters; in ms. */
interface Tried {
  readonly tries: number;
  readonly began?: Millis;
}

/**
 * The next try of a post or a message that failed. Slack's rate limit counts as a failure only once it has gone on for an hour.
 *
 * @param delayAfter of its kind
 * @returns how often it has failed now, and when it is tried again, in ms; no `next` once it is given up
 */
export function nextTry(
  { tries: before, began }: Tried,
  effect: FailureEffect,
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
export const ignoreTooFar = (at: Millis, now: Millis, farthest: number): number =>
  at - now > farthest ? 0 : at;

/** Until when nothing is sent, because Slack limits the rate; in ms. */
export const backOffEnd = (
  { backOffUntil = 0 }: Pick<DeliveryLogSnapshot, 'backOffUntil'>,
  now: Millis,
): Millis => ignoreTooFar(backOffUntil, now, MAX_RETRY_DELAY);

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

/** Slack's codes for a token that no longer works, and for a workspace that is gone. */
const GONE: ReadonlySet<string> = new Set([
  'account_inactive',
  'token_revoked',
  'token_expired',
  'invalid_auth',
  'not_authed',
  'app_uninstalled',
  'team_not_found',
]);
/** Slack's codes for calls that may have worked, and ours for calls without an answer. */
const UNCLEAR: ReadonlySet<string> = new Set([
  'internal_error',
  'fatal_error',
  'service_unavailable',
  'request_timeout',
  'request_error',
  'http_error',
  'failed',
]);
const CHANNEL = {
  'not-there': 'not-in-channel',
  archived: 'channel-archived',
  restricted: 'channel-restricted',
} as const;

/** Of what Tally sends by itself. */
export const notSent = (why: NotSent['why']): StoredFailure => storeFailure(new NotSent(why));

/** For a rate limit without a time, in ms. */
const DEFAULT_RATE_PAUSE = 30_000;

/** @throws StoreUnavailable, which is not the schedule's fault */
export function classifyFailure(error: unknown): FailureEffect {
  if (!isFailure(error)) return { kind: 'later', cause: notSent('own-error') };
  const cause = storeFailure(error);
  switch (error.kind) {
    case 'store-unavailable':
      throw error;
    case 'token-rejected':
      return { kind: 'pause', why: 'token-rejected', cause };
    case 'not-connected':
    case 'connection-missing':
      return { kind: 'pause', why: 'not-connected', cause };
    case 'not-allowed':
      return { kind: 'pause', why: 'project-limited', cause };
    case 'not-installed':
      return { kind: 'pause', why: 'app-removed', cause };
    case 'cannot-post':
      return { kind: 'pause', why: CHANNEL[error.reason], cause: notSent(CHANNEL[error.reason]) };
    case 'slack-failed':
      return classifySlackFailure(error);
    case 'not-sent':
      return { kind: error.why === 'post-unconfirmed' ? 'unclear' : 'later', cause };
    default:
      return { kind: 'later', cause };
  }
}

function classifySlackFailure(failure: FailureOf<'slack-failed'>): FailureEffect {
  const { code, retryAfter, method } = failure;
  const cause = storeFailure(failure);
  if (GONE.has(code)) return { kind: 'pause', why: 'app-removed', cause: notSent('slack-token-rejected') };
  if (code === 'ratelimited')
    return {
      kind: 'wait',
      for: retryAfter === undefined ? DEFAULT_RATE_PAUSE : Math.min(retryAfter * 1000, MAX_RETRY_DELAY),
      cause,
    };
  if (method === 'chat.postMessage' && UNCLEAR.has(code)) return { kind: 'unclear', cause };
  return { kind: 'later', cause };
}
