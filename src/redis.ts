import { Redis } from 'ioredis';
import { isFailure, StoreUnavailable } from './domain/failure/index.ts';

/** A person waits three seconds for Slack's ack and hears nothing later: better a plain "cannot" now. */
const COMMAND_TIMEOUT = 1_500;
const CONNECT_TIMEOUT = 2_000;
/** A peer that vanished without a word is given up after this, instead of TCP's quarter of an hour. */
const SILENCE_TIMEOUT = 5_000;
const LONGEST_PAUSE = 1_000;

const retryStrategy = (times: number): number => Math.min(50 * 2 ** Math.min(times, 6), LONGEST_PAUSE);

interface Watchers {
  /** Called once when the store goes away, however many errors follow. */
  readonly onOutage?: (error: Error) => void;
  /** Called when it is back. Not called for the first connection. */
  readonly onRecovery?: () => void;
}

/**
 * Opens the connection in the background and keeps it. While Redis is away every command fails at once: nothing is
 * queued and nothing is sent a second time, since a command whose answer was lost may have been carried out.
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
  let away = false;
  const lost = (error: Error) => {
    if (away) return;
    away = true;
    onOutage?.(error);
  };
  redis.on('error', lost);
  // A peer that closes politely emits no error.
  redis.on('reconnecting', () => lost(new Error('Redis closed the connection.')));
  redis.on('ready', () => {
    if (away) onRecovery?.();
    away = false;
  });
  return redis;
}

/**
 * A connection for a queue, whose commands wait for Redis to come back rather than fail, and whose workers block: so
 * whoever waits for one of its answers has to bound the waiting.
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

/** What Redis answers while it is there and yet of no use: starting, failing over, full, or not letting us in. */
const OF_NO_USE =
  /^(LOADING|READONLY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|BUSY|OOM|MISCONF|NOAUTH|WRONGPASS|NOPERM)\b/;

/** Runs commands and turns an outage, whatever form it takes, into StoreUnavailable; a mistake of ours stays what it is. */
export async function guardRead<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isOutage(error) ? new StoreUnavailable({ cause: error }) : error;
  }
}

/** The same for what changes something: it may have been carried out although its answer was lost. */
export async function guardWrite<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await guardRead(work);
  } catch (error) {
    if (!(error instanceof StoreUnavailable) || wasRefused(error.cause)) throw error;
    throw new StoreUnavailable({ cause: error.cause }, true);
  }
}

/** Redis answered, or the command never went out. */
const wasRefused = (cause: unknown): boolean =>
  cause instanceof Error && (cause.name === 'ReplyError' || cause.message.startsWith('Stream isn'));

function isOutage(error: unknown): boolean {
  if (!(error instanceof Error) || isFailure(error)) return false;
  if (error.name === 'ReplyError') return OF_NO_USE.test(error.message);
  // ioredis throws plain errors for a connection that is closed, not there yet, or silent.
  return error.name === 'Error' || error.name === 'MaxRetriesPerRequestError' || error.name === 'AbortError';
}
