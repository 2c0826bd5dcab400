import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { membersKey } from '../../src/redis/keys.ts';
import { createDeletion } from '../../src/workspace/record/workspace-store.ts';
import { type TestRedis, testRedis, workspaceKeys } from '../support/redis.ts';

const ORG = 'E0GRID0001';
const TEAMS = ['T0GRID0001', 'T0GRID0002'];

let redis: TestRedis;
beforeEach(async () => {
  redis = await testRedis();
});
afterEach(() => redis.close());

describe('deleting an organization', () => {
  it('also deletes what other parts keep of each of its workspaces', async () => {
    await redis.client.sadd(membersKey(ORG), ...TEAMS);
    const deleted: string[] = [];
    await createDeletion({ redis: redis.client, others: async (id) => void deleted.push(id) }).organization(
      ORG,
    );
    expect(deleted.sort()).toEqual([ORG, ...TEAMS]);
    expect(await workspaceKeys(redis.client)).toEqual([]);
  });

  it('remembers its workspaces if another part fails, so that it can be repeated', async () => {
    await redis.client.sadd(membersKey(ORG), ...TEAMS);
    const failing = createDeletion({
      redis: redis.client,
      others: () => Promise.reject(new Error('the queue does not answer')),
    });
    await expect(failing.organization(ORG)).rejects.toThrow('the queue does not answer');
    expect((await redis.client.smembers(membersKey(ORG))).sort()).toEqual(TEAMS);
  });
});
