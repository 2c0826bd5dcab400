import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { recordKey } from '../../src/redis/keys.ts';
import { createEventDedup } from '../../src/workspace/replay-protection.ts';
import { type TestRedis, testRedis } from '../support/redis.ts';

const NORTH = 'T0NORTH001';
const SOUTH = 'T0SOUTH001';

let redis: TestRedis;
beforeEach(async () => {
  redis = await testRedis();
});
afterEach(() => redis.close());

describe('an event that Slack sends again', () => {
  it.each(['something', 'nothing'])('is handled once when %s is stored of the workspace', async (known) => {
    if (known === 'something') await redis.client.hset(recordKey(NORTH), 'settings', '{}');
    const [one, other] = [createEventDedup(redis.client), createEventDedup(redis.client)];
    const heard = await Promise.all([one, other, one].map(({ first }) => first(NORTH, 'Ev1')));
    expect(heard.filter(Boolean)).toEqual([true]);
    expect(await one.first(NORTH, 'Ev2')).toBe(true);
    expect(await one.first(SOUTH, 'Ev1')).toBe(true);
  });

  it('is handled once although the workspace’s first record came in between', async () => {
    const { first } = createEventDedup(redis.client);
    expect(await first(NORTH, 'Ev1')).toBe(true);
    await redis.client.hset(recordKey(NORTH), 'settings', '{}');
    expect(await first(NORTH, 'Ev1')).toBe(false);
  });

  it('leaves only an unnamed mark for an unknown workspace, for a short time', async () => {
    await createEventDedup(redis.client).first(NORTH, 'Ev1');
    const keys = await redis.client.keys('*');
    expect(keys.join(' ')).not.toMatch(/NORTH|Ev1/);
    for (const key of keys) expect(await redis.client.pttl(key)).toBeGreaterThan(0);
  });
});
