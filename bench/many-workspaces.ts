/**
 * Writes 100,000 workspaces with five schedules each into Redis, then measures the memory of Redis and the bot, the time
 * of a start, and the number of Redis commands.
 *
 *     npm run build && npx tsx bench/many-workspaces.ts [workspaces] [schedules each]
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Redis } from 'ioredis';
import { indexKey, recordKey } from '../src/redis/keys.ts';
import { schedule } from '../test/support/delivery.ts';
import { startServer } from '../test/support/redis-servers.ts';

const MEGABYTE = 1_000_000;
const PAGE = 500;
const workspaceId = (n: number): string => `T${String(n).padStart(9, '0')}`;

const [workspaces = 100_000, each = 5] = process.argv.slice(2).map(Number);

/** Saves daily posts spread over the day. The first is hours away, so that none falls due during the measurement. */
async function fill(redis: Redis): Promise<void> {
  const now = Date.now();
  for (let from = 0; from < workspaces; from += PAGE) {
    const pipeline = redis.pipeline();
    for (let n = from; n < Math.min(from + PAGE, workspaces); n += 1) {
      const fields = Array.from({ length: each }, (_, at) => {
        const minutes = (Math.floor(now / 60_000) + 180 + ((n * each + at) % 1_080)) % 1_440;
        const two = (part: number) => String(Math.floor(part)).padStart(2, '0');
        const time = `${two(minutes / 60)}:${two(minutes % 60)}`;
        const timing = { cadence: { kind: 'daily' as const }, time, zone: 'UTC' };
        const id = `s${String(at).padStart(7, '0')}`;
        return [
          `schedule:${id}`,
          JSON.stringify(schedule({ id, timing, channel: `C${n}X${at}`, since: now })),
        ];
      });
      pipeline.zadd(indexKey(0), 0, workspaceId(n));
      pipeline.hset(recordKey(workspaceId(n)), Object.fromEntries(fields));
    }
    await pipeline.exec();
  }
}

const memoryOf = async (redis: Redis): Promise<number> =>
  Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1]) / MEGABYTE;
const commandsOf = async (redis: Redis): Promise<number> =>
  Number(/total_commands_processed:(\d+)/.exec(await redis.info('stats'))?.[1]);
const residentOf = async ({ pid }: ChildProcess): Promise<number> =>
  Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_000;
const dueOf = (redis: Redis): Promise<number> => redis.zcount(indexKey(0), '-inf', Date.now());

interface StartedBot {
  readonly child: ChildProcess;
  /** Time until it listens, in ms. */
  readonly started: number;
}

async function startBot(redisUrl: string, port = 38_765): Promise<StartedBot> {
  const began = performance.now();
  const child = spawn(process.execPath, ['dist/tally.js', 'start'], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: {
      PATH: process.env.PATH,
      SLACK_BOT_TOKEN: 'xoxb-for-measuring-only',
      SLACK_SIGNING_SECRET: 'a-signing-secret-for-measuring-only',
      SLACK_API_URL: 'http://127.0.0.1:9/api/',
      PORT: String(port),
      REDIS_URL: redisUrl,
      ENCRYPTION_KEYS: `k:${Buffer.from([...Array(32).keys()]).toString('base64')}`,
    },
  });
  let output = '';
  child.stdout?.on('data', (part) => {
    output += String(part);
  });
  while (!output.includes('Tally listens') && child.exitCode === null) await delay(5);
  if (child.exitCode !== null) throw new Error(`The bot did not start: ${output}`);
  return { child, started: performance.now() - began };
}

const stop = async ({ child }: StartedBot): Promise<void> => {
  child.kill('SIGTERM');
  while (child.exitCode === null && child.signalCode === null) await delay(20);
};

async function commandsAMinute(redis: Redis): Promise<number> {
  const before = await commandsOf(redis);
  await delay(120_000);
  return Math.round(((await commandsOf(redis)) - before) / 2);
}

const row = (what: string, value: string): void => console.log(`| ${what} | ${value} |`);

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const server = await startServer();
  const { client: redis } = server;
  const url = `redis://127.0.0.1:${server.port}`;
  const empty = await memoryOf(redis);
  await fill(redis);
  row('Redis, records and index', `${((await memoryOf(redis)) - empty).toFixed(0)} MB`);

  const first = await startBot(url);
  const began = performance.now();
  const before = await commandsOf(redis);
  while ((await dueOf(redis)) > 0) await delay(100);
  row(
    'first start: runs derived for every workspace',
    `${((performance.now() - began) / 1_000).toFixed(1)} s`,
  );
  row('commands for that', String((await commandsOf(redis)) - before));
  row('Redis, with the scheduled runs', `${((await memoryOf(redis)) - empty).toFixed(0)} MB`);
  row('bot after that', `${(await residentOf(first.child)).toFixed(0)} MB`);
  await stop(first);

  const second = await startBot(url);
  row('another start, until it listens', `${second.started.toFixed(0)} ms`);
  await delay(5_000);
  row('bot after 5 s', `${(await residentOf(second.child)).toFixed(0)} MB`);
  row('commands a minute, one bot, nothing due', String(await commandsAMinute(redis)));
  const third = await startBot(url, 38_766);
  row('commands a minute, two bots, nothing due', String(await commandsAMinute(redis)));
  await Promise.all([stop(second), stop(third)]);
  await server.kill();
  process.exit(0);
}
