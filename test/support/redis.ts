/**
 * One private Redis a worker, started when a test first asks, gone when the worker is: its keeper watches a
 * pipe, so that also a terminated worker leaves nothing. Every call gets a logical database of its own, emptied.
 */
import { Redis } from 'ioredis';
import { type RunningRedis, startRedis } from '../../sandbox/redis.ts';

export interface TestRedis {
  /** With the number of the database; ioredis takes it as it is. */
  url: string;
  client: Redis;
  kind: RunningRedis['kind'];
  /** Closes `client`; whoever opened further ones closes those. */
  close(): Promise<void>;
}

/** The queue's own keys, which are there from the start, and events of workspaces nothing is known of, and signatures of requests: they name nobody. */
export const isOfNobody = (key: string): boolean =>
  /^tally:(jobs:deliver:(meta|stalled-check)|(event|request):[\w-]{43})$/.test(key);

const DATABASES = 16;
let running: Promise<RunningRedis> | undefined;
let calls = 0;

/** Channels of pub/sub are shared by all databases: name them apart. At most 16 calls at a time. */
export async function testRedis(): Promise<TestRedis> {
  running ??= startRedis();
  const { url: server, kind } = await running;
  const url = `${server}?db=${calls++ % DATABASES}`;
  const client = new Redis(url, { lazyConnect: true });
  await client.connect();
  await client.flushdb();
  return {
    url,
    client,
    kind,
    async close() {
      await client.quit();
    },
  };
}
