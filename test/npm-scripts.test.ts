/** npm's scripts from outside: how they end with npm, and what they ask of the machine. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { freePort } from '../sandbox/bot-process.ts';
import { ROOT } from '../sandbox/build.ts';
import type { Slack } from '../sandbox/slack/index.ts';
import { slackEnvironment, startTestSlack } from './support/bot.ts';
import { testRedis } from './support/redis.ts';
import { waitUntil } from './support/wait-until.ts';

let home: string;
let slack: Slack | undefined;
let running: ChildProcess | undefined;
beforeEach(async () => {
  // Nobody's settings of npm, and what the sandbox writes to see it go.
  home = await mkdtemp(join(tmpdir(), 'tally-npm-'));
});
afterEach(async () => {
  try {
    if (running?.pid !== undefined) process.kill(-running.pid, 'SIGKILL');
  } catch {
    // All of it has ended, as it should.
  }
  await slack?.close();
  slack = undefined;
  await rm(home, { recursive: true, force: true });
});

interface NpmProcess {
  readonly child: ChildProcess;
  output(): string;
}

function npm(args: readonly string[], env: NodeJS.ProcessEnv): NpmProcess {
  const child = spawn('npm', args, {
    cwd: ROOT,
    env: { PATH: process.env.PATH, HOME: home, TMPDIR: home, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, which a failed test ends as a whole.
    detached: true,
  });
  running = child;
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => lines.push(String(chunk)));
  return { child, output: () => lines.join('') };
}

const answers = (url: string) =>
  fetch(`${url}/healthz`).then(
    () => true,
    () => false,
  );

async function endByNpm({ child }: NpmProcess): Promise<void> {
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  await gone;
}

it('npm start takes the bot along when npm is ended', async () => {
  const redis = await testRedis();
  slack = await startTestSlack('http', () => '');
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const started = npm(['start'], {
    ...slackEnvironment('http', slack),
    PORT: String(port),
    REDIS_URL: redis.url,
    ENCRYPTION_KEYS: `test:${randomBytes(32).toString('base64')}`,
  });
  await waitUntil(() => answers(url), 30_000);
  await endByNpm(started);
  expect(started.output()).toContain('Tally is stopping');
  await waitUntil(async () => !(await answers(url)));
  await redis.close();
}, 60_000);

it('npm run sandbox takes its page, bot and Redis along when npm is ended', async () => {
  const started = npm(['run', 'sandbox', '--', '--no-open', '--port', '0'], {});
  await waitUntil(() => started.output().includes('Stop   Ctrl-C'), 60_000);
  const urls = started.output().match(/http:\/\/127\.0\.0\.1:\d+/g) ?? [];
  expect(await Promise.all(urls.map(answers))).toEqual([true, true]);
  expect((await readdir(home)).filter((name) => name.startsWith('tally-redis-'))).toHaveLength(1);
  await endByNpm(started);
  await waitUntil(async () => !(await Promise.all(urls.map(answers))).includes(true));
  await waitUntil(async () => !(await readdir(home)).some((name) => name.startsWith('tally-redis-')));
}, 90_000);

it('npm test runs nothing and says what is needed where too few open files are allowed', () => {
  const { status, stdout } = spawnSync('/bin/sh', ['-c', 'ulimit -n 256 && npm test'], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, HOME: home },
    encoding: 'utf8',
    timeout: 15_000,
  });
  expect(status).toBe(1);
  expect(stdout).toContain(
    'The tests need 1024 open files; 256 are allowed here. Run `ulimit -n 1024` first.',
  );
  expect(stdout.trim().split('\n').at(-1)).toBe('0 passed, 1 failed');
});
