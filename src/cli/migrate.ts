import { loadConfig } from '../config/config.ts';
import { StoreUnavailable } from '../domain/failure/index.ts';
import { copyWorkspaces } from '../ops/copy-workspaces.ts';
import { migrateKeys } from '../ops/migrate.ts';
import { connectRedis, guardRead, type RedisConnection, waitUntilReady } from '../redis/connect.ts';
import { RedisUrlError } from '../redis/url.ts';
import { setShards } from '../workspace/record/layout.ts';

/** How long a start waits for Redis, in ms. */
const REDIS_TIMEOUT = 5_000;
const MOST_SHARDS = 256;

const USAGE = [
  'Usage: tally migrate [--from REDIS_URL] [--shards NUMBER]',
  '',
  '  (nothing)        gives the keys in REDIS_URL the names of this version',
  '  --from URL       copies every workspace from another Redis to the one in REDIS_URL',
  `  --shards NUMBER  spreads the scheduler over 1 to ${MOST_SHARDS} shards; restart the bots afterwards`,
].join('\n');

const printLine = (line: string): void => void process.stdout.write(`${line}\n`);

type Task =
  | { readonly kind: 'names' | 'usage' }
  | { readonly kind: 'from'; readonly url: string }
  | { readonly kind: 'shards'; readonly shards: number };

function parseTask([option, value, ...more]: readonly string[]): Task {
  if (option === undefined) return { kind: 'names' };
  if (value === undefined || more.length > 0) return { kind: 'usage' };
  if (option === '--from') return { kind: 'from', url: value };
  const shards = Number(value);
  const isPossible = /^\d+$/.test(value) && shards >= 1 && shards <= MOST_SHARDS;
  return option === '--shards' && isPossible ? { kind: 'shards', shards } : { kind: 'usage' };
}

/** @returns the exit code: 1 if something is left to do, 64 (EX_USAGE) for a command that is wrong */
async function run(args: readonly string[]): Promise<number> {
  const task = parseTask(args);
  if (task.kind === 'usage') {
    printLine(USAGE);
    return 64;
  }
  const { redisUrl } = loadConfig(process.env, printLine);
  const open: RedisConnection[] = [];
  const connect = async (url: string): Promise<RedisConnection> => {
    const redis = connectRedis(url);
    open.push(redis);
    await waitUntilReady(redis, REDIS_TIMEOUT);
    return redis;
  };
  try {
    const redis = await connect(redisUrl);
    return await guardRead(() => perform(task, redis, connect));
  } catch (error) {
    if (error instanceof RedisUrlError) {
      printLine(`The URL after --from ${error.what}. ${error.works}`);
      return 64;
    }
    if (!(error instanceof StoreUnavailable)) throw error;
    printLine(`${error.message} Nothing is lost. Run this again to continue.`);
    return 1;
  } finally {
    for (const redis of open) redis.disconnect();
  }
}

async function perform(
  task: Task,
  redis: RedisConnection,
  connect: (url: string) => Promise<RedisConnection>,
): Promise<number> {
  if (task.kind === 'from')
    return (await copyWorkspaces({ from: await connect(task.url), to: redis, printLine })) ? 0 : 1;
  if (task.kind === 'shards') {
    await setShards(redis, task.shards);
    printLine(`Workspaces are spread over ${task.shards} from the next start of the bots on. Restart them.`);
    return 0;
  }
  return (await migrateKeys({ redis, printLine })) ? 0 : 1;
}

process.exitCode = await run(process.argv.slice(process.argv[2] === 'migrate' ? 3 : 2));
