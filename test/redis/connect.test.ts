import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startRedis } from '../../sandbox/redis.ts';
import { Failure } from '../../src/domain/failure/index.ts';
import { connectRedis, type RedisConnection, waitUntilReady } from '../../src/redis/connect.ts';
import { guardRedis } from '../../src/redis/outages.ts';
import { type TestRedis, testRedis } from '../support/redis.ts';
import { type RedisProxy, startRedisProxy } from '../support/redis-proxy.ts';
import { type RedisServer, SERVER_BINARY, startServer } from '../support/redis-servers.ts';
import { waitUntil } from '../support/wait-until.ts';

const NOWHERE = 'unix:///nowhere/redis.sock';
const open: RedisConnection[] = [];

function connected(url: string, watchers?: Parameters<typeof connectRedis>[1]): RedisConnection {
  const redis = connectRedis(url, watchers);
  open.push(redis);
  return redis;
}

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'no failure',
    (error: unknown) => error,
  );

afterEach(() => {
  for (const redis of open.splice(0)) redis.disconnect();
});

describe('a connection to Redis', () => {
  it.each([
    ['to the installed Redis', false],
    ['to the embedded Redis', true],
  ])('opens over a Unix socket %s', async (_, embedded) => {
    const server = await startRedis({ embedded });
    const redis = connected(server.url);
    await waitUntilReady(redis, 5_000);
    await waitUntilReady(redis, 0);
    await redis.hset('h', 'a', '1');
    expect(await redis.hmget('h', 'a', 'b')).toEqual(['1', null]);
    redis.disconnect();
    await server.stop();
  });

  it('rejects commands at once while Redis is unreachable', async () => {
    const redis = connected(NOWHERE);
    const failures = await Promise.all([1, 2, 3].map(() => failureOf(guardRedis(() => redis.get('a')))));
    for (const failure of failures) expect(failure).toMatchObject({ kind: 'store-unavailable' });
    expect(await failureOf(waitUntilReady(redis, 50))).toMatchObject({ kind: 'store-unavailable' });
  });
});

describe('a connection to a Redis that goes away', () => {
  let store: TestRedis;
  let proxy: RedisProxy;
  beforeEach(async () => {
    store = await testRedis();
    proxy = await startRedisProxy(store.url);
  });
  afterEach(async () => {
    await proxy.stop();
    await store.close();
  });

  it('reports an outage once and the recovery once, and works again', async () => {
    const told: string[] = [];
    const redis = connected(proxy.url, {
      onOutage: () => told.push('away'),
      onRecovery: () => told.push('back'),
    });
    await waitUntilReady(redis, 5_000);
    expect(told).toEqual([]);

    await proxy.stop();
    await new Promise<void>((resolve) => {
      let attempts = 0;
      redis.on('reconnecting', () => ++attempts === 3 && resolve());
    });
    expect(told).toEqual(['away']);

    await proxy.start();
    await waitUntilReady(redis, 5_000);
    expect(told).toEqual(['away', 'back']);
    expect(await redis.ping()).toBe('PONG');
  });

  it('reports an outage even if Redis closes the connection normally', async () => {
    const told: string[] = [];
    const redis = connected(proxy.url, { onOutage: ({ message }) => told.push(message) });
    await waitUntilReady(redis, 5_000);
    const reconnecting = once(redis, 'reconnecting');
    await proxy.stop('ended');
    await reconnecting;
    await waitUntil(() => told.length > 0);
    expect(told).toHaveLength(1);
  });

  it('reports no outage when Tally closes the connection', async () => {
    const told: string[] = [];
    const redis = connected(proxy.url, { onOutage: () => told.push('away') });
    await waitUntilReady(redis, 5_000);
    const end = once(redis, 'end');
    await redis.quit();
    await end;
    expect(told).toEqual([]);
    expect(await failureOf(guardRedis(() => redis.get('a')))).toMatchObject({ kind: 'store-unavailable' });
  });

  it('is replaced if Redis stops answering', async () => {
    const outages: string[] = [];
    const redis = connected(proxy.url, { onOutage: ({ message }) => outages.push(message) });
    await waitUntilReady(redis, 5_000);
    proxy.freeze();
    const failure = await failureOf(guardRedis(() => redis.get('a')));
    expect(failure).toMatchObject({ kind: 'store-unavailable', cause: { message: 'Command timed out' } });
    expect(outages).toEqual([]);
    await new Promise((resolve) => redis.once('ready', resolve));
    expect(outages).toEqual([expect.stringContaining('Socket timeout')]);
    expect(await redis.ping()).toBe('PONG');
  });

  it('rejects a command when Redis hangs or dies', async () => {
    const redis = connected(proxy.url);
    await waitUntilReady(redis, 5_000);
    proxy.freeze();
    expect(await failureOf(guardRedis(() => redis.get('a')))).toMatchObject({ kind: 'store-unavailable' });
    const waiting = failureOf(guardRedis(() => redis.get('b')));
    await proxy.stop();
    expect(await waiting).toMatchObject({ kind: 'store-unavailable' });
  });
});

