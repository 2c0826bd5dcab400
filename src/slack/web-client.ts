import { channel } from 'node:diagnostics_channel';
import { setTimeout as sleep } from 'node:timers/promises';
import { webApi } from '@slack/bolt';
import { SlackFailed } from '../domain/failure/index.ts';

export type WebClient = webApi.WebClient;

/** How long a second try waits, in ms. */
const PAUSE = 200;

/** Methods that put a message somewhere: done twice, it is there twice. */
const POSTS = /\/(?:chat\.post\w+|files\.completeUploadExternal)$/;

/** Tries once more, as long as there is time; not what may have posted a message already. */
const fetchTwice: typeof fetch = async (url, init) => {
  const isPost = POSTS.test(String(url));
  try {
    const answer = await fetch(url, init);
    if (answer.status < 500 || (isPost && isUnclearStatus(answer.status))) return answer;
    await answer.body?.cancel();
  } catch (error) {
    if (init?.signal?.aborted || (isPost && !wasNeverSent(error))) throw error;
  }
  await sleep(PAUSE);
  return fetch(url, init);
};

/**
 * For people who wait: the SDK's defaults (ten retries over half an hour, no time-out) are made for queues. A 429
 * is handed on, since waiting would hold up everybody on the same client.
 */
export const INTERACTIVE_OPTIONS = {
  timeout: 4000,
  retryConfig: { retries: 0 },
  fetch: fetchTwice,
  rejectRateLimitedCalls: true,
} satisfies webApi.WebClientOptions;

/** For what nobody waits for: a queue tries again by itself, later and for this one workspace alone. */
export const BACKGROUND_OPTIONS = {
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

/** Runs one Web API call; whatever it throws becomes SlackFailed with Slack's own code. */
export async function callSlack<T>(method: string, call: () => Promise<T>): Promise<T> {
  try {
    const answer = await call();
    reportApiCall({ method, outcome: 'ok' });
    return answer;
  } catch (cause) {
    const outcome = slackCode(cause);
    reportApiCall({ method, outcome });
    throw new SlackFailed(method, outcome, { retryAfter: retryAfterOf(cause), unclear: isUnclear(cause) });
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

/** A gateway in front of Slack that had no answer: what stands behind it may have done the work. */
export const isUnclearStatus = (status: number): boolean => status === 502 || status === 504;

function isUnclear(error: unknown): boolean {
  if (error instanceof webApi.WebAPIHTTPError) return isUnclearStatus(error.statusCode);
  return error instanceof webApi.WebAPIRequestError && !wasNeverSent(error.original);
}

/** What a connection fails with before anything goes over it. */
const BEFORE_SENDING =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_\w+|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|CERT_\w+|ERR_TLS_\w+|\w*SELF_SIGNED\w*|UNABLE_TO_\w+)$/;

function wasNeverSent(error: unknown): boolean {
  const { cause = error } = error as { cause?: unknown };
  const { code } = cause as { code?: unknown };
  return typeof code === 'string' && BEFORE_SENDING.test(code);
}

/** How a call to Slack ended, for the metrics. */
export interface ApiCall {
  /** `chat.postMessage`; `response_url` for what is posted through one */
  readonly method: string;
  /** `ok`, or Slack's error code */
  readonly outcome: string;
}

/** A diagnostics channel, as Node's own modules use: calls are made in many places, by many clients. */
const API_CALLS = channel('tally:slack');

export const reportApiCall = (call: ApiCall): void => API_CALLS.publish(call);

/** @returns a function that unsubscribes */
export function onApiCall(listener: (call: ApiCall) => void): () => void {
  const subscriber = (call: unknown) => listener(call as ApiCall);
  API_CALLS.subscribe(subscriber);
  return () => void API_CALLS.unsubscribe(subscriber);
}
