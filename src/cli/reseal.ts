import { type Config, loadConfig } from '../config/config.ts';
import { StoreUnavailable } from '../domain/failure/index.ts';
import { formatResealCounts, resealAll } from '../ops/reseal.ts';
import { connectRedis, guardRead, waitUntilReady } from '../redis/connect.ts';
import { createKeyring } from '../vault/keyring.ts';

/** How long a start waits for Redis, in ms. */
const REDIS_TIMEOUT = 5_000;

const printLine = (line: string): void => void process.stdout.write(`${line}\n`);

/** @returns the exit code: 1 if something is left to do */
async function run({ keys, redisUrl }: Config): Promise<number> {
  const redis = connectRedis(redisUrl);
  try {
    await waitUntilReady(redis, REDIS_TIMEOUT);
    const counts = await guardRead(() => resealAll({ redis, keyring: createKeyring(keys), printLine }));
    const keyIds = keys.map(({ id }) => id);
    for (const line of formatResealCounts(keyIds, counts)) printLine(line);
    return counts.failed === 0 ? 0 : 1;
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    printLine(`${error.message} Nothing is lost. Run this again to continue.`);
    return 1;
  } finally {
    redis.disconnect();
  }
}

process.exitCode = await run(loadConfig(process.env, printLine));
