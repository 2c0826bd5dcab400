import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { Failure } from '../domain/failure/index.ts';
import type { Millis } from '../domain/time/calendar.ts';
import { withoutUndefined } from '../domain/without-undefined.ts';
import { withTimeout } from '../timeout.ts';
import { parseRedisUrl } from './url.ts';

/** To one server, or to a Cluster. */
export type RedisConnection = Redis | Cluster;

export const isCluster = (redis: RedisConnection): redis is Cluster => redis instanceof Cluster;

interface ConnectionOptions {
  /** Called once when the store goes away, however many errors follow; in a Cluster also when one of its nodes does. */
  readonly onOutage?: (error: Error) => void;
  /** Called when it is back, but not for the first connection. */
  readonly onRecovery?: () => void;
}

/** Slack waits three seconds for the ack: a refusal in time is better than silence. */
const COMMAND_TIMEOUT = 1_500;
/** Ends a connection whose peer vanished, long before TCP would after a quarter of an hour. */
const SILENCE_TIMEOUT = 5_000;

const retryStrategy = (times: number): number => Math.min(50 * 2 ** Math.min(times, 6), 1_000);

const SHARED = {
  connectTimeout: 2_000,
  // A master that became a replica rejects writes: reconnects without sending the command again.
  reconnectOnError: ({ message }: Error): boolean => message.startsWith('READONLY'),
} satisfies RedisOptions;

/** For commands that people wait for: each fails at once, or after its timeout. */
const IMPATIENT = {
  ...SHARED,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  commandTimeout: COMMAND_TIMEOUT,
  socketTimeout: SILENCE_TIMEOUT,
} satisfies RedisOptions;

/** For a queue: commands wait for Redis, and blocking commands have no timeout. */
const PATIENT = { ...SHARED, maxRetriesPerRequest: null, keepAlive: SILENCE_TIMEOUT } satisfies RedisOptions;

/**
 * Opens a connection in the background and keeps it open. During an outage every command fails at once: nothing is queued
 * or sent twice, because a command may have been executed although its answer was lost.
 *
 * @param url in any form of `parseRedisUrl`
 * @throws RedisUrlError
 */
export function connectRedis(url: string, { onOutage, onRecovery }: ConnectionOptions = {}): RedisConnection {
  const redis = openConnection(url, IMPATIENT);
  let isAway = false;
  // A Cluster's own error only says that it found none of its nodes.
  const lost = (error: Error & { readonly lastNodeError?: Error }) => {
    if (!isAway) onOutage?.(error.lastNodeError ?? error);
    isAway = true;
  };
  const found = () => {
    if (isAway) onRecovery?.();
    isAway = false;
  };
  redis.on('error', lost);
  redis.on('ready', found);
  if (isCluster(redis)) {
    redis.on('node error', lost);
    // A node that took over, or is back.
    redis.on('+node', (node: Redis) => node.once('ready', found));
  }
  return redis;
}

/**
 * Opens a connection for a queue. Its commands wait until Redis is back instead of failing, and its workers block: callers
 * must limit how long they wait for an answer.
 *
 * @throws RedisUrlError
 */
export function connectQueue(url: string, onError: (error: Error) => void): RedisConnection {
  const redis = openConnection(url, PATIENT);
  redis.on('error', onError);
  return redis;
}

function openConnection(url: string, options: typeof IMPATIENT | typeof PATIENT): RedisConnection {
  const address = parseRedisUrl(url);
  const isImpatient = options === IMPATIENT;
  if (address.kind === 'single') {
    const target = address.url.replace(/^unix:\/\//, '');
    return new Redis(target, { ...options, retryStrategy, enableOfflineQueue: !isImpatient });
  }
  const { username, password, isTls } = address;
  const credentials = { ...withoutUndefined({ username, password }), ...(isTls && { tls: {} }) };
  if (address.kind === 'cluster')
    return new (isImpatient ? ImpatientCluster : Cluster)([...address.nodes], {
      clusterRetryStrategy: retryStrategy,
      // Certificates are for names: they are not looked up here, but by the connection.
      dnsLookup: (host: string, callback: (error: null, address: string) => void) => callback(null, host),
      redisOptions: { ...options, ...credentials },
      // Only what a node refused is sent again: it was not executed. What may have been executed fails.
      ...(isImpatient && { maxRedirections: 5, retryDelayOnFailover: 0, retryDelayOnClusterDown: 0 }),
    });
  const { sentinels, name, db, sentinelUsername, sentinelPassword } = address;
  return new Redis({
    ...options,
    ...credentials,
    ...withoutUndefined({ sentinelUsername, sentinelPassword }),
    retryStrategy,
    enableOfflineQueue: !isImpatient,
    sentinels: [...sentinels],
    name,
    db,
    enableTLSForSentinelMode: isTls,
    // The Sentinels take the same authorities as the servers.
    ...(isTls && { sentinelTLS: {} }),
    sentinelRetryStrategy: retryStrategy,
    sentinelCommandTimeout: COMMAND_TIMEOUT,
  });
}

/** Refuses commands while the Cluster is away. `enableOfflineQueue: false` would also refuse them while a node's connection opens. */
class ImpatientCluster extends Cluster {
  override sendCommand(...args: Parameters<Cluster['sendCommand']>): unknown {
    const [command] = args;
    // The client itself asks for the nodes.
    if (this.status === 'ready' || command.name === 'cluster') return super.sendCommand(...args);
    command.reject(new Error("Cluster isn't ready."));
    return command.promise;
  }
}

/**
 * Waits until the connection answers: for the start of a process, whose first commands would otherwise be refused.
 *
 * @param patience milliseconds
 * @throws store-unavailable; the connection goes on trying
 */
export async function waitUntilReady(redis: RedisConnection, patience: Millis): Promise<void> {
  if (redis.status === 'ready') return;
  const ready = new Promise<void>((resolve) => redis.once('ready', () => resolve()));
  await withTimeout(patience, ready, () => {
    throw new Failure('store-unavailable');
  });
}
