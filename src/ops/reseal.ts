import { UnsealFailed } from '../domain/failure/index.ts';
import { pluralize } from '../domain/language/text.ts';
import type { SlackId } from '../domain/slack-id.ts';
import type { RedisConnection } from '../redis/connect.ts';
import { guardRead, replaceField } from '../redis/guard.ts';
import { recordKey } from '../redis/keys.ts';
import { holdsOlderEnvelope, type Keyring, reseal } from '../vault/keyring.ts';
import { sealOwnerOfField } from '../workspace/credentials/sealed-fields.ts';
import { createWorkspaceIndex } from '../workspace/record/workspace-index.ts';
import { toPlainLine } from './doctor/finding.ts';

/** The result of a run: names, numbers and key IDs, never a value. */
export type ResealCounts = ReturnType<typeof startCounts>;

const startCounts = () => ({
  workspaces: 0,
  resealed: 0,
  alreadyNew: 0,
  /** How many did not open, or changed during every attempt. */
  failed: 0,
  /** A line for each of the first failures. */
  examples: [] as string[],
  /** Key ID → how many records need that key. */
  unknownKeys: new Map<string, number>(),
});

/** `unowned`: sealed, in a field that this version does not know. `busy`: changed during every attempt. */
type ResealFailure = 'unowned' | 'busy' | UnsealFailed;

/** How often to retry a field that a bot changes at the same time. */
const MAX_ATTEMPTS = 10;
/** A progress line after this many records. */
const PROGRESS_INTERVAL = 500;
/** Bounds the memory, however many records there are. */
const MAX_EXAMPLES = 50;
const MAX_KEY_IDS = 20;

/**
 * Seals every sealed value of every workspace with the newest key, one workspace at a time, while bots run. It can be
 * interrupted: a second run continues when the first one ended.
 *
 * @param printLine prints a line of progress
 * @throws what Redis throws
 */
export async function resealAll(
  redis: RedisConnection,
  keyring: Keyring,
  printLine: (line: string) => void,
): Promise<ResealCounts> {
  const counts = startCounts();
  for await (const workspace of createWorkspaceIndex(redis).list()) {
    counts.workspaces += 1;
    const fields = await guardRead(() => redis.hgetall(recordKey(workspace)));
    for (const [field, value] of Object.entries(fields)) {
      const outcome = await resealField(redis, keyring, workspace, field, value).catch((error: unknown) => {
        if (error instanceof UnsealFailed) return error;
        throw error;
      });
      if (outcome === 'open') continue;
      if (outcome === 'resealed') counts.resealed += 1;
      else if (outcome === 'new') counts.alreadyNew += 1;
      else countFailure(counts, outcome, `${workspace} ${toPlainLine(field)}`);
      const total = counts.resealed + counts.alreadyNew + counts.failed;
      if (total % PROGRESS_INTERVAL === 0)
        printLine(`${total} records so far, ${counts.resealed} of them resealed`);
    }
  }
  return counts;
}

/** @returns what happened to one field; `open`: nothing in it is sealed @throws UnsealFailed */
async function resealField(
  redis: RedisConnection,
  keyring: Keyring,
  workspace: SlackId,
  field: string,
  initial: string,
): Promise<'resealed' | 'new' | 'open' | 'unowned' | 'busy'> {
  let value: string | null = initial;
  for (let attempt = 0; attempt < MAX_ATTEMPTS && value !== null; attempt += 1) {
    const owner = sealOwnerOfField(workspace, field, value);
    if (owner === undefined) return holdsOlderEnvelope(keyring, value) ? 'unowned' : 'open';
    const renewed = reseal(keyring, owner, value);
    if (renewed === undefined) return 'new';
    if (await replaceField(redis, workspace, field, value, renewed)) return 'resealed';
    value = await redis.hget(recordKey(workspace), field);
  }
  // A field that was removed has nothing sealed left in it.
  return value === null ? 'open' : 'busy';
}

const REASONS: Readonly<Record<UnsealFailed['reason'] | 'unowned' | 'busy', string>> = {
  'unknown-key': 'needs a key that is not in ENCRYPTION_KEYS',
  'not-authentic': 'damaged or moved, or its key was replaced under the same name',
  malformed: 'not something that Tally sealed',
  unowned: 'sealed by another version of Tally, in a record that this version does not know',
  busy: 'changed during every attempt',
};

function countFailure(counts: ResealCounts, failure: ResealFailure, field: string): void {
  const { reason, keyId } = typeof failure === 'string' ? { reason: failure, keyId: undefined } : failure;
  const { examples, unknownKeys } = counts;
  counts.failed += 1;
  if (examples.length < MAX_EXAMPLES) examples.push(`${field}: ${REASONS[reason]}`);
  if (keyId !== undefined && (unknownKeys.has(keyId) || unknownKeys.size < MAX_KEY_IDS))
    unknownKeys.set(keyId, (unknownKeys.get(keyId) ?? 0) + 1);
}

/** @param keyIds newest first @returns the lines of the summary: what was done, then the next step */
export function formatResealCounts(keyIds: readonly string[], counts: ResealCounts): string[] {
  const { workspaces, resealed, alreadyNew, failed, examples, unknownKeys } = counts;
  const [newest = '', ...older] = keyIds;
  return [
    `${pluralize(workspaces, 'workspace')}, newest key “${newest}”`,
    `  ${pluralize(resealed, 'record')} resealed`,
    `  ${alreadyNew} already sealed with the newest key`,
    `  ${failed} left unchanged`,
    ...examples.map((example) => `    ${example}`),
    ...(failed > examples.length ? [`    and ${failed - examples.length} more`] : []),
    ...[...unknownKeys].map(([id, count]) => `  ${count} sealed with the missing key “${id}”`),
    failed > 0 ? KEEP_KEYS : adviceOn(older),
  ];
}

const KEEP_KEYS =
  'Keep every key. Add the missing keys after the newest. Replace damaged credentials and reinstall Tally where its token is damaged. Then run this again.';

function adviceOn(older: readonly string[]): string {
  if (older.length === 0) return 'Every record opens.';
  const names = older.map((id) => `“${id}”`).join(', ');
  return `No record needs ${names} any more. You can remove it from ENCRYPTION_KEYS if every bot had the newest key in front before this run.`;
}
