/** What Slack's command line runs in this folder, as it runs it: with a shell, tokens in the environment, JSON on stdout. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from 'vitest';
import { freePort } from '../sandbox/bot-process.ts';
import { buildBot, ROOT } from '../sandbox/build.ts';
import { createManifest } from '../src/slack/install/manifest.ts';
import { slackEnvironment, startTestSlack } from './support/bot.ts';
import { testRedis } from './support/redis.ts';
import { waitUntil } from './support/wait-until.ts';

const { hooks, config } = JSON.parse(await readFile(join(ROOT, '.slack', 'hooks.json'), 'utf8'));
const { PATH, HOME } = process.env;

const runHook = async (name: string) => {
  const { stdout } = await promisify(execFile)('sh', ['-c', hooks[name]], { cwd: ROOT, env: { PATH, HOME } });
  return JSON.parse(stdout);
};

beforeAll(() => buildBot(() => {}), 60_000);

it('get-hooks names the hooks, and that the bot opens its connection itself', async () => {
  expect(await runHook('get-hooks')).toMatchObject({ hooks, runtime: 'node' });
  expect(config['sdk-managed-connection-enabled']).toBe(true);
});

it('get-manifest prints the manifest for Socket Mode and nothing else', async () => {
  expect(await runHook('get-manifest')).toEqual(createManifest({}));
});

it('start runs a bot that connects with the tokens which slack run sets', async () => {
  const [redis, port, slack] = await Promise.all([
    testRedis(),
    freePort(),
    startTestSlack('socket', () => ''),
  ]);
  const tokens = slackEnvironment('socket', slack);
  const child = spawn('sh', ['-c', hooks.start], {
    cwd: ROOT,
    env: {
      ...{ PATH, HOME, PORT: String(port), REDIS_URL: redis.url, SLACK_API_URL: tokens.SLACK_API_URL },
      ENCRYPTION_KEYS: `test:${Buffer.from([...Array(32).keys()]).toString('base64')}`,
      ...{ SLACK_BOT_TOKEN: tokens.SLACK_BOT_TOKEN, SLACK_APP_TOKEN: tokens.SLACK_APP_TOKEN },
      ...{ SLACK_CLI_XOXB: tokens.SLACK_BOT_TOKEN, SLACK_CLI_XAPP: tokens.SLACK_APP_TOKEN },
    },
    detached: true,
  });
  const ended = once(child, 'close');
  await waitUntil(async () => {
    const ready = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
    return ready?.status === 200;
  }, 30_000);
  process.kill(-(child.pid ?? 0), 'SIGTERM');
  await ended;
  await Promise.all([slack.close(), redis.close()]);
}, 60_000);