describe('a connection that Redis ends or refuses', () => {
  let server: RedisServer;
  beforeEach(({ skip }) =>
    skip(SERVER_BINARY === undefined, 'the embedded Redis has no password and is never full'),
  );
  afterEach(() => server?.kill());
  it('reopens without reporting an outage if Redis closed it while idle', async () => {
    server = await startServer(['timeout 1']);
    const reports: unknown[] = [];
    const redis = connected(`redis://127.0.0.1:${server.port}`, {
      onOutage: (error) => reports.push(error),
      onRecovery: () => reports.push('back'),
    });
    for (let times = 0; times < 3; times += 1) await new Promise((resolve) => redis.once('ready', resolve));
    expect(await redis.ping()).toBe('PONG');
    expect(reports).toEqual([]);
  });

  it('treats a wrong password as an outage, and never shows the password', async () => {
    server = await startServer(['requirepass the-right-password']);
    const told: Error[] = [];
    const redis = connected(`redis://:a-wrong-password@127.0.0.1:${server.port}`, {
      onOutage: (error) => told.push(error),
    });
    const failure = await failureOf(guardRedis(() => redis.get('a')));
    expect(failure).toMatchObject({ kind: 'store-unavailable' });
    expect(await failureOf(waitUntilReady(redis, 300))).toMatchObject({ kind: 'store-unavailable' });
    expect(told).toHaveLength(1);
    expect(`${told[0]?.message} ${String(failure)}`).not.toContain('a-wrong-password');
  });

  it('distinguishes the error of a full Redis from the error of a wrong command', async () => {
    server = await startServer(['maxmemory 1']);
    const redis = connected(`redis://127.0.0.1:${server.port}`);
    await waitUntilReady(redis, 5_000);
    expect(await failureOf(guardRedis(() => redis.set('a', '1')))).toMatchObject({
      kind: 'store-unavailable',
    });
    expect(await failureOf(guardRedis(() => redis.call('NOSUCHCOMMAND')))).toMatchObject({
      name: 'ReplyError',
    });
  });
});

describe('an error during a Redis command', () => {
  it('about the connection is reported as an outage, with the original error as the cause', async () => {
    const cause = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    const failure = await failureOf(guardRedis(() => Promise.reject(cause)));
    expect(failure).toMatchObject({ kind: 'store-unavailable', cause });
  });

  it('that has nothing to do with the connection is passed on unchanged', async () => {
    for (const error of [
      new Failure('no-data', { question: { project: '1', product: 1, days: undefined } }),
      new TypeError('a bug'),
      'a string',
    ])
      expect(await failureOf(guardRedis(() => Promise.reject(error)))).toBe(error);
  });
});
