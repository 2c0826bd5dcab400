/** Runs the bot with TLS to each form of Redis, with certificates of a private authority. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort } from '../../sandbox/bot-process.ts';
import { BOT_ENTRY, buildBot } from '../../sandbox/build.ts';
import { OWNER, type Slack } from '../../sandbox/slack/index.ts';
import { CHANNEL, slackEnvironment, startTestSlack } from '../support/bot.ts';
import { endProcess, endWithParent } from '../support/delivery-processes.ts';
import { describeUnless } from '../support/describe-unless.ts';
import {
  type Certificates,
  documentedRules,
  makeCertificates,
  NO_TLS,
  type RedisServer,
  startCluster,
  startSentinels,
  startServer,
} from '../support/redis-servers.ts';
import { waitUntil } from '../support/wait-until.ts';

const FORMS = ['rediss://', 'rediss+sentinel://', 'rediss+cluster://'] as const;
type Form = (typeof FORMS)[number];

describeUnless(NO_TLS, 'with TLS', () => {
  const urls = new Map<Form, string>();
  const releases: (() => Promise<unknown>)[] = [];
  let home: string;
  let certificates: Certificates;
  let slack: Slack;
  let botUrl = '';

  beforeAll(async () => {
    await buildBot(() => undefined);
    home = await mkdtemp(join(tmpdir(), 'tally-tls-'));
    releases.push(() => rm(home, { recursive: true }));
    certificates = await makeCertificates(home);
    const allow = async (server: RedisServer) =>
      server.client.call('ACL', 'SETUSER', 'tally', ...(await documentedRules()));
    const [single, sentinels, cluster] = await Promise.all([
      startServer([], { certificates }),
      startSentinels(certificates),
      startCluster({ certificates }),
    ]);
    await Promise.all([single, ...sentinels.servers].map(allow));
    // A Sentinel's user needs only these permissions: see docs/redis-and-keys.md.
    for (const { client } of sentinels.sentinels)
      await client.call('ACL', 'SETUSER', 'watcher', 'on', '>watching', '-@all', '+sentinel');
    urls.set('rediss://', `rediss://tally:a-password@127.0.0.1:${single.port}`);
    urls.set(
      'rediss+sentinel://',
      `${sentinels.url.replace('://', '://tally:a-password@')}?sentinelUsername=watcher&sentinelPassword=watching`,
    );
    urls.set('rediss+cluster://', cluster.url);
    slack = await startTestSlack('http', () => botUrl);
    releases.push(() => slack.close(), single.kill, sentinels.stop, cluster.stop);
  }, 60_000);
  afterAll(() => Promise.all(releases.map((release) => release())));

  const environment = (url: string, authority?: string): NodeJS.ProcessEnv => ({
    PATH: process.env.PATH,
    ...slackEnvironment('http', slack),
    TRUSTED_API_HOSTS: '127.0.0.1',
    REDIS_URL: url,
    ENCRYPTION_KEYS: `k:${randomBytes(32).toString('base64')}`,
    ...(authority !== undefined && { NODE_EXTRA_CA_CERTS: authority }),
  });

  /** @param holds gets the log so far and the bot's address */
  async function startUntil(
    env: NodeJS.ProcessEnv,
    holds: (log: string, url: string) => boolean | Promise<boolean>,
  ): Promise<ChildProcess> {
    const port = await freePort();
    const bot = spawn(process.execPath, [BOT_ENTRY, 'start'], {
      env: { ...env, PORT: String(port) },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    endWithParent(bot);
    let log = '';
    bot.stdout.on('data', (part) => {
      log += part;
    });
    botUrl = `http://127.0.0.1:${port}`;
    await waitUntil(async () => holds(log, botUrl));
    return bot;
  }

  const isReady = (_log: string, url: string): Promise<boolean> =>
    fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );

  it.each(FORMS)(
    'the bot connects to %s with TLS, a password and a private certificate authority',
    async (form) => {
      const url = urls.get(form) ?? '';
      const bot = await startUntil(environment(url, certificates.authority), isReady);
      const replies = () => slack.messages(OWNER, CHANNEL).filter(({ from }) => from !== OWNER);
      const before = replies().length;
      await slack.say(OWNER, CHANNEL, '/billing default');
      await slack.waitFor(() => replies()[before]);
      expect(replies()[before]?.from).toBe('bot');
      expect(JSON.stringify(replies()[before])).not.toContain('database');
      await endProcess(bot);
    },
  );

  it.each(FORMS)(
    'the bot refuses an untrusted certificate from %s, and keeps trying to connect',
    async (form) => {
      const bot = await startUntil(environment(urls.get(form) ?? ''), (log) =>
        log.includes('Redis does not answer'),
      );
      // The second error of a socket must not end the bot.
      await delay(1_500);
      expect(bot.exitCode).toBeNull();
      await endProcess(bot, 'SIGKILL');
    },
  );
});
