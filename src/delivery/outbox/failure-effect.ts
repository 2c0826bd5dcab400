import {
  type DataOf,
  Failure,
  type FailureOf,
  isFailure,
  type StoredFailure,
  storeFailure,
} from '../../domain/failure/index.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import { MAX_RETRY_DELAY } from './message.ts';

/** What follows from a failure of a message that Tally sends by itself. */
export interface FailureEffect {
  readonly cause: StoredFailure;
  /**
   * `standing`: nothing can be sent until somebody mends the cause. `wait`: Slack limits the rate of the whole workspace.
   * `unclear`: Slack may have the message. `unreachable`: its recipient gets no messages. `later`: it is tried again.
   */
  readonly kind: 'standing' | 'wait' | 'unclear' | 'unreachable' | 'later';
  /** For `wait`, in ms. */
  readonly wait?: Millis;
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
/** Slack's codes for a person who can no longer get messages. */
const UNREACHABLE: ReadonlySet<string> = new Set([
  'user_not_found',
  'user_disabled',
  'users_not_found',
  'user_not_visible',
  'cannot_dm_bot',
  'messages_tab_disabled',
]);
const CHANNEL = {
  'not-there': 'not-in-channel',
  archived: 'channel-archived',
  restricted: 'channel-restricted',
} as const;

export const notSentFailure = (reason: DataOf<'not-sent'>['reason']): StoredFailure =>
  storeFailure(new Failure('not-sent', { reason }));

/** How long to wait after a rate limit that names no time, in ms. */
const DEFAULT_RATE_PAUSE: Millis = 30_000;

/** @throws store-unavailable, which is no fault of the message */
export function effectOf(error: unknown): FailureEffect {
  if (!isFailure(error)) return { kind: 'later', cause: notSentFailure('own-error') };
  const cause = storeFailure(error);
  switch (error.kind) {
    case 'store-unavailable':
      throw error;
    case 'token-rejected':
    case 'not-connected':
    case 'connection-missing':
    case 'not-allowed':
    case 'not-installed':
      return { kind: 'standing', cause };
    case 'cannot-post':
      return { kind: 'standing', cause: notSentFailure(CHANNEL[error.data.reason]) };
    case 'slack-failed':
      return slackEffect(error, cause);
    default:
      return { kind: 'later', cause };
  }
}

function slackEffect(
  { data: { code, retryAfter, method } }: FailureOf<'slack-failed'>,
  cause: StoredFailure,
): FailureEffect {
  if (GONE.has(code)) return { kind: 'standing', cause: notSentFailure('slack-token-rejected') };
  if (UNREACHABLE.has(code)) return { kind: 'unreachable', cause };
  if (code === 'ratelimited') {
    const wait = retryAfter === undefined ? DEFAULT_RATE_PAUSE : retryAfter * 1000;
    return { kind: 'wait', wait: Math.min(wait, MAX_RETRY_DELAY), cause };
  }
  return { kind: method === 'chat.postMessage' && UNCLEAR.has(code) ? 'unclear' : 'later', cause };
}
