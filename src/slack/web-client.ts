import { channel } from 'node:diagnostics_channel';
import { setTimeout as sleep } from 'node:timers/promises';
import { webApi } from '@slack/bolt';
import { SlackFailed } from '../domain/failure/index.ts';
import { isUnclearStatus, slackFetch, slackFetchTwice, wasNeverSent } from './slack-fetch.ts';

export type WebClient = webApi.WebClient;

/**
 * For requests that a user waits for; the SDK's defaults (ten retries over half an hour, no timeout) are made for queues.
 * A 429 is an error, since waiting would block every other call of the same client.
 */
export const INTERACTIVE_OPTIONS = {
  timeout: 4000,
  retryConfig: { retries: 0 },
  fetch: slackFetchTwice,
  rejectRateLimitedCalls: true,
} satisfies webApi.WebClientOptions;

/** For background work: its queue retries later, for this workspace only. */
export const BACKGROUND_OPTIONS = {
  timeout: 10_000,
  retryConfig: { retries: 0 },
  fetch: slackFetch,
  rejectRateLimitedCalls: true,
} satisfies webApi.WebClientOptions;

/**
 * Caches one client for each token, since each has its own connections and queue. The least recently used is evicted
 * first.
 *
 * @param most how many clients are cached
 */
export function createClientCache(options: webApi.WebClientOptions, most = 500) {
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

/** Runs one Web API call. @throws SlackFailed with Slack's error code */
export async function callSlack<T>(method: string, call: () => Promise<T>): Promise<T> {
  const began = performance.now();
  try {
    const answer = await call();
    reportApiCall({ method, outcome: 'ok', took: performance.now() - began });
    return answer;
  } catch (cause) {
    const outcome = slackCode(cause);
    reportApiCall({ method, outcome, took: performance.now() - began });
    throw new SlackFailed(method, outcome, { retryAfter: retryAfterOf(cause), unclear: isUnclear(cause) });
  }
}

/** How long one reply waits for Slack's rate limit, over all retries, in s. */
const MAX_WAIT = 30;

/** Retries when Slack says how long to wait: it accepts about one message a second in a channel. @param longest in s */
export async function retryRateLimited<T>(send: () => Promise<T>, longest = MAX_WAIT): Promise<T> {
  for (let waited = 0; ; ) {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof SlackFailed) || error.retryAfter === undefined) throw error;
      const pause = Math.max(1, error.retryAfter);
      waited += pause;
      if (waited > longest) throw error;
      await sleep(pause * 1000);
    }
  }
}

/** Slack's error code, else the SDK's or the system's. Never the message, which may quote arguments. */
function slackCode(error: unknown): string {
  const { data, code } = (error ?? {}) as { data?: { error?: unknown }; code?: unknown };
  if (typeof data?.error === 'string') return data.error;
  if (code === webApi.ErrorCode.RateLimitedError) return 'ratelimited';
  return typeof code === 'string' ? code.replace(/^slack_webapi_/, '') : 'failed';
}

const retryAfterOf = (error: unknown): number | undefined =>
  error instanceof webApi.WebAPIRateLimitedError ? error.retryAfter : undefined;

function isUnclear(error: unknown): boolean {
  if (error instanceof webApi.WebAPIHTTPError) return isUnclearStatus(error.statusCode);
  return error instanceof webApi.WebAPIRequestError && !wasNeverSent(error.original);
}

/** How a call to Slack ended, for the metrics. */
export interface ApiCall {
  /** `chat.postMessage`; `response_url` for a post to a response URL */
  readonly method: string;
  /** `ok`, or Slack's error code */
  readonly outcome: string;
  /** ms */
  readonly took: number;
}

/** A diagnostics channel, because many clients make calls in many places. */
const API_CALLS = channel('tally:slack');

export const reportApiCall = (call: ApiCall): void => API_CALLS.publish(call);

/** @returns a function that unsubscribes */
export function onApiCall(listener: (call: ApiCall) => void): () => void {
  const subscriber = (call: unknown) => listener(call as ApiCall);
  API_CALLS.subscribe(subscriber);
  return () => void API_CALLS.unsubscribe(subscriber);
}
