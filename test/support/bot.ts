import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import { type BillingService, startBilling } from '../../sandbox/billing.ts';
import { OWNER, type Slack, startSlack } from '../../sandbox/slack/index.ts';
import { createTally, type Tally } from '../../src/app.ts';
import { parseConfig } from '../../src/config/config.ts';
import type { Registry } from '../../src/features/feature.ts';
import { createLog } from '../../src/ops/log.ts';
import { recordKey } from '../../src/redis/keys.ts';
import { createManifest } from '../../src/slack/install/manifest.ts';
import { WORKFLOW_FUNCTIONS } from '../../src/slack/install/workflow-functions.ts';
import type { RateLimiter } from '../../src/slack/server/rate-limiter.ts';
import type { LoadingDelays } from '../../src/slack/slack-services.ts';
import { createKeyring, type Keyring } from '../../src/vault/keyring.ts';
import { UNLIMITED } from './no-rate-limits.ts';
import { type TestRedis, testRedis } from './redis.ts';

export const CHANNEL = 'C0COSTS001';
export const SIGNING_SECRET = 'a-signing-secret-for-tests-only';
export const BOT_TOKEN = 'xoxb-a-bot-token-for-tests-only';
const APP_TOKEN = 'xapp-an-app-token-for-tests-only';

export interface BotOptions {
  readonly mode?: 'http' | 'socket';
  /** ms since the epoch, for the bot and billing; Slack signs by the real clock, as Bolt verifies by it. */
  readonly now?: () => number;
  readonly ackTimeout?: number;
  /** Replaces the shared Redis. */
  readonly redisUrl?: string;
  /** The delay of billing's mode `slow`, in ms. */
  readonly slowFor?: number;
  /** ENCRYPTION_KEYS; a new key by default. */
  readonly encryptionKeys?: string;
  /** Rate limits; none by default. */
  readonly limits?: RateLimiter | 'ordinary';
  /** When loading messages appear; by default late enough for slow machines. */
  readonly loadingDelays?: LoadingDelays;
  /** Called before the bot starts. */
  readonly beforeStart?: (slack: Slack) => void;
  /** Further variables. */
  readonly env?: NodeJS.ProcessEnv;
  /** IDENTITY_AUTH_URL; none by default. */
  readonly identityUrl?: string;
  /** `acme` where the app's commands are `/acme-spend` and so on. */
  readonly prefix?: string;
}

export const NO_LOADING: LoadingDelays = { message: 30_000, modal: 2_500 };

/** The whole bot in this process, with the sandbox's Slack and billing and a real Redis. */
export interface Bot {
  readonly slack: Slack;
  readonly billing: BillingService;
  readonly redis: TestRedis;
  /** Of `encryptionKeys`. */
  readonly keyring: Keyring;
  /** The features' declarations. */
  readonly registry: Registry;
  /** The first process's address. */
  readonly url: string;
  /** The address of the process that Slack sends to. */
  currentUrl(): string;
  /** The whole log as text. */
  log(): string;
  /** Sends a command and resolves with the next message that this person sees. */
  ask(text: string, person?: string, channel?: string): Promise<Answer>;
  /** Registers the fake billing service's read-only token through the form; see also `addConnection`. */
  connect(): Promise<void>;
  /** Waits until no request to billing or identity is queued or running. */
  waitUntilIdle(): Promise<void>;
  /** Starts another process of the same bot, to which Slack sends from then on. @param encryptionKeys other than the first's */
  startAnotherProcess(encryptionKeys?: string): Promise<BotProcess>;
  /** Stops all processes of the bot, but not the services. */
  stopBot(delay?: number): Promise<void>;
  stop(): Promise<void>;
}

export interface BotProcess {
  /** Makes Slack send to this process. */
  receive(): void;
  stop(): Promise<void>;
}

export interface Answer {
  readonly ts: string;
  readonly text: string;
  readonly ephemeral: boolean;
  readonly blocks: readonly Record<string, unknown>[];
  /** All texts in the blocks, one on each line. */
  readonly visibleText: string;
}

