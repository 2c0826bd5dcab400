import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type RunningRedis, startRedis } from '../../sandbox/redis.ts';
import { testRedis } from '../support/redis.ts';

const socketOf = ({ url }: RunningRedis) => url.replace('unix://', '');
const permissions = async (path: string) => (await stat(path)).mode & 0o777;

describe.each([
  { engine: 'a server of its own', embedded: false },
  { engine: 'the embedded one', embedded: true },
])('Redis as $engine', ({ embedded }) => {
  let redis: RunningRedis;
  let client: Redis;

  beforeAll(async () => {
    redis = await startRedis({ embedded });
    client = new Redis(redis.url);
  });

  afterAll(async () => {
    client.disconnect();
    await redis.stop();
  });

  beforeEach(async () => {
    await client.flushall();
  });

  test('can only be opened by this user', async () => {
    expect(await permissions(socketOf(redis))).toBe(0o600);
    expect(await permissions(dirname(socketOf(redis)))).toBe(0o700);
  });

  test('can be reached by the path of its socket', async () => {
    const other = new Redis(socketOf(redis));
    expect(await other.ping()).toBe('PONG');
    other.disconnect();
  });

  test('keeps its logical databases apart', async () => {
    const other = new Redis(`${redis.url}?db=5`);
    await other.set('mine', 'yes');
    expect(await client.get('mine')).toBeNull();
    other.disconnect();
  });

  test('answers a pipeline in order', async () => {
    const answers = await client
      .pipeline()
      .hset('h', { a: '1', b: '2' })
      .hmget('h', 'a', 'x', 'b')
      .hdel('h', 'a')
      .hgetall('h')
      .exec();
    expect(answers).toEqual([
      [null, 2],
      [null, ['1', null, '2']],
      [null, 1],
      [null, { b: '2' }],
    ]);
  });

  test('sets a key once, with an expiry', async () => {
    expect(await client.set('lock', 'a', 'EX', 60, 'NX')).toBe('OK');
    expect(await client.set('lock', 'b', 'EX', 60, 'NX')).toBeNull();
    expect(await client.ttl('lock')).toBeGreaterThan(0);
    expect(await client.getdel('lock')).toBe('a');
    expect(await client.exists('lock')).toBe(0);
  });

  test('deletes expired keys', async () => {
    await client.set('soon', 'gone');
    await client.expire('soon', 60);
    expect(await client.ttl('soon')).toBeGreaterThan(0);
    await client.pexpire('soon', 1);
    await vi.waitFor(async () => expect(await client.get('soon')).toBeNull());
  });

  test('scans all keys of a pattern', async () => {
    const names = Array.from({ length: 250 }, (_, i) => `team:${i}`);
    await client.mset(Object.fromEntries([...names, 'other'].map((name) => [name, '1'])));
    const found = new Set<string>();
    let cursor = '0';
    do {
      const [next, keys] = await client.scan(cursor, 'MATCH', 'team:*', 'COUNT', 50);
      for (const key of keys) found.add(key);
      cursor = next;
    } while (cursor !== '0');
    expect([...found].sort()).toEqual(names.sort());
  });

  test('runs a transaction completely, or not at all when a watched key has changed', async () => {
    expect(await client.multi().incr('n').incr('n').exec()).toEqual([
      [null, 1],
      [null, 2],
    ]);
    const other = new Redis(redis.url);
    await client.watch('n');
    await other.set('n', '10');
    expect(await client.multi().incr('n').exec()).toBeNull();
    expect(await client.get('n')).toBe('10');
    other.disconnect();
  });

  test('keeps a stream in order and trims it', async () => {
    for (const who of ['ann', 'bob', 'cid']) await client.xadd('audit', 'MAXLEN', 2, '*', 'who', who);
    const entries = await client.xrange('audit', '-', '+');
    expect(entries.map(([, fields]) => fields)).toEqual([
      ['who', 'bob'],
      ['who', 'cid'],
    ]);
  });

  test('runs a script', async () => {
    expect(await client.eval('return redis.call("incrby", KEYS[1], ARGV[1])', 1, 'n', '41')).toBe(41);
  });

  test('leaves nothing when stopped, even with clients connected', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'tally-test-'));
    const own = await startRedis({ embedded, dir });
    const guest = new Redis(own.url, { retryStrategy: () => null });
    guest.on('error', () => {});
    await guest.set('k', 'v');
    expect(await readdir(dir)).toHaveLength(1);
    await own.stop();
    expect(await readdir(dir)).toEqual([]);
    guest.disconnect();
    await rm(dir, { recursive: true });
  });
});

describe('startRedis', () => {
  let found: string | undefined;
  beforeEach(() => {
    found = process.env.PATH;
  });
  afterEach(() => {
    process.env.PATH = found;
  });

  test('uses an existing one and never stops it', async () => {
    const redis = await startRedis();
    const given = await startRedis({ redisUrl: redis.url });
    expect(given).toMatchObject({ url: redis.url, kind: 'given' });
    await given.stop();
    const client = new Redis(redis.url);
    expect(await client.ping()).toBe('PONG');
    client.disconnect();
    await redis.stop();
  });

  test('uses the embedded one when no server is installed', async () => {
    process.env.PATH = '/nowhere';
    const redis = await startRedis();
    expect(redis.kind).toBe('embedded');
    await redis.stop();
    await redis.stop();
  });

  test.for<[embedded: boolean, end: string]>([
    [false, 'is killed'],
    [true, 'exits'],
    [true, 'is killed'],
  ])('goes with its owner when that ends (embedded: %s, owner %s)', async ([embedded, end], { skip }) => {
    const here = await startRedis();
    await here.stop();
    skip(!embedded && here.kind === 'embedded', 'no Redis server is installed');
    const dir = await mkdtemp(join(tmpdir(), 'tally-test-'));
    const module = new URL('../../sandbox/redis.ts', import.meta.url).href;
    const script = `import { startRedis } from ${JSON.stringify(module)};
      const redis = await startRedis(${JSON.stringify({ dir, embedded })});
      process.stdin.once('data', () => process.exit(0));
      console.log(redis.kind);`;
    const owner = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script]);
    await once(owner.stdout, 'data');
    expect(await readdir(dir)).toHaveLength(1);
    if (end === 'exits') owner.stdin.end('go\n');
    else owner.kill('SIGKILL');
    await vi.waitFor(async () => expect(await readdir(dir)).toEqual([]), { timeout: 10_000 });
    await rm(dir, { recursive: true });
  });
});

test('gives every test its own empty database', async () => {
  const [one, other] = [await testRedis(), await testRedis()];
  await one.client.set('k', 'v');
  expect(await other.client.get('k')).toBeNull();
  const again = new Redis(one.url);
  expect(await again.get('k')).toBe('v');
  again.disconnect();
  await one.close();
  await other.close();
});
