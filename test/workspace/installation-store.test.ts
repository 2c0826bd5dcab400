import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { membersKey, recordKey } from '../../src/redis/keys.ts';
import { createKeyring } from '../../src/vault/keyring.ts';
import {
  createInstallationStore,
  createMemberAccessStore,
  type InstallationRecords,
} from '../../src/workspace/credentials/installation-store.ts';
import { type TestRedis, testRedis } from '../support/redis.ts';

const [ORGANIZATION, NORTH, SOUTH] = ['E0GRID0001', 'T0NORTH001', 'T0SOUTH001'];
const keyring = createKeyring([{ id: 'k1', key: randomBytes(32) }]);

let redis: TestRedis;
let one: InstallationRecords;
let other: InstallationRecords;
beforeEach(async () => {
  redis = await testRedis();
  one = createInstallationStore({ redis: redis.client, keyring });
  other = createInstallationStore({ redis: redis.client, keyring });
});
afterEach(() => redis.close());

describe('a Slack token that two processes renew', () => {
  it('is stored only by the first process, and only for its own workspace', async () => {
    for (const id of [NORTH, SOUTH]) await one.save(id, 'old');
    expect(await one.replace(NORTH, 'old', 'renewed by one')).toBe(true);
    expect(await other.replace(NORTH, 'old', 'renewed by the other')).toBe(false);
    expect(await Promise.all([NORTH, SOUTH].map((id) => other.load(id)))).toEqual(['renewed by one', 'old']);
  });

  it('isn’t stored after the workspace was removed', async () => {
    await one.save(NORTH, 'old');
    await redis.client.del(recordKey(NORTH));
    expect(await other.replace(NORTH, 'old', 'renewed')).toBe(false);
    expect(await other.load(NORTH)).toBeUndefined();
  });
});

describe('a workspace that joins an organization', () => {
  /** Calls `happens` just before the workspace's record is written. */
  const interruptedBy = (happens: () => Promise<unknown>): InstallationRecords => {
    const client = new Proxy(redis.client, {
      get(target, name) {
        const value = Reflect.get(target, name);
        if (name !== 'zadd') return typeof value === 'function' ? value.bind(target) : value;
        return async (...args: Parameters<typeof target.zadd>) => {
          await happens();
          return target.zadd(...args);
        };
      },
    });
    return createInstallationStore({ redis: client, keyring });
  };
  const revoke = () =>
    createMemberAccessStore(redis.client).save(ORGANIZATION, NORTH, 'revoked', Math.floor(Date.now() / 1000));
  const traces = async () => [
    await redis.client.smembers(membersKey(ORGANIZATION)),
    await redis.client.exists(recordKey(NORTH)),
  ];
  beforeEach(() => one.save(ORGANIZATION, 'installed'));

  it.each([
    ['is removed from the organization', revoke],
    ['loses its organization’s installation', () => redis.client.del(recordKey(ORGANIZATION))],
  ])('leaves no data behind if it %s while joining', async (_, happens) => {
    expect(await interruptedBy(happens).join(ORGANIZATION, NORTH)).toBe(false);
    expect(await traces()).toEqual([[], 0]);
  });

  it('keeps its own installation if the organization revokes its access in the meantime', async () => {
    await one.save(NORTH, 'its own');
    expect(await interruptedBy(revoke).join(ORGANIZATION, NORTH)).toBe(false);
    expect([await one.load(NORTH), await one.organizationOf(NORTH)]).toEqual(['its own', undefined]);
  });

  it('isn’t linked to the organization if its access was revoked before', async () => {
    await revoke();
    expect(await other.join(ORGANIZATION, SOUTH)).toBe(true);
    expect(await one.join(ORGANIZATION, NORTH)).toBe(false);
    expect(await redis.client.smembers(membersKey(ORGANIZATION))).toEqual([SOUTH]);
  });
});
