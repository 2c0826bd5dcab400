/** Wraps every Redis command: turns outages into failures and counts them. */
import { channel } from 'node:diagnostics_channel';
import { Failure, isFailure } from '../domain/failure/index.ts';
import type { SlackId } from '../domain/slack-id.ts';
import type { RedisConnection } from './connect.ts';
import { type KeyOf, LAYOUT_KEY, recordKey } from './keys.ts';

/** Runs read commands. @throws store-unavailable on an outage; other errors unchanged */
export async function guardRead<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const kind = reportOutage(error);
    if (kind === undefined) throw error;
    throw new Failure('store-unavailable', { isOverwritten: kind === 'wrong-type' }, { cause: error });
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

/** Whether Redis executed nothing. After a wrong key type a script may have written something already. */
const wasRefused = (cause: unknown): boolean =>
  cause instanceof Error &&
  storeErrorKind(cause) !== 'wrong-type' &&
  (cause.name === 'ReplyError' || NEVER_EXECUTED.test(cause.message));

/** Redirections: not executed by that node. */
const NEVER_EXECUTED =
  /^(Stream isn|Cluster isn't|Cluster is ended|None of startup nodes|Too many Cluster redirections)/;

type ScriptCall = readonly [
  redis: RedisConnection,
  workspace: SlackId,
  script: string,
  /** The keys, made from the workspace's ID. */
  keys: readonly KeyOf[],
  ...args: readonly (string | number)[],
];

type Scripts = Partial<Record<string, (...args: readonly (string | number)[]) => Promise<unknown>>>;

/** EVALSHA after the first use per connection. */
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

/** Compare-and-set of a record field. @returns whether it was replaced */
export const replaceField = async (
  redis: RedisConnection,
  workspace: SlackId,
  field: string,
  before: string,
  after: string,
): Promise<boolean> =>
  (await evalInWorkspace(redis, workspace, REPLACE, [recordKey], field, before, after)) === 1;

/** Redis error prefixes → names in metrics. */
const REPLY_KINDS = {
  OOM: 'full',
  READONLY: 'read-only',
  NOREPLICAS: 'no-replicas',
  // A snapshot or the append-only file could not be written.
  MISCONF: 'misconf',
  // Another program wrote a different type to our key.
  WRONGTYPE: 'wrong-type',
} as const;
/** It is starting, failing over, or refuses our credentials. */
const OTHER_REPLIES = /^(?:LOADING|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|BUSY|NOAUTH|WRONGPASS|NOPERM)\b/;

export const STORE_ERROR_KINDS = [
  ...Object.values(REPLY_KINDS),
  ...(['timeout', 'unreachable', 'other'] as const),
] as const;
export type StoreErrorKind = (typeof STORE_ERROR_KINDS)[number];

/** ioredis throws plain errors for a connection that is closed, not there yet, or silent. */
const CONNECTION_ERRORS = ['Error', 'MaxRetriesPerRequestError', 'AbortError', 'ClusterAllFailedError'];

/** The kind of outage. @returns undefined if it isn't one */
function storeErrorKind(error: unknown): StoreErrorKind | undefined {
  if (!(error instanceof Error) || isFailure(error)) return undefined;
  const { name, message } = error;
  if (name === 'ReplyError')
    return (
      REPLY_KINDS[message.split(' ')[0] as keyof typeof REPLY_KINDS] ??
      (OTHER_REPLIES.test(message) ? 'other' : undefined)
    );
  if (!CONNECTION_ERRORS.includes(name)) return undefined;
  return /timed out|timeout/i.test(message) ? 'timeout' : 'unreachable';
}

/** An uncaught second error of a TLS socket: ioredis handles only the first. */
export const isSecondSocketError = (error: unknown): boolean => {
  const { code, syscall } = (error ?? {}) as NodeJS.ErrnoException;
  return /^ERR_(?:SSL|TLS)_/.test(code ?? '') || /^(?:connect|read|write|shutdown)$/.test(syscall ?? '');
};

/** Costs nothing without a subscriber. */
const STORE_ERRORS = channel('tally:store-error');

/** Counts an outage. @returns undefined if the error is none */
export function reportOutage(error: unknown): StoreErrorKind | undefined {
  const kind = storeErrorKind(error);
  if (kind !== undefined) STORE_ERRORS.publish(kind);
  return kind;
}

/** @returns a function that unsubscribes */
export function onStoreError(listener: (kind: StoreErrorKind) => void): () => void {
  const subscriber = (kind: unknown) => listener(kind as StoreErrorKind);
  STORE_ERRORS.subscribe(subscriber);
  return () => void STORE_ERRORS.unsubscribe(subscriber);
}

/**
 * Version of the Redis data layout. Increase it when another version would misread or destroy data; new fields don't
 * count.
 */
const LAYOUT = 5;

/** Redis holds another version's layout. */
export class OtherLayout extends Error {
  constructor(found: string) {
    super(
      `Redis has records of another version of Tally: their layout is “${found.slice(0, 40)}”, and this version’s is ${LAYOUT}. Start the version that wrote them, or give this one a database of its own: REDIS_URL.`,
    );
  }
}

/** For a command of an operator. @throws OtherLayout, store-unavailable */
export async function requireLayout(redis: RedisConnection): Promise<void> {
  const found = await guardRead(() => redis.get(LAYOUT_KEY));
  if (found !== null && found !== String(LAYOUT)) throw new OtherLayout(found);
}

/** For a bot: from then on no other layout may start there. @throws OtherLayout, store-unavailable */
export async function claimLayout(redis: RedisConnection): Promise<void> {
  await requireLayout(redis);
  // A read-only Redis can't be marked, and that's fine.
  await guardRead(() => redis.set(LAYOUT_KEY, LAYOUT, 'NX')).catch(() => undefined);
}
