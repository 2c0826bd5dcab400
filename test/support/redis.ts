/**
 * One private Redis for each worker, started at the first call. It ends with the worker: a guard process watches a pipe, so
 * that even a killed worker leaves nothing behind. Every call gets an empty logical database of its own.
 */
import { Redis } from 'ioredis';
import { type RunningRedis, startRedis } from '../../sandbox/redis.ts';

export interface TestRedis {
  /** Includes the database number; ioredis accepts it as it is. */
  url: string;
  client: Redis;
  kind: RunningRedis['kind'];
  /** Closes `client`, and no other connection that a test opened. */
  close(): Promise<void>;
}

/** The queue's own keys and the layout, which are there from the start, and hashes of events and requests: they name nobody. */
export const isOfNobody = (key: string): boolean =>
  /^(tally:layout|tally:\{tally-\d+\}:(check-lock|zones)|\{tally-\d+\}:deliver:(meta|stalled-check)|tally:(event|request):[\w-]{43})$/.test(
    key,
  );

/** Every key that may name a workspace; for the index an entry each: `<key> <workspace>`. */
export async function namingKeys(client: Redis): Promise<string[]> {
  const keys = (await client.keys('*')).filter((key) => !isOfNobody(key));
  const isIndex = (key: string) => /^tally:\{tally-\d+\}:workspaces$/.test(key);
  const entries = keys.filter(isIndex).map(async (key) => {
    const members = await client.zrange(key, '0', '-1');
    return members.map((id) => `${key} ${id}`);
  });
  return [...keys.filter((key) => !isIndex(key)), ...(await Promise.all(entries)).flat()].sort();
}

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
