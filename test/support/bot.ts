/** The whole bot in this process, with the sandbox's Slack and billing, a real Redis, and people. */
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeEach } from 'vitest';
import { type BillingService, startBilling } from '../../sandbox/billing.ts';
import { ADMIN, MEMBER, OWNER, type Slack, startSlack } from '../../sandbox/slack/index.ts';
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
import { createAudit } from '../../src/workspace/record/audit.ts';
import { CHANNEL, createPeople, type People, TEAM, UNLIMITED } from './people.ts';
import { type TestRedis, testRedis } from './redis.ts';
import { note } from './test-run.ts';

export { type Answer, rowsOf, textOf, toAnswer } from './answer.ts';
export { CHANNEL } from './people.ts';
export const SATURDAY = Date.UTC(2026, 10, 21, 10, 15, 30, 123);
export const DAY = 86_400_000;
export const SIGNING_SECRET = '0123456789abcdef0123456789abcdef';
export const BOT_TOKEN = 'xoxb-a-bot-token-for-tests-only';
const APP_TOKEN = 'xapp-an-app-token-for-tests-only';

export interface BotOptions {
  readonly mode?: 'http' | 'socket';
  /** The clock of the bot and billing. Slack signs by the real clock, because Bolt verifies by the real clock. */
  readonly now?: () => number;
  readonly ackTimeout?: number;
  readonly redisUrl?: string;
  readonly slowFor?: number;
  readonly encryptionKeys?: string;
  readonly limits?: RateLimiter | 'ordinary';
  /** By default, loading messages appear too late to disturb a test on a slow machine. */
  readonly loadingDelays?: LoadingDelays;
  readonly beforeStart?: (slack: Slack) => void;
  readonly env?: NodeJS.ProcessEnv;
  readonly identityUrl?: string;
}

export const NO_LOADING: LoadingDelays = { message: 30_000, modal: 2_500 };

export interface Bot extends People {
  readonly slack: Slack;
  readonly billing: BillingService;
  readonly redis: TestRedis;
  readonly keyring: Keyring;
  readonly registry: Registry;
  readonly url: string;
  /** The address of the process that Slack sends to. */
  currentUrl(): string;
  log(): string;
  /** Registers the read-only token through the form. `addConnection` does so without the form. */
  connect(): Promise<void>;
  queriesDuring(work: () => Promise<unknown>): Promise<readonly string[]>;
  /** Writes fields of the workspace's record: texts as they are, objects as JSON. */
  store(fields: Readonly<Record<string, object | string>>): Promise<unknown>;
  drop(...fields: readonly string[]): Promise<unknown>;
  /** A parsed field of the workspace's record; null if absent. */
  // biome-ignore lint/suspicious/noExplicitAny: Tests expect what it is.
  stored(field: string): Promise<any>;
  audit(): Promise<readonly string[]>;
  /** Waits until no request to billing or identity is queued or running. */
  waitUntilIdle(): Promise<void>;
  /** Slack sends to the new process. @param encryptionKeys keys other than the first process's */
  startAnotherProcess(encryptionKeys?: string): Promise<BotProcess>;
  /** The services keep running. @param drain how long to wait for answers, in ms */
  stopBot(drain?: number): Promise<void>;
  stop(): Promise<void>;
}

export interface BotProcess {
  receive(): void;
  stop(): Promise<void>;
}

