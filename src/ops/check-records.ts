import type { Redis } from 'ioredis';
import { UnsealFailed } from '../domain/failure/index.ts';
import { type Finding, failedFinding, okFinding } from './finding.ts';

const ABOUT = 'Sealed records';
const KEY = /^tally:workspace:([A-Z0-9]{1,64})$/;
/** A Redis that is shared may hold millions of other keys. */
const MOST = { rounds: 100, keysARound: 1_000, workspaces: 1_000 } as const;

/** Opens what is sealed in a field and drops it at once. Whether there was something. @throws UnsealFailed */
export type SealCheck = (workspace: string, field: string, value: string) => boolean;

type Outcome = 'opens' | UnsealFailed['reason'];

/** Nothing is found where Redis cannot be reached: that is said elsewhere. */
export async function checkRecords(reached: Promise<Redis>, opens: SealCheck): Promise<readonly Finding[]> {
  const redis = await reached.catch(() => undefined);
  if (redis === undefined) return [];
  const { workspaces, all } = await workspacesIn(redis);
  const outcomes: Outcome[] = [];
  for (const workspace of workspaces) {
    const fields = Object.entries(await redis.hgetall(`tally:workspace:${workspace}`));
    outcomes.push(
      ...fields.flatMap(([field, value]) => outcomeOf(() => opens(workspace, field, value)) ?? []),
    );
  }
  const count = (wanted: Outcome) => outcomes.filter((outcome) => outcome === wanted).length;
  const found = outcomes.length;
  const damaged = count('malformed') + count('not-authentic');
  return [
    ...(count('unknown-key') > 0
      ? [
          failedFinding(
            ABOUT,
            `${count('unknown-key')} of ${found} sealed records want a key that is not in ENCRYPTION_KEYS`,
            'Put that key back, behind the newest; or have those registered again with /billing connect, or installed again.',
          ),
        ]
      : []),
    ...(damaged > 0
      ? [
          failedFinding(
            ABOUT,
            `${damaged} of ${found} sealed records are damaged or were moved, or a key has changed and kept its name`,
            'Give a changed key a name of its own; what is damaged has to be registered or installed again; npm run reseal says where it is.',
          ),
        ]
      : []),
    ...(count('opens') === found
      ? [okFinding(ABOUT, `${found} sealed records, all open${all ? '' : '; not everything was looked at'}`)]
      : []),
  ];
}

async function workspacesIn(redis: Redis): Promise<{ workspaces: readonly string[]; all: boolean }> {
  const found = new Set<string>();
  let cursor = '0';
  for (let round = 0; round < MOST.rounds && found.size < MOST.workspaces; round += 1) {
    const [next, keys] = await redis.scan(cursor, 'MATCH', 'tally:workspace:*', 'COUNT', MOST.keysARound);
    for (const key of keys) {
      const workspace = KEY.exec(key)?.[1];
      if (workspace !== undefined) found.add(workspace);
    }
    cursor = next;
    if (cursor === '0') break;
  }
  return { workspaces: [...found], all: cursor === '0' };
}

function outcomeOf(opens: () => boolean): Outcome | undefined {
  try {
    return opens() ? 'opens' : undefined;
  } catch (error) {
    if (error instanceof UnsealFailed) return error.reason;
    throw error;
  }
}
