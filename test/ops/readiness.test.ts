import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { webApi } from '@slack/bolt';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createReadiness } from '../../src/ops/readiness.ts';
import { VERSION } from '../../src/ops/version.ts';
import { connectRedis } from '../../src/redis/connect.ts';
import { createTokenCheck } from '../../src/slack/install/token-check.ts';
import { type TestRedis, testRedis } from '../support/redis.ts';

let store: TestRedis;
beforeAll(async () => {
  store = await testRedis();
});
afterAll(() => store.close());

it('the bot is ready when Redis answers and Slack is available', async () => {
  const readiness = createReadiness(store.client, () => true);
  expect(readiness.healthz()).toEqual({ status: 200, body: { ok: true, version: VERSION } });
  expect(await readiness.readyz()).toEqual({ status: 200, body: { ok: true } });
});

it('the bot without Redis and Slack is healthy but not ready, and names both as missing', async () => {
  const nowhere = connectRedis('unix:///nowhere/redis.sock');
  const readiness = createReadiness(nowhere, () => false);
  expect(readiness.healthz().status).toBe(200);
  expect(await readiness.readyz()).toEqual({
    status: 503,
    body: { ok: false, notReady: ['redis', 'slack'] },
  });
  nowhere.disconnect();
});

it('the bot is not ready if Redis accepts the connection but never answers', async () => {
  const path = join(tmpdir(), `tally-mute-${process.pid}.sock`);
  const mute = createServer((socket) => socket.on('error', () => undefined));
  await new Promise<void>((resolve) => mute.listen(path, resolve));
  const redis = connectRedis(`unix://${path}`);
  const readiness = createReadiness(redis, () => true);
  expect(await readiness.readyz()).toMatchObject({ status: 503, body: { notReady: ['redis'] } });
  redis.disconnect();
  await new Promise((resolve) => mute.close(resolve));
});

it('the bot is not ready until Slack accepts the token', async () => {
  let refusal: string | undefined = 'invalid_auth';
  const client = new webApi.WebClient('xoxb-1', {
    fetch: async () => Response.json(refusal === undefined ? { ok: true } : { ok: false, error: refusal }),
  });
  const check = createTokenCheck(client, pino({ enabled: false }));
  const readiness = createReadiness(store.client, check.ok);
  expect(await readiness.missing()).toEqual(['slack']);
  await check.start();
  expect(await readiness.missing()).toEqual(['slack']);
  refusal = undefined;
  await expect.poll(readiness.missing, { timeout: 2_000 }).toEqual([]);
  check.stop();
});
