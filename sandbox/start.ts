/**
 * Starts the whole sandbox: Slack, the billing and identity services, Redis, and the unmodified bot, which is
 * configured by its environment.
 */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type BillingService, startBilling } from './billing.ts';
import { type Bot, createBot } from './bot-process.ts';
import { BOT_ENTRY, buildBot, buildPage, PAGE, SANDBOX_FOLDER } from './build.ts';
import { type Clock, createClock } from './clock.ts';
import { WARN } from './format-log.ts';
import { type IdentityService, startIdentity } from './identity.ts';
import { createPanel } from './panel.ts';
import { type RunningRedis, startRedis } from './redis.ts';
import { type Slack, startSlack } from './slack/index.ts';
import type { TrafficEntry } from './slack/traffic.ts';

export interface SandboxOptions {
  /** The page's port, or the next free one. 0, the default, takes any free port. */
  port?: number;
  mode?: 'http' | 'socket';
  /** Starts with two workspaces; Tally is installed by OAuth. */
  oauth?: boolean;
  log?: (line: string) => void;
  /** The minLevel level of the bot's log that is passed on, as pino counts them; warnings by default. */
  minLevel?: number;
  /** An existing Redis to use. */
  redisUrl?: string;
  /** Does not build the page. */
  withoutPage?: boolean;
}

export interface Sandbox {
  /** The page's address. */
  url: string;
  slack: Slack;
  billing: BillingService;
  identity: IdentityService;
  bot: Bot;
  redis: RunningRedis;
  clock: Clock;
  /** Stops everything, in reverse order of starting. */
  stop(): Promise<void>;
}

const SECRETS = {
  signingSecret: randomBytes(16).toString('hex'),
  botToken: `xoxb-sandbox-${randomBytes(12).toString('hex')}`,
  appToken: `xapp-1-sandbox-${randomBytes(12).toString('hex')}`,
};

const OAUTH = {
  clientId: '1234567890.1234567890',
  clientSecret: randomBytes(16).toString('hex'),
};

export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const releases: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const release of releases.splice(0).reverse()) await release();
  };
  try {
    return { ...(await assemble(options, releases)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function assemble(
  options: SandboxOptions,
  releases: (() => Promise<void>)[],
): Promise<Omit<Sandbox, 'stop'>> {
  const { port = 0, mode = 'http', oauth = false, log = () => {}, minLevel = WARN } = options;
  const { redisUrl, withoutPage = false } = options;
  await Promise.all([buildBot(log), ...(withoutPage ? [] : [buildPage(log)])]);
  const redis = await startRedis(redisUrl ? { redisUrl } : {});
  releases.push(() => redis.stop());

  let slack: Slack | undefined;
  let bot: Bot | undefined;
  const onExchange = (exchange: TrafficEntry) => slack?.traffic.add(exchange);
  const clock = createClock();
  const { now } = clock;
  const billing = await startBilling({ onExchange, now });
  releases.push(() => billing.close());
  const identity = await startIdentity({ onExchange, now });
  releases.push(() => identity.close());

  const manifestText = await printManifest(mode);
  const manifest: unknown = JSON.parse(manifestText);
  const issuesTokens = manifestText.includes('"/os-token"');
  const panel = createPanel({
    ...{ billing, identity, issuesTokens, oauth, clock },
    bot: () => bot,
    behaviour: () => slack?.behaviour,
  });
  const botUrl = () => bot?.url ?? '';
  const parts = {
    ...{ ...SECRETS, mode, botUrl, manifest, panel, now },
    ...(oauth && { oauth: OAUTH }),
    ...(!withoutPage && { pageDir: PAGE }),
  };
  const opened = await onFreePort(port, (candidate) => startSlack({ ...parts, port: candidate }), log);
  slack = opened;
  releases.push(() => opened.close());

  const keys = await encryptionKeysFor(redis);
  const env = (url: string) =>
    botEnvironment({ slack: opened, billing, identity, redis, mode, oauth, url, keys, minLevel });
  bot = await createBot({ env, minLevel, log, clock, onChange: () => opened.changed() });
  releases.push(bot.stop);
  await bot.start();
  return { url: slack.url, slack, billing, identity, bot, redis, clock };
}

/** As people print it, with the steps for Workflow Builder. */
async function printManifest(mode: 'http' | 'socket'): Promise<string> {
  const address = mode === 'socket' ? ['--socket'] : ['--url', 'https://tally.example.com'];
  const options = ['manifest', ...address, '--workflow-steps', '--json'];
  const { stdout } = await promisify(execFile)(process.execPath, [BOT_ENTRY, ...options]);
  return stdout;
}

const PORTS_TO_TRY = 20;

async function onFreePort(
  port: number,
  open: (port: number) => Promise<Slack>,
  log: (line: string) => void,
): Promise<Slack> {
  for (let candidate = port; ; candidate += 1) {
    try {
      return await open(candidate);
    } catch (error) {
      const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
      if (!isTaken || candidate === port + PORTS_TO_TRY) throw error;
      log(`Port ${candidate} is taken; trying ${candidate + 1}.`);
    }
  }
}

interface EnvironmentParts extends Pick<Sandbox, 'slack' | 'billing' | 'identity' | 'redis'> {
  mode: 'http' | 'socket';
  oauth: boolean;
  /** The bot's URL. */
  url: string;
  keys: string;
  minLevel: number;
}

function botEnvironment(surroundings: EnvironmentParts): Record<string, string> {
  const { slack, billing, identity, redis, mode, keys, minLevel } = surroundings;
  const hosts = [billing.url, identity.url].map((url) => new URL(url).host);
  return {
    SLACK_SIGNING_SECRET: SECRETS.signingSecret,
    ...credentials(surroundings),
    ...(mode === 'socket' && { SLACK_APP_TOKEN: SECRETS.appToken }),
    SLACK_API_URL: `${slack.url}/api/`,
    REDIS_URL: redis.url,
    ENCRYPTION_KEYS: keys,
    BILLING_BASE_URL: billing.url,
    IDENTITY_AUTH_URL: identity.authUrl,
    TRUSTED_API_HOSTS: hosts.join(','),
    LOG_LEVEL: minLevel < WARN ? 'debug' : 'info',
  };
}

function credentials({ oauth, url }: EnvironmentParts): Record<string, string> {
  if (!oauth) return { SLACK_BOT_TOKEN: SECRETS.botToken };
  return {
    SLACK_CLIENT_ID: OAUTH.clientId,
    SLACK_CLIENT_SECRET: OAUTH.clientSecret,
    SLACK_STATE_SECRET: SECRETS.signingSecret,
    PUBLIC_URL: url,
  };
}

/** An existing Redis keeps sealed values, so its key is kept too; a private one gets a new key each time. */
async function encryptionKeysFor({ kind }: RunningRedis): Promise<string> {
  const fresh = `sandbox:${randomBytes(32).toString('base64')}`;
  if (kind !== 'given') return fresh;
  const file = join(SANDBOX_FOLDER, 'encryption-keys');
  const kept = await readFile(file, 'utf8').catch(() => undefined);
  if (!kept) await writeFile(file, fresh, { mode: 0o600 });
  return kept ?? fresh;
}
