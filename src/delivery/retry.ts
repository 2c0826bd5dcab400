import { type Failure, isFailure } from '../domain/failure/index.ts';
import type { PauseReason } from '../workspace/schedules.ts';

/** What a failure means for a schedule. */
export type FailureEffect =
  /** It cannot work until somebody does something. */
  | { readonly kind: 'pause'; readonly why: PauseReason; readonly cause: string }
  /** Slack wants to be left alone by the whole workspace, for this many ms. */
  | { readonly kind: 'wait'; readonly for: number; readonly cause: string }
  /** Slack may have taken the post, or not. */
  | { readonly kind: 'unclear'; readonly cause: string }
  /** It may work later. */
  | { readonly kind: 'later'; readonly cause: string };

/** How long it is tried again after the first failure and each further one, in ms: an hour in all. */
const PAUSES: readonly number[] = [1, 2, 4, 8, 15, 30].map((minutes) => minutes * 60_000);

/** Nothing is put off by more than that, in ms, whatever Slack asks for. */
export const MAX_RETRY_DELAY = 3_600_000;

/** How long until the next try after `tries` failures; undefined when there is none. */
export const retryDelayAfter = (tries: number): number | undefined => PAUSES[tries - 1];

/** How long until a paused schedule is tried again, in ms: a due date is tried in any case. */
const PROBES: readonly number[] = [5, 15, 30, 60, 120, 240, 360].map((minutes) => minutes * 60_000);

/** No probe is put off by more than that, in ms. */
export const MAX_PROBE_DELAY = 360 * 60_000;

/** @param probes how often it was tried since it is paused, from 1 */
export const probeDelayAfter = (probes: number): number => PROBES[probes - 1] ?? MAX_PROBE_DELAY;

/** Slack's codes for a token that is none any more, and for a workspace that is gone. */
const GONE: ReadonlySet<string> = new Set([
  'account_inactive',
  'token_revoked',
  'token_expired',
  'invalid_auth',
  'not_authed',
  'app_uninstalled',
  'team_not_found',
]);
/** Slack's own words for "some of it may have happened", and no answer at all. */
const UNCLEAR: ReadonlySet<string> = new Set([
  'internal_error',
  'fatal_error',
  'service_unavailable',
  'request_timeout',
  'request_error',
  'http_error',
  'failed',
]);
/** In words about posts: the failure's own are about answers. */
const CHANNEL = {
  'not-there': { why: 'not-in-channel', cause: 'Tally is not in the channel.' },
  archived: { why: 'channel-archived', cause: 'The channel is archived.' },
  restricted: { why: 'channel-restricted', cause: 'Only some people may post in the channel.' },
} as const;

/** Slack took a post or not, and does not let Tally look. */
export class OutcomeUnknown extends Error {}

const UNKNOWN = 'Something went wrong that Tally did not expect; whoever runs the bot finds it in the log.';
const REMOVED = 'Slack rejected Tally’s token.';
/** In ms; Slack always says. */
const RATE_PAUSE = 30_000;

/** @throws what is no trouble of the schedule's: the store does not answer */
export function classifyFailure(error: unknown): FailureEffect {
  if (error instanceof OutcomeUnknown)
    return { kind: 'unclear', cause: 'Slack did not say whether it took the post.' };
  if (!isFailure(error)) return { kind: 'later', cause: UNKNOWN };
  const cause = error.message;
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
      return { kind: 'pause', ...CHANNEL[error.reason] };
    case 'slack-failed':
      return slackTrouble(error);
    default:
      return { kind: 'later', cause };
  }
}

function slackTrouble({
  code,
  retryAfter,
  method,
  message: cause,
}: Extract<Failure, { kind: 'slack-failed' }>) {
  if (GONE.has(code)) return { kind: 'pause', why: 'app-removed', cause: REMOVED } as const;
  if (code === 'ratelimited')
    return {
      kind: 'wait',
      for: retryAfter === undefined ? RATE_PAUSE : Math.min(retryAfter * 1000, MAX_RETRY_DELAY),
      cause,
    } as const;
  if (method === 'chat.postMessage' && UNCLEAR.has(code)) return { kind: 'unclear', cause } as const;
  return { kind: 'later', cause } as const;
}
