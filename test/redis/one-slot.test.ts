import { afterEach, beforeEach, expect, it } from 'vitest';
import { connectQueue, connectRedis, type RedisConnection, waitUntilReady } from '../../src/redis/connect.ts';
import { auditKey, recordKey } from '../../src/redis/keys.ts';
import { type TestRedis, testRedis } from '../support/redis.ts';

let store: TestRedis;
let open: RedisConnection[];
beforeEach(async () => {
  store = await testRedis();
  open = [connectRedis(store.url), connectQueue(store.url, () => undefined)];
  await Promise.all(open.map((redis) => waitUntilReady(redis, 5_000)));
});
afterEach(async () => {
  for (const redis of open) redis.disconnect();
  await store.close();
});

it('fails a command of the bot with keys of two workspaces, in any test', async () => {
  for (const redis of open) {
    const refused = expect.objectContaining({ message: expect.stringContaining('keys of several slots') });
    await expect(redis.eval('return 1', 2, recordKey('T1'), auditKey('T2'))).rejects.toEqual(refused);
    await expect(redis.unlink(recordKey('T1'), recordKey('T2'))).rejects.toEqual(refused);
  }
});

it('allows a command with keys of one workspace', async () => {
  for (const redis of open) expect(await redis.eval('return 1', 2, recordKey('T1'), auditKey('T1'))).toBe(1);
});
