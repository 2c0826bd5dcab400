import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createHealth } from '../../src/ops/health.ts';
import { connectRedis } from '../../src/redis.ts';
import { type TestRedis, testRedis } from '../support/redis.ts';

let store: TestRedis;
beforeAll(async () => {
  store = await testRedis();
});
afterAll(() => store.close());

it('is ready when Redis answers and Slack can reach it', async () => {
  const health = createHealth({ redis: store.client, slackUp: () => true });
  expect(health.healthz()).toEqual({ status: 200, body: { ok: true } });
  expect(await health.readyz()).toEqual({ status: 200, body: { ok: true } });
});

it('names what is not ready, and is still healthy', async () => {
  const nowhere = connectRedis('unix:///nowhere/redis.sock');
  const health = createHealth({ redis: nowhere, slackUp: () => false });
  expect(health.healthz().status).toBe(200);
  expect(await health.readyz()).toEqual({ status: 503, body: { ok: false, notReady: ['redis', 'slack'] } });
  nowhere.disconnect();
});

it('does not wait for a Redis that accepts the connection and does not answer', async () => {
  const path = join(tmpdir(), `tally-mute-${process.pid}.sock`);
  const mute = createServer((socket) => socket.on('error', () => undefined));
  await new Promise<void>((resolve) => mute.listen(path, resolve));
  const redis = connectRedis(`unix://${path}`);
  const health = createHealth({ redis, slackUp: () => true });
  expect(await health.readyz()).toMatchObject({ status: 503, body: { notReady: ['redis'] } });
  redis.disconnect();
  await new Promise((resolve) => mute.close(resolve));
});
