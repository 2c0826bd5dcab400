import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startRedis } from '../sandbox/redis.ts';
import { NoData, StoreUnavailable } from '../src/domain/failure/index.ts';
import { PRODUCTS } from '../src/domain/product.ts';
import { connectRedis, gateCommands, guardRead, type RedisConnection, waitUntilReady } from '../src/redis.ts';
import { SERVER_BINARY } from './support/redis-servers.ts';

let home: string;
let server: ChildProcess | undefined;
const open: RedisConnection[] = [];

async function startServer(...more: string[]): Promise<void> {
  const socket = ['--port', '0', '--unixsocket', join(home, 'redis.sock'), '--dir', home, '--save', ''];
  server = spawn(SERVER_BINARY ?? '', [...socket, ...more], { stdio: ['ignore', 'pipe', 'ignore'] });
  const { stdout } = server;
  if (stdout === null) throw new Error('No output to read.');
  await new Promise<void>((resolve) => {
    stdout.on('data', (chunk) => /ready to accept/i.test(String(chunk)) && resolve());
  });
}

async function stopServer(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
  const gone = once(server, 'exit');
  server.kill(signal);
  await gone;
}

function connected(watchers?: Parameters<typeof connectRedis>[1]): RedisConnection {
  const redis = connectRedis(`unix://${join(home, 'redis.sock')}`, watchers);
  open.push(redis);
  return redis;
}

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'no failure',
    (error: unknown) => error,
  );

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'tally-store-'));
});
afterEach(async () => {
  for (const redis of open.splice(0)) redis.disconnect();
  await stopServer();
});
afterAll(() => rm(home, { recursive: true, force: true }));

describe('a connection', () => {
  it('speaks with the Redis inside the sandbox’s process as well', async () => {
    const embedded = await startRedis({ embedded: true });
    const redis = connectRedis(embedded.url);
    await waitUntilReady(redis, 5_000);
    await redis.hset('h', 'a', '1');
    expect(await redis.hmget('h', 'a', 'b')).toEqual(['1', null]);
    redis.disconnect();
    await embedded.stop();
  });

  it('refuses commands at once while nothing is there, instead of keeping them', async () => {
    const redis = connected();
    const failures = await Promise.all([1, 2, 3].map(() => failureOf(guardRead(() => redis.get('a')))));
    for (const failure of failures) expect(failure).toBeInstanceOf(StoreUnavailable);
    expect(await failureOf(waitUntilReady(redis, 50))).toBeInstanceOf(StoreUnavailable);
  });
});

describe('a connection to a server that comes and goes', () => {
  beforeEach(({ skip }) => skip(SERVER_BINARY === undefined, 'no Redis server is installed'));

  it('opens over a Unix socket and answers', async () => {
    await startServer();
    const redis = connected();
    await waitUntilReady(redis, 5_000);
    await waitUntilReady(redis, 0);
    await redis.hset('h', 'a', '1');
    expect(await redis.hmget('h', 'a', 'b')).toEqual(['1', null]);
  });

  it('tells of an outage once, of the recovery once, and works again by itself', async () => {
    await startServer();
    const told: string[] = [];
    const redis = connected({ onOutage: () => told.push('away'), onRecovery: () => told.push('back') });
    await waitUntilReady(redis, 5_000);
    expect(told).toEqual([]);

    await stopServer();
    await new Promise<void>((resolve) => {
      let attempts = 0;
      redis.on('reconnecting', () => ++attempts === 3 && resolve());
    });
    expect(told).toEqual(['away']);

    await startServer();
    await waitUntilReady(redis, 5_000);
    expect(told).toEqual(['away', 'back']);
    expect(await redis.ping()).toBe('PONG');
  });

  it('tells of a Redis that closes politely, too', async () => {
    await startServer();
    const told: string[] = [];
    const redis = connected({ onOutage: ({ message }) => told.push(message) });
    await waitUntilReady(redis, 5_000);
    const reconnecting = once(redis, 'reconnecting');
    await stopServer('SIGTERM');
    await reconnecting;
    expect(told).toHaveLength(1);
  });

  it('does not call its own end an outage', async () => {
    await startServer();
    const told: string[] = [];
    const redis = connected({ onOutage: () => told.push('away') });
    await waitUntilReady(redis, 5_000);
    const end = once(redis, 'end');
    await redis.quit();
    await end;
    expect(told).toEqual([]);
    expect(await failureOf(guardRead(() => redis.get('a')))).toBeInstanceOf(StoreUnavailable);
  });

  it('gives a command up when Redis stands still, and when it dies over it', async () => {
    await startServer();
    const redis = connected();
    await waitUntilReady(redis, 5_000);
    server?.kill('SIGSTOP');
    expect(await failureOf(guardRead(() => redis.get('a')))).toBeInstanceOf(StoreUnavailable);
    const waiting = failureOf(guardRead(() => redis.get('b')));
    await stopServer();
    expect(await waiting).toBeInstanceOf(StoreUnavailable);
  });

  it('takes a wrong password for an outage, and keeps it out of what is told', async () => {
    await startServer('--requirepass', 'the-right-password');
    const told: Error[] = [];
    const url = `unix://${join(home, 'redis.sock')}?password=a-wrong-password`;
    const redis = connectRedis(url, { onOutage: (error) => told.push(error) });
    open.push(redis);
    const failure = await failureOf(guardRead(() => redis.get('a')));
    expect(failure).toBeInstanceOf(StoreUnavailable);
    expect(await failureOf(waitUntilReady(redis, 300))).toBeInstanceOf(StoreUnavailable);
    expect(told).toHaveLength(1);
    expect(`${told[0]?.message} ${String(failure)}`).not.toContain('a-wrong-password');
  });

  it('tells a Redis that cannot serve from a command that is wrong', async () => {
    await startServer('--maxmemory', '1');
    const redis = connected();
    await waitUntilReady(redis, 5_000);
    expect(await failureOf(guardRead(() => redis.set('a', '1')))).toBeInstanceOf(StoreUnavailable);
    expect(await failureOf(guardRead(() => redis.call('NOSUCHCOMMAND')))).toMatchObject({
      name: 'ReplyError',
    });
  });
});

describe('a command that waits at a gate', () => {
  it('fails once where Redis is away by then: nothing is left that would end the process', async () => {
    const unhandled: unknown[] = [];
    const note = (error: unknown) => void unhandled.push(error);
    process.on('unhandledRejection', note);
    try {
      const redis = connected() as Redis;
      gateCommands(redis, () => delay(1));
      expect(await failureOf(redis.get('a'))).toBeInstanceOf(Error);
      await delay(20);
      expect(unhandled).toEqual([]);
    } finally {
      process.off('unhandledRejection', note);
    }
  });
});

describe('storeGuard', () => {
  it('keeps the cause', async () => {
    const cause = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    const failure = await failureOf(guardRead(() => Promise.reject(cause)));
    expect(failure).toBeInstanceOf(StoreUnavailable);
    expect(failure).toMatchObject({ cause });
  });

  it('lets failures and mistakes of ours through as they are', async () => {
    for (const error of [
      new NoData({ project: '1', product: PRODUCTS[1], days: undefined }),
      new TypeError('a bug'),
      'a string',
    ])
      expect(await failureOf(guardRead(() => Promise.reject(error)))).toBe(error);
  });
});
