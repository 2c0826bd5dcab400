import { createHash, randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { SealBroken, StoreUnreachable } from '../../src/domain/failure.ts';
import { connectRedis } from '../../src/redis.ts';
import { createKeyring } from '../../src/vault/keyring.ts';
import type { NewConnection } from '../../src/workspace/connections.ts';
import { createWorkspaces, type Workspaces } from '../../src/workspace/workspaces.ts';
import { type TestRedis, testRedis } from '../support/redis.ts';

const KEY = { id: 'k1', key: randomBytes(32) };
const TOKEN = 'fake-user-access-token-abcd';
const MAIN: NewConnection = {
  name: 'main',
  baseUrl: 'https://api.example.com',
  role: 'read-only',
  lifetime: '90-days',
  registeredBy: 'U1',
  registeredAt: Date.UTC(2026, 10, 21),
  lapsesAt: Date.UTC(2027, 1, 19),
  token: TOKEN,
};
const HASH = 'tally:workspace:T1';

let store: TestRedis;
let redis: Redis;
let workspaces: Workspaces;

beforeAll(async () => {
  store = await testRedis();
  redis = store.client;
  workspaces = createWorkspaces({ redis, keyring: createKeyring([KEY]) });
});
afterEach(async () => {
  await redis.flushdb();
});
afterAll(() => store.close());

/** How many commands the server carried out for this work, INFO itself left out. */
async function commandsOf(work: () => Promise<unknown>): Promise<string[]> {
  await redis.config('RESETSTAT');
  await work();
  const stats = await redis.info('commandstats');
  const lines = stats.matchAll(/^cmdstat_([a-z|]+):calls=(\d+)/gm);
  return [...lines]
    .filter(([, name]) => name !== 'config|resetstat')
    .map(([, name, calls]) => `${name} ${calls}`);
}

describe('a workspace', () => {
  it('begins with days in UTC and no connection', async () => {
    const { settings, connection } = await workspaces.read('T1');
    expect(settings).toEqual({ zone: 'UTC' });
    expect(connection).toBeUndefined();
  });

  it('gives back what it was told', async () => {
    await workspaces.saveSettings('T1', { zone: 'America/New_York' });
    const saved = await workspaces.saveConnection('T1', MAIN);
    const { settings, connection } = await workspaces.read('T1');
    const { token, ...shown } = connection!;
    expect(settings).toEqual({ zone: 'America/New_York' });
    expect(shown).toEqual(saved);
    expect(token()).toBe(TOKEN);
  });

  it('keeps a connection that never lapses', async () => {
    const { lapsesAt: _, ...rest } = MAIN;
    await workspaces.saveConnection('T1', { ...rest, lifetime: 'none' });
    expect((await workspaces.read('T1')).connection).not.toHaveProperty('lapsesAt');
  });

  it('is read, written and forgotten in one round trip each', async ({ skip }) => {
    skip(store.kind === 'embedded', 'the embedded Redis counts no commands');
    expect(await commandsOf(() => workspaces.saveConnection('T1', MAIN))).toEqual(['hset 1']);
    expect(await commandsOf(() => workspaces.saveSettings('T1', { zone: 'UTC' }))).toEqual(['hset 1']);
    expect(await commandsOf(() => workspaces.read('T1'))).toEqual(['hmget 1']);
    expect(await commandsOf(() => workspaces.removeConnection('T1', 'main'))).toEqual(['hdel 1']);
    expect(await commandsOf(() => workspaces.forget('T1'))).toEqual(['unlink 1']);
  });

  it('forgets everything, and nothing of its neighbour', async () => {
    for (const id of ['T1', 'T2']) {
      await workspaces.saveSettings(id, { zone: 'Asia/Tokyo' });
      await workspaces.saveConnection(id, MAIN);
    }
    await workspaces.forget('T1');
    expect(await redis.keys('*')).toEqual(['tally:workspace:T2']);
    expect((await workspaces.read('T2')).connection?.token()).toBe(TOKEN);
  });

  it('removes a connection and keeps the settings', async () => {
    await workspaces.saveSettings('T1', { zone: 'Asia/Tokyo' });
    await workspaces.saveConnection('T1', MAIN);
    expect(await workspaces.removeConnection('T1', 'main')).toBe(true);
    expect(await workspaces.removeConnection('T1', 'main')).toBe(false);
    const { settings, connection } = await workspaces.read('T1');
    expect({ settings, connection }).toEqual({ settings: { zone: 'Asia/Tokyo' }, connection: undefined });
  });

  it.each(['', 't1', 'T1:x', 'T1*', '../T1', 'T'.repeat(65)])('cannot be called “%s”', async (id) => {
    await expect(workspaces.read(id)).rejects.toThrow(RangeError);
    await expect(workspaces.forget(id)).rejects.toThrow(RangeError);
  });

  it.each(['Mars/Olympus', '', '+02:00', 'UTC\n'])('does not take “%s” for a zone', async (zone) => {
    await expect(async () => workspaces.saveSettings('T1', { zone })).rejects.toThrow();
    expect(await redis.exists(HASH)).toBe(0);
  });
});

describe('a token', () => {
  it('is nowhere in Redis as it is', async () => {
    await workspaces.saveConnection('T1', MAIN);
    expect(JSON.stringify(await redis.hgetall(HASH))).not.toContain(TOKEN);
    expect(JSON.stringify(await workspaces.read('T1'))).not.toContain(TOKEN);
  });

  it('is shown as its last four characters and the start of its SHA-256', async () => {
    const { lastFour, fingerprint } = await workspaces.saveConnection('T1', MAIN);
    expect(lastFour).toBe('abcd');
    expect(fingerprint).toBe(createHash('sha256').update(TOKEN).digest('hex').slice(0, 12));
  });

  it.each([
    ['elevenchars', '····'],
    ['twelve-chars', 'hars'],
  ])('%s shows as %s', async (token, shown) => {
    expect(await workspaces.saveConnection('T1', { ...MAIN, token })).toMatchObject({ lastFour: shown });
  });

  it('is replaced by the next one of the same name', async () => {
    await workspaces.saveConnection('T1', MAIN);
    await workspaces.saveConnection('T1', { ...MAIN, token: 'another-fake-token-wxyz' });
    const { connection } = await workspaces.read('T1');
    expect(connection?.token()).toBe('another-fake-token-wxyz');
    expect(connection?.lastFour).toBe('wxyz');
  });

  it('opens for its own workspace only', async () => {
    await workspaces.saveConnection('T1', MAIN);
    await redis.copy(HASH, 'tally:workspace:T2');
    const { connection } = await workspaces.read('T2');
    expect(() => connection?.token()).toThrow(expect.objectContaining({ reason: 'not-authentic' }));
  });

  it('opens after a new key was put before its own, and says so when its key is gone', async () => {
    await workspaces.saveConnection('T1', MAIN);
    const next = { id: 'k2', key: randomBytes(32) };
    const reading = async (...keys: (typeof KEY)[]) =>
      (await createWorkspaces({ redis, keyring: createKeyring(keys) }).read('T1')).connection;
    expect((await reading(next, KEY))?.token()).toBe(TOKEN);
    const orphan = await reading(next);
    expect(orphan?.lastFour).toBe('abcd');
    expect(() => orphan?.token()).toThrow(expect.objectContaining({ reason: 'unknown-key' }));
  });
});

describe('a damaged record', () => {
  it.each(['', '{', 'null', '[]', '{"name":"main"}', '{"zone":"Mars/Olympus"}', '{"zone":7}'])(
    'is refused when it is touched, and leaves the other part usable: %s',
    async (json) => {
      await workspaces.saveSettings('T1', { zone: 'Asia/Tokyo' });
      await workspaces.saveConnection('T1', MAIN);

      await redis.hset(HASH, 'connection:main', json);
      const damagedConnection = await workspaces.read('T1');
      expect(() => damagedConnection.connection).toThrow(SealBroken);
      expect(damagedConnection.settings.zone).toBe('Asia/Tokyo');

      await workspaces.saveConnection('T1', MAIN);
      await redis.hset(HASH, 'settings', json);
      const damagedSettings = await workspaces.read('T1');
      expect(() => damagedSettings.settings).toThrow(expect.objectContaining({ reason: 'malformed' }));
      expect(damagedSettings.connection?.token()).toBe(TOKEN);
    },
  );

  it('with a seal that is none is shown and does not open', async () => {
    await workspaces.saveConnection('T1', MAIN);
    const record = JSON.parse((await redis.hget(HASH, 'connection:main'))!);
    await redis.hset(HASH, 'connection:main', JSON.stringify({ ...record, sealed: TOKEN }));
    const { connection } = await workspaces.read('T1');
    expect(connection?.fingerprint).toBe(record.fingerprint);
    expect(() => connection?.token()).toThrow(expect.objectContaining({ reason: 'malformed' }));
  });
});

it('says that the store is unreachable, whatever it is asked', async () => {
  const nowhere = connectRedis('unix:///nowhere/redis.sock');
  const lost = createWorkspaces({ redis: nowhere, keyring: createKeyring([KEY]) });
  for (const work of [
    lost.read('T1'),
    lost.saveSettings('T1', { zone: 'UTC' }),
    lost.saveConnection('T1', MAIN),
    lost.removeConnection('T1', 'main'),
    lost.forget('T1'),
  ])
    await expect(work).rejects.toThrow(StoreUnreachable);
  nowhere.disconnect();
});
