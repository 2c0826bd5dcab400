import { webApi } from '@slack/bolt';
import { SlackFailed } from '../domain/failure.ts';
import { tell } from './calls.ts';

export type WebClient = webApi.WebClient;

/**
 * For people who wait: the SDK's defaults (ten retries over half an hour, no time-out) are made for queues. A 429
 * is handed on, since waiting would hold up everybody on the same client.
 */
export const WEB_OPTIONS = {
  timeout: 4000,
  retryConfig: { retries: 1, minTimeout: 200, maxTimeout: 200 },
  rejectRateLimitedCalls: true,
} satisfies webApi.WebClientOptions;

/** For what nobody waits for: a queue tries again by itself, later and for this one workspace alone. */
export const QUEUE_OPTIONS = {
  timeout: 10_000,
  retryConfig: { retries: 0 },
  rejectRateLimitedCalls: true,
} satisfies webApi.WebClientOptions;

/**
 * One client for as long as a token lasts: each has connections and a queue of its own. The one not asked for longest
 * goes first.
 *
 * @param most how many are kept
 */
export function createClients(options: webApi.WebClientOptions, most = 500) {
  const known = new Map<string, WebClient>();
  return (token: string, team: string): WebClient => {
    const key = `${team} ${token}`;
    const client = known.get(key) ?? new webApi.WebClient(token, { ...options, teamId: team });
    known.delete(key);
    known.set(key, client);
    const [oldest] = known.keys();
    if (oldest !== undefined && known.size > most) known.delete(oldest);
    return client;
  };
}

/** Runs one Web API call; whatever it throws becomes SlackFailed with Slack's own code. */
export async function callSlack<T>(method: string, call: () => Promise<T>): Promise<T> {
  try {
    const answer = await call();
    tell({ method, outcome: 'ok' });
    return answer;
  } catch (cause) {
    const outcome = slackCode(cause);
    tell({ method, outcome });
    throw new SlackFailed(method, outcome, { retryAfter: retryAfterOf(cause) });
  }
}

/** Slack's error code where there is one; the SDK's or the system's otherwise. Never the message: it may quote arguments. */
function slackCode(error: unknown): string {
  const { data, code } = (error ?? {}) as { data?: { error?: unknown }; code?: unknown };
  if (typeof data?.error === 'string') return data.error;
  if (code === webApi.ErrorCode.RateLimitedError) return 'ratelimited';
  return typeof code === 'string' ? code.replace(/^slack_webapi_/, '') : 'failed';
}

const retryAfterOf = (error: unknown): number | undefined =>
  error instanceof webApi.WebAPIRateLimitedError ? error.retryAfter : undefined;
