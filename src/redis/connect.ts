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
  /** Called once per outage; in a Cluster also for a single node. */
  readonly onOutage?: (error: Error) => void;
  /** Called when it is back, but not for the first connection. */
  readonly onRecovery?: () => void;
}

/** Slack waits 3 s for an acknowledgement, so fail in time to send one. */
const COMMAND_TIMEOUT = 1_500;
/** Detects a vanished peer; TCP alone would take 15 minutes. */
const SILENCE_TIMEOUT = 5_000;

const retryStrategy = (times: number): number => Math.min(50 * 2 ** Math.min(times, 6), 1_000);

const SHARED = {
  connectTimeout: 2_000,
  // Failover: a demoted master rejects writes. Reconnect, but don't resend.
  reconnectOnError: ({ message }: Error): boolean => message.startsWith('READONLY'),
} satisfies RedisOptions;

/** For interactive commands: fail fast. */
const IMPATIENT = {
  ...SHARED,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  commandTimeout: COMMAND_TIMEOUT,
  socketTimeout: SILENCE_TIMEOUT,
} satisfies RedisOptions;

/** For the queue: commands wait for Redis. */
const PATIENT = { ...SHARED, maxRetriesPerRequest: null, keepAlive: SILENCE_TIMEOUT } satisfies RedisOptions;

/**
 * Connects in the background and reconnects. During an outage commands fail at once: nothing is queued or resent,
 * because it may have been executed.
 */
export function connectRedis(url: string, { onOutage, onRecovery }: ConnectionOptions = {}): RedisConnection {
  const redis = openConnection(url, IMPATIENT);
  let isAway = false;
  // A Cluster's error lacks the cause; use the last node's.
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
    // A promoted or returning node.
    redis.on('+node', (node: Redis) => node.once('ready', found));
  }
  return redis;
}

/** Commands wait until Redis is back; callers must use timeouts. */
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
      // Pass names on unresolved: certificates are for names.
      dnsLookup: (host: string, callback: (error: null, address: string) => void) => callback(null, host),
      redisOptions: { ...options, ...credentials },
      // Resend only redirected commands, which were not executed.
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
    // Sentinels use the same CAs.
    ...(isTls && { sentinelTLS: {} }),
    sentinelRetryStrategy: retryStrategy,
    sentinelCommandTimeout: COMMAND_TIMEOUT,
  });
}

/** Refuses commands while the Cluster is away. `enableOfflineQueue: false` would also refuse them while a node's connection opens. */
class ImpatientCluster extends Cluster {
  override sendCommand(...args: Parameters<Cluster['sendCommand']>): unknown {
    const [command] = args;
    // The client's own CLUSTER commands.
    if (this.status === 'ready' || command.name === 'cluster') return super.sendCommand(...args);
    command.reject(new Error("Cluster isn't ready."));
    return command.promise;
  }
}

/** Waits until Redis answers, at start-up. @throws store-unavailable; it keeps trying in the background */
export async function waitUntilReady(redis: RedisConnection, patience: Millis): Promise<void> {
  if (redis.status === 'ready') return;
  const ready = new Promise<void>((resolve) => redis.once('ready', () => resolve()));
  await withTimeout(patience, ready, () => {
    throw new Failure('store-unavailable');
  });
}