export async function startBot(options: BotOptions = {}): Promise<Bot> {
  const { mode = 'http', now = Date.now, limits = UNLIMITED, loadingDelays = NO_LOADING } = options;
  const redis = await testRedis();
  const billing = await startBilling({ now, slowFor: options.slowFor ?? 700 });
  const lines: string[] = [];
  let url = '';
  const slack = await startTestSlack(mode, () => url, options.ackTimeout);
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
    const tally = createTally({ ...configWith(keys), http: { port: 0 } }, log, now, {
      ...(limits !== 'ordinary' && { limits }),
      loadingDelays,
    });
    processes.push(tally);
    url = `http://127.0.0.1:${await tally.start()}`;
    return tally;
  };
  const first = await start();

  const people = createPeople(slack, () => url);
  const bot: Bot = {
    ...people,
    slack,
    billing,
    redis,
    keyring: createKeyring(configWith(encryptionKeys).keys),
    registry: first.registry,
    url,
    currentUrl: () => url,
    log: () => lines.join(''),
    async connect() {
      await slack.say(OWNER, CHANNEL, '/billing connect');
      await slack.waitFor(() => slack.modal(OWNER));
      // The form that replaces a token already knows the project.
      const asks = people.view().includes('"block_id":"project"');
      await slack.submit(OWNER, { token: goodToken(billing), ...(asks && { project: '123' }) });
      await people.modalSays('Connected');
      await slack.dismiss(OWNER);
      const saved = await bot.stored('connection:main');
      if (saved === null) return;
      // Choosing a lifetime in the form would take another request.
      const lifetime = { lifetime: '90-days', expiresAt: saved.registeredAt + 90 * DAY };
      await bot.store({ 'connection:main': { ...saved, ...lifetime } });
    },
    async queriesDuring(work) {
      const before = billing.requests.length;
      await work();
      return billing.requests.slice(before).map(({ query }) => String(query));
    },
    store: (fields) =>
      redis.client.hset(
        recordKey(TEAM),
        Object.entries(fields).flatMap(([name, value]) => [
          name,
          typeof value === 'string' ? value : JSON.stringify(value),
        ]),
      ),
    drop: (...fields) => redis.client.hdel(recordKey(TEAM), ...fields),
    stored: async (field) => JSON.parse((await redis.client.hget(recordKey(TEAM), field)) ?? 'null'),
    audit: async () =>
      (await createAudit(redis.client).page(TEAM, 50)).entries.map(
        ({ who, action, about }) => `${who} ${action} ${about}`,
      ),
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
    async stopBot(...times) {
      await Promise.all(processes.splice(0).map((tally) => tally.stop(...times)));
    },
    async stop() {
      await bot.stopBot();
      await Promise.all([slack.close(), billing.close(), redis.close()]);
    },
  };
  return bot;
}

export interface TestBot extends Bot {
  readonly clock: { now: number };
}

/** One bot for all tests of a file. Each test begins on Saturday, with healthy services and no form open. */
export async function botOfFile(options: BotOptions = {}): Promise<TestBot> {
  const clock = { now: SATURDAY };
  const bot = { ...(await startBot({ now: () => clock.now, ...options })), clock };
  beforeEach(async () => {
    clock.now = SATURDAY;
    bot.billing.setMode('healthy');
    bot.billing.respond(undefined);
    bot.slack.refuse.clear();
    for (const person of [OWNER, MEMBER, ADMIN]) await bot.closeForm(person);
  });
  afterAll(() => bot.stop());
  return bot;
}

/** A new bot for each test, after `prepare`. */
export function botOfEachTest(
  prepare: (bot: TestBot) => Promise<unknown> = async () => undefined,
  options: () => BotOptions | Promise<BotOptions> = () => ({}),
): TestBot {
  const clock = { now: SATURDAY };
  const bot = { clock } as TestBot;
  beforeEach(async () => {
    clock.now = SATURDAY;
    Object.assign(bot, await startBot({ now: () => clock.now, ...(await options()) }));
    await prepare(bot);
  });
  afterEach(() => bot.stop());
  return bot;
}

/** Starts the sandbox's Slack with this project's manifest and the secrets of {@link slackEnvironment}. */
export async function startTestSlack(
  mode: 'http' | 'socket',
  botUrl: () => string,
  ackTimeout?: number,
): Promise<Slack> {
  const manifest = createManifest({
    url: 'https://tally.example.com',
    functions: WORKFLOW_FUNCTIONS,
  });
  const secrets = { signingSecret: SIGNING_SECRET, botToken: BOT_TOKEN, appToken: APP_TOKEN };
  const slack = await startSlack({
    mode,
    botUrl,
    ...secrets,
    manifest,
    ...(ackTimeout !== undefined && { ackTimeout }),
  });
  const { say, press, submit } = slack;
  return Object.assign(slack, {
    say(...words: Parameters<typeof say>) {
      note(`${words[0]} in ${words[1]}: ${words[2]}`);
      return say(...words);
    },
    press(...where: Parameters<typeof press>) {
      note(`${where[0]} presses ${where[2]}`);
      return press(...where);
    },
    submit(...form: Parameters<typeof submit>) {
      note(`${form[0]} submits ${JSON.stringify(form[1] ?? {})}`);
      return submit(...form);
    },
  });
}

export const slackEnvironment = (mode: 'http' | 'socket', slack: Slack) => ({
  SLACK_SIGNING_SECRET: SIGNING_SECRET,
  SLACK_BOT_TOKEN: BOT_TOKEN,
  ...(mode === 'socket' && { SLACK_APP_TOKEN: APP_TOKEN }),
  SLACK_API_URL: `${slack.url}/api/`,
});

export function goodToken(billing: BillingService): string {
  return billing.tokens.find(({ label }) => label === 'Read-only')!.value;
}
