import type { webApi } from '@slack/bolt';
import { SlackFailed } from '../domain/failure.ts';

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

/** Runs one Web API call; whatever it throws becomes SlackFailed with Slack's own code. */
export async function callSlack<T>(method: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (cause) {
    throw new SlackFailed(method, slackCode(cause));
  }
}

/** Slack's error code where there is one; the SDK's or the system's otherwise. Never the message: it may quote arguments. */
function slackCode(error: unknown): string {
  const { data, code } = (error ?? {}) as { data?: { error?: unknown }; code?: unknown };
  if (typeof data?.error === 'string') return data.error;
  return typeof code === 'string' ? code.replace(/^slack_webapi_/, '') : 'failed';
}