export async function startBot(options: BotOptions = {}): Promise<Bot> {
  const { mode = 'http', now = Date.now, limits = UNLIMITED, loadingDelays = NO_LOADING } = options;
  const redis = await testRedis();
  const billing = await startBilling({ now, slowFor: options.slowFor ?? 700 });
  const lines: string[] = [];
  let url = '';
  const slack = await startTestSlack(mode, () => url, options.ackTimeout, options.prefix);
  options.beforeStart?.(slack);
  const configWith = (encryptionKeys: string) =>
    parseConfig({
      ...slackEnvironment(mode, slack),
      REDIS_URL: options.redisUrl ?? redis.url,
      ENCRYPTION_KEYS: encryptionKeys,
      TRUSTED_API_HOSTS: '127.0.0.1',
      BILLING_BASE_URL: billing.url,
      ...(options.identityUrl !== undefined && { IDENTITY_AUTH_URL: options.identityUrl }),
      LOG_LEVEL: 'trace',
      ...options.env,
    });
  const log = createLog('trace', { write: (line) => void lines.push(line) });
  const processes: Tally[] = [];
  const { encryptionKeys = `test:${randomBytes(32).toString('base64')}` } = options;
  const start = async (keys = encryptionKeys) => {
    const tally = createTally(
      { ...configWith(keys), http: { port: 0, shutdownDelay: 0 } },
      log,
      now,
      limits === 'ordinary' ? undefined : limits,
      loadingDelays,
    );
    processes.push(tally);
    url = `http://127.0.0.1:${await tally.start()}`;
    return tally;
  };
  const first = await start();

  const seen = (person: string, channel: string) =>
    slack.messages(person, channel).filter(({ from }) => from !== person);

  const bot: Bot = {
    slack,
    billing,
    redis,
    keyring: createKeyring(configWith(encryptionKeys).keys),
    registry: first.registry,
    url,
    currentUrl: () => url,
    log: () => lines.join(''),
    async ask(text, person = OWNER, channel = CHANNEL) {
      const before = seen(person, channel).length;
      await slack.say(person, channel, text);
      const message = await slack.waitFor(() => seen(person, channel)[before], 15_000);
      return toAnswer(message);
    },
    async connect() {
      await slack.say(OWNER, CHANNEL, '/billing connect');
      const form = await slack.waitFor(() => slack.modal(OWNER));
      // The form that replaces a token knows the project.
      const asks = form.view.blocks.some((block) => 'block_id' in block && block.block_id === 'project');
      await slack.submit(OWNER, { token: goodToken(billing), ...(asks && { project: '123' }) });
      await slack.waitFor(() => textOf(slack.modal(OWNER)?.view).includes('Connected'));
      await slack.dismiss(OWNER);
      const [key, field] = [recordKey('T0SANDBOX1'), 'connection:main'];
      // As if its lifetime had been chosen under More, which would be another request.
      const saved = JSON.parse((await redis.client.hget(key, field)) ?? 'null');
      const expiresAt = saved?.registeredAt + 90 * 86_400_000;
      if (saved !== null)
        await redis.client.hset(key, field, JSON.stringify({ ...saved, lifetime: '90-days', expiresAt }));
    },
    async waitUntilIdle() {
      const isBusy = async () => {
        const page = await (await fetch(`${url}/metrics`)).text();
        return !/^tally_service_requests_in_progress 0$/m.test(page);
      };
      while (await isBusy()) await delay(10);
    },
    async startAnotherProcess(keys) {
      const tally = await start(keys);
      const itsUrl = url;
      return {
        receive() {
          url = itsUrl;
        },
        async stop() {
          processes.splice(processes.indexOf(tally), 1);
          await tally.stop();
        },
      };
    },
    stopBot(delay) {
      return Promise.all(processes.splice(0).map((tally) => tally.stop(delay))).then(() => undefined);
    },
    async stop() {
      await bot.stopBot();
      await Promise.all([slack.close(), billing.close(), redis.close()]);
    },
  };
  return bot;
}

/** Starts the sandbox's Slack with this project's manifest, its steps for Workflow Builder, and the secrets of {@link slackEnvironment}. */
export async function startTestSlack(
  mode: 'http' | 'socket',
  botUrl: () => string,
  ackTimeout?: number,
  prefix?: string,
): Promise<Slack> {
  const manifest = createManifest({
    url: 'https://tally.example.com',
    functions: WORKFLOW_FUNCTIONS,
    prefix,
  });
  return startSlack({
    mode,
    botUrl,
    signingSecret: SIGNING_SECRET,
    botToken: BOT_TOKEN,
    appToken: APP_TOKEN,
    manifest,
    ...(ackTimeout !== undefined && { ackTimeout }),
  });
}

/** The bot's variables for this Slack. */
export const slackEnvironment = (mode: 'http' | 'socket', slack: Slack) => ({
  SLACK_SIGNING_SECRET: SIGNING_SECRET,
  SLACK_BOT_TOKEN: BOT_TOKEN,
  ...(mode === 'socket' && { SLACK_APP_TOKEN: APP_TOKEN }),
  SLACK_API_URL: `${slack.url}/api/`,
});

export function goodToken(billing: BillingService): string {
  return billing.tokens.find(({ label }) => label === 'Read-only')!.value;
}

export function toAnswer(message: {
  ts: string;
  text: string;
  ephemeral: boolean;
  blocks?: readonly object[];
}): Answer {
  const { ts, text, ephemeral, blocks = [] } = message;
  return { ts, text, ephemeral, blocks: blocks as Answer['blocks'], visibleText: textOf(blocks) };
}

const tableBlock = z.object({
  type: z.literal('table'),
  rows: z.array(z.array(z.object({ text: z.string() }))),
});

/** No line breaks there. */
const BESIDE_NUMBER = /(?<=[+−▲▼])\u00a0|(?<=\d)\u00a0(?=(?:%|days?)$)/g;

/** The rows of a message’s table. */
export const rowsOf = (blocks: readonly object[]): readonly string[][] =>
  blocks.flatMap((block) => {
    const { rows = [] } = tableBlock.safeParse(block).data ?? {};
    return rows.map((row) => row.map(({ text }) => text.replace(BESIDE_NUMBER, ' ')));
  });

/** Every text in blocks or a view, one on each line. */
export function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).filter(Boolean).join('\n');
  if (typeof value !== 'object' || value === null) return '';
  return Object.entries(value)
    .map(([key, entry]) => (key === 'text' && typeof entry === 'string' ? entry : textOf(entry)))
    .filter(Boolean)
    .join('\n');
}
