import { UnsealFailed } from '../domain/failure/index.ts';
import type { SlackId } from '../domain/slack-id.ts';
import type { RedisConnection } from '../redis/connect.ts';
import { recordKey } from '../redis/keys.ts';
import { createWorkspaceIndex } from '../workspace/record/workspace-index.ts';
import { toPlainLine } from './finding.ts';
import {
  createResealCounter,
  type ResealCounter,
  type ResealCounts,
  type ResealOutcome,
} from './reseal-count.ts';

export interface ResealParts {
  readonly redis: RedisConnection;
  /**
   * @returns the value sealed with the newest key; 'new' if it is already; 'open' if nothing in it is sealed;
   * 'unowned' if something is, in a field that this version does not know
   * @throws UnsealFailed
   */
  readonly renew: (workspace: SlackId, field: string, value: string) => ResealRun;
  /** Prints a line of progress. */
  readonly printLine: (line: string) => void;
}

export type ResealRun = { readonly value: string } | 'new' | 'open' | 'unowned';

/** How often to retry a field that a bot changes at the same time. */
const MAX_ATTEMPTS = 10;

/** Atomic: a token that was replaced after we read it must not be overwritten with the old one. */
const REPLACE = `
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
return 1`;

/**
 * Seals every sealed value of every workspace with the newest key, one workspace at a time, while bots run. It can be
 * interrupted: a second run continues when the first one ended.
 *
 * @throws what Redis throws
 */
export async function resealAll({ redis, renew, printLine }: ResealParts): Promise<ResealCounts> {
  const counter = createResealCounter(printLine);
  for await (const workspace of createWorkspaceIndex(redis).list())
    await resealWorkspace(redis, workspace, counter, (field, value) => renew(workspace, field, value));
  return counter.counts();
}

async function resealWorkspace(
  redis: RedisConnection,
  workspace: SlackId,
  counter: ResealCounter,
  renew: (field: string, value: string) => ResealRun,
): Promise<void> {
  const key = recordKey(workspace);
  counter.countWorkspace();
  for (const [field, value] of Object.entries(await redis.hgetall(key))) {
    const outcome = await resealField(redis, key, field, value, (current) => renew(field, current));
    counter.countField(outcome, `${workspace} ${toPlainLine(field)}`);
  }
}

async function resealField(
  redis: RedisConnection,
  key: string,
  field: string,
  initial: string,
  renew: (value: string) => ResealRun,
): Promise<ResealOutcome> {
  let value: string | null = initial;
  for (let attempt = 0; attempt < MAX_ATTEMPTS && value !== null; attempt += 1) {
    const renewed = tryRenew(renew, value);
    if (renewed instanceof UnsealFailed || typeof renewed === 'string') return renewed;
    if ((await redis.eval(REPLACE, 1, key, field, value, renewed.value)) === 1) return 'resealed';
    value = await redis.hget(key, field);
  }
  // A field that was removed has nothing sealed left in it.
  return value === null ? 'open' : 'busy';
}

function tryRenew(renew: (value: string) => ResealRun, value: string): ResealRun | UnsealFailed {
  try {
    return renew(value);
  } catch (error) {
    if (error instanceof UnsealFailed) return error;
    throw error;
  }
}
