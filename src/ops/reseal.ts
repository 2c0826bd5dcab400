import { isFailure } from '../domain/failure/index.ts';
import type { SlackId } from '../domain/slack-id.ts';
import { pluralize } from '../domain/wording.ts';
import type { RedisConnection } from '../redis/connect.ts';
import { recordKey } from '../redis/keys.ts';
import { guardRead, replaceField } from '../redis/outage.ts';
import { holdsOlderEnvelope, type Keyring, reseal } from '../vault/keyring.ts';
import { sealOwnerOfField } from '../workspace/record/parse-record.ts';
import { createWorkspaceIndex } from '../workspace/record/workspace-store.ts';
import { toPlainLine } from './mask.ts';

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
      const outcome = await resealField(redis, keyring, workspace, field, value);
      if (outcome === 'resealed' || outcome === 'alreadyNew') counts[outcome] += 1;
      else if (outcome !== undefined) {
        counts.failed += 1;
        printLine(`${workspace} ${toPlainLine(field)}: ${outcome}`);
      }
    }
  }
  return counts;
}

/** @returns what became of it, or why it was left unchanged; undefined if nothing in it is sealed */
async function resealField(
  redis: RedisConnection,
  keyring: Keyring,
  workspace: SlackId,
  field: string,
  value: string,
): Promise<'resealed' | 'alreadyNew' | string | undefined> {
  try {
    const owner = sealOwnerOfField(workspace, field, value);
    if (owner === undefined)
      return holdsOlderEnvelope(keyring, value) ? 'sealed by another version of Tally' : undefined;
    const renewed = reseal(keyring, owner, value);
    if (renewed === undefined) return 'alreadyNew';
    const isReplaced = await replaceField(redis, workspace, field, value, renewed);
    return isReplaced ? 'resealed' : 'a bot changed it at the same moment';
  } catch (error) {
    if (!isFailure(error, 'unseal-failed')) throw error;
    const { reason, keyId } = error.data;
    if (reason === 'unknown-key') return `needs the key “${keyId}”, which isn’t in ENCRYPTION_KEYS`;
    if (reason === 'malformed') return 'damaged';
    return 'doesn’t open: another key has the name of its own, or it was changed outside of Tally';
  }
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
