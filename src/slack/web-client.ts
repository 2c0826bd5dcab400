/** Calls Slack's Web API, with time-outs, one retry, and errors as failures. */
import { channel } from 'node:diagnostics_channel';
import { setTimeout as sleep } from 'node:timers/promises';
import { webApi } from '@slack/bolt';
import { Failure, isFailure } from '../domain/failure/index.ts';
import type { SlackId } from '../domain/slack-id.ts';
import type { Millis } from '../domain/time/calendar.ts';

export type WebClient = webApi.WebClient;

const PAUSE_BEFORE_RETRY: Millis = 200;

/** Never repeated if Slack may have done the work: a message would appear twice, and OAuth codes work once. */
const NON_REPEATABLE_METHODS: ReadonlySet<string> = new Set([
  'chat.postEphemeral',
  'chat.postMessage',
  'oauth.v2.access',
  'files.completeUploadExternal',
  // The SDK reports all steps of an upload under this name.
  'files.uploadV2',
]);

type TimedFetch = (timeout: Millis, ...args: Parameters<typeof fetch>) => Promise<Response>;

const timedFetch: TimedFetch = (timeout, url, init) =>
  fetch(url, { ...init, signal: AbortSignal.timeout(Math.ceil(timeout)) });

/** Repeats a failed call if there is time; `NON_REPEATABLE_METHODS` only if Slack certainly didn't do the work. */
const fetchTwice: TimedFetch = async (timeout, url, init) => {
  const isOnce = NON_REPEATABLE_METHODS.has(String(url).split('/').at(-1) ?? '');
  const end = performance.now() + timeout;
  const rest = () => end - performance.now();
  const isTooLate = () => rest() <= PAUSE_BEFORE_RETRY;
  try {
    const answer = await timedFetch(timeout, url, init);
    if (answer.status < 500 || isTooLate() || (isOnce && isUnclearStatus(answer.status))) return answer;
  } catch (error) {
    if (isTooLate() || (isOnce && !wasNeverSent(error))) throw error;
  }
  await sleep(PAUSE_BEFORE_RETRY);
  return timedFetch(Math.max(rest(), 0), url, init);
};

export const isUnclearStatus = (status: number): boolean => status === 502 || status === 504;

const BEFORE_SENDING =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_\w+|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|CERT_\w+|ERR_TLS_\w+|\w*SELF_SIGNED\w*|UNABLE_TO_\w+)$/;

export function wasNeverSent(error: unknown): boolean {
  const { cause = error } = error as { cause?: unknown };
  const { code } = cause as { code?: unknown };
  return typeof code === 'string' && BEFORE_SENDING.test(code);
}

/** The SDK would repeat calls for 30 minutes, without a timeout. @param timeout for a call and its retry together */
export const callOptions = (timeout: Millis, isTriedTwice: boolean): webApi.WebClientOptions => ({
  retryConfig: { retries: 0 },
  fetch: (url, init) => (isTriedTwice ? fetchTwice : timedFetch)(timeout, url, init),
  rejectRateLimitedCalls: true,
});

export const INTERACTIVE_OPTIONS = callOptions(4_000, true);

export const BACKGROUND_OPTIONS = callOptions(10_000, false);

export const createClientFactory =
  (options: webApi.WebClientOptions) =>
  (token: string, teamId: SlackId): WebClient =>
    new webApi.WebClient(token, { ...options, teamId });

/** Runs a call of the Web API. @throws slack-failed with Slack's error code */
export const callSlack = <T>(method: string, call: () => Promise<T>): Promise<T> =>
  measureCall(method, () =>
    call().catch((cause: unknown) => {
      const code = slackCode(cause);
      const retryAfter = cause instanceof webApi.WebAPIRateLimitedError ? cause.retryAfter : undefined;
      const data = { method, code, retryAfter, unclear: isUnclear(cause) };
      // Unlike the SDK's error, the network error that caused it doesn't quote the call's arguments.
      const options = cause instanceof webApi.WebAPIRequestError ? { cause: cause.original } : {};
      throw new Failure('slack-failed', data, options);
    }),
  );

/** Reports a call's outcome to the metrics. @param method `response_url` for a post to a response URL */
export async function measureCall<T>(method: string, call: () => Promise<T>): Promise<T> {
  const began = performance.now();
  let outcome = 'ok';
  try {
    return await call();
  } catch (error) {
    outcome = isFailure(error, 'slack-failed') ? error.data.code : 'failed';
    throw error;
  } finally {
    API_CALLS.publish({ method, outcome, took: performance.now() - began } satisfies ApiCall);
  }
}

/** Doesn't use the error's message, which can contain the call's arguments. */
function slackCode(error: unknown): string {
  const { data, code } = (error ?? {}) as { data?: { error?: unknown }; code?: unknown };
  if (typeof data?.error === 'string') return data.error;
  if (code === webApi.ErrorCode.RateLimitedError) return 'ratelimited';
  return typeof code === 'string' ? code.replace(/^slack_webapi_/, '') : 'failed';
}

function isUnclear(error: unknown): boolean {
  if (error instanceof webApi.WebAPIHTTPError) return isUnclearStatus(error.statusCode);
  return error instanceof webApi.WebAPIRequestError && !wasNeverSent(error.original);
}

interface ApiCall {
  readonly method: string;
  /** `ok`, or Slack's error code. */
  readonly outcome: string;
  readonly took: Millis;
}

/** The metrics subscribe to this diagnostics channel for the outcomes of calls. */
const API_CALLS = channel('tally:slack');

export function onApiCall(listener: (call: ApiCall) => void): () => void {
  const subscriber = (call: unknown) => listener(call as ApiCall);
  API_CALLS.subscribe(subscriber);
  return () => void API_CALLS.unsubscribe(subscriber);
}
