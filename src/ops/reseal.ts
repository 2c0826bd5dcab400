import type { Redis } from 'ioredis';
import { UnsealFailed } from '../domain/failure/index.ts';
import { toPlainLine } from './finding.ts';
import { countResealed, type ResealCount, type ResealCounts, type ResealOutcome } from './reseal-count.ts';

export interface ResealParts {
  readonly redis: Redis;
  /**
   * The value under the newest key; 'new' when it is already, 'open' when nothing in it is sealed, 'unowned' when
   * something is and nobody knows whose.
   * @throws UnsealFailed
   */
  readonly renew: (workspace: string, field: string, value: string) => ResealRun;
  /** A line for whoever watches. */
  readonly say: (line: string) => void;
}

export type ResealRun = { readonly value: string } | 'new' | 'open' | 'unowned';

const KEY = /^tally:workspace:([A-Z0-9]{1,64})$/;
const KEYS_A_ROUND = 200;
/** A value that is replaced again and again while we look is a bot's business. */
const LOOKS = 10;

/** One step of Redis', so that a token which was replaced since we read it is not overwritten with the one before. */
const REPLACE = `
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
return 1`;

/**
 * Seals every sealed value of every workspace anew with the newest key, one workspace at a time, while bots go on.
 * What is done is done: after a break a second run finds it so. Throws what Redis throws.
 */
export async function resealAll({ redis, renew, say }: ResealParts): Promise<ResealCounts> {
  const count = countResealed(say);
  let cursor = '0';
  do {
    const [next, keys] = await redis.scan(cursor, 'MATCH', 'tally:workspace:*', 'COUNT', KEYS_A_ROUND);
    for (const key of keys) {
      const workspace = KEY.exec(key)?.[1];
      if (workspace !== undefined)
        await resealWorkspace(redis, key, workspace, count, (field, value) => renew(workspace, field, value));
    }
    cursor = next;
  } while (cursor !== '0');
  return count.sum();
}

async function resealWorkspace(
  redis: Redis,
  key: string,
  workspace: string,
  count: ResealCount,
  renew: (field: string, value: string) => ResealRun,
): Promise<void> {
  count.workspace();
  for (const [field, value] of Object.entries(await redis.hgetall(key))) {
    const outcome = await resealField(redis, key, field, value, (current) => renew(field, current));
    count.record(outcome, `${workspace} ${toPlainLine(field)}`);
  }
}

async function resealField(
  redis: Redis,
  key: string,
  field: string,
  found: string,
  renew: (value: string) => ResealRun,
): Promise<ResealOutcome> {
  let value: string | null = found;
  for (let look = 0; look < LOOKS && value !== null; look += 1) {
    const renewal = attempt(renew, value);
    if (renewal instanceof UnsealFailed || typeof renewal === 'string') return renewal;
    if ((await redis.eval(REPLACE, 1, key, field, value, renewal.value)) === 1) return 'resealed';
    value = await redis.hget(key, field);
  }
  // Whoever removed it took its seal along.
  return value === null ? 'open' : 'busy';
}

function attempt(renew: (value: string) => ResealRun, value: string): ResealRun | UnsealFailed {
  try {
    return renew(value);
  } catch (error) {
    if (error instanceof UnsealFailed) return error;
    throw error;
  }
}
