/** What metrics hear of Redis: outages and their kinds, and how long operations take. */
import { type Channel, channel } from 'node:diagnostics_channel';
import type { Millis } from '../domain/time/calendar.ts';
import { type StoreErrorKind, storeErrorKind } from './errors.ts';

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
