/** Decides what follows when a message can't be sent: another try, a pause, or the end. */
import {
  type DataOf,
  Failure,
  type FailureOf,
  isFailure,
  kindOf,
  type StoredFailure,
  toStoredFailure,
} from '../../domain/failure/index.ts';
import { HOUR, MINUTE, type Millis } from '../../domain/time/calendar.ts';
import { messageKindOf, type OutboxMessage, SLACK_SETTLE } from '../delivery-log.ts';

export interface FailureEffect {
  readonly cause: StoredFailure;
  /** `permanent`: a person must fix it. `unclear`: Slack may have the message. `final`: give up. `later`: try again. */
  readonly kind: 'permanent' | 'unclear' | 'final' | 'later';
  readonly isUnreachable?: boolean;
  /** How long Slack's rate limit for the whole workspace lasts. */
  readonly wait?: Millis;
}

const REVOKED_CODES: ReadonlySet<string> = new Set([
  'account_inactive',
  'token_revoked',
  'token_expired',
  'invalid_auth',
  'not_authed',
  'app_uninstalled',
  'team_not_found',
]);
/** After these codes Slack may have the message. `failed` is Tally's own code for no response. */
const UNCLEAR_CODES: ReadonlySet<string> = new Set([
  'internal_error',
  'fatal_error',
  'service_unavailable',
  'request_timeout',
  'request_error',
  'http_error',
  'failed',
]);
const UNREACHABLE_CODES: ReadonlySet<string> = new Set([
  'user_not_found',
  'user_disabled',
  'users_not_found',
  'user_not_visible',
  'cannot_dm_bot',
  'messages_tab_disabled',
]);

export const CHANNEL_LIMITED: StoredFailure = toStoredFailure(
  new Failure('not-allowed', { reason: 'channel' }),
);

export const notSentFailure = (reason: DataOf<'not-sent'>['reason']): StoredFailure =>
  toStoredFailure(new Failure('not-sent', { reason }));

const DEFAULT_RETRY_AFTER: Millis = 30_000;
const MAX_RETRY_AFTER: Millis = HOUR;

/** @throws store-unavailable unchanged, because an outage of Redis says nothing about the message */
export function effectOf(error: unknown): FailureEffect {
  if (!isFailure(error)) return { kind: 'later', cause: notSentFailure('own-error') };
  const cause = toStoredFailure(error);
  switch (error.kind) {
    case 'store-unavailable':
      throw error;
    case 'cannot-post':
      return { kind: 'permanent', isUnreachable: true, cause };
    case 'not-sent':
      return { kind: 'final', cause };
    case 'slack-failed':
      return slackEffect(error, cause);
    default:
      return { kind: kindOf(error.kind)?.fixedBy === 'manager' ? 'permanent' : 'later', cause };
  }
}

function slackEffect(
  { data: { code, retryAfter, method } }: FailureOf<'slack-failed'>,
  cause: StoredFailure,
): FailureEffect {
  if (REVOKED_CODES.has(code)) return effectOf(new Failure('not-installed', { reason: 'expired' }));
  if (UNREACHABLE_CODES.has(code)) return { kind: 'later', isUnreachable: true, cause };
  if (code === 'ratelimited') {
    const wait = retryAfter === undefined ? DEFAULT_RETRY_AFTER : retryAfter * 1000;
    return { kind: 'later', wait: Math.min(wait, MAX_RETRY_AFTER), cause };
  }
  return { kind: method === 'chat.postMessage' && UNCLEAR_CODES.has(code) ? 'unclear' : 'later', cause };
}

/** Attempts in the first hour are at most 5 minutes apart, so that a post goes out soon after an outage. */
const RETRY_PAUSES = [1, 2, 4, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 3].map((minutes) => minutes * MINUTE);
/**
 * After the first hour, messages other than posts are tried hourly for three days. Tally gives up a post then, because
 * the next post names the missed date.
 */
const HOURLY_RETRIES = 72;

const retryDelay = (message: OutboxMessage, tries: number): Millis | undefined =>
  RETRY_PAUSES[tries - 1] ??
  (messageKindOf(message) !== 'post' && tries <= RETRY_PAUSES.length + HOURLY_RETRIES ? HOUR : undefined);

/** Failed updates are tried again for as long as the message's record is kept. */
const UPDATE_PAUSE: Millis = 30 * MINUTE;

/**
 * The record after a failure. If Slack may have the message, the record keeps when and where it was sent. Rate limits
 * don't count as tries.
 */
export function afterFailure<About>(
  before: OutboxMessage<About>,
  stored: OutboxMessage<About>,
  mayBeInSlack: boolean,
  effect: FailureEffect,
  now: Millis,
): OutboxMessage<About> {
  const { cause, wait } = effect;
  const isUpdate = before.state === 'posted';
  const tries = before.tries + (wait === undefined ? 1 : 0);
  const pause = wait ?? (isUpdate ? UPDATE_PAUSE : retryDelay(before, tries));
  const isDoubtful = effect.kind === 'unclear' || mayBeInSlack;
  const { next: _, ...rest } = isDoubtful || isUpdate ? stored : before;
  const least = effect.kind === 'unclear' ? SLACK_SETTLE : 0;
  const tried = { ...rest, tries, cause };
  if (pause === undefined || effect.kind === 'final') return { ...tried, state: 'failed', at: now };
  const state = isUpdate ? 'posted' : isDoubtful ? 'sending' : 'due';
  return { ...tried, state, next: now + Math.max(pause, least) };
}

export const isUnchangeable = (error: unknown): boolean =>
  isFailure(error) &&
  (error.kind === 'cannot-post' ||
    (error.kind === 'slack-failed' && UNCHANGEABLE_CODES.includes(error.data.code)));

export const isSlackError = (error: unknown): boolean =>
  isFailure(error) && (error.kind === 'cannot-post' || error.kind === 'slack-failed');

const UNCHANGEABLE_CODES: readonly string[] = [
  'message_not_found',
  'cant_update_message',
  'edit_window_closed',
];
