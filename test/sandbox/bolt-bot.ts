/** A minimal bot on real Bolt, over HTTP or Socket Mode, with the sandbox's Slack. */
import type { AddressInfo } from 'node:net';
import { App, HTTPReceiver, type Logger, LogLevel, SocketModeReceiver } from '@slack/bolt';
import { afterEach } from 'vitest';
import { type Slack, type SlackOptions, startSlack } from '../../sandbox/slack/index.ts';

export const SIGNING_SECRET = '0123456789abcdef0123456789abcdef';
export const BOT_TOKEN = 'xoxb-1234567890-sandbox';
export const APP_TOKEN = 'xapp-1-A0TALLYAPP-sandbox';

export const MANIFEST = {
  features: {
    bot_user: { display_name: 'Tally' },
    slash_commands: [
      { command: '/spend', description: 'What was spent', usage_hint: '[project]', should_escape: true },
      { command: '/raw', description: 'As typed', should_escape: false },
    ],
  },
  oauth_config: {
    scopes: {
      bot: [
        'app_mentions:read',
        'channels:history',
        'channels:read',
        'chat:write',
        'commands',
        'groups:read',
        'im:read',
        'im:write',
        'users:read',
      ],
    },
  },
  settings: { event_subscriptions: { bot_events: ['app_home_opened', 'app_mention', 'message.im'] } },
};

/** Silences Bolt's warnings about listeners that never acknowledge, which tests do on purpose. */
const nothing = () => {};
const silent: Logger = {
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  setLevel: nothing,
  setName: nothing,
  getLevel: () => LogLevel.ERROR,
};

export interface BoltBot {
  slack: Slack;
  close(): Promise<void>;
}

type Options = Partial<Omit<SlackOptions, 'botUrl'>>;

/** @param register registers the bot's listeners */
export async function startBoltBot(register: (app: App) => void, options: Options = {}): Promise<BoltBot> {
  return options.mode === 'socket' ? overSocket(register, options) : overHttp(register, options);
}

async function overHttp(register: (app: App) => void, options: Options): Promise<BoltBot> {
  let botUrl = '';
  const slack = await openSlack({ ...options, botUrl: () => botUrl });
  const receiver = new HTTPReceiver({ signingSecret: SIGNING_SECRET, logger: silent });
  const app = new App({ token: BOT_TOKEN, receiver, ...client(slack) });
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

async function overSocket(register: (app: App) => void, options: Options): Promise<BoltBot> {
  const slack = await openSlack({ ...options, mode: 'socket', appToken: APP_TOKEN });
  const { clientOptions, ...rest } = client(slack);
  // The ping timeout is also the delay before reconnecting.
  const receiver = new SocketModeReceiver({
    appToken: APP_TOKEN,
    installerOptions: { clientOptions },
    clientPingTimeout: 500,
    logger: silent,
  });
  const app = new App({ token: BOT_TOKEN, receiver, clientOptions, ...rest });
  register(app);
  await app.start();
  return {
    slack,
    async close() {
      await app.stop();
      await slack.waitFor((it) => it.connections() === 0);
      await slack.close();
    },
  };
}

export function openSlack(options: Partial<SlackOptions> = {}): Promise<Slack> {
  return startSlack({
    mode: 'http',
    botUrl: () => 'http://127.0.0.1:1',
    signingSecret: SIGNING_SECRET,
    botToken: BOT_TOKEN,
    manifest: MANIFEST,
    ...options,
  });
}

/** Calls the Web API like a bot. */
export async function callApi(
  slack: Slack,
  method: string,
  args: Record<string, unknown> = {},
  token: string = BOT_TOKEN,
): Promise<Record<string, unknown>> {
  const response = await fetch(`${slack.url}/api/${method}`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      ...(token && { Authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(args),
  });
  return (await response.json()) as Record<string, unknown>;
}

function client(slack: Slack) {
  const clientOptions = { slackApiUrl: `${slack.url}/api/`, retryConfig: { retries: 0 } };
  // Without these Bolt calls auth.test, whose answer may come after the test.
  const known = { tokenVerificationEnabled: false, botId: 'B0TALLYBOT', botUserId: 'U0TALLYBOT' };
  return { clientOptions, logger: silent, ...known };
}

export const plainText = (text: string) => ({ type: 'plain_text' as const, text });

/** Returns a `startBoltBot` whose bots are stopped after each test. */
export function createBoltBotStarter(): typeof startBoltBot {
  const boltBots: BoltBot[] = [];
  afterEach(async () => {
    for (const { close } of boltBots.splice(0)) await close();
  });
  return async (...args) => {
    const boltBot = await startBoltBot(...args);
    boltBots.push(boltBot);
    return boltBot;
  };
}
