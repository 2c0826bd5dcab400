import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type BillingService, startBilling } from '../sandbox/billing.ts';
import { BOT_ENTRY, buildBot, ROOT } from '../sandbox/build.ts';
import { type IdentityService, startIdentity } from '../sandbox/identity.ts';
import type { Slack } from '../sandbox/slack/index.ts';
import { createKeyring } from '../src/vault/keyring.ts';
import { createWorkspaces } from '../src/workspace/record/workspaces.ts';
import { closedPort } from './http/service.ts';
import { goodToken, slackEnvironment, startTestSlack } from './support/bot.ts';
import { changeIn } from './support/change.ts';
import { type TestRedis, testRedis } from './support/redis.ts';

const KEY = randomBytes(32);

let store: TestRedis;
let slack: Slack;
let billing: BillingService;
let identity: IdentityService;

beforeAll(async () => {
  await buildBot(() => {});
  store = await testRedis();
  slack = await startTestSlack('socket', () => '');
  billing = await startBilling();
  identity = await startIdentity();
}, 60_000);
afterAll(() => Promise.all([store.close(), slack.close(), billing.close(), identity.close()]));
beforeEach(() => store.client.flushdb());

const env = () => ({
  ...slackEnvironment('socket', slack),
  REDIS_URL: store.url,
  ENCRYPTION_KEYS: `2026:${KEY.toString('base64')},2025:${randomBytes(32).toString('base64')}`,
  BILLING_BASE_URL: billing.url,
  IDENTITY_AUTH_URL: identity.authUrl,
  TRUSTED_API_HOSTS: '127.0.0.1',
});

/** Runs the doctor as a process with only this environment; no secret may be in what it prints. */
async function doctor(given: Record<string, string | undefined>) {
  const options = { cwd: ROOT, env: { PATH: process.env.PATH ?? '', ...given } };
  const ran = await new Promise<{ code: number; output: string }>((resolve) => {
    execFile(process.execPath, [BOT_ENTRY, 'doctor'], options, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), output: stdout + stderr }),
    );
  });
  const { SLACK_BOT_TOKEN, SLACK_APP_TOKEN, SLACK_SIGNING_SECRET } = env();
  const secrets = [SLACK_BOT_TOKEN, SLACK_APP_TOKEN, SLACK_SIGNING_SECRET, KEY.toString('base64')];
  for (const secret of [...secrets, goodToken(billing)]) expect(ran.output).not.toContain(secret);
  return ran;
}

async function register(id: string, key: Buffer): Promise<void> {
  const workspaces = createWorkspaces({ redis: store.client, keyring: createKeyring([{ id, key }]) });
  await workspaces.saveConnection(await changeIn(workspaces, 'T1'), {
    ...{ name: 'main', baseUrl: billing.url, token: goodToken(billing), role: 'read-only' },
    ...{ lifetime: '30-days', registeredBy: 'U1', registeredAt: 0 },
  });
}

it('exits with 0 when Tally can start, and shows no secret', async () => {
  await register('2026', KEY);
  const { code, output } = await doctor(env());
  expect(output).not.toMatch(/^BAD/m);
  expect(code).toBe(0);
  expect(output).toContain('Slack uses Socket Mode');
  expect(output).toContain('sealed with “2026”; 1 older: 2025');
  expect(output).toContain('all 1 open');
  expect(output).toContain('“tally” in “Sandbox”');
  expect(output).toContain('Socket Mode can connect');
  expect(output).toContain('asks for a token (HTTP 401)');
});

it('prints no password where DEBUG asks libraries for what they send', async () => {
  const password = 'a-password-that-must-not-be-seen';
  await store.client.config('SET', 'requirepass', password);
  try {
    const REDIS_URL = `${store.url}&password=${password}`;
    const { output } = await doctor({ ...env(), REDIS_URL, DEBUG: '*' });
    expect(output).toMatch(/^good +Redis +takes writes$/m);
    expect(output).not.toContain(password);
  } finally {
    await store.client.config('SET', 'requirepass', '');
  }
});

it('exits with 1 and reports all problems at once, without a secret', async () => {
  await register('lost', randomBytes(32));
  const { code, output } = await doctor({
    ...env(),
    SLACK_BOT_TOKEN: 'xoxb-rejected',
    BILLING_BASE_URL: 'http://10.0.0.1',
    IDENTITY_AUTH_URL: `http://127.0.0.1:${await closedPort()}/v3`,
  });
  expect(code).toBe(1);
  expect(output).toContain('1 of 1 need the key “lost”');
  expect(output).toMatch(/rejects SLACK_BOT_TOKEN.*\(invalid_auth\)/);
  expect(output).toMatch(/10\.0\.0\.1.*does not begin with https/);
  expect(output).toContain('ECONNREFUSED');
});

it('lists every problem of the environment, and sends no request', async () => {
  const before = slack.calls.length;
  const { code, output } = await doctor({
    ...env(),
    ENCRYPTION_KEYS: `k:${goodToken(billing)}`,
    PORT: 'x',
    REDIS_URL: '',
  });
  expect(code).toBe(78);
  expect(output.match(/^BAD/gm)).toHaveLength(3);
  for (const name of ['ENCRYPTION_KEYS', 'PORT', 'REDIS_URL']) expect(output).toContain(name);
  expect(slack.calls).toHaveLength(before);
});

it('reports an unreachable Redis without waiting for it', async () => {
  const { code, output } = await doctor({
    ...env(),
    REDIS_URL: `redis://u:pw-unseen@127.0.0.1:${await closedPort()}`,
  });
  expect(code).toBe(1);
  expect(output).toContain('(ECONNREFUSED)');
  expect(output).not.toContain('Sealed records');
  expect(output).not.toContain('pw-unseen');
});

it('says so when no record is stored yet', async () => {
  expect((await doctor(env())).output).toMatch(/^good +Sealed records +none yet$/m);
});

it('says once what two checks find', async () => {
  const { output } = await doctor({
    ...env(),
    SLACK_API_URL: `http://127.0.0.1:${await closedPort()}/api/`,
  });
  expect(output.match(/^BAD +Slack .*\(ECONNREFUSED\)/gm)).toHaveLength(1);
  expect(output).toContain('1 problem to fix');
});
