/** Tries the bot token of a single workspace, or the app token of Socket Mode, until Slack accepts the token. */
import { setTimeout as sleep } from 'node:timers/promises';
import { webApi } from '@slack/bolt';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { isFailure } from '../../domain/failure/index.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import { withTimeout } from '../../timeout.ts';
import { callSlack, type WebClient } from '../web-client.ts';

interface Attempts {
  /** Resolves after the first attempt, or after at most a second. Attempts go on until one succeeds. Never rejects. */
  start(): Promise<void>;
  stop(): void;
}

export interface TokenCheck extends Attempts {
  ok(): boolean;
}

export function createTokenCheck(client: WebClient, log: Logger): TokenCheck {
  let isAccepted = false;
  const ask = async (): Promise<void> => {
    const { team_id: workspace } = await callSlack('auth.test', () => client.auth.test());
    log.info({ workspace }, 'Slack accepts the bot token');
    isAccepted = true;
  };
  const todo = 'Set SLACK_BOT_TOKEN to the Bot User OAuth Token of the app’s page, OAuth & Permissions.';
  const attempts = createAttempts(ask, log, 'SLACK_BOT_TOKEN', todo);
  return { ...attempts, ok: () => isAccepted };
}

/** Also true while Slack can't be reached. Never rejects. */
export const isTokenAccepted = (client: WebClient): Promise<boolean> =>
  client.auth.test().then(
    () => true,
    (error: unknown) => refusalCode(error) === undefined,
  );

const WAIT = { first: 500, most: 30_000 } as const;

const FIRST_ANSWER = 1_000;

export function createAttempts(
  attempt: () => Promise<void>,
  log: Logger,
  variable: string,
  todo: string,
): Attempts {
  const end = new AbortController();
  const { signal } = end;
  const reported = new LRUCache<string, true>({ max: 10, ttl: WAIT.most });
  const report = (error: unknown): void => {
    const code = refusalCode(error);
    const problem =
      code === undefined ? 'Slack can’t be reached; Tally tries again' : `Slack rejects ${variable}`;
    if (reported.has(problem)) return;
    reported.set(problem, true);
    if (code !== undefined) log.error({ code, todo }, problem);
    else log.error({ reason: reasonOf(error), todo: 'Find out why: `tally doctor`' }, problem);
  };
  const repeat = async (onFailure: () => void): Promise<void> => {
    for (let wait: Millis = WAIT.first; !signal.aborted; wait = Math.min(2 * wait, WAIT.most)) {
      try {
        return await attempt();
      } catch (error) {
        if (signal.aborted) return;
        report(error);
        onFailure();
        await sleep(Math.max(wait, retryAfterOf(error)), undefined, { signal }).catch(() => undefined);
      }
    }
  };
  return {
    start() {
      const first = new Promise<void>((resolve) => void repeat(resolve).then(resolve));
      return withTimeout(FIRST_ANSWER, first, () => undefined);
    },
    stop: () => end.abort(),
  };
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message} — ${reasonOf(cause)}` : message;
}

function retryAfterOf(error: unknown): Millis {
  const { retryAfter = 0 } = isFailure(error, 'slack-failed')
    ? error.data
    : error instanceof webApi.WebAPIRateLimitedError
      ? error
      : {};
  return retryAfter * 1000;
}

const REFUSED = new Set(['account_inactive', 'invalid_auth', 'not_authed', 'token_expired', 'token_revoked']);

function refusalCode(error: unknown): string | undefined {
  const { data, code } = (error ?? {}) as { data?: { error?: string; code?: string }; code?: string };
  return [data?.error, data?.code, code].find((refusal) => refusal !== undefined && REFUSED.has(refusal));
}
