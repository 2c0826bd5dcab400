import { type FailureOf, isFailure } from '../domain/failure/index.ts';
import type { SlackId } from '../domain/slack-id.ts';
import { pluralize } from '../domain/wording.ts';
import type { RedisConnection } from '../redis/connect.ts';
import { guardRead, replaceField } from '../redis/guard.ts';
import { recordKey } from '../redis/keys.ts';
import { holdsOlderEnvelope, type Keyring, reseal } from '../vault/keyring.ts';
import { sealOwnerOfField } from '../workspace/record/parse-record.ts';
import { createWorkspaceIndex } from '../workspace/record/workspace-store.ts';
import { toPlainLine } from './mask.ts';

/** How often to retry a field that a bot changes at the same time. */
const MAX_ATTEMPTS = 10;

/**
 * Seals every sealed value of every workspace with the newest key, one workspace at a time, while bots run. It can be
 * interrupted: a second run continues when the first one ended.
 *
 * @param printLine prints what was left unchanged, and why: names and key IDs, never a value
 * @throws what Redis throws
 */
export async function resealAll(redis: RedisConnection, keyring: Keyring, printLine: (line: string) => void) {
  const counts = { workspaces: 0, resealed: 0, alreadyNew: 0, failed: 0 };
  for await (const workspace of createWorkspaceIndex(redis).list()) {
    counts.workspaces += 1;
    const fields = await guardRead(() => redis.hgetall(recordKey(workspace)));
    for (const [field, value] of Object.entries(fields)) {
      const outcome = await resealField(redis, keyring, workspace, field, value).catch((error: unknown) => {
        if (isFailure(error, 'unseal-failed')) return error;
        throw error;
      });
      if (outcome === 'nothing sealed') continue;
      if (outcome === 'resealed') counts.resealed += 1;
      else if (outcome === 'already new') counts.alreadyNew += 1;
      else {
        counts.failed += 1;
        printLine(`${workspace} ${toPlainLine(field)}: ${reasonOf(outcome)}`);
      }
    }
  }
  return counts;
}

/** @throws unseal-failed */
async function resealField(
  redis: RedisConnection,
  keyring: Keyring,
  workspace: SlackId,
  field: string,
  initial: string,
) {
  let value: string | null = initial;
  for (let attempt = 0; attempt < MAX_ATTEMPTS && value !== null; attempt += 1) {
    const owner = sealOwnerOfField(workspace, field, value);
    if (owner === undefined) return holdsOlderEnvelope(keyring, value) ? 'unowned' : 'nothing sealed';
    const renewed = reseal(keyring, owner, value);
    if (renewed === undefined) return 'already new';
    if (await replaceField(redis, workspace, field, value, renewed)) return 'resealed';
    value = await redis.hget(recordKey(workspace), field);
  }
  // A field that was removed has nothing sealed left in it.
  return value === null ? 'nothing sealed' : 'busy';
}

function reasonOf(failure: 'unowned' | 'busy' | FailureOf<'unseal-failed'>): string {
  if (failure === 'busy') return 'changed during every attempt';
  if (failure === 'unowned') return 'sealed by another version of Tally';
  if (failure.data.reason === 'unknown-key')
    return `needs the key “${failure.data.keyId}”, which isn’t in ENCRYPTION_KEYS`;
  if (failure.data.reason === 'malformed') return 'damaged';
  return 'doesn’t open: another key has the name of its own, or it was changed outside of Tally';
}

/** @param keyIds newest first @returns the lines of the summary: what was done, then the next step */
export function formatResealCounts(
  [newest, ...older]: readonly string[],
  counts: Awaited<ReturnType<typeof resealAll>>,
): string[] {
  const { workspaces, resealed, alreadyNew, failed } = counts;
  const names = older.map((id) => `“${id}”`).join(', ');
  const done =
    names === ''
      ? 'Every record opens.'
      : `No record needs ${names} any more. Remove it from ENCRYPTION_KEYS if every bot had the newest key in front before this run.`;
  return [
    `${pluralize(workspaces, 'workspace')}, newest key “${newest}”`,
    `  ${pluralize(resealed, 'record')} resealed`,
    `  ${alreadyNew} already sealed with the newest key`,
    `  ${failed} left unchanged`,
    failed === 0 ? done : 'Keep every key. Put missing keys back after the newest, and run this again.',
  ];
}
