/** Classifies failures of the messages that Tally sends by itself: try again, pause, wait, or look for the message in Slack. */
import {
  Failure,
  type FailureOf,
  isFailure,
  type StoredFailure,
  storeFailure,
} from '../../domain/failure/index.ts';
import { HOUR } from '../../domain/time/calendar.ts';
import { type Annotate, type MessageWork, trackWork } from '../../runtime/work-record.ts';
import type { PauseReason } from '../../workspace/owned/schedule-record.ts';
import { type DeliveryContext, LeaseLostError } from '../delivery-run.ts';

export type FailureEffect = { readonly cause: StoredFailure } & Effect;

export type Effect =
  /** Nothing can be sent until a person fixes something. */
  | { readonly kind: 'pause'; readonly why: PauseReason }
  /** Slack limits the rate of the whole workspace, for this many ms. */
  | { readonly kind: 'wait'; readonly for: number }
  /** Slack may or may not have taken the post. */
  | { readonly kind: 'unclear' }
  | { readonly kind: 'later' };

/** The longest wait for Slack, in ms, even if it asks for more. */
export const MAX_RETRY_DELAY = HOUR;

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

export const notSentFailure = (why: FailureOf<'not-sent'>['data']['reason']): StoredFailure =>
  storeFailure(new Failure('not-sent', { reason: why }));

/** How long to wait after a rate limit that names no time, in ms. */
const DEFAULT_RATE_PAUSE = 30_000;

/** @throws StoreUnavailable, which is not the schedule's fault */
export function classifyFailure(error: unknown): FailureEffect {
  if (!isFailure(error)) return { kind: 'later', cause: notSentFailure('own-error') };
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
      return {
        kind: 'pause',
        why: CHANNEL[error.data.reason],
        cause: notSentFailure(CHANNEL[error.data.reason]),
      };
    case 'slack-failed':
      return classifySlackFailure(error);
    case 'not-sent':
      return { kind: error.data.reason === 'post-unconfirmed' ? 'unclear' : 'later', cause };
    default:
      return { kind: 'later', cause };
  }
}

function classifySlackFailure(failure: FailureOf<'slack-failed'>): FailureEffect {
  const { code, retryAfter, method } = failure.data;
  const cause = storeFailure(failure);
  if (GONE.has(code))
    return { kind: 'pause', why: 'app-removed', cause: notSentFailure('slack-token-rejected') };
  if (code === 'ratelimited')
    return {
      kind: 'wait',
      for: retryAfter === undefined ? DEFAULT_RATE_PAUSE : Math.min(retryAfter * 1000, MAX_RETRY_DELAY),
      cause,
    };
  if (method === 'chat.postMessage' && UNCLEAR.has(code)) return { kind: 'unclear', cause };
  return { kind: 'later', cause };
}

/** A person or a channel that no message can reach. */
export const isUnreachable = (error: unknown): boolean =>
  isFailure(error) &&
  (error.kind === 'cannot-post' || (error.kind === 'slack-failed' && UNREACHABLE.has(error.data.code)));

/** Slack's codes for a person who can no longer get messages. */
const UNREACHABLE: ReadonlySet<string> = new Set([
  'user_not_found',
  'user_disabled',
  'users_not_found',
  'user_not_visible',
  'cannot_dm_bot',
  'messages_tab_disabled',
]);

/** The kinds of messages that Tally sends by itself, not in reply to a request. */
export const MESSAGE_KINDS = [
  'post',
  'post by hand',
  'correction',
  'alert',
  'alert update',
  'reminder',
  'notice',
] as const;
export type MessageKind = (typeof MESSAGE_KINDS)[number];

/** Runs the sending of a message, and passes on its record (for log, metrics and traces) at the end. */
export function trackMessage<T>(
  about: Pick<MessageWork, 'schedule' | 'watch' | 'tries'> & { readonly kind: MessageKind },
  { teamId, workspace: { waits }, onFinished }: DeliveryContext,
  run: (annotate: Annotate<MessageWork>) => Promise<T>,
): Promise<T> {
  const { kind: message, schedule, watch, tries } = about;
  const began = performance.now();
  const waited = { ms: waits.ms, calls: waits.calls };
  const work = { workspace: teamId, message, schedule, watch, tries, began, waits, waited };
  return trackWork({ kind: 'message', outcome: 'sent', ...work }, onFinished, run);
}

/**
 * Has `record` store that a message could not be made, sent or updated, and when it is tried again. Slack's rate limit
 * delays the whole workspace.
 *
 * @returns what `record` returns
 * @throws LeaseLostError and StoreUnavailable as they are; once the process is stopping, also every error that did not
 * come from Slack
 */
export async function handleSendError<T>(
  error: unknown,
  annotate: Annotate<MessageWork>,
  context: DeliveryContext,
  record: (effect: FailureEffect) => Promise<T>,
): Promise<T> {
  const { stopping, clock } = context;
  // Slack's own error is stored even while stopping: otherwise the next run would have to search in Slack.
  const isLost = error instanceof LeaseLostError;
  const isOver = isLost || (stopping.aborted && !isSlackError(error));
  annotate({ outcome: isLost ? 'lease-lost' : isOver ? 'stopped' : 'retrying', error });
  if (isOver) throw error;
  const effect = classifyFailure(error);
  const recorded = await record(effect);
  if (effect.kind === 'wait') await context.backOff(clock() + effect.for);
  return recorded;
}

const isSlackError = (error: unknown): boolean =>
  isFailure(error) && (error.kind === 'cannot-post' || error.kind === 'slack-failed');
