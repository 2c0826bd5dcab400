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
const EVERYBODY = { ...PLACE, person: undefined };
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
const textAt = async (place: ThreadPlace, at = AT) => (await threads.recall(place, at))?.text;

describe('the last question in a thread', () => {
  it('is remembered for everyone if everyone saw its answer', async () => {
    await threads.remember(EVERYBODY, question('prod october'));
    expect(await threads.recall(OTHER, AT)).toEqual(question('prod october'));
  });

  it.each<[string, Partial<ThreadPlace>]>([
    ['another thread', { thread: '17.2' }],
    ['another channel', { channel: 'C2' }],
    ['another workspace', { workspace: 'T2' }],
    ['the channel itself', { thread: '' }],
    ['a channel whose name imitates a stored key', { channel: 'C1","17.1' }],
  ])('isn’t remembered for %s', async (_, elsewhere) => {
    await threads.remember(EVERYBODY, question('prod'));
    expect(await threads.recall({ ...PLACE, ...elsewhere }, AT)).toBeUndefined();
  });

  it('is remembered for one person if nobody else saw its answer', async () => {
    await threads.remember(EVERYBODY, question('prod', AT - 2));
    await threads.remember(PLACE, question('payroll', AT - 1));
    expect(await textAt(PLACE)).toBe('payroll');
    expect(await textAt(OTHER)).toBe('prod');
    await threads.remember(EVERYBODY, question('staging'));
    expect(await textAt(PLACE)).toBe('staging');
  });

  it('is forgotten after 30 days, and deleted from Redis', async () => {
    await threads.remember(EVERYBODY, question('prod'));
    expect(await textAt(PLACE, AT + THREAD_LIFETIME - 1)).toBe('prod');
    expect(await textAt(PLACE, AT + THREAD_LIFETIME)).toBeUndefined();
    for (const key of [threadsKey('T1'), threadTimesKey('T1')])
      expect(await redis.client.pttl(key)).toBeLessThanOrEqual(THREAD_LIFETIME);
    await threads.remember({ ...EVERYBODY, thread: '18.1' }, question('staging', AT + THREAD_LIFETIME));
    expect(await redis.client.hvals(threadsKey('T1'))).toEqual([expect.stringContaining('staging')]);
    expect(await redis.client.zcard(threadTimesKey('T1'))).toBe(1);
  });

  it('isn’t stored for a workspace that was removed', async () => {
    await redis.client.unlink('tally:{T1}:record');
    await threads.remember(EVERYBODY, question('prod'));
    expect(await redis.client.keys('tally:{T1}:*')).toEqual([]);
  });

  it.each(['', 'null', '{"command":"/os-token","text":"prod"}', '[]'])(
    'is treated as missing if its record can’t be read: “%s”',
    async (value) => {
      await redis.client.hset(threadsKey('T1'), '["C1","17.1"]', value);
      expect(await threads.recall(PLACE, AT)).toBeUndefined();
    },
  );
});

it('the thread store fails at once if Redis doesn’t answer', async () => {
  const away = connectRedis('redis://127.0.0.1:1');
  const store = createThreadStore(away);
  await expect(store.remember(EVERYBODY, question('prod'))).rejects.toMatchObject({
    kind: 'store-unavailable',
  });
  await expect(store.recall(PLACE, AT)).rejects.toMatchObject({ kind: 'store-unavailable' });
  away.disconnect();
});
