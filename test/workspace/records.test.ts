/** The small stores beside a workspace's record: leases, nonces, installations, and copies for another Redis. */
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startRedis } from '../../sandbox/redis.ts';
import { hasBots } from '../../src/ops/copy-workspaces.ts';
import { BOT_CONNECTION, connectRedis, waitUntilReady } from '../../src/redis/connect.ts';
import { indexKey, keysOf, membersKey, recordKey, tokenLockKey } from '../../src/redis/keys.ts';
import { acquireLease, extendLease, releaseLease } from '../../src/redis/lease.ts';
import { createKeyring, reseal } from '../../src/vault/keyring.ts';
import { createInstallationStore } from '../../src/workspace/credentials/installation-store.ts';
import { sealOwnerOfField } from '../../src/workspace/credentials/sealed-fields.ts';
import { createDeletion } from '../../src/workspace/record/deletion.ts';
import {
  digestOf,
  dumpWorkspace,
  isUntouched,
  writeDump,
} from '../../src/workspace/record/workspace-dump.ts';
import { createOAuthNonces } from '../../src/workspace/short-lived/replay-protection.ts';
import { recordFields, type TestRedis, testRedis, workspaceKeys } from '../support/redis.ts';
import { SERVER_BINARY } from '../support/redis-servers.ts';

const OLD = { id: 'old', key: randomBytes(32) };
const NEW = { id: 'new', key: randomBytes(32) };

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

describe('a lease', () => {
  const KEY = tokenLockKey('T1');
  const acquire = (ms = 5_000) => acquireLease(redis, 'T1', tokenLockKey, ms);
  beforeEach(async () => {
    await redis.hset(recordKey('T1'), 'settings', '{}');
  });

  it('belongs to one process until it is released', async () => {
    const lease = await acquire();
    if (typeof lease === 'string') throw new Error(lease);
    expect(lease).toEqual({ key: KEY, token: await redis.get(KEY) });
    expect(await redis.pttl(KEY)).toBeGreaterThan(0);
    expect(await redis.pttl(KEY)).toBeLessThanOrEqual(5_000);
    expect(await acquire()).toBe('taken');
    expect(await releaseLease(redis, { ...lease, token: 'another' })).toBe(false);
    expect(await acquire()).toBe('taken');
    expect(await releaseLease(redis, lease)).toBe(true);
    expect(await releaseLease(redis, lease)).toBe(false);
    expect(await acquire()).not.toEqual(lease);
  });

  it('is extended only by its holder, and only before it ends', async () => {
    const lease = await acquire();
    if (typeof lease === 'string') throw new Error(lease);
    expect(await extendLease(redis, { ...lease, token: 'another' }, 60_000)).toBe(false);
    expect(await redis.pttl(KEY)).toBeLessThanOrEqual(5_000);
    expect(await extendLease(redis, lease, 60_000)).toBe(true);
    expect(await redis.pttl(KEY)).toBeGreaterThan(5_000);
    await redis.del(KEY);
    expect(await extendLease(redis, lease, 60_000)).toBe(false);
    expect(await redis.exists(KEY)).toBe(0);
  });

  it('is refused for a workspace that left', async () => {
    await redis.flushdb();
    expect(await acquire()).toBe('gone');
    expect(await redis.keys('*')).toEqual([]);
  });
});

describe('a nonce', () => {
  it('is accepted once for each kind, and forgotten after its time', async () => {
    const [states, requests] = [createOAuthNonces(redis), createOAuthNonces(redis, 'request')];
    const spent = await Promise.all(Array.from({ length: 5 }, () => states.spend('one', 600)));
    expect(spent.filter(Boolean)).toHaveLength(1);
    expect(await states.spend('two', 600)).toBe(true);
    expect(await requests.spend('one', 30)).toBe(true);
    expect(await redis.ttl('tally:state:one')).toBeGreaterThan(590);
    expect(await redis.ttl('tally:request:one')).toBeLessThanOrEqual(30);
  });
});

