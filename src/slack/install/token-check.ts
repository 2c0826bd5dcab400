import type { Logger } from 'pino';
import { beginTrying, tokenRefusal } from '../reply/keep-trying.ts';
import { callSlack, type WebClient } from '../web-client.ts';

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
