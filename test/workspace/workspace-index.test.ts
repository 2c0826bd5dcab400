import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { INDEX_KEY } from '../../src/redis/keys.ts';
import { createWorkspaceIndex } from '../../src/workspace/record/workspace-store.ts';
import { testRedis } from '../support/redis.ts';

const store = await testRedis();
const redis = store.client;
const index = createWorkspaceIndex(redis);
beforeEach(() => redis.flushdb());
afterAll(() => store.close());

const listed = async () => {
  const found: string[] = [];
  for await (const id of index.list()) found.push(id);
  return found.sort();
};

describe('the index of workspaces', () => {
  it('lists each workspace once, however many there are', async () => {
    const ids = Array.from({ length: 1_200 }, (_, n) => `T${n}`);
    await Promise.all(ids.map((id) => index.touch(id)));
    await index.touch('T7');
    await index.forget('T8');
    expect(await listed()).toEqual(ids.filter((id) => id !== 'T8').sort());
  });

  it('removes a workspace without a record, but not one that may be about to get one', async () => {
    await index.touch('T1');
    await redis.zadd(INDEX_KEY, Date.now() - 61_000, 'T2');
    await Promise.all(['T1', 'T2', 'T3'].map((id) => index.removeAbsent(id)));
    expect(await listed()).toEqual(['T1']);
  });
});
