import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { connectRedis } from '../../src/redis/connect.ts';
import { threadsKey, threadTimesKey } from '../../src/redis/keys.ts';
import {
  createThreadStore,
  THREAD_LIFETIME,
  type ThreadPlace,
  type ThreadQuestion,
  type ThreadStore,
} from '../../src/workspace/thread-store.ts';
import { type TestRedis, testRedis } from '../support/redis.ts';

const AT = Date.UTC(2026, 10, 21, 10, 15, 30, 123);
const PLACE: ThreadPlace = { workspace: 'T1', channel: 'C1', thread: '17.1', person: 'U1' };
const OTHER = { ...PLACE, person: 'U2' };
let redis: TestRedis;
let threads: ThreadStore;

beforeAll(async () => {
  redis = await testRedis();
  threads = createThreadStore(redis.client);
});
beforeEach(async () => {
  await redis.client.flushdb();
  for (const team of ['T1', 'T2']) await redis.client.hset(`tally:{${team}}:record`, 'settings', '{}');
});
afterAll(() => redis.close());

const question = (text: string, at = AT): ThreadQuestion => ({
  command: '/spend',
  text,
  at,
  ids: { prod: '123' },
});
const NOTHING = { answered: undefined, failed: undefined };
const textsAt = async (place: ThreadPlace, at = AT) => {
  const { answered, failed } = await threads.recall(place, at);
  return [answered?.text, failed?.text];
};

describe('the last question in a thread', () => {
  it('is remembered for everyone if everyone saw its answer', async () => {
    await threads.remember(PLACE, question('prod october'), 'everybody');
    expect(await threads.recall(OTHER, AT)).toEqual({ ...NOTHING, answered: question('prod october') });
  });

  it.each<[string, Partial<ThreadPlace>]>([
    ['another thread', { thread: '17.2' }],
    ['another channel', { channel: 'C2' }],
    ['another workspace', { workspace: 'T2' }],
    ['the channel itself', { thread: '' }],
    ['a channel whose name imitates a stored key', { channel: 'C1","17.1' }],
  ])('isn’t remembered for %s', async (_, elsewhere) => {
    await threads.remember(PLACE, question('prod'), 'everybody');
    expect(await threads.recall({ ...PLACE, ...elsewhere }, AT)).toEqual(NOTHING);
  });

  it('is remembered for one person if nobody else saw its answer', async () => {
    await threads.remember(PLACE, question('prod', AT - 2), 'everybody');
    await threads.remember(PLACE, question('payroll', AT - 1), 'person');
    expect(await textsAt(PLACE)).toEqual(['payroll', undefined]);
    expect(await textsAt(OTHER)).toEqual(['prod', undefined]);
    await threads.remember(OTHER, question('staging'), 'everybody');
    expect(await textsAt(PLACE)).toEqual(['staging', undefined]);
  });

  it('is remembered only for the person who asked if it failed', async () => {
    await threads.remember(PLACE, question('prod', AT - 2), 'everybody');
    await threads.remember(PLACE, question('staging', AT - 1), 'failed');
    expect(await textsAt(PLACE)).toEqual(['prod', 'staging']);
    expect(await textsAt(OTHER)).toEqual(['prod', undefined]);
    await threads.remember(PLACE, question('dev'), 'everybody');
    expect(await textsAt(PLACE)).toEqual(['dev', undefined]);
  });

  it('is forgotten after 30 days, and deleted from Redis', async () => {
    await threads.remember(PLACE, question('prod'), 'everybody');
    expect(await textsAt(PLACE, AT + THREAD_LIFETIME - 1)).toEqual(['prod', undefined]);
    expect(await textsAt(PLACE, AT + THREAD_LIFETIME)).toEqual([undefined, undefined]);
    for (const key of [threadsKey('T1'), threadTimesKey('T1')])
      expect(await redis.client.pttl(key)).toBeLessThanOrEqual(THREAD_LIFETIME);
    await threads.remember(
      { ...PLACE, thread: '18.1' },
      question('staging', AT + THREAD_LIFETIME),
      'everybody',
    );
    expect(await redis.client.hvals(threadsKey('T1'))).toEqual([expect.stringContaining('staging')]);
    expect(await redis.client.zcard(threadTimesKey('T1'))).toBe(1);
  });

  it('isn’t stored for a workspace that was removed', async () => {
    await redis.client.unlink('tally:{T1}:record');
    await threads.remember(PLACE, question('prod'), 'everybody');
    expect(await redis.client.keys('tally:{T1}:*')).toEqual([]);
  });

  it.each(['', 'null', '{"command":"/os-token","text":"prod"}', '[]'])(
    'is treated as missing if its record can’t be read: “%s”',
    async (value) => {
      await redis.client.hset(threadsKey('T1'), '["C1","17.1"]', value);
      expect(await threads.recall(PLACE, AT)).toEqual(NOTHING);
    },
  );
});

it('the thread store fails at once if Redis doesn’t answer', async () => {
  const away = connectRedis('redis://127.0.0.1:1');
  const store = createThreadStore(away);
  await expect(store.remember(PLACE, question('prod'), 'everybody')).rejects.toMatchObject({
    kind: 'store-unavailable',
  });
  await expect(store.recall(PLACE, AT)).rejects.toMatchObject({ kind: 'store-unavailable' });
  away.disconnect();
});
