import type { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { checkLockKey, hashBucket, indexKey, zonesKey } from '../../src/redis/keys.ts';
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

const listed = async () => {
  const found: string[] = [];
  for await (const id of index.list()) found.push(id);
  return found.sort();
};
const due = async (now: number, most = 10) =>
  (await index.due(0, now, most)).map(({ workspace }) => workspace);

describe('the index of workspaces', () => {
  it('lists workspaces whose check is due, the longest overdue first, up to a limit', async () => {
    await index.setCheck('T1', NOW);
    await index.setCheck('T2', NOW - 1);
    await index.setCheck('T3', NOW + 1);
    expect(await index.due(0, NOW, 10)).toEqual([
      { workspace: 'T2', at: NOW - 1 },
      { workspace: 'T1', at: NOW },
    ]);
    expect(await due(NOW + 1, 2)).toEqual(['T2', 'T1']);
    expect(await due(NOW - 2)).toEqual([]);
    expect(await index.due(1, NOW, 10)).toEqual([]);
  });

  it('schedules a check of a touched workspace within a minute', async () => {
    const touched = await Promise.all(Array.from({ length: 5 }, (_, n) => index.touch(`T${n}`)));
    const [seconds, micros] = await redis.time();
    const now = Number(seconds) * 1_000 + Number(micros) / 1_000;
    for (const { workspace, at } of touched) {
      expect(Number(await redis.zscore(indexKey(0), workspace))).toBe(at);
      expect(at).toBeGreaterThan(now);
      expect(at).toBeLessThanOrEqual(now + 60_001);
    }
  });

  it('keeps the order of touches within one millisecond', async () => {
    const touched = await Promise.all(Array.from({ length: 300 }, () => index.touch('T1')));
    expect(new Set(touched.map(({ at }) => at)).size).toBe(300);
    const [first, last] = [touched[0]!, touched.at(-1)!];
    expect(await index.moveCheck(first, NOW)).toBe(false);
    expect(await index.moveCheck(last, NOW)).toBe(true);
  });

  it('moves or removes a check only if it is unchanged', async () => {
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

  it('lists each workspace once, and no forgotten one', async () => {
    const ids = Array.from({ length: 1_200 }, (_, n) => `T${n}`);
    for (const id of ids) await redis.zadd(indexKey(0), NOW, id);
    expect(await listed()).toEqual(ids.sort());
    await index.forget('T7');
    expect(await listed()).toEqual(ids.filter((id) => id !== 'T7'));
  });
});

describe('the checks of a shard', () => {
  it('are leased by one process at a time, which can renew the lease', async () => {
    expect(await index.claimChecks(0, 'one', 5_000)).toBe(true);
    expect(await index.claimChecks(0, 'two', 5_000)).toBe(false);
    expect(await index.claimChecks(1, 'two', 5_000)).toBe(true);
    expect(await index.claimChecks(0, 'one', 60_000)).toBe(true);
    expect(await redis.pttl(checkLockKey(0))).toBeGreaterThan(5_000);
    await redis.del(checkLockKey(0));
    expect(await index.claimChecks(0, 'two', 5_000)).toBe(true);
  });

  it('are all due when the time zone rules have changed, and only then', async () => {
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

describe('the shard of a workspace in a Cluster', () => {
  it('is the same in every version', () => {
    expect(['T1', 'T0SANDBOX1', 'E0GRID0001'].map((id) => hashBucket(id, 16))).toEqual([6, 11, 3]);
    const counts = new Array<number>(16).fill(0);
    for (let n = 0; n < 16_000; n += 1) counts[hashBucket(`T0${n}`, 16)]! += 1;
    expect(Math.min(...counts)).toBeGreaterThan(700);
  });
});
