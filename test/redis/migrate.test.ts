/** Migrates the key names from before hash tags to the current ones, while bots run. */
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StoreUnavailable } from '../../src/domain/failure/index.ts';
import { checkLayout } from '../../src/ops/check-redis.ts';
import { migrateKeys } from '../../src/ops/migrate.ts';
import { connectRedis, gateCommands, type RedisConnection, waitUntilReady } from '../../src/redis/connect.ts';
import { createKeyring } from '../../src/vault/keyring.ts';
import { createInstallationStore } from '../../src/workspace/credentials/installation-store.ts';
import { followLayout } from '../../src/workspace/record/layout-transition.ts';
import { createWorkspaceIndex } from '../../src/workspace/record/workspace-index.ts';
import { createWorkspaces } from '../../src/workspace/record/workspaces.ts';
import { changeIn } from '../support/change.ts';
import { isGlobalKey, type TestRedis, testRedis } from '../support/redis.ts';

const TEAMS = ['T1', 'T2', 'T3'];
const ORG = 'E1';
const KEYRING = createKeyring([{ id: 'k', key: randomBytes(32) }]);
/** How long a bot caches the layout; short for tests. */
const HOLDS = 50;

let store: TestRedis;
let redis: Redis;
const open: RedisConnection[] = [];
const lines: string[] = [];

beforeEach(async () => {
  store = await testRedis();
  redis = store.client;
  lines.length = 0;
});
afterEach(async () => {
  for (const one of open.splice(0)) one.disconnect();
  await store.close();
});

/** Connected like a bot of this version. @param late how long its questions about the layout take to Redis, in ms */
async function connected(late = 0): Promise<RedisConnection> {
  const connection = connectRedis(store.url);
  open.push(connection);
  if (late > 0)
    gateCommands(connection as Redis, ({ keys }) =>
      keys.includes('tally:layout') ? delay(late) : undefined,
    );
  followLayout(connection, undefined, HOLDS);
  await waitUntilReady(connection, 5_000);
  return connection;
}

/** Connected like `npm run migrate`; the connection can be cut. */
async function migrate(cutAfter = Number.POSITIVE_INFINITY): Promise<boolean> {
  const connection = connectRedis(store.url);
  open.push(connection);
  await waitUntilReady(connection, 5_000);
  let sent = 0;
  gateCommands(connection as Redis, () => {
    sent += 1;
    if (sent > cutAfter) return Promise.reject(new Error('Connection is closed.'));
    return undefined;
  });
  const printLine = (line: string) => void lines.push(line);
  return migrateKeys({ redis: connection, printLine, announced: 3 * HOLDS });
}

/** The data of an earlier version. */
async function saveOld(): Promise<void> {
  for (const id of TEAMS) {
    await redis.hset(`tally:workspace:${id}`, { settings: '{"zone":"Asia/Tokyo"}', 'channel:C0': id });
    for (const n of [1, 2])
      await redis.xadd(
        `tally:audit:${id}`,
        '*',
        'at',
        String(n),
        'who',
        'U1',
        'deed',
        'settings changed',
        'about',
        id,
      );
    await redis.hset(`tally:ledger:${id}`, 'schedul1/2026-11-20', '{}');
    await redis.hset(`tally:handles:${id}`, 'a', '1');
    await redis.pexpire(`tally:handles:${id}`, 600_000);
    await redis.zadd(`tally:heard:${id}`, '1', 'Ev1');
  }
  await redis.hset(`tally:workspace:${ORG}`, 'settings', '{}');
  await redis.sadd(`tally:org:${ORG}`, ...TEAMS);
  await redis.hset('tally:jobs:deliver:meta', 'opts.maxLenEvents', '0');
  await redis.zadd('tally:jobs:deliver:repeat', '1', 'T1');
}

const oldKeys = () => redis.keys('tally:*[^}]:[TE][0-9]');
const index = async () => {
  const found: string[] = [];
  for await (const id of createWorkspaceIndex(redis).list()) found.push(id);
  return found.sort();
};

async function expectMoved(): Promise<void> {
  const keys = (await redis.keys('*')).filter((key) => !isGlobalKey(key));
  expect(keys.filter((key) => !key.includes('{'))).toEqual([]);
  expect(await index()).toEqual([ORG, ...TEAMS]);
  expect((await redis.smembers(`tally:{${ORG}}:members`)).sort()).toEqual(TEAMS);
  for (const id of TEAMS) {
    expect(await redis.hgetall(`tally:{${id}}:record`)).toMatchObject({ 'channel:C0': id });
    expect(await redis.xlen(`tally:{${id}}:audit`)).toBe(2);
    expect(await redis.hgetall(`tally:{${id}}:delivery-log`)).toEqual({ 'schedul1/2026-11-20': '{}' });
    expect(await redis.pttl(`tally:{${id}}:grants`)).toBeGreaterThan(0);
  }
}

