import type { Logger } from 'pino';
import { UnsealFailed } from '../../domain/failure/index.ts';
import type { InstallationRecords } from '../../workspace/credentials/installation-store.ts';
import { beginTrying, tokenRefusal } from '../reply/keep-trying.ts';
import { callSlack, type WebClient } from '../web-client.ts';
import { parseInstallation, type StoredInstallation } from './installation-tokens.ts';
import type { TokenStatus } from './uninstall.ts';

/** Whether Slack accepts the bot's one token: asked at the start, and until Slack says yes. */
export interface TokenCheck {
  /** Never rejects. */
  start(): Promise<void>;
  /** False until Slack has accepted the token. */
  ok(): boolean;
  stop(): void;
}

export function createTokenCheck(client: WebClient, log: Logger): TokenCheck {
  const end = new AbortController();
  let isAccepted = false;
  const ask = async (): Promise<void> => {
    const { team_id: workspace } = await callSlack('auth.test', () => client.auth.test());
    isAccepted = true;
    log.info({ workspace }, 'Slack accepts the bot token');
  };
  const report = (err: unknown): void => {
    const code = tokenRefusal(err);
    if (code === undefined) {
      log.error({ err }, 'Slack can’t be reached; Tally tries again');
      return;
    }
    log.error(
      {
        code,
        todo: 'Set SLACK_BOT_TOKEN to the Bot User OAuth Token of the app’s page, OAuth & Permissions.',
      },
      'Slack rejects SLACK_BOT_TOKEN',
    );
  };
  return {
    start: () => beginTrying(ask, end.signal, report),
    ok: () => isAccepted,
    stop: () => end.abort(),
  };
}

/** With OAuth there is no token to check at the start. */
export const NO_TOKEN_CHECK: TokenCheck = {
  start: async () => undefined,
  ok: () => true,
  stop: () => undefined,
};

/** @returns false only if Slack refuses the token; true if it doesn't answer. Never rejects. */
export async function isTokenAccepted(client: WebClient): Promise<boolean> {
  try {
    await client.auth.test();
    return true;
  } catch (error) {
    return tokenRefusal(error) === undefined;
  }
}

/** Reads the store and asks Slack each time: another process may have changed what this one has cached. */
export function tokenStatusOf(
  installed: InstallationRecords,
  clientFor: (token: string) => WebClient,
): TokenStatus {
  /** An installation that can't be unsealed counts as none, so that it can be deleted. */
  const stored = async (id: string): Promise<StoredInstallation | undefined> => {
    try {
      const text = await installed.read(id);
      return text === undefined ? undefined : parseInstallation(text);
    } catch (error) {
      if (error instanceof UnsealFailed) return undefined;
      throw error;
    }
  };
  return {
    since: async (id) => (await stored(id))?.at,
    async works(id) {
      const token = (await stored(id))?.installation.bot?.token;
      if (token === undefined) return false;
      return clientFor(token)
        .auth.test()
        .then(
          () => true,
          () => false,
        );
    },
  };
}
