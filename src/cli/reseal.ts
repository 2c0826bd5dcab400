/** `tally reseal`: encrypts all secrets in Redis again with the newest key. */
import { loadConfig } from '../config/config.ts';
import { type FailureOf, isFailure } from '../domain/failure/index.ts';
import type { SlackId } from '../domain/slack-id.ts';
import { pluralize } from '../domain/wording.ts';
import { connectRedis, type RedisConnection, waitUntilReady } from '../redis/connect.ts';
import { recordKey } from '../redis/keys.ts';
import { OtherLayout, requireLayout } from '../redis/layout.ts';
import { guardRedis } from '../redis/outages.ts';
import { createKeyring, type Keyring, reseal } from '../vault/keyring.ts';
import { sealOwnerOfField } from '../workspace/credentials/credential-records.ts';
import { createWorkspaceIndex, writeHash } from '../workspace/record/workspace-store.ts';
import { printError, printLine, runCliCommand, toPlainLine } from './command.ts';

const USAGE = `Usage: tally reseal

Encrypts every secret again with the newest of ENCRYPTION_KEYS. Bots can keep running. If it is interrupted, run it again.`;

const REDIS_TIMEOUT = 5_000;

export const runReseal = (): Promise<void> =>
  runCliCommand(USAGE, {}, async () => {
    const { keys, redisUrl } = loadConfig(process.env, printError);
    const redis = connectRedis(redisUrl);
    try {
      await waitUntilReady(redis, REDIS_TIMEOUT);
      await requireLayout(redis);
      const { resealed, alreadyNew, failed } = await resealAll(redis, createKeyring(keys), printLine);
      const [newest, ...older] = keys.map(({ id }) => `“${id}”`);
      printLine(
        `${pluralize(resealed, 'record')} encrypted again with ${newest}, ${alreadyNew} already encrypted with it, ${failed} left unchanged.`,
      );
      if (failed > 0)
        printLine('Keep every key. Put missing keys back, after the newest key, and run this again.');
      else if (older.length > 0)
        printLine(
          `No record needs ${older.join(', ')} any more. If ${newest} was already every bot’s first key when this run began, remove the older keys from ENCRYPTION_KEYS.`,
        );
      return failed === 0 ? 0 : 1;
    } catch (error) {
      if (!(error instanceof OtherLayout) && !isFailure(error, 'store-unavailable')) throw error;
      const cause = error.cause instanceof Error ? ` (${error.cause.message})` : '';
      printError(
        `${error.message}${cause} Nothing is lost. Fix what \`tally doctor\` reports, then run this again.`,
      );
      return 1;
    } finally {
      redis.disconnect();
    }
  });

export async function* readSealed(redis: RedisConnection, keyring: Keyring) {
  for await (const workspace of createWorkspaceIndex(redis).list()) {
    const fields = await guardRedis(() => redis.hgetall(recordKey(workspace)));
    for (const [field, value] of Object.entries(fields)) {
      const sealed = tryReseal(keyring, workspace, field, value);
      if (sealed !== undefined) yield { workspace, field, value, ...sealed };
    }
  }
}

function tryReseal(keyring: Keyring, workspace: SlackId, field: string, value: string) {
  try {
    const owner = sealOwnerOfField(workspace, field, value);
    return owner && { renewed: reseal(keyring, owner, value) };
  } catch (problem) {
    if (isFailure(problem, 'unseal-failed')) return { problem };
    throw problem;
  }
}

/** Bots may keep running. After an interruption, the next run does what is left. @param print never gets a secret */
export async function resealAll(redis: RedisConnection, keyring: Keyring, print: (line: string) => void) {
  const counts = { resealed: 0, alreadyNew: 0, failed: 0 };
  for await (const { workspace, field, value, renewed, problem } of readSealed(redis, keyring)) {
    const isReplaced =
      renewed === undefined ||
      (await writeHash(redis, workspace, { seen: { [field]: value }, set: { [field]: renewed } }));
    if (problem === undefined && isReplaced) counts[renewed === undefined ? 'alreadyNew' : 'resealed'] += 1;
    else {
      counts.failed += 1;
      print(
        `${workspace} ${toPlainLine(field)}: ${problem ? reasonOf(problem) : 'a bot changed it just now'}`,
      );
    }
  }
  return counts;
}

function reasonOf({ data: { reason, keyId } }: FailureOf<'unseal-failed'>): string {
  if (reason === 'unknown-key') return `needs the key “${keyId}”, which isn’t in ENCRYPTION_KEYS`;
  if (reason === 'malformed') return 'damaged';
  return 'can’t be decrypted: the key under this name isn’t the one that encrypted it, or something other than Tally changed it';
}
