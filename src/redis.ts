import { Redis } from 'ioredis';
import { isFailure, StoreUnavailable } from './domain/failure/index.ts';

/** Slack waits three seconds for the ack: a refusal in time is better than silence. */
const COMMAND_TIMEOUT = 1_500;
const CONNECT_TIMEOUT = 2_000;
/** Ends a connection whose peer vanished, long before TCP would after a quarter of an hour. */
const SILENCE_TIMEOUT = 5_000;
const MAX_RETRY_DELAY = 1_000;

const retryStrategy = (times: number): number => Math.min(50 * 2 ** Math.min(times, 6), MAX_RETRY_DELAY);

interface Watchers {
  /** Called once when the store goes away, however many errors follow. */
  readonly onOutage?: (error: Error) => void;
  /** Called when it is back, but not for the first connection. */
  readonly onRecovery?: () => void;
}

/**
 * Opens a connection in the background and keeps it open. During an outage every command fails at once: nothing is queued
 * or sent twice, because a command may have been executed although its answer was lost.
 *
 * @param url `redis://`, `rediss://` or `unix:///path`
 */
export function connectRedis(url: string, { onOutage, onRecovery }: Watchers = {}): Redis {
  const redis = new Redis(url.replace(/^unix:\/\//, ''), {
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    commandTimeout: COMMAND_TIMEOUT,
    connectTimeout: CONNECT_TIMEOUT,
    socketTimeout: SILENCE_TIMEOUT,
    retryStrategy,
  });
  let isAway = false;
  const lost = (error: Error) => {
    if (isAway) return;
    isAway = true;
    onOutage?.(error);
  };
  redis.on('error', lost);
  // A peer that closes politely emits no error.
  redis.on('reconnecting', () => lost(new Error('Redis closed the connection.')));
  redis.on('ready', () => {
    if (isAway) onRecovery?.();
    isAway = false;
  });
  return redis;
}

/**
 * Opens a connection for a queue. Its commands wait until Redis is back instead of failing, and its workers block: callers
 * must limit how long they wait for an answer.
 */
export function connectQueue(url: string, onError: (error: Error) => void): Redis {
  const redis = new Redis(url.replace(/^unix:\/\//, ''), {
    maxRetriesPerRequest: null,
    connectTimeout: CONNECT_TIMEOUT,
    keepAlive: SILENCE_TIMEOUT,
    retryStrategy,
  });
  redis.on('error', onError);
  return redis;
}

/**
 * Waits until the connection answers: for the start of a process, whose first commands would otherwise be refused.
 *
 * @param patience milliseconds
 * @throws StoreUnavailable; the connection goes on trying
 */
export async function waitUntilReady(redis: Redis, patience: number): Promise<void> {
  if (redis.status === 'ready') return;
  await new Promise<void>((resolve, reject) => {
    const settle = (done: () => void) => () => {
      clearTimeout(timer);
      redis.off('ready', arrived);
      done();
    };
    const arrived = settle(resolve);
    const timer = setTimeout(
      settle(() => reject(new StoreUnavailable())),
      patience,
    );
    redis.on('ready', arrived);
  });
}

/** Errors of a Redis that runs but cannot serve: it is starting, failing over, full, or refuses our credentials. */
const UNAVAILABLE =
  /^(LOADING|READONLY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|BUSY|OOM|MISCONF|NOAUTH|WRONGPASS|NOPERM)\b/;

/** Runs commands that read. @throws StoreUnavailable for every form of an outage; our own mistakes are thrown as they are */
export async function guardRead<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isOutage(error) ? new StoreUnavailable({ cause: error }) : error;
  }
}

/** Runs commands that write. @throws StoreUnavailable, `unsure` where the command may have been executed although its answer was lost */
export async function guardWrite<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await guardRead(work);
  } catch (error) {
    if (!(error instanceof StoreUnavailable) || wasRefused(error.cause)) throw error;
    throw new StoreUnavailable({ cause: error.cause }, true);
  }
}

/** Whether Redis answered, or the command was never sent. */
const wasRefused = (cause: unknown): boolean =>
  cause instanceof Error && (cause.name === 'ReplyError' || cause.message.startsWith('Stream isn'));

function isOutage(error: unknown): boolean {
  if (!(error instanceof Error) || isFailure(error)) return false;
  if (error.name === 'ReplyError') return UNAVAILABLE.test(error.message);
  // ioredis throws plain errors for a connection that is closed, not there yet, or silent.
  return error.name === 'Error' || error.name === 'MaxRetriesPerRequestError' || error.name === 'AbortError';
}
