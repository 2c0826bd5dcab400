/** Runs Redis commands and scripts: turns the errors of an outage into Failures, and counts them. */
import { channel } from 'node:diagnostics_channel';
import { Failure, isFailure } from '../domain/failure/index.ts';
import type { SlackId } from '../domain/slack-id.ts';
import type { RedisConnection } from './connect.ts';
import type { KeyOf } from './keys.ts';

/** Runs commands. @throws store-unavailable in an outage; any other error unchanged */
export async function guardRedis<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const kind = reportOutage(error);
    if (kind === undefined) throw error;
    throw new Failure('store-unavailable', { isOverwritten: kind === 'wrong-type' }, { cause: error });
  }
}

type Scripts = Partial<Record<string, (...args: readonly (string | number)[]) => Promise<unknown>>>;

/** The client sends the whole script once, then only its hash (EVALSHA). */
export function evalInWorkspace(
  redis: RedisConnection,
  workspace: SlackId,
  script: string,
  keys: readonly KeyOf[],
  ...args: readonly (string | number)[]
): Promise<unknown> {
  const scripts = redis as unknown as Scripts;
  if (scripts[script] === undefined) redis.defineCommand(script, { lua: script });
  return guardRedis(async () =>
    scripts[script]?.(keys.length, ...keys.map((key) => key(workspace)), ...args),
  );
}

/** The first word of a Redis error, and the error's name in the metrics. */
const REPLY_KINDS = {
  OOM: 'full',
  READONLY: 'read-only',
  NOREPLICAS: 'no-replicas',
  MISCONF: 'misconf',
  WRONGTYPE: 'wrong-type',
} as const;
const OTHER_REPLIES = /^(?:LOADING|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|BUSY|NOAUTH|WRONGPASS|NOPERM)\b/;

export const STORE_ERROR_KINDS = [
  ...Object.values(REPLY_KINDS),
  ...(['timeout', 'unreachable', 'other'] as const),
] as const;
export type StoreErrorKind = (typeof STORE_ERROR_KINDS)[number];

const CONNECTION_ERRORS = ['Error', 'MaxRetriesPerRequestError', 'AbortError', 'ClusterAllFailedError'];

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

/** A failed TLS socket emits two errors, and ioredis handles only the first. */
export const isSecondSocketError = (error: unknown): boolean => {
  const { code, syscall } = (error ?? {}) as NodeJS.ErrnoException;
  return /^ERR_(?:SSL|TLS)_/.test(code ?? '') || /^(?:connect|read|write|shutdown)$/.test(syscall ?? '');
};

const STORE_ERRORS = channel('tally:store-error');

/** Publishes an outage for the metrics. @returns undefined if the error isn't from an outage */
export function reportOutage(error: unknown): StoreErrorKind | undefined {
  const kind = storeErrorKind(error);
  if (kind !== undefined) STORE_ERRORS.publish(kind);
  return kind;
}

export function onStoreError(listener: (kind: StoreErrorKind) => void): () => void {
  const subscriber = (kind: unknown) => listener(kind as StoreErrorKind);
  STORE_ERRORS.subscribe(subscriber);
  return () => void STORE_ERRORS.unsubscribe(subscriber);
}
