import type { UnsealFailed } from '../domain/failure/index.ts';

type Miss = 'unowned' | 'busy' | UnsealFailed;

/** What became of one field. */
export type ResealOutcome = 'resealed' | 'new' | 'open' | Miss;

/** What came of a run. Never a value: names, numbers and key ids. */
export interface ResealCounts {
  readonly workspaces: number;
  readonly resealed: number;
  readonly alreadyNew: number;
  /** How many could not be opened, or kept changing. */
  readonly left: number;
  /** The first of those, in words. */
  readonly examples: readonly string[];
  /** key id → how many records want it */
  readonly unknownKeys: ReadonlyMap<string, number>;
}

export interface ResealCount {
  workspace(): void;
  /** @param where workspace and field */
  record(outcome: ResealOutcome, where: string): void;
  sum(): ResealCounts;
}

const SAY_EVERY = 500;
const EXAMPLES = 50;
const KEY_IDS = 20;

const WHY: Readonly<Record<UnsealFailed['reason'] | 'unowned' | 'busy', string>> = {
  'unknown-key': 'sealed with a key that is not in ENCRYPTION_KEYS',
  'not-authentic':
    'not authentic: damaged, moved there from elsewhere, or its key was changed and kept its name',
  malformed: 'nothing that Tally sealed',
  unowned: 'sealed by another version of Tally, in a record that this one does not know',
  busy: 'replaced again and again meanwhile',
};

/** Counts, and keeps so little of what it is told that a large Redis does not matter. */
export function countResealed(say: (line: string) => void): ResealCount {
  let workspaces = 0;
  let resealed = 0;
  let alreadyNew = 0;
  let left = 0;
  const unknownKeys = new Map<string, number>();
  const examples: string[] = [];

  const miss = (outcome: Miss, where: string): void => {
    left += 1;
    const { reason, keyId } = typeof outcome === 'string' ? { reason: outcome, keyId: undefined } : outcome;
    if (examples.length < EXAMPLES) examples.push(`${where}: ${WHY[reason]}`);
    if (keyId !== undefined && (unknownKeys.has(keyId) || unknownKeys.size < KEY_IDS))
      unknownKeys.set(keyId, (unknownKeys.get(keyId) ?? 0) + 1);
  };

  return {
    workspace() {
      workspaces += 1;
    },
    record(outcome, where) {
      if (outcome === 'open') return;
      if (outcome === 'resealed') resealed += 1;
      else if (outcome === 'new') alreadyNew += 1;
      else miss(outcome, where);
      const seen = resealed + alreadyNew + left;
      if (seen % SAY_EVERY === 0) say(`${seen} records so far, ${resealed} of them sealed anew`);
    },
    sum: () => ({ workspaces, resealed, alreadyNew, left, examples, unknownKeys }),
  };
}

/** The summary for whoever ran it. @param ids of the keys, newest first */
export function resealedLines(ids: readonly string[], result: ResealCounts): string[] {
  const { workspaces, resealed, alreadyNew, left, examples, unknownKeys } = result;
  const [newest = '', ...older] = ids;
  return [
    `${workspaces} workspaces, newest key “${newest}”`,
    `  ${resealed} records sealed anew`,
    `  ${alreadyNew} sealed with the newest key before`,
    `  ${left} left as they are`,
    ...examples.map((example) => `    ${example}`),
    ...(left > examples.length ? [`    and ${left - examples.length} more`] : []),
    ...[...unknownKeys].map(([id, count]) => `  The key “${id}” is missing for ${count}.`),
    left > 0 ? KEEP : mayGo(older),
  ];
}

const KEEP =
  'Keep every key. Put missing ones back, behind the newest; what is damaged has to be registered or installed again. Then run this once more.';

function mayGo(older: readonly string[]): string {
  if (older.length === 0) return 'Every record opens.';
  const names = older.map((id) => `“${id}”`).join(', ');
  return `Nothing is sealed with ${names} any more: that may leave ENCRYPTION_KEYS, if every bot had the newest key in front before this run.`;
}
