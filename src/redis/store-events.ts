/** How Redis fails, and what metrics hear of it: outages with their kinds, and how long operations take. */
import { type Channel, channel } from 'node:diagnostics_channel';
import { isFailure } from '../domain/failure/index.ts';
import type { Millis } from '../domain/time/calendar.ts';

/** Why Redis did not do what it was asked, for metrics and operators. */
export const STORE_ERROR_KINDS = [
  'full',
  'read-only',
  'no-replicas',
  'misconf',
  'timeout',
  'unreachable',
  'wrong-type',
  'other',
] as const;
export type StoreErrorKind = (typeof STORE_ERROR_KINDS)[number];

/** Codes of a Redis that runs but cannot serve: it is starting, failing over, full, or refuses our credentials. */
const REPLY_KINDS: Readonly<Record<string, StoreErrorKind>> = {
  OOM: 'full',
  READONLY: 'read-only',
  NOREPLICAS: 'no-replicas',
  // A snapshot or the append-only file could not be written.
  MISCONF: 'misconf',
  // Another program has written over a key of ours.
  WRONGTYPE: 'wrong-type',
  LOADING: 'other',
  MASTERDOWN: 'other',
  CLUSTERDOWN: 'other',
  TRYAGAIN: 'other',
  BUSY: 'other',
  NOAUTH: 'other',
  WRONGPASS: 'other',
  NOPERM: 'other',
};

/** ioredis throws plain errors for a connection that is closed, not there yet, or silent. */
const CONNECTION_ERRORS = ['Error', 'MaxRetriesPerRequestError', 'AbortError', 'ClusterAllFailedError'];

/** @returns undefined for our own mistakes */
export function storeErrorKind(error: unknown): StoreErrorKind | undefined {
  if (!(error instanceof Error) || isFailure(error)) return undefined;
  if (error.name === 'ReplyError') return REPLY_KINDS[/^[A-Z]+\b/.exec(error.message)?.[0] ?? ''];
  if (!CONNECTION_ERRORS.includes(error.name)) return undefined;
  return /timed out|timeout/i.test(error.message) ? 'timeout' : 'unreachable';
}

/**
 * Whether an error that nothing caught is a socket's second one: ioredis listens for the first only, and one with TLS may
 * report another, as when a server's alert follows a certificate that was refused.
 */
export const isSecondSocketError = (error: unknown): boolean => {
  const { code, syscall } = (error ?? {}) as NodeJS.ErrnoException;
  return /^ERR_(?:SSL|TLS)_/.test(code ?? '') || /^(?:connect|read|write|shutdown)$/.test(syscall ?? '');
};

/** Costs nothing without a subscriber. */
const STORE_ERRORS = channel('tally:store-error');

/** Counts an outage. @returns whether the error is one */
export function reportOutage(error: unknown): boolean {
  const kind = storeErrorKind(error);
  if (kind === undefined) return false;
  STORE_ERRORS.publish(kind);
  return true;
}

/** @returns a function that unsubscribes */
export const onStoreError = subscribing<StoreErrorKind>(STORE_ERRORS);

/** How long an operation took, in ms. ioredis' own channel would cost as much as half of a command. */
const STORE_OPERATIONS = channel('tally:store-operation');

/** Runs an operation and reports how long it took, however it ends. */
export async function timeOperation<T>(work: () => Promise<T>): Promise<T> {
  const began = performance.now();
  try {
    return await work();
  } finally {
    STORE_OPERATIONS.publish(performance.now() - began);
  }
}

/** @returns a function that unsubscribes */
export const onStoreOperation = subscribing<Millis>(STORE_OPERATIONS);

function subscribing<T>(source: Channel) {
  return (listener: (message: T) => void): (() => void) => {
    const subscriber = (message: unknown) => listener(message as T);
    source.subscribe(subscriber);
    return () => void source.unsubscribe(subscriber);
  };
}
