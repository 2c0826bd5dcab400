/**
 * One private Redis for each worker, started at the first call and ended with the worker, even if that is killed.
 * Every call gets its own empty database.
 */
import { tracingChannel } from 'node:diagnostics_channel';
import { type Cluster, Redis } from 'ioredis';
import { type RunningRedis, startRedis } from '../../sandbox/redis.ts';
import { INDEX_KEY } from '../../src/redis/keys.ts';
import { SERVER_BINARY } from './redis-servers.ts';
import { waitUntil } from './wait-until.ts';

export interface TestRedis {
  url: string;
  client: Redis;
  kind: RunningRedis['kind'];
  /** Closes only `client`. Tests close their other connections themselves. */
  close(): Promise<void>;
}

/** The queue's own keys, and hashes of events and requests, belong to no workspace. */
export const isGlobalKey = (key: string): boolean =>
  /^(tally:\{tally-\d+\}:probe|tally:layout|\{tally\}:deliver:(?!de:(?!sweep)).+|tally:(event|request):[\w-]{43})$/.test(
    key,
  );

/** All keys that can name a workspace. An index gives one entry for each workspace: `<key> <workspace>`. */
export async function workspaceKeys(client: Redis): Promise<string[]> {
  const keys = (await client.keys('*')).filter((key) => !isGlobalKey(key));
  const isIndex = (key: string) => key === INDEX_KEY;
  const entries = keys.filter(isIndex).map(async (key) => {
    const members = await client.zrange(key, '0', '-1');
    return members.map((id) => `${key} ${id}`);
  });
  return [...keys.filter((key) => !isIndex(key)), ...(await Promise.all(entries)).flat()].sort();
}

const DATABASES = 16;
let running: Promise<RunningRedis> | undefined;
let calls = 0;

/** Databases share pub/sub channels, so use different names. At most 16 databases at a time. */
export async function testRedis(): Promise<TestRedis> {
  running ??= startRedis({ binary: SERVER_BINARY });
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

/** Deletes every wake-up. The next process that starts finds what is due by its own clock. */
export async function forgetWakeUps(client: Redis): Promise<void> {
  const keys = await client.keys('{tally}:*');
  if (keys.length > 0) await client.unlink(...keys);
}

/** Waits until no wake-up is due and no run is in progress, because a run would disturb the test. */
async function untilNothingRuns(client: Redis): Promise<void> {
  const lists = ['wait', 'active'].map((list) => `{tally}:deliver:${list}`);
  await waitUntil(async () => {
    const [waiting = 0, active = 0] = await Promise.all(lists.map((key) => client.llen(key)));
    // BullMQ orders delayed jobs by their time in ms multiplied by 0x1000.
    const due = await client.zcount('{tally}:deliver:delayed', '-inf', (Date.now() + 100) * 0x1000);
    return waiting + active + due === 0;
  });
}

export async function contentOf(client: Redis | Cluster, key: string): Promise<unknown> {
  switch (await client.type(key)) {
    case 'hash':
      return client.hgetall(key);
    case 'list':
      return client.lrange(key, 0, -1);
    case 'set':
      return client.smembers(key);
    case 'stream':
      return client.xrange(key, '-', '+');
    case 'string':
      return client.get(key);
    case 'zset':
      return client.zrange(key, '0', '-1');
    default:
      return undefined;
  }
}

/** A command as ioredis publishes it, with “?” for arguments that may be confidential. */
interface SentCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly database: number;
}

/** The queue and the index of workspaces send commands at any time. */
const isOfScheduler = ({ args }: SentCommand): boolean =>
  args.some((arg) => arg.includes('{tally}') || arg === INDEX_KEY);

/**
 * Records what ioredis sends in this process, so that the counts hold for any server. Commands inside a script aren't
 * counted. @param isLeftOut by default, commands of a running bot's scheduler
 * @returns the names of the commands that go to this database during the work, in order
 */
export async function commandsOf(
  redis: TestRedis,
  work: () => Promise<unknown>,
  isLeftOut = isOfScheduler,
): Promise<string[]> {
  const names: string[] = [];
  const none = () => undefined;
  const subscribers = {
    start(message: unknown) {
      const sent = message as SentCommand;
      if (sent.database === redis.client.options.db && !isLeftOut(sent) && sent.command !== 'ping')
        // Redis knows a script by its hash once this connection has sent it.
        names.push(sent.command === 'evalsha' ? 'eval' : sent.command);
    },
    end: none,
    asyncStart: none,
    asyncEnd: none,
    error: none,
  };
  await untilNothingRuns(redis.client);
  const channel = tracingChannel('ioredis:command');
  channel.subscribe(subscribers);
  try {
    await work();
  } finally {
    channel.unsubscribe(subscribers);
  }
  return names;
}

/** All of Redis, as text. */
export async function dumpRedis(client: Redis): Promise<string> {
  const keys = await client.keys('*');
  return JSON.stringify(await Promise.all(keys.map(async (key) => [key, await contentOf(client, key)])));
}
