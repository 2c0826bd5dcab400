import { type Config, ConfigError, readConfig } from './config.ts';
import { StoreUnavailable } from './domain/failure/index.ts';
import { type ResealRun, resealAll } from './ops/reseal.ts';
import { resealedLines } from './ops/reseal-count.ts';
import { connectRedis, guardRead, waitUntilReady } from './redis.ts';
import { createKeyring } from './vault/keyring.ts';
import { holdsOlderEnvelope, reseal } from './vault/reseal.ts';
import { sealOwnerOfField } from './workspace/fields.ts';

/** How long a start waits for Redis, in ms. */
const PATIENCE = 5_000;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

function configured(): Config {
  try {
    return readConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    say(error.message);
    process.exit(78);
  }
}

async function run({ keys, redisUrl }: Config): Promise<number> {
  const keyring = createKeyring(keys);
  const redis = connectRedis(redisUrl);
  const renew = (workspace: string, field: string, value: string): ResealRun => {
    const owner = sealOwnerOfField(workspace, field, value);
    if (owner === undefined) return holdsOlderEnvelope(keyring, value) ? 'unowned' : 'open';
    const renewed = reseal(keyring, owner, value);
    return renewed === undefined ? 'new' : { value: renewed };
  };
  try {
    await waitUntilReady(redis, PATIENCE);
    const result = await guardRead(() => resealAll({ redis, renew, say }));
    const ids = keys.map(({ id }) => id);
    for (const line of resealedLines(ids, result)) say(line);
    return result.left === 0 ? 0 : 1;
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    say(`${error.message} What was sealed anew stays so; run this again and it goes on from there.`);
    return 1;
  } finally {
    redis.disconnect();
  }
}

process.exitCode = await run(configured());
