import type { Redis } from 'ioredis';
import { SealBroken } from '../domain/failure.ts';
import { bad, type Finding, good } from './finding.ts';

const ABOUT = 'Sealed records';
const KEY = /^tally:workspace:([A-Z0-9]{1,64})$/;
/** A Redis that is shared may hold millions of other keys. */
const MOST = { rounds: 100, keysARound: 1_000, workspaces: 1_000 } as const;

/** Opens the workspace's sealed token and drops it at once. Whether there was one. @throws SealBroken */
export type Open = (workspace: string) => Promise<boolean>;

type Outcome = 'none' | 'opens' | SealBroken['reason'];

/** Nothing is found where Redis cannot be reached: that is said elsewhere. */
export async function checkRecords(reached: Promise<Redis>, open: Open): Promise<readonly Finding[]> {
  const redis = await reached.catch(() => undefined);
  if (redis === undefined) return [];
  const { workspaces, all } = await workspacesIn(redis);
  const outcomes = await Promise.all(workspaces.map((workspace) => outcomeOf(open, workspace)));
  const count = (wanted: Outcome) => outcomes.filter((outcome) => outcome === wanted).length;
  const registered = outcomes.length - count('none');
  const damaged = count('malformed') + count('not-authentic');
  return [
    ...(count('unknown-key') > 0
      ? [
          bad(
            ABOUT,
            `${count('unknown-key')} of ${registered} tokens were sealed with a key that is not in ENCRYPTION_KEYS`,
            'Put that key back, behind the newest; or have those tokens registered again with /billing connect.',
          ),
        ]
      : []),
    ...(damaged > 0
      ? [
          bad(
            ABOUT,
            `${damaged} of ${registered} tokens are damaged, or a key has changed and kept its name`,
            'Give a changed key a name of its own; damaged tokens have to be registered again.',
          ),
        ]
      : []),
    ...(count('opens') === registered
      ? [
          good(
            ABOUT,
            `${registered} registered tokens, all open${all ? '' : '; not everything was looked at'}`,
          ),
        ]
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

async function outcomeOf(open: Open, workspace: string): Promise<Outcome> {
  try {
    return (await open(workspace)) ? 'opens' : 'none';
  } catch (error) {
    if (error instanceof SealBroken) return error.reason;
    throw error;
  }
}
