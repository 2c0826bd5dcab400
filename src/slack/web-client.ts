import { channel } from 'node:diagnostics_channel';
import { setTimeout as sleep } from 'node:timers/promises';
import { webApi } from '@slack/bolt';
import { Failure } from '../domain/failure/index.ts';
import type { SlackId } from '../domain/slack-id.ts';
import type { Millis } from '../domain/time/calendar.ts';

export type WebClient = webApi.WebClient;

/** How long to wait before a retry, in ms. */
const PAUSE = 200;

/** Not retried if the outcome is unclear: a message or file would appear twice, and an OAuth code works only once. */
export const NON_REPEATABLE_METHODS: ReadonlySet<string> = new Set([
  'chat.postEphemeral',
  'chat.postMessage',
  'oauth.v2.access',
  'files.completeUploadExternal',
  // The SDK's name for all steps of an upload.
  'files.uploadV2',
]);

/** The SDK's `fetch`, with the timeout of the call as an extra first argument. */
type TimedFetch = (timeout: Millis, ...args: Parameters<typeof fetch>) => Promise<Response>;

const timedFetch: TimedFetch = (timeout, url, init) =>
  fetch(url, { ...init, signal: AbortSignal.timeout(Math.ceil(timeout)) });

/** Tries again once, if time allows, unless the call may have succeeded and is one of `NON_REPEATABLE_METHODS`. */
const fetchTwice: TimedFetch = async (timeout, url, init) => {
  const isOnce = NON_REPEATABLE_METHODS.has(String(url).split('/').at(-1) ?? '');
  const end = performance.now() + timeout;
  const rest = () => end - performance.now();
  try {
    const answer = await timedFetch(timeout, url, init);
    if (answer.status < 500 || (isOnce && isUnclearStatus(answer.status))) return answer;
  } catch (error) {
    if (rest() <= PAUSE || (isOnce && !wasNeverSent(error))) throw error;
  }
  await sleep(PAUSE);
  return timedFetch(rest(), url, init);
};

/** Whether the status is an error of a gateway, in which case Slack may have done the work. */
export const isUnclearStatus = (status: number): boolean => status === 502 || status === 504;

/** Error codes of a connection that failed before the request was sent. */
const BEFORE_SENDING =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_\w+|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|CERT_\w+|ERR_TLS_\w+|\w*SELF_SIGNED\w*|UNABLE_TO_\w+)$/;

export function wasNeverSent(error: unknown): boolean {
  const { cause = error } = error as { cause?: unknown };
  const { code } = cause as { code?: unknown };
  return typeof code === 'string' && BEFORE_SENDING.test(code);
}

/**
 * Replaces the SDK's defaults for a client (ten retries over 30 minutes, no timeout), which are for queues. After a 429
 * a call throws, because waiting would block all calls of the client. @param timeout for a call with its retry, in ms
 */
export const callOptions = (timeout: Millis, isTriedTwice: boolean): webApi.WebClientOptions => ({
  retryConfig: { retries: 0 },
  fetch: (url, init) => (isTriedTwice ? fetchTwice : timedFetch)(timeout, url, init),
  rejectRateLimitedCalls: true,
});

/** Options of a client for requests whose answer a user waits for. */
export const INTERACTIVE_OPTIONS = callOptions(4_000, true);

/** Options of a client for background work, which its callers try again later. */
export const BACKGROUND_OPTIONS = callOptions(10_000, false);

/** Creates a client for a workspace. Its token may be the one of the workspace's organization. */
export const createClientFactory =
  (options: webApi.WebClientOptions) =>
  (token: string, teamId: SlackId): WebClient =>
    new webApi.WebClient(token, { ...options, teamId });

/** Runs one Web API call. @throws slack-failed with Slack's error code */
export async function callSlack<T>(method: string, call: () => Promise<T>): Promise<T> {
  const began = performance.now();
  try {
    const answer = await call();
    reportApiCall({ method, outcome: 'ok', took: performance.now() - began });
    return answer;
  } catch (cause) {
    const outcome = slackCode(cause);
    reportApiCall({ method, outcome, took: performance.now() - began });
    const data = { method, code: outcome, retryAfter: retryAfterOf(cause), unclear: isUnclear(cause) };
    // The underlying network error: it names the host and quotes no arguments.
    const options = cause instanceof webApi.WebAPIRequestError ? { cause: cause.original } : {};
    throw new Failure('slack-failed', data, options);
  }
}

/** The error code of Slack, the SDK or the system. Never the error's message, which can contain a call's arguments. */
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

/** The outcome of a call to Slack, for metrics. */
export interface ApiCall {
  /** The method, such as `chat.postMessage`; `response_url` for a post to a response URL. */
  readonly method: string;
  /** `ok`, or Slack's error code. */
  readonly outcome: string;
  readonly took: Millis;
}

/** Calls are made in many places, so a diagnostics channel carries their outcomes to the metrics. */
const API_CALLS = channel('tally:slack');

export const reportApiCall = (call: ApiCall): void => API_CALLS.publish(call);

/** Subscribes to the outcomes of calls. @returns a function that unsubscribes */
export function onApiCall(listener: (call: ApiCall) => void): () => void {
  const subscriber = (call: unknown) => listener(call as ApiCall);
  API_CALLS.subscribe(subscriber);
  return () => void API_CALLS.unsubscribe(subscriber);
}
