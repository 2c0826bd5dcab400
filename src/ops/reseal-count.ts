import type { UnsealFailed } from '../domain/failure/index.ts';

type ResealFailure = 'unowned' | 'busy' | UnsealFailed;

/** What happened to one field. */
export type ResealOutcome = 'resealed' | 'new' | 'open' | ResealFailure;

/** The result of a run: names, numbers and key IDs, never a value. */
export interface ResealCounts {
  readonly workspaces: number;
  readonly resealed: number;
  readonly alreadyNew: number;
  /** How many did not open, or changed during every attempt. */
  readonly failed: number;
  /** A line for each of the first of those. */
  readonly examples: readonly string[];
  /** Key ID → how many records need that key. */
  readonly unknownKeys: ReadonlyMap<string, number>;
}

export interface ResealCounter {
  countWorkspace(): void;
  /** @param field workspace ID and field name */
  countField(outcome: ResealOutcome, field: string): void;
  counts(): ResealCounts;
}

/** A progress line after this many records. */
const PROGRESS_INTERVAL = 500;
const MAX_EXAMPLES = 50;
const MAX_KEY_IDS = 20;

const REASONS: Readonly<Record<UnsealFailed['reason'] | 'unowned' | 'busy', string>> = {
  'unknown-key': 'needs a key that is not in ENCRYPTION_KEYS',
  'not-authentic': 'damaged or moved, or its key was replaced under the same name',
  malformed: 'not something that Tally sealed',
  unowned: 'sealed by another version of Tally, in a record that this version does not know',
  busy: 'changed during every attempt',
};

/** Counts a run. Examples and key IDs are bounded, so that memory does not grow with Redis. */
export function createResealCounter(printLine: (line: string) => void): ResealCounter {
  let workspaces = 0;
  let resealed = 0;
  let alreadyNew = 0;
  let failed = 0;
  const unknownKeys = new Map<string, number>();
  const examples: string[] = [];

  const countFailure = (outcome: ResealFailure, field: string): void => {
    failed += 1;
    const { reason, keyId } = typeof outcome === 'string' ? { reason: outcome, keyId: undefined } : outcome;
    if (examples.length < MAX_EXAMPLES) examples.push(`${field}: ${REASONS[reason]}`);
    if (keyId !== undefined && (unknownKeys.has(keyId) || unknownKeys.size < MAX_KEY_IDS))
      unknownKeys.set(keyId, (unknownKeys.get(keyId) ?? 0) + 1);
  };

  return {
    countWorkspace() {
      workspaces += 1;
    },
    countField(outcome, field) {
      if (outcome === 'open') return;
      if (outcome === 'resealed') resealed += 1;
      else if (outcome === 'new') alreadyNew += 1;
      else countFailure(outcome, field);
      const total = resealed + alreadyNew + failed;
      if (total % PROGRESS_INTERVAL === 0) printLine(`${total} records so far, ${resealed} of them resealed`);
    },
    counts: () => ({ workspaces, resealed, alreadyNew, failed, examples, unknownKeys }),
  };
}

/** @param keyIds newest first @returns the lines of the summary: what was done, then the next step */
export function formatResealCounts(keyIds: readonly string[], counts: ResealCounts): string[] {
  const { workspaces, resealed, alreadyNew, failed, examples, unknownKeys } = counts;
  const [newest = '', ...older] = keyIds;
  return [
    `${workspaces} workspaces, newest key “${newest}”`,
    `  ${resealed} records resealed`,
    `  ${alreadyNew} already sealed with the newest key`,
    `  ${failed} left unchanged`,
    ...examples.map((example) => `    ${example}`),
    ...(failed > examples.length ? [`    and ${failed - examples.length} more`] : []),
    ...[...unknownKeys].map(([id, count]) => `  ${count} need the missing key “${id}”`),
    failed > 0 ? KEEP_KEYS : adviceOn(older),
  ];
}

const KEEP_KEYS =
  'Keep every key. Add the missing ones after the newest, register or install again what is damaged, then run this again.';

function adviceOn(older: readonly string[]): string {
  if (older.length === 0) return 'Every record opens.';
  const names = older.map((id) => `“${id}”`).join(', ');
  return `No record needs ${names} any more. You can remove it from ENCRYPTION_KEYS if every bot had the newest key in front before this run.`;
}
