/**
 * Starts the whole sandbox: Slack, the billing and identity services, Redis, and the unmodified bot, configured by
 * its environment.
 */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { startBilling } from './billing.ts';
import { type Bot, startBot } from './bot-process.ts';
import { BOT_ENTRY, buildBot, buildPage, CLOCK, PAGE, SANDBOX_FOLDER } from './build.ts';
import { createClock } from './clock.ts';
import { startIdentity } from './identity.ts';
import { createPanel } from './panel.ts';
import { type RunningRedis, startRedis } from './redis.ts';
import { type Slack, type SlackOptions, startSlack } from './slack/index.ts';

export interface SandboxOptions {
  /** The page's port, or the next free one. 0, the default, takes any free port. */
  port?: number;
  mode?: 'http' | 'socket';
  /** Starts two workspaces; Tally is installed by OAuth. */
  oauth?: boolean;
  log?: (line: string) => void;
  verbose?: boolean;
  redisUrl?: string | undefined;
  withoutPage?: boolean;
}

const SECRETS = {
  signingSecret: randomBytes(16).toString('hex'),
  botToken: `xoxb-sandbox-${randomBytes(12).toString('hex')}`,
  appToken: `xapp-1-sandbox-${randomBytes(12).toString('hex')}`,
};
const OAUTH = { clientId: '1234567890.1234567890', clientSecret: randomBytes(16).toString('hex') };

export type Sandbox = Awaited<ReturnType<typeof assemble>> & {
  stop(): Promise<void>;
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

async function assemble(options: SandboxOptions, releases: (() => Promise<void>)[]) {
  const { port = 0, mode = 'http', oauth = false, log = () => {}, verbose = false } = options;
  const { redisUrl, withoutPage = false } = options;
  await Promise.all([buildBot(log), ...(withoutPage ? [] : [buildPage(log)])]);
  const redis = await startRedis(redisUrl === undefined ? {} : { redisUrl });
  releases.push(redis.stop);

  let slack: Slack | undefined;
  let bot: Bot | undefined;
  const clock = createClock();
  const { now } = clock;
  const billing = await startBilling({ now });
  releases.push(billing.close);
  const identity = await startIdentity({ now });
  releases.push(identity.close);

  const panel = createPanel({
    billing,
    identity,
    oauth,
    clock,
    bot: () => bot,
    behaviour: () => slack?.behaviour,
  });
  const manifest = await printManifest(mode);
  const opened = await onFreePort(port, log, {
    ...SECRETS,
    mode,
    manifest,
    panel,
    now,
    botUrl: () => bot?.url ?? '',
    ...(oauth && { oauth: OAUTH }),
    ...(!withoutPage && { pageDir: PAGE }),
  });
  slack = opened;
  releases.push(opened.close);

  const keys = await encryptionKeysFor(redis);
  const env = (url: string): Record<string, string> => ({
    SLACK_SIGNING_SECRET: SECRETS.signingSecret,
    ...(!oauth && { SLACK_BOT_TOKEN: SECRETS.botToken }),
    ...(oauth && {
      SLACK_CLIENT_ID: OAUTH.clientId,
      SLACK_CLIENT_SECRET: OAUTH.clientSecret,
      SLACK_STATE_SECRET: SECRETS.signingSecret,
      PUBLIC_URL: url,
    }),
    ...(mode === 'socket' && { SLACK_APP_TOKEN: SECRETS.appToken }),
    SLACK_API_URL: `${opened.url}/api/`,
    REDIS_URL: redis.url,
    ENCRYPTION_KEYS: keys,
    BILLING_BASE_URL: billing.url,
    IDENTITY_AUTH_URL: identity.authUrl,
    TRUSTED_API_HOSTS: [billing.url, identity.url].map((service) => new URL(service).host).join(','),
    LOG_LEVEL: verbose ? 'debug' : 'info',
  });
  bot = await startBot({ env, verbose, log, clock, onChange: opened.changed });
  releases.push(bot.stop);
  return { url: opened.url, slack: opened, billing, identity, bot, redis, clock };
}

async function printManifest(mode: 'http' | 'socket'): Promise<unknown> {
  const address = mode === 'socket' ? ['--socket'] : ['--url', 'https://tally.example.com'];
  const options = [BOT_ENTRY, 'manifest', ...address, '--workflow-steps'];
  const { stdout } = await promisify(execFile)(process.execPath, options, { cwd: dirname(CLOCK) });
  return JSON.parse(stdout);
}

const PORTS_TO_TRY = 20;

async function onFreePort(port: number, log: (line: string) => void, options: SlackOptions): Promise<Slack> {
  for (let candidate = port; ; candidate += 1) {
    try {
      return await startSlack({ ...options, port: candidate });
    } catch (error) {
      const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
      if (!isTaken || candidate === port + PORTS_TO_TRY) throw error;
      log(`Port ${candidate} is taken; trying ${candidate + 1}.`);
    }
  }
}

/** An existing Redis keeps sealed values, so its key is kept, too. A private Redis gets a new key each time. */
async function encryptionKeysFor({ kind }: RunningRedis): Promise<string> {
  const fresh = `sandbox:${randomBytes(32).toString('base64')}`;
  if (kind !== 'given') return fresh;
  const file = join(SANDBOX_FOLDER, 'encryption-keys');
  const kept = await readFile(file, 'utf8').catch(() => undefined);
  if (!kept) await writeFile(file, fresh, { mode: 0o600 });
  return kept ?? fresh;
}
