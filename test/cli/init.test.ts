import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { type BillingService, startBilling } from '../../sandbox/billing.ts';
import { freePort } from '../../sandbox/bot-process.ts';
import { BOT_ENTRY, buildBot } from '../../sandbox/build.ts';
import { type Slack, startSlack } from '../../sandbox/slack/index.ts';
import { createManifest } from '../../src/slack/install/manifest.ts';
import { BOT_TOKEN } from '../support/bot.ts';
import { describeUnless } from '../support/describe-unless.ts';
import { type TestRedis, testRedis } from '../support/redis.ts';
import { waitUntil } from '../support/wait-until.ts';

const APP_TOKEN = 'xapp-1-an-app-token-for-tests-only';
const SIGNING_SECRET = '0123456789abcdef0123456789abcdef';
const SECRETS = [BOT_TOKEN, APP_TOKEN, SIGNING_SECRET];

let folder: string;
let billing: BillingService;
let redis: TestRedis;
let slack: Slack;
let port: number;
const children: ChildProcess[] = [];

beforeAll(() => buildBot(() => {}), 60_000);
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tally-init-'));
  port = await freePort();
  [billing, redis, slack] = await Promise.all([
    startBilling(),
    testRedis(),
    startSlack({
      mode: 'socket',
      botUrl: () => `http://127.0.0.1:${port}`,
      manifest: createManifest({}),
      signingSecret: SIGNING_SECRET,
      botToken: BOT_TOKEN,
      appToken: APP_TOKEN,
    }),
  ]);
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await Promise.all([slack.close(), billing.close(), redis.close()]);
  await rm(folder, { recursive: true });
});

/** Runs a command in the folder, and checks that it prints no secret. */
function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const own = { PATH: process.env.PATH, SLACK_API_URL: `${slack.url}/api/`, PORT: String(port) };
  const child = spawn(command, args, { cwd: folder, env: { ...own, ...env } });
  children.push(child);
  let output = '';
  let read = 0;
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  return {
    async answer(question: string, typed: string) {
      await waitUntil(() => output.indexOf(question, read) >= 0);
      read = output.indexOf(question, read) + question.length;
      child.stdin.write(typed);
    },
    ended: new Promise<{ code: number; output: string }>((resolve) =>
      child.once('close', (code) => {
        for (const secret of SECRETS) expect(output).not.toContain(secret);
        resolve({ code: code ?? -1, output });
      }),
    ),
  };
}
const initAlone = (options: readonly string[]) => {
  const { ended } = run(process.execPath, [BOT_ENTRY, 'init', ...options]);
  children.at(-1)?.stdin?.end();
  return ended;
};

const envFile = async () => parseEnv(await readFile(join(folder, '.env'), 'utf8'));
const ENTER = '\r';
const HAS_TERMINAL = spawnSync('script', ['-qfec', 'true', '/dev/null']).status === 0;

describeUnless(
  HAS_TERMINAL ? undefined : 'without script, which makes a pseudo-terminal',
  'at a terminal',
  () => {
    const atTerminal = (options = '') =>
      run('script', ['-qfec', `${process.execPath} ${BOT_ENTRY} init ${options}`, '/dev/null'], {
        TERM: 'dumb',
        SHELL: '/bin/sh',
      });

    it('tally init asks for what Tally needs, prints the manifest, writes .env and runs tally doctor', async () => {
      const init = atTerminal();
      await init.answer('or Enter for Socket Mode', ENTER);
      await init.answer('SLACK_BOT_TOKEN (hidden):', `${APP_TOKEN}${ENTER}`);
      await init.answer('is not a bot token', '');
      await init.answer('SLACK_BOT_TOKEN (hidden):', `${BOT_TOKEN}${ENTER}`);
      await init.answer('SLACK_APP_TOKEN (hidden):', `${APP_TOKEN}${ENTER}`);
      await init.answer('REDIS_URL [redis://127.0.0.1:6379]:', `${redis.url}${ENTER}`);
      await init.answer('BILLING_BASE_URL [none]:', `${billing.url}${ENTER}`);
      await init.answer('IDENTITY_AUTH_URL [none]:', ENTER);
      await init.answer(`Trust ${new URL(billing.url).host} as well? [y/N]:`, `y${ENTER}`);
      const { code, output } = await init.ended;
      expect([code, output]).toEqual([0, expect.stringContaining('Tally can start.')]);
      expect(output).toContain('"socket_mode_enabled": true');
      expect(output).toContain('Start it: tally start');
      expect((await stat(join(folder, '.env'))).mode & 0o777).toBe(0o600);
      expect(await envFile()).toEqual({
        ENCRYPTION_KEYS: expect.stringMatching(/^\d{4}:.{44}$/),
        SLACK_BOT_TOKEN: BOT_TOKEN,
        SLACK_APP_TOKEN: APP_TOKEN,
        REDIS_URL: redis.url,
        BILLING_BASE_URL: billing.url,
        TRUSTED_API_HOSTS: new URL(billing.url).host,
      });
    }, 60_000);

    it('tally init takes a public URL, asks again after a wrong value, and shows what tally doctor finds', async () => {
      const init = atTerminal();
      await init.answer('or Enter for Socket Mode', `http://a.example.com${ENTER}`);
      await init.answer('is not an https address', '');
      await init.answer('or Enter for Socket Mode', `https://localhost.example${ENTER}`);
      await init.answer('SLACK_BOT_TOKEN (hidden):', `xoxb-of-another-app${ENTER}`);
      await init.answer('SLACK_SIGNING_SECRET (hidden):', `abc${ENTER}`);
      await init.answer('is not a signing secret', '');
      await init.answer('SLACK_SIGNING_SECRET (hidden):', `${SIGNING_SECRET}${ENTER}`);
      await init.answer('REDIS_URL [redis://127.0.0.1:6379]:', `redis://127.0.0.1:1${ENTER}`);
      await init.answer('BILLING_BASE_URL [none]:', ENTER);
      await init.answer('IDENTITY_AUTH_URL [none]:', ENTER);
      const { code, output } = await init.ended;
      expect(code).toBe(1);
      expect(output).toContain('"command": "/balance"');
      expect(output).toMatch(/^BAD +Redis /m);
      expect(output).not.toContain('Start it:');
      expect(await envFile()).toMatchObject({ PUBLIC_URL: 'https://localhost.example' });
    }, 60_000);

    it('tally init writes nothing if the operator stops it with Ctrl+C', async () => {
      const init = atTerminal();
      await init.answer('or Enter for Socket Mode', ENTER);
      await init.answer('SLACK_BOT_TOKEN (hidden):', '\x03');
      expect(await init.ended).toMatchObject({ code: 130 });
      expect(await readdir(folder)).toEqual([]);
    }, 60_000);
  },
);

it.each<[string[], string]>([
  [[], 'Run this in a terminal'],
  [['--bot-token', BOT_TOKEN], "Unknown option '--bot-token'"],
])(
  'without a terminal, tally init with the options %j exits with 64 and writes nothing',
  async (options, line) => {
    expect(await initAlone(options)).toEqual({ code: 64, output: expect.stringContaining(line) });
    expect(await readdir(folder)).toEqual([]);
  },
);

it('tally init refuses to overwrite an existing .env file', async () => {
  await writeFile(join(folder, '.env'), '# my own\n');
  expect(await initAlone([])).toEqual({
    code: 73,
    output: expect.stringContaining('.env exists already'),
  });
  expect(await readFile(join(folder, '.env'), 'utf8')).toBe('# my own\n');
});
