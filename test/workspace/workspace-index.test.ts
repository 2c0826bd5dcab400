import type { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { checkLockKey, indexKey, zonesKey } from '../../src/redis/keys.ts';
import {
  createLayout,
  finishLayout,
  layoutOf,
  setShards,
  shardOf,
} from '../../src/workspace/record/layout.ts';
import { createWorkspaceIndex, type WorkspaceIndex } from '../../src/workspace/record/workspace-index.ts';
import { type TestRedis, testRedis } from '../support/redis.ts';

const NOW = Date.UTC(2026, 10, 21);

let store: TestRedis;
let redis: Redis;
let index: WorkspaceIndex;
beforeAll(async () => {
  store = await testRedis();
  redis = store.client;
});
beforeEach(async () => {
  await redis.flushdb();
  index = createWorkspaceIndex(redis, '2026a');
});
afterAll(() => store.close());

const listed = async (of = index) => {
  const found: string[] = [];
  for await (const id of of.list()) found.push(id);
  return found.sort();
};
const due = async (now: number, most = 10) =>
  (await index.due(0, now, most)).map(({ workspace }) => workspace);
/** A connection of its own knows nothing of the layout yet. */
const anew = () => redis.duplicate();

describe('the index of workspaces', () => {
  it('gives those whose check is due, the ones that waited longest first, and no more than asked for', async () => {
    await index.setCheck('T1', NOW);
    await index.setCheck('T2', NOW - 1);
    await index.setCheck('T3', NOW + 1);
    expect(await index.due(0, NOW, 10)).toEqual([
      { workspace: 'T2', shard: 0, at: NOW - 1 },
      { workspace: 'T1', shard: 0, at: NOW },
    ]);
    expect(await due(NOW + 1, 2)).toEqual(['T2', 'T1']);
    expect(await due(NOW - 2)).toEqual([]);
    expect(await index.due(1, NOW, 10)).toEqual([]);
  });

  it('has one that is touched checked in a minute', async () => {
    const touched = await Promise.all(Array.from({ length: 5 }, (_, n) => index.touch(`T${n}`)));
    const [seconds, micros] = await redis.time();
    const now = Number(seconds) * 1_000 + Number(micros) / 1_000;
    for (const { workspace, shard, at } of touched) {
      expect(Number(await redis.zscore(indexKey(shard), workspace))).toBe(at);
      expect(at).toBeGreaterThan(now);
      expect(at).toBeLessThanOrEqual(now + 60_001);
    }
  });

  it('takes each touch for an entry of its own, also within one millisecond', async () => {
    const touched = await Promise.all(Array.from({ length: 300 }, () => index.touch('T1')));
    expect(new Set(touched.map(({ at }) => at)).size).toBe(300);
    const [first, last] = [touched[0]!, touched.at(-1)!];
    expect(await index.moveCheck(first, NOW)).toBe(false);
    expect(await index.moveCheck(last, NOW)).toBe(true);
  });

  it('moves and removes a check only as it was seen', async () => {
    await index.setCheck('T1', NOW);
    const [seen] = await index.due(0, NOW, 1);
    await index.setCheck('T1', NOW + 5);
    expect(await index.moveCheck(seen!, NOW + 99)).toBe(false);
    expect(await index.remove(seen!)).toBe(false);
    const [now] = await index.due(0, NOW + 5, 1);
    expect(await index.moveCheck(now!, NOW + 7)).toBe(true);
    expect(await due(NOW + 6)).toEqual([]);
    expect(await index.due(0, NOW + 7, 1)).toEqual([{ ...now, at: NOW + 7 }]);
    expect(await index.remove({ ...now!, at: NOW + 7 })).toBe(true);
    expect(await index.remove({ ...now!, at: NOW + 7 })).toBe(false);
    expect(await index.moveCheck({ ...now!, at: NOW + 7 }, NOW)).toBe(false);
    expect(await listed()).toEqual([]);
  });

  it('lists each workspace once, in whichever shards it is, and forgets it from all of them', async () => {
    const before = anew();
    await setShards(before, 3);
    before.disconnect();
    const connection = anew();
    const spread = createWorkspaceIndex(connection);
    const ids = Array.from({ length: 1_200 }, (_, n) => `T${n}`);
    for (const id of ids) await redis.zadd(indexKey(shardOf(id, 3)), NOW, id);
    await redis.zadd(indexKey((shardOf('T7', 3) + 1) % 3), NOW, 'T7');
    expect(await listed(spread)).toEqual(ids.sort());
    await spread.setCheck('T8', NOW + 1);
    expect(await redis.zscore(indexKey(shardOf('T8', 3)), 'T8')).toBe(String(NOW + 1));
    await spread.forget('T7');
    expect(await listed(spread)).toEqual(ids.filter((id) => id !== 'T7'));
    connection.disconnect();
  });
});

describe('the checks of a shard', () => {
  it('are one process’s at a time, which may keep them', async () => {
    expect(await index.claimChecks(0, 'one', 5_000)).toBe(true);
    expect(await index.claimChecks(0, 'two', 5_000)).toBe(false);
    expect(await index.claimChecks(1, 'two', 5_000)).toBe(true);
    expect(await index.claimChecks(0, 'one', 60_000)).toBe(true);
    expect(await redis.pttl(checkLockKey(0))).toBeGreaterThan(5_000);
    await redis.del(checkLockKey(0));
    expect(await index.claimChecks(0, 'two', 5_000)).toBe(true);
  });

  it('are all due when the rules of time zones are other ones, and only then', async () => {
    await index.setCheck('T1', NOW);
    await index.setCheck('T2', NOW);
    expect(await index.claimChecks(0, 'one', 5_000)).toBe(true);
    expect(await index.claimChecks(0, 'one', 5_000)).toBe(true);
    expect(await due(NOW - 1)).toEqual([]);
    const newer = createWorkspaceIndex(redis, '2026b');
    expect(await newer.claimChecks(0, 'two', 5_000)).toBe(false);
    expect(await due(NOW - 1)).toEqual([]);
    expect(await newer.claimChecks(0, 'one', 5_000)).toBe(true);
    expect(await due(0)).toEqual(['T1', 'T2']);
    expect(await redis.get(zonesKey(0))).toBe('2026b');
  });
});

describe('the index over keys of an earlier layout', () => {
  beforeEach(async () => {
    await redis.hset('tally:workspace:T1', 'settings', '{}');
    await redis.hset('tally:workspace:T2', 'settings', '{}');
    await redis.xadd('tally:audit:T2', '*', 'who', 'U1');
    await redis.set('tally:workspace:t3', 'no id of Slack');
  });

  it('takes in what it does not know, without another check for what it knows', async () => {
    const connection = anew();
    const old = createWorkspaceIndex(connection);
    await old.setCheck('T1', NOW);
    expect(await listed(old)).toEqual(['T1', 'T2']);
    expect(await old.addOld()).toBe(true);
    expect(await redis.zscore(indexKey(0), 'T1')).toBe(String(NOW));
    expect(await redis.zscore(indexKey(0), 'T2')).toBe('0');
    expect(await redis.zcard(indexKey(0))).toBe(2);
    connection.disconnect();
  });

  it('is left alone once all have moved', async () => {
    await createLayout(redis);
    const connection = anew();
    const done = createWorkspaceIndex(connection);
    expect(await done.addOld()).toBe(false);
    expect(await listed(done)).toEqual([]);
    connection.disconnect();
  });

  it('is read again and again while they are moving', async () => {
    await createLayout(redis, 60_000);
    const connection = anew();
    const moving = createWorkspaceIndex(connection);
    expect(await moving.addOld()).toBe(true);
    expect(await listed(moving)).toEqual(['T1', 'T2']);
    await redis.unlink('tally:workspace:T1', 'tally:workspace:T2', 'tally:audit:T2');
    await finishLayout(redis);
    expect(await moving.addOld()).toBe(false);
    connection.disconnect();
  });
});

describe('the layout', () => {
  it('is written once, where Redis holds nothing of an earlier one', async () => {
    const connection = anew();
    expect(await layoutOf(connection)).toEqual({ version: 2, shards: 1, mostShards: 1, movesIn: undefined });
    expect(await redis.hgetall('tally:layout')).toEqual({ version: '2', shards: '1', 'most-shards': '1' });
    await createLayout(connection, 1_000);
    expect(await redis.hexists('tally:layout', 'moves-at')).toBe(0);
    await redis.hset('tally:layout', 'shards', '9');
    expect((await layoutOf(connection)).shards).toBe(1);
    connection.disconnect();
  });

  it('stays unwritten over old names, and is read again until all have moved', async () => {
    await redis.hset('tally:workspace:T1', 'settings', '{}');
    const connection = anew();
    expect(await layoutOf(connection)).toEqual({ version: 1, shards: 1, mostShards: 1, movesIn: undefined });
    expect(await redis.exists('tally:layout')).toBe(0);
    await createLayout(redis, 60_000);
    const { version, movesIn } = await layoutOf(connection);
    expect(version).toBe(2);
    expect(movesIn).toBeGreaterThan(0);
    expect(movesIn).toBeLessThanOrEqual(60_000);
    await redis.hset('tally:layout', 'moves-at', '1');
    expect((await layoutOf(connection)).movesIn).toBe(0);
    await finishLayout(redis);
    expect((await layoutOf(connection)).movesIn).toBeUndefined();
    connection.disconnect();
  });

  it('is asked for again where Redis did not answer', async () => {
    const connection = anew();
    await redis.set('tally:layout', 'of the wrong type');
    await expect(layoutOf(connection)).rejects.toThrow();
    await redis.del('tally:layout');
    expect((await layoutOf(connection)).version).toBe(2);
    connection.disconnect();
  });

  it('remembers the largest number of shards there ever was', async () => {
    for (const [shards, most] of [
      [4, 4],
      [2, 4],
      [5, 5],
    ] as const) {
      const connection = anew();
      await setShards(connection, shards);
      connection.disconnect();
      const next = anew();
      expect(await layoutOf(next)).toMatchObject({ shards, mostShards: most });
      next.disconnect();
    }
  });

  it('gives a workspace the same shard in every version', () => {
    expect(['T1', 'T0SANDBOX1', 'E0GRID0001'].map((id) => shardOf(id, 16))).toEqual([6, 11, 3]);
    const counts = new Array<number>(16).fill(0);
    for (let n = 0; n < 16_000; n += 1) counts[shardOf(`T0${n}`, 16)]! += 1;
    expect(Math.min(...counts)).toBeGreaterThan(700);
  });
});