describe('an installation', () => {
  const installed = () => createInstallationStore({ redis, keyring: createKeyring([OLD]) });

  it('is kept sealed, where only its own workspace opens it', async () => {
    await installed().save('T1', 'a text with xoxb-fake');
    expect(await installed().load('T1')).toBe('a text with xoxb-fake');
    expect(await installed().load('T2')).toBeUndefined();
    const sealed = (await redis.hget(recordKey('T1'), 'installation'))!;
    expect(sealed).not.toContain('xoxb');
    await redis.hset(recordKey('T2'), 'installation', sealed);
    await expect(installed().load('T2')).rejects.toMatchObject({ kind: 'unseal-failed' });
    expect(await redis.zscore(indexKey(0), 'T1')).not.toBeNull();
  });

  it('is replaced only as it was read, also where it was sealed again since', async () => {
    await installed().save('T1', 'first');
    expect(await installed().replace('T1', 'first', 'second')).toBe(true);
    expect(await installed().replace('T1', 'first', 'third')).toBe(false);
    expect(await installed().load('T1')).toBe('second');
    expect(await installed().replace('T2', 'first', 'second')).toBe(false);
    expect(await redis.exists(recordKey('T2'))).toBe(0);
  });

  it('is replaced even if its keys are rotated at that moment', async () => {
    const both = createKeyring([NEW, OLD]);
    await installed().save('T1', 'first');
    const field = 'installation';
    let rotations = 0;
    /** Seals it anew between the reading and the writing, as often as `rotations` says. */
    const racing = new Proxy(redis, {
      get(target, name) {
        if (name !== 'eval') return Reflect.get(target, name).bind(target);
        return async (...args: Parameters<Redis['eval']>) => {
          if (rotations-- > 0) {
            const value = (await redis.hget(recordKey('T1'), field))!;
            const owner = sealOwnerOfField('T1', field, value)!;
            const opened = both.open(value, owner);
            await redis.hset(recordKey('T1'), field, reseal(both, owner, value) ?? both.seal(opened, owner));
          }
          return redis.eval(...args);
        };
      },
    });
    const rotating = createInstallationStore({ redis: racing, keyring: both });
    rotations = 2;
    expect(await rotating.replace('T1', 'first', 'second')).toBe(true);
    rotations = 3;
    expect(await rotating.replace('T1', 'second', 'third')).toBe(false);
    rotations = 0;
    expect(await rotating.load('T1')).toBe('second');
  });

  it('of an organization serves the workspaces that joined, until one of them leaves', async () => {
    const store = installed();
    await store.join('E1', 'T1');
    expect(await redis.keys('*')).toEqual([]);
    await store.save('E1', 'an installation');
    for (const id of ['T1', 'T2']) await store.join('E1', id);
    expect((await redis.smembers(membersKey('E1'))).toSorted()).toEqual(['T1', 'T2']);
    expect(await store.organizationOf('T1')).toBe('E1');
    expect(await store.organizationOf('T3')).toBeUndefined();
    expect(await redis.zscore(indexKey(0), 'T1')).not.toBeNull();
    const deletion = createDeletion({ redis: redis, others: async () => undefined });
    await deletion.workspace('T1', 'E1');
    expect(await redis.smembers(membersKey('E1'))).toEqual(['T2']);
    await deletion.organization('E1');
    expect(await workspaceKeys(redis)).toEqual([]);
  });

  it('leaves nothing of a workspace that joins while its organization leaves', async () => {
    await installed().save('E1', 'an installation');
    const leaving = new Proxy(redis, {
      get(target, name) {
        if (name !== 'hset') return Reflect.get(target, name).bind(target);
        return async (...args: Parameters<Redis['hset']>) => {
          await createDeletion({ redis: redis, others: async () => undefined }).organization('E1');
          return redis.hset(...args);
        };
      },
    });
    await createInstallationStore({ redis: leaving, keyring: createKeyring([OLD]) }).join('E1', 'T1');
    expect((await workspaceKeys(redis)).filter((key) => !key.includes('workspaces'))).toEqual([]);
  });

  it('is refreshed by one process at a time', async () => {
    const store = installed();
    await store.save('T1', 'an installation');
    expect(await store.locked('T1')).toBe(false);
    const unlock = await store.lock('T1');
    expect(await store.locked('T1')).toBe(true);
    expect(await store.lock('T1')).toBeUndefined();
    expect(await redis.pttl(tokenLockKey('T1'))).toBeLessThanOrEqual(15_000);
    await unlock?.();
    expect(await store.locked('T1')).toBe(false);
    expect(await store.lock('T1')).toBeTypeOf('function');
  });
});

describe('bots that are connected', () => {
  it('are known by their name', async () => {
    // A server of its own: bots of other tests may use the same database of the shared one.
    const server = await startRedis({ binary: SERVER_BINARY });
    const other = new Redis(server.url);
    const bot = connectRedis(server.url, { name: BOT_CONNECTION });
    try {
      await waitUntilReady(bot, 5_000);
      expect(await hasBots(other)).toBe(true);
      bot.disconnect();
      while (await hasBots(other)) await delay(10);
    } finally {
      bot.disconnect();
      other.disconnect();
      await server.stop();
    }
  });

  it('are unknown if Redis doesn’t tell', async ({ skip }) => {
    skip(store.kind === 'embedded', 'the embedded Redis knows no users');
    const url = new URL(store.url);
    const name = `reader${randomBytes(4).toString('hex')}`;
    await redis.acl('SETUSER', name, 'on', '>pw', '~*', '+@all', '-client|list');
    const reader =
      url.protocol === 'unix:'
        ? new Redis({ path: url.pathname, db: redis.options.db ?? 0, username: name, password: 'pw' })
        : new Redis({
            host: url.hostname,
            port: Number(url.port),
            db: redis.options.db ?? 0,
            username: name,
            password: 'pw',
          });
    await reader.ping();
    expect(await hasBots(reader)).toBeUndefined();
    reader.disconnect();
    await expect(hasBots(reader)).rejects.toMatchObject({ kind: 'store-unavailable' });
    await redis.acl('DELUSER', name);
  });
});

