import { Redis } from 'ioredis';
import { beforeEach, expect, it } from 'vitest';

import { connectRedis, waitUntilReady } from '../../src/redis/connect.ts';
import { recordKey, tokenLockKey } from '../../src/redis/keys.ts';
import { acquireLease } from '../../src/redis/lease.ts';
import { startPersistentRedis } from '../support/delivery-processes.ts';
import { NO_SERVER } from '../support/redis-servers.ts';

const TEAM = 'T0TEAM0001';

// The embedded Redis cannot be made to stand still.
beforeEach(({ skip }) => skip(NO_SERVER !== undefined, NO_SERVER));

it('releases a lease that Redis grants after its caller gave up', async () => {
  const server = await startPersistentRedis();
  const redis = connectRedis(server.url);
  const other = new Redis(server.url.replace('unix://', ''));
  try {
    await waitUntilReady(redis, 5_000);
    await other.hset(recordKey(TEAM), 'a', 'b');
    server.signal('SIGSTOP');
    const late = acquireLease(redis, TEAM, tokenLockKey, 60_000);
    await expect(late).rejects.toThrow(expect.objectContaining({ kind: 'store-unavailable' }));
    server.signal('SIGCONT');
    // Commands are answered in the order in which they were sent.
    await redis.ping();
    expect(await acquireLease(other, TEAM, tokenLockKey, 60_000)).toMatchObject({
      key: tokenLockKey(TEAM),
    });
  } finally {
    redis.disconnect();
    other.disconnect();
    await server.stop();
  }
});
