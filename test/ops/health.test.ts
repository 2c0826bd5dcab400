import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { webApi } from '@slack/bolt';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createHealth } from '../../src/ops/health.ts';
import { VERSION } from '../../src/ops/version.ts';
import { connectRedis, waitUntilReady } from '../../src/redis/connect.ts';
import { createTokenCheck } from '../../src/slack/install/token-check.ts';
import { describeUnless } from '../support/describe-unless.ts';
import { type TestRedis, testRedis } from '../support/redis.ts';
import { commandsOf } from '../support/redis-commands.ts';
import { NO_SERVER, refuseWrites, startServer, WRITE_REFUSALS } from '../support/redis-servers.ts';

let store: TestRedis;
beforeAll(async () => {
  store = await testRedis();
});
afterAll(() => store.close());

it('is ready when Redis answers and Slack can reach it', async () => {
  const health = createHealth(store.client, () => true);
  expect(health.healthz()).toEqual({ status: 200, body: { ok: true, version: VERSION } });
  expect(await health.readyz()).toEqual({ status: 200, body: { ok: true } });
});

it('names what is not ready, and is still healthy', async () => {
  const nowhere = connectRedis('unix:///nowhere/redis.sock');
  const health = createHealth(nowhere, () => false);
  expect(health.healthz().status).toBe(200);
  expect(await health.readyz()).toEqual({ status: 503, body: { ok: false, notReady: ['redis', 'slack'] } });
  nowhere.disconnect();
});

it('does not wait for a Redis that accepts the connection and does not answer', async () => {
  const path = join(tmpdir(), `tally-mute-${process.pid}.sock`);
  const mute = createServer((socket) => socket.on('error', () => undefined));
  await new Promise<void>((resolve) => mute.listen(path, resolve));
  const redis = connectRedis(`unix://${path}`);
  const health = createHealth(redis, () => true);
  expect(await health.readyz()).toMatchObject({ status: 503, body: { notReady: ['redis'] } });
  redis.disconnect();
  await new Promise((resolve) => mute.close(resolve));
});

it('asks Redis once for many questions at a time', async () => {
  const health = createHealth(store.client, () => true);
  const ask = () => Promise.all(Array.from({ length: 50 }, () => health.readyz()));
  expect(await commandsOf(store, ask, () => false)).toEqual(['get', 'set']);
});

it('is not ready until Slack accepts the token', async () => {
  let refusal: string | undefined = 'invalid_auth';
  const client = new webApi.WebClient('xoxb-1', {
    fetch: async () => Response.json(refusal === undefined ? { ok: true } : { ok: false, error: refusal }),
  });
  const check = createTokenCheck(client, pino({ enabled: false }));
  const health = createHealth(store.client, check.ok);
  expect(await health.missing()).toEqual(['slack']);
  await check.start();
  expect(await health.missing()).toEqual(['slack']);
  refusal = undefined;
  await expect.poll(health.missing, { timeout: 2_000 }).toEqual([]);
  check.stop();
});

describeUnless(NO_SERVER, 'a Redis that answers and refuses writes', () => {
  it.each(WRITE_REFUSALS)('is reported once ($code), and takes no process from Slack', async (refusal) => {
    const server = await startServer();
    const redis = connectRedis(`redis://127.0.0.1:${server.port}`);
    await waitUntilReady(redis, 5_000);
    const reported: unknown[] = [];
    const health = createHealth(
      redis,
      () => true,
      (error) => reported.push(error),
    );
    expect(await health.missing()).toEqual([]);
    const allowWrites = await refuseWrites(server.client, refusal);
    await expect.poll(health.missing).toEqual(['redis-writes']);
    expect(await health.readyz()).toEqual({ status: 200, body: { ok: true } });
    await allowWrites();
    await expect.poll(health.missing).toEqual([]);
    expect(reported).toMatchObject([
      { kind: 'store-unavailable', cause: { message: expect.stringContaining(refusal.code) } },
      undefined,
    ]);
    redis.disconnect();
    await server.kill();
  });
});
