import { loadConfig } from '../config/config.ts';
import { StoreUnavailable } from '../domain/failure/index.ts';
import { copyWorkspaces } from '../ops/copy-workspaces.ts';
import { connectRedis, guardRead, type RedisConnection, waitUntilReady } from '../redis/connect.ts';
import { RedisUrlError } from '../redis/url.ts';

/** How long a start waits for Redis, in ms. */
const REDIS_TIMEOUT = 5_000;

const USAGE = [
  'Usage: tally copy --from REDIS_URL',
  '',
  'Copies every workspace from that Redis to the one in REDIS_URL. Run it again to copy what has changed since.',
].join('\n');

const printLine = (line: string): void => void process.stdout.write(`${line}\n`);

/** @returns the exit code: 1 if something is left to do, 64 (EX_USAGE) for a command that is wrong */
async function run([option, url, ...more]: readonly string[]): Promise<number> {
  if (option !== '--from' || url === undefined || more.length > 0) {
    printLine(USAGE);
    return 64;
  }
  const { redisUrl } = loadConfig(process.env, printLine);
  const open: RedisConnection[] = [];
  const connect = async (address: string): Promise<RedisConnection> => {
    const redis = connectRedis(address);
    open.push(redis);
    await waitUntilReady(redis, REDIS_TIMEOUT);
    return redis;
  };
  try {
    const [to, from] = [await connect(redisUrl), await connect(url)];
    return (await guardRead(() => copyWorkspaces({ from, to, printLine }))) ? 0 : 1;
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

process.exitCode = await run(process.argv.slice(process.argv[2] === 'copy' ? 3 : 2));
