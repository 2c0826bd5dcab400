import { loadConfig } from '../config/config.ts';
import { isFailure } from '../domain/failure/index.ts';
import { formatResealCounts, resealAll } from '../ops/reseal.ts';
import { connectRedis, waitUntilReady } from '../redis/connect.ts';
import { OtherLayout, requireLayout } from '../redis/layout.ts';
import { storeErrorKind } from '../redis/outage.ts';
import { createKeyring } from '../vault/keyring.ts';
import { printError, printLine, runCliCommand } from './command.ts';

const USAGE = `Usage: tally reseal

Seals every secret again with the newest of ENCRYPTION_KEYS, while bots run. Run it again to continue after an interruption.`;

/** How long to wait for Redis, in ms. */
const REDIS_TIMEOUT = 5_000;

await runCliCommand(USAGE, {}, async () => {
  const { keys, redisUrl } = loadConfig(process.env, printError);
  const redis = connectRedis(redisUrl);
  try {
    await waitUntilReady(redis, REDIS_TIMEOUT);
    await requireLayout(redis);
    const counts = await resealAll(redis, createKeyring(keys), printLine);
    for (const line of formatResealCounts(
      keys.map(({ id }) => id),
      counts,
    ))
      printLine(line);
    return counts.failed === 0 ? 0 : 1;
  } catch (error) {
    if (error instanceof OtherLayout) {
      printError(error.message);
      return 1;
    }
    if (!isFailure(error) && storeErrorKind(error) === undefined) throw error;
    const cause = isFailure(error) && error.cause instanceof Error ? ` (${error.cause.message})` : '';
    printError(
      `${(error as Error).message}${cause} \`tally doctor\` says what to fix. Nothing is lost: then run this again.`,
    );
    return 1;
  } finally {
    redis.disconnect();
  }
});
