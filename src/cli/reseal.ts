import { type Config, loadConfig } from '../config/config.ts';
import { StoreUnavailable } from '../domain/failure/index.ts';
import type { SlackId } from '../domain/slack-id.ts';
import { type ResealRun, resealAll } from '../ops/reseal.ts';
import { formatResealCounts } from '../ops/reseal-count.ts';
import { connectRedis, guardRead, waitUntilReady } from '../redis/connect.ts';
import { createKeyring } from '../vault/keyring.ts';
import { holdsOlderEnvelope, reseal } from '../vault/reseal.ts';
import { sealOwnerOfField } from '../workspace/credentials/sealed-fields.ts';

/** How long a start waits for Redis, in ms. */
const REDIS_TIMEOUT = 5_000;

const printLine = (line: string): void => void process.stdout.write(`${line}\n`);

/** @returns the exit code: 1 if something is left to do */
async function run({ keys, redisUrl }: Config): Promise<number> {
  const keyring = createKeyring(keys);
  const redis = connectRedis(redisUrl);
  const renew = (workspace: SlackId, field: string, value: string): ResealRun => {
    const owner = sealOwnerOfField(workspace, field, value);
    if (owner === undefined) return holdsOlderEnvelope(keyring, value) ? 'unowned' : 'open';
    const renewed = reseal(keyring, owner, value);
    return renewed === undefined ? 'new' : { value: renewed };
  };
  try {
    await waitUntilReady(redis, REDIS_TIMEOUT);
    const counts = await guardRead(() => resealAll({ redis, renew, printLine }));
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
