/** A minimal bot on real Bolt, with the sandbox's Slack. */
import type { AddressInfo } from 'node:net';
import { App, HTTPReceiver, type Logger, LogLevel } from '@slack/bolt';
import { type Slack, type SlackOptions, startSlack } from '../../sandbox/slack/index.ts';

export const SIGNING_SECRET = '0123456789abcdef0123456789abcdef';
export const BOT_TOKEN = 'xoxb-1234567890-sandbox';

const MANIFEST = {
  features: {
    bot_user: { display_name: 'Tally' },
    slash_commands: [{ command: '/spend', description: 'What was spent', usage_hint: '[project]' }],
  },
  oauth_config: { scopes: { bot: ['chat:write', 'users:read', 'im:write', 'channels:read', 'files:write'] } },
  settings: { event_subscriptions: { bot_events: ['app_home_opened', 'app_mention', 'message.im'] } },
};

/** Silences Bolt's warnings about listeners that never acknowledge, which tests do on purpose. */
const nothing = () => {};
const logger: Logger = {
  ...{ debug: nothing, info: nothing, warn: nothing, error: nothing, setLevel: nothing, setName: nothing },
  getLevel: () => LogLevel.ERROR,
};

export interface BoltBot {
  slack: Slack;
  close(): Promise<void>;
}

/** @param register registers the bot's listeners */
export async function startBoltBot(
  register: (app: App) => void,
  options: Partial<SlackOptions> = {},
): Promise<BoltBot> {
  let botUrl = '';
  const slack = await startSlack({
    ...{ mode: 'http', signingSecret: SIGNING_SECRET, botToken: BOT_TOKEN, manifest: MANIFEST },
    ...{ botUrl: () => botUrl, ...options },
  });
  const receiver = new HTTPReceiver({ signingSecret: SIGNING_SECRET, logger });
  const clientOptions = { slackApiUrl: `${slack.url}/api/`, retryConfig: { retries: 0 } };
  // Without these Bolt calls auth.test, whose answer may come after the test.
  const known = { tokenVerificationEnabled: false, botId: 'B0TALLYBOT', botUserId: 'U0TALLYBOT' };
  const app = new App({ token: BOT_TOKEN, receiver, clientOptions, logger, ...known });
  register(app);
  const server = await receiver.start(0);
  botUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    slack,
    async close() {
      await slack.close();
      server.closeAllConnections();
      await app.stop();
    },
  };
}

export const plainText = (text: string) => ({ type: 'plain_text' as const, text });
