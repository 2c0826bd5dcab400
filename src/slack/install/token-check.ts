import { setTimeout as sleep } from 'node:timers/promises';
import { webApi } from '@slack/bolt';
import type { Logger } from 'pino';
import { isFailure } from '../../domain/failure/index.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import { withTimeout } from '../../timeout.ts';
import { callSlack, type WebClient } from '../web-client.ts';

/** Whether Slack accepts the bot's one token. */
export interface TokenCheck {
  /** Asks until Slack accepts it, without blocking a start. Never rejects. */
  start(): Promise<void>;
  /** Whether Slack has accepted it. */
  ok(): boolean;
  stop(): void;
}

export function createTokenCheck(client: WebClient, log: Logger): TokenCheck {
  const end = new AbortController();
  let isAccepted = false;
  const ask = async (): Promise<void> => {
    const { team_id: workspace } = await callSlack('auth.test', () => client.auth.test());
    log.info({ workspace }, 'Slack accepts the bot token');
    isAccepted = true;
  };
  const report = (err: unknown): void => {
    const code = tokenRefusal(err);
    if (code === undefined)
      log.error({ err, todo: 'Find out why: `tally doctor`' }, 'Slack can’t be reached; Tally tries again');
    else
      log.error(
        {
          code,
          todo: 'Set SLACK_BOT_TOKEN to the Bot User OAuth Token of the app’s page, OAuth & Permissions.',
        },
        'Slack rejects SLACK_BOT_TOKEN',
      );
  };
  return {
    start: () => startTokenCheck(ask, end.signal, report),
    ok: () => isAccepted,
    stop: () => end.abort(),
  };
}

/** @returns false only if Slack refuses the token; true if it doesn't answer. Never rejects. */
export async function isTokenAccepted(client: WebClient): Promise<boolean> {
  try {
    await client.auth.test();
    return true;
  } catch (error) {
    return tokenRefusal(error) === undefined;
  }
}

const WAIT = { first: 500, most: 30_000 } as const;

/** How long a start waits for the first answer from Slack, in ms: usually long enough. */
const FIRST_ANSWER = 1_000;

/**
 * Tries until it works, less and less often, and no sooner than Slack says.
 * @param onFailure called after each attempt that failed
 * @throws AbortError only
 */
export async function retryTokenCheck(
  attempt: () => Promise<void>,
  signal: AbortSignal,
  onFailure: (error: unknown) => void,
): Promise<void> {
  for (let wait: Millis = WAIT.first; ; wait = Math.min(2 * wait, WAIT.most)) {
    signal.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      signal.throwIfAborted();
      onFailure(error);
      await sleep(Math.max(wait, retryAfterOf(error)), undefined, { signal });
    }
  }
}

/** Like `retryTokenCheck`, without blocking a start: resolves after the first attempt, or after a second. Never rejects. */
export const startTokenCheck = (
  attempt: () => Promise<void>,
  signal: AbortSignal,
  onFailure: (error: unknown) => void,
): Promise<void> => {
  const first = new Promise<void>((resolve) => {
    const trying = retryTokenCheck(attempt, signal, (error) => {
      onFailure(error);
      resolve();
    });
    trying.then(resolve, () => resolve());
  });
  return withTimeout(FIRST_ANSWER, first, () => undefined);
};

function retryAfterOf(error: unknown): number {
  const { retryAfter = 0 } = isFailure(error, 'slack-failed')
    ? error.data
    : error instanceof webApi.WebAPIRateLimitedError
      ? error
      : {};
  return retryAfter * 1000;
}

const REFUSED = new Set(['account_inactive', 'invalid_auth', 'not_authed', 'token_expired', 'token_revoked']);

/** @returns Slack's code if it refuses the token; undefined for any other error */
export function tokenRefusal(error: unknown): string | undefined {
  const { data, code } = (error ?? {}) as { data?: { error?: string; code?: string }; code?: string };
  return [data?.error, data?.code, code].find((refusal) => refusal !== undefined && REFUSED.has(refusal));
}