describe('npm run migrate', () => {
  it('moves everything, and does nothing when it runs again', async () => {
    await saveOld();
    expect(await migrate()).toBe(true);
    await expectMoved();
    expect(lines.join('\n')).toContain('4 workspaces moved, 2 keys of the earlier queue deleted.');
    expect(await migrate()).toBe(true);
    expect(lines.at(-1)).toContain('Nothing to do');
  });

  it('does nothing in an empty Redis', async () => {
    expect(await migrate()).toBe(true);
    expect(lines).toEqual(['All keys have the names of this version. Nothing to do.']);
  });

  it('continues after any interruption, and loses nothing', async () => {
    for (let cut = 1; ; cut += 1) {
      await redis.flushdb();
      await saveOld();
      const isWhole = await migrate(cut).catch((error: unknown) => {
        expect(error).toBeInstanceOf(StoreUnavailable);
        return false;
      });
      if (isWhole) {
        expect(cut).toBeGreaterThan(15);
        return;
      }
      await migrate();
      await expectMoved();
    }
  });

  it('waits for bots of the earlier version to stop', async () => {
    await saveOld();
    const old = new Redis(store.url, { connectionName: 'tally:jobs:ZGVsaXZlcg==' });
    await old.ping();
    expect(await migrate()).toBe(false);
    expect(lines.join()).toContain('A bot of the earlier version is still connected');
    expect(await redis.exists('tally:layout')).toBe(0);
    await old.quit();
    expect(await migrate()).toBe(true);
  });

  it('takes over what a bot of the earlier version wrote after the move', async () => {
    await saveOld();
    await migrate();
    await redis.hset('tally:workspace:T1', { settings: '{"zone":"Europe/Rome"}', 'channel:C9': 'late' });
    await redis.xadd('tally:audit:T1', '*', 'at', '3', 'who', 'U1', 'deed', 'settings changed', 'about', 'x');
    await redis.hset('tally:workspace:T9', 'settings', '{}');
    expect(await migrate()).toBe(true);
    expect(await redis.hgetall('tally:{T1}:record')).toEqual({
      settings: '{"zone":"Europe/Rome"}',
      'channel:C0': 'T1',
      'channel:C9': 'late',
    });
    expect(await redis.xlen('tally:{T1}:audit')).toBe(3);
    expect(await oldKeys()).toEqual([]);
    expect(await index()).toContain('T9');
  });
});

describe('npm run doctor', () => {
  const says = async () => (await checkLayout(Promise.resolve(await connected())))[0]?.says;

  it('says when all or some keys have old names', async () => {
    await saveOld();
    expect(await says()).toBe('have the names of an earlier version');
    await migrate(8).catch(() => false);
    expect(await says()).toBe('have not all moved to the names of this version');
    await migrate();
    expect(await says()).toBe('have the names of this version, in 1 shard');
    await redis.hset('tally:workspace:T1', 'settings', '{}');
    expect(await says()).toBe('were also written by a bot of an earlier version');
  });
});

describe('a bot of this version', () => {
  it('uses the old names until then, so that bots of both versions see the same', async () => {
    await saveOld();
    const workspaces = createWorkspaces({ redis: await connected(), keyring: KEYRING });
    expect((await workspaces.read('T1')).channelDefault('C0')).toBe('T1');
    await workspaces.setChannelDefault(await changeIn(workspaces, 'T1'), 'C1', 'prod');
    expect(await redis.hget('tally:workspace:T1', 'channel:C1')).toBe('prod');
    expect(await redis.exists('tally:{T1}:record')).toBe(0);
    expect(await index()).toEqual([ORG, ...TEAMS]);
  });

  it.each([0, 40])(
    'keeps reading and writing while its keys move, and loses no change, with another bot whose questions take %i ms',
    async (late) => {
      await saveOld();
      const bots = [await connected(), await connected(late)].map((one) =>
        createWorkspaces({ redis: one, keyring: KEYRING }),
      );
      let isOver = false;
      const written = new Map<string, string[]>(TEAMS.map((id) => [id, []]));
      const write = async (at: number, id: string) => {
        const workspaces = bots[at]!;
        for (let n = 0; !isOver || n < 5; n += 1) {
          expect((await workspaces.read(id)).channelDefault('C0')).toBe(id);
          const channel = `C${at}x${n}`;
          await workspaces.setChannelDefault(await changeIn(workspaces, id), channel, 'prod');
          written.get(id)?.push(channel);
        }
      };
      const writing = Promise.all(TEAMS.flatMap((id) => [write(0, id), write(1, id)]));
      // Awaited below; until then a failure must not count as one that nobody handles.
      writing.catch(() => undefined);
      expect(await migrate()).toBe(true);
      isOver = true;
      await writing;
      expect(await oldKeys()).toEqual([]);
      for (const [id, channels] of written) {
        expect(channels.length).toBeGreaterThanOrEqual(10);
        const record = await redis.hgetall(`tally:{${id}}:record`);
        for (const channel of channels) expect(record[`channel:${channel}`]).toBe('prod');
      }
    },
  );

  it('moves a workspace itself when the migration has stopped halfway', async () => {
    await saveOld();
    await migrate(8).catch(() => false);
    const installed = createInstallationStore({ redis: await connected(), keyring: KEYRING });
    await new Promise((resolve) => setTimeout(resolve, 4 * HOLDS));
    expect((await installed.members(ORG)).toSorted()).toEqual(TEAMS);
    expect(await redis.exists(`tally:org:${ORG}`)).toBe(0);
    await migrate();
    await expectMoved();
  });
});
