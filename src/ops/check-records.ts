import type { Redis } from 'ioredis';
import { UnsealFailed } from '../domain/failure/index.ts';
import { type Finding, failedFinding, okFinding } from './finding.ts';

const ABOUT = 'Sealed records';
const WORKSPACE_KEY = /^tally:workspace:([A-Z0-9]{1,64})$/;
/** A shared Redis may hold millions of other keys. */
const SCAN_LIMITS = { pages: 100, keysPerPage: 1_000, workspaces: 1_000 } as const;

/**
 * Opens what is sealed in a field and discards it.
 *
 * @returns whether the field holds something sealed
 * @throws UnsealFailed where it does not open
 */
export type SealCheck = (workspace: string, field: string, value: string) => boolean;

type Outcome = 'opens' | UnsealFailed['reason'];

/**
 * Opens every sealed record of up to 1,000 workspaces.
 *
 * @returns no finding where Redis is unreachable: the check of Redis reports that
 */
export async function checkRecords(ready: Promise<Redis>, opens: SealCheck): Promise<readonly Finding[]> {
  const redis = await ready.catch(() => undefined);
  if (redis === undefined) return [];
  const { workspaces, isComplete } = await listWorkspaces(redis);
  const outcomes: Outcome[] = [];
  for (const workspace of workspaces) {
    const fields = Object.entries(await redis.hgetall(`tally:workspace:${workspace}`));
    outcomes.push(
      ...fields.flatMap(([field, value]) => outcomeOf(() => opens(workspace, field, value)) ?? []),
    );
  }
  return findingsOf(outcomes, isComplete);
}

function findingsOf(outcomes: readonly Outcome[], isComplete: boolean): readonly Finding[] {
  const count = (wanted: Outcome) => outcomes.filter((outcome) => outcome === wanted).length;
  const total = outcomes.length;
  const withoutKey = count('unknown-key');
  const damaged = count('malformed') + count('not-authentic');
  return [
    ...(withoutKey > 0
      ? [
          failedFinding(
            ABOUT,
            `${withoutKey} of ${total} need a key that is not in ENCRYPTION_KEYS`,
            'Add that key after the newest one. If it is lost, register those tokens again with /billing connect, or install Tally again.',
          ),
        ]
      : []),
    ...(damaged > 0
      ? [
          failedFinding(
            ABOUT,
            `${damaged} of ${total} are damaged or moved, or their key was replaced under the same name`,
            'Give a replaced key a new name. Register or install again what is damaged; npm run reseal lists it.',
          ),
        ]
      : []),
    ...(count('opens') === total
      ? [okFinding(ABOUT, `all ${total} open${isComplete ? '' : ' (only a part was checked)'}`)]
      : []),
  ];
}

async function listWorkspaces(redis: Redis): Promise<{ workspaces: readonly string[]; isComplete: boolean }> {
  const workspaces = new Set<string>();
  let cursor = '0';
  for (let page = 0; page < SCAN_LIMITS.pages && workspaces.size < SCAN_LIMITS.workspaces; page += 1) {
    const [next, keys] = await redis.scan(
      cursor,
      'MATCH',
      'tally:workspace:*',
      'COUNT',
      SCAN_LIMITS.keysPerPage,
    );
    for (const key of keys) {
      const workspace = WORKSPACE_KEY.exec(key)?.[1];
      if (workspace !== undefined) workspaces.add(workspace);
    }
    cursor = next;
    if (cursor === '0') break;
  }
  return { workspaces: [...workspaces], isComplete: cursor === '0' };
}

function outcomeOf(opens: () => boolean): Outcome | undefined {
  try {
    return opens() ? 'opens' : undefined;
  } catch (error) {
    if (error instanceof UnsealFailed) return error.reason;
    throw error;
  }
}
