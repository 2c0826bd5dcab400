import { Failure, isFailure } from '../domain/failure/index.ts';
import type { SlackId } from '../domain/slack-id.ts';
import type { RedisConnection } from './connect.ts';
import { type KeyOf, recordKey } from './keys.ts';
import { reportOutage, storeErrorKind, timeOperation } from './store-events.ts';

/** Runs commands that read. @throws store-unavailable for every form of an outage; our own mistakes are thrown as they are */
export async function guardRead<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await timeOperation(work);
  } catch (error) {
    if (!reportOutage(error)) throw error;
    const isOverwritten = storeErrorKind(error) === 'wrong-type';
    throw new Failure('store-unavailable', { isOverwritten }, { cause: error });
  }
}

/** Runs commands that write. @throws store-unavailable, `unsure` of the write if the command may have been executed although its answer was lost */
export async function guardWrite<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await guardRead(work);
  } catch (error) {
    if (!isFailure(error, 'store-unavailable')) throw error;
    const { cause, data } = error;
    const write = wasRefused(cause) ? 'refused' : 'unsure';
    throw new Failure('store-unavailable', { ...data, write }, { cause });
  }
}

/** Whether Redis refused all of it, or the command was never sent. A script that meets a key of another type ends halfway. */
const wasRefused = (cause: unknown): boolean =>
  cause instanceof Error &&
  storeErrorKind(cause) !== 'wrong-type' &&
  (cause.name === 'ReplyError' || NEVER_EXECUTED.test(cause.message));

/** A redirection says that a node of a Cluster did not execute the command. */
const NEVER_EXECUTED =
  /^(Stream isn|Cluster isn't|Cluster is ended|None of startup nodes|Too many Cluster redirections)/;

type ScriptCall = readonly [
  redis: RedisConnection,
  workspace: SlackId,
  script: string,
  /** The keys of that workspace or organization, each by its ID. */
  keys: readonly KeyOf[],
  ...args: readonly (string | number)[],
];

type Scripts = Partial<Record<string, (...args: readonly (string | number)[]) => Promise<unknown>>>;

/** A script's text goes over each connection once: from then on ioredis sends its hash. */
async function evalScript(...[redis, workspace, script, keys, ...args]: ScriptCall): Promise<unknown> {
  const scripts = redis as unknown as Scripts;
  if (scripts[script] === undefined) redis.defineCommand(script, { lua: script });
  return scripts[script]?.(keys.length, ...keys.map((key) => key(workspace)), ...args);
}

/** Runs a script that writes something of a workspace. @throws store-unavailable */
export const evalInWorkspace = (...call: ScriptCall): Promise<unknown> =>
  guardRead(() => evalScript(...call));

/** The same for a change that somebody waits for. @throws store-unavailable, `unsure` as from `guardWrite` */
export const commitInWorkspace = (...call: ScriptCall): Promise<unknown> =>
  guardWrite(() => evalScript(...call));

const REPLACE = `
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
return 1`;

/**
 * Replaces a field of a workspace’s record, unless it has another value now: what was written since must not be overwritten.
 *
 * @returns whether it was replaced
 * @throws store-unavailable
 */
export const replaceField = async (
  redis: RedisConnection,
  workspace: SlackId,
  field: string,
  before: string,
  after: string,
): Promise<boolean> =>
  (await evalInWorkspace(redis, workspace, REPLACE, [recordKey], field, before, after)) === 1;
