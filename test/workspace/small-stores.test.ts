/** The stores beside a workspace's record: nonces, events, installations, the index, and deletion. */
import { randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { INDEX_KEY, membersKey, recordKey, tokenLockKey } from '../../src/redis/keys.ts';
import { createKeyring } from '../../src/vault/keyring.ts';
import { createInstallationStore } from '../../src/workspace/credentials/installation-store.ts';
import { createWorkspaceDeleter, createWorkspaceIndex } from '../../src/workspace/record/workspace-store.ts';
import { createEventDedup, createOAuthNonces } from '../../src/workspace/replay-protection.ts';
import { type TestRedis, testRedis, workspaceKeys } from '../support/redis.ts';

const OLD = { id: 'old', key: randomBytes(32) };

let store: TestRedis;
let redis: Redis;
beforeAll(async () => {
  store = await testRedis();
  redis = store.client;
});
beforeEach(async () => {
  await redis.flushdb();
});
afterAll(() => store.close());

describe('a one-time value (nonce)', () => {
  it('is accepted only once, and is stored until it expires', async () => {
    const states = createOAuthNonces(redis);
    const spent = await Promise.all(Array.from({ length: 5 }, () => states.spend('one', 600)));
    expect(spent.filter(Boolean)).toHaveLength(1);
    expect(await states.spend('two', 600)).toBe(true);
    expect(await redis.ttl('tally:state:one')).toBeGreaterThan(590);
  });
});

describe('an installation of the Slack app', () => {
  const installed = () => createInstallationStore({ redis, keyring: createKeyring([OLD]) });

  it('is encrypted, and only its own workspace can decrypt it', async () => {
    await installed().save('T1', 'a text with xoxb-fake');
    expect(await installed().load('T1')).toBe('a text with xoxb-fake');
    expect(await installed().load('T2')).toBeUndefined();
    const sealed = (await redis.hget(recordKey('T1'), 'installation'))!;
    expect(sealed).not.toContain('xoxb');
    await redis.hset(recordKey('T2'), 'installation', sealed);
    await expect(installed().load('T2')).rejects.toMatchObject({ kind: 'unseal-failed' });
    expect(await redis.zscore(INDEX_KEY, 'T1')).not.toBeNull();
  });

  it('for an organization serves the workspaces that joined the organization', async () => {
    const store = installed();
    await store.join('E1', 'T1');
    expect(await redis.keys('*')).toEqual([]);
    await store.save('E1', 'an installation');
    for (const id of ['T1', 'T2']) await store.join('E1', id);
    expect((await redis.smembers(membersKey('E1'))).toSorted()).toEqual(['T1', 'T2']);
    expect(await store.organizationOf('T1')).toBe('E1');
    expect(await store.organizationOf('T3')).toBeUndefined();
    expect(await redis.zscore(INDEX_KEY, 'T1')).not.toBeNull();
    const deletion = createWorkspaceDeleter({ redis: redis, others: async () => undefined });
    await deletion.workspace('T1', 'E1');
    expect(await redis.smembers(membersKey('E1'))).toEqual(['T2']);
    await deletion.organization('E1');
    expect(await workspaceKeys(redis)).toEqual([]);
  });

  it('for an organization leaves no data of a workspace that joins during the uninstall', async () => {
    await installed().save('E1', 'an installation');
    const leaving = new Proxy(redis, {
      get(target, name) {
        if (name !== 'zadd') return Reflect.get(target, name)?.bind(target);
        return async (...args: Parameters<Redis['zadd']>) => {
          await createWorkspaceDeleter({ redis: redis, others: async () => undefined }).organization('E1');
          return redis.zadd(...args);
        };
      },
    });
    await createInstallationStore({ redis: leaving, keyring: createKeyring([OLD]) }).join('E1', 'T1');
    expect((await workspaceKeys(redis)).filter((key) => !key.includes('workspaces'))).toEqual([]);
  });

  it('has a lock that only one process at a time can hold', async () => {
    const store = installed();
    await store.save('T1', 'an installation');
    expect(await store.lock('T1')).toBe(true);
    expect(await store.lock('T1')).toBe(false);
    expect(await redis.pttl(tokenLockKey('T1'))).toBeLessThanOrEqual(15_000);
  });
});

describe('the deletion of an organization', () => {
  const [ORG, TEAMS] = ['E0GRID0001', ['T0GRID0001', 'T0GRID0002']];

  it('includes the data of its workspaces', async () => {
    await redis.sadd(membersKey(ORG), ...TEAMS);
    const deleted: string[] = [];
    await createWorkspaceDeleter({ redis: redis, others: async (id) => void deleted.push(id) }).organization(
      ORG,
    );
    expect(deleted.sort()).toEqual([ORG, ...TEAMS]);
    expect(await workspaceKeys(redis)).toEqual([]);
  });

  it('keeps the list of workspaces if a step fails', async () => {
    await redis.sadd(membersKey(ORG), ...TEAMS);
    const failing = createWorkspaceDeleter({
      redis: redis,
      others: () => Promise.reject(new Error('the queue does not answer')),
    });
    await expect(failing.organization(ORG)).rejects.toThrow('the queue does not answer');
    expect((await redis.smembers(membersKey(ORG))).sort()).toEqual(TEAMS);
  });
});

describe('the index of workspaces', () => {
  const index = () => createWorkspaceIndex(redis);
  const listed = async () => {
    const found: string[] = [];
    for await (const id of index().list()) found.push(id);
    return found.sort();
  };

  it('lists each workspace once, however many there are', async () => {
    const ids = Array.from({ length: 1_200 }, (_, n) => `T${n}`);
    await Promise.all(ids.map((id) => index().touch(id)));
    await index().touch('T7');
    await index().forget('T8');
    expect(await listed()).toEqual(ids.filter((id) => id !== 'T8').sort());
  });

  it('drops a workspace without a record, unless the workspace was just added', async () => {
    await index().touch('T1');
    await redis.zadd(INDEX_KEY, Date.now() - 61_000, 'T2');
    await Promise.all(['T1', 'T2', 'T3'].map((id) => index().removeAbsent(id)));
    expect(await listed()).toEqual(['T1']);
  });
});

describe('an event that Slack sends again', () => {
  it.each(['settings', 'nothing'])(
    'is handled only once if the workspace’s record holds %s',
    async (known) => {
      if (known === 'settings') await redis.hset(recordKey('T0NORTH001'), 'settings', '{}');
      const [one, other] = [createEventDedup(redis), createEventDedup(redis)];
      const heard = await Promise.all([one, other, one].map(({ first }) => first('T0NORTH001', 'Ev1')));
      expect(heard.filter(Boolean)).toEqual([true]);
      expect(await one.first('T0NORTH001', 'Ev2')).toBe(true);
      expect(await one.first('T0SOUTH001', 'Ev1')).toBe(true);
    },
  );

  it('from an unknown workspace leaves only a hash that soon expires', async () => {
    await createEventDedup(redis).first('T0NORTH001', 'Ev1');
    const keys = await redis.keys('*');
    expect(keys.join(' ')).not.toMatch(/NORTH|Ev1/);
    for (const key of keys) expect(await redis.pttl(key)).toBeGreaterThan(0);
  });
});