describe('a copy of a workspace', () => {
  const [RECORD, AUDIT, GRANTS, ISSUED] = keysOf('T1');
  const LOCK = tokenLockKey('T1');
  const fill = async () => {
    await redis.hset(recordKey('T1'), { settings: '{}', 'project:prod': 'x' });
    await redis.xadd('tally:{T1}:audit', '1-1', 'who', 'U1', 'action', 'app installed');
    await redis.xadd('tally:{T1}:audit', '2-1', 'who', 'U2', 'action', 'settings changed');
    await redis.hset('tally:{T1}:grants', 'a', '1');
    await redis.pexpire('tally:{T1}:grants', 600_000);
    await redis.sadd(membersKey('T1'), 'T5', 'T4');
    await redis.set(tokenLockKey('T1'), 'somebody');
  };
  const state = async () => ({
    record: await recordFields(redis, recordKey('T1')),
    audit: await redis.xrange('tally:{T1}:audit', '-', '+'),
    grants: await redis.hgetall('tally:{T1}:grants'),
    members: (await redis.smembers(membersKey('T1'))).sort(),
  });

  it('is the same afterwards, with how long each key lives, and without leases', async () => {
    await fill();
    const before = await state();
    const copy = await dumpWorkspace(redis, 'T1');
    expect(copy.keys.map(({ key }) => key).sort()).toEqual([AUDIT, GRANTS, RECORD, membersKey('T1')].sort());
    await redis.flushdb();
    await redis.hset(RECORD!, 'left', 'over');
    await redis.hset(ISSUED!, 'left', 'over');
    await redis.set(LOCK, 'a bot that runs there');
    await writeDump(redis, copy);
    expect(await state()).toEqual(before);
    expect(await redis.pttl('tally:{T1}:grants')).toBeGreaterThan(500_000);
    expect(await redis.pttl(RECORD!)).toBe(-1);
    expect(await redis.exists(ISSUED!)).toBe(0);
    expect(await redis.get(LOCK)).toBe('a bot that runs there');
    expect(digestOf(await dumpWorkspace(redis, 'T1'))).toBe(digestOf(copy));
  });

  it('is read and written in one step each', async () => {
    await fill();
    const commands: unknown[] = [];
    const watched = new Proxy(redis, {
      get(target, name) {
        const method = Reflect.get(target, name);
        return (...args: unknown[]) => {
          commands.push(name);
          return method.apply(target, args);
        };
      },
    });
    await writeDump(watched, await dumpWorkspace(watched, 'T1'));
    expect(commands).toEqual(['eval', 'eval']);
  });

  it('has a digest that changes with every lasting part, and with nothing else', async () => {
    expect(digestOf(await dumpWorkspace(redis, 'T1'))).toBe('');
    await fill();
    const digest = async () => digestOf(await dumpWorkspace(redis, 'T1'));
    const first = await digest();
    await redis.hset('tally:{T1}:grants', 'b', '2');
    await redis.hset('tally:{T1}:issued', 'U1', '2');
    await redis.set(tokenLockKey('T1'), 'somebody else');
    await redis.hdel(recordKey('T1'), 'settings', 'project:prod');
    await redis.hset(recordKey('T1'), 'project:prod', 'x');
    await redis.hset(recordKey('T1'), 'settings', '{}');
    expect(await digest()).toBe(first);
    const changes = [
      () => redis.hset(recordKey('T1'), 'settings', '{ }'),
      () => redis.xadd('tally:{T1}:audit', '3-1', 'who', 'U1'),
      () => redis.srem(membersKey('T1'), 'T5'),
    ];
    const digests = [first];
    for (const change of changes) {
      await change();
      digests.push(await digest());
    }
    expect(new Set(digests).size).toBe(4);
  });

  it('is untouched as long as nobody wrote over it', async () => {
    await fill();
    const copy = await dumpWorkspace(redis, 'T1');
    const digest = digestOf(copy);
    expect(await isUntouched(redis, 'T1', digest)).toBe(false);
    await writeDump(redis, copy);
    expect(await isUntouched(redis, 'T1', digest)).toBe(true);
    expect(await isUntouched(redis, 'T1', 'another')).toBe(false);
  });
});
