/** Opens the connections to Redis: one server, Sentinels or a Cluster. */
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { Failure } from '../domain/failure/index.ts';
import type { Millis } from '../domain/time/calendar.ts';
import { withoutUndefined } from '../domain/without-undefined.ts';
import { withTimeout } from '../timeout.ts';
import { parseRedisUrl } from './url.ts';

export type RedisConnection = Redis | Cluster;

export const isCluster = (redis: RedisConnection): redis is Cluster => redis instanceof Cluster;

interface ConnectionOptions {
  /** Called once per outage. In a Cluster, one failed node is an outage. */
  readonly onOutage?: (error: Error) => void;
  readonly onRecovery?: () => void;
}

/** In ms. Slack waits 3 s for an acknowledgement, so a command must fail early enough to send one. */
const COMMAND_TIMEOUT = 1_500;
/** In ms. A server that is silent for this long counts as gone; TCP alone would take 15 minutes to notice. */
const SILENCE_TIMEOUT = 5_000;

const retryStrategy = (times: number): number => Math.min(50 * 2 ** Math.min(times, 6), 1_000);

const SHARED = {
  connectTimeout: 2_000,
  // After a failover, the former master rejects writes with READONLY. Reconnect, but don't send the command again.
  reconnectOnError: ({ message }: Error): boolean => message.startsWith('READONLY'),
} satisfies RedisOptions;

/** Options for commands that a person waits for: they fail at once if Redis is away. */
const IMPATIENT = {
  ...SHARED,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  commandTimeout: COMMAND_TIMEOUT,
  socketTimeout: SILENCE_TIMEOUT,
} satisfies RedisOptions;

const PATIENT = { ...SHARED, maxRetriesPerRequest: null, keepAlive: SILENCE_TIMEOUT } satisfies RedisOptions;

/**
 * Connects in the background, and again after an outage. In an outage, commands fail at once. No command is sent again,
 * because Redis may have executed it.
 */
export function connectRedis(url: string, { onOutage, onRecovery }: ConnectionOptions = {}): RedisConnection {
  const redis = openConnection(url, IMPATIENT);
  let isAway = false;
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
    // A node that joins, such as a promoted replica, also shows that Redis is back.
    redis.on('+node', (node: Redis) => node.once('ready', found));
  }
  return redis;
}

/** Connects for the queue. In an outage, commands wait until Redis is back, so callers need timeouts. */
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
      // Keeps host names instead of resolving them, because TLS certificates are for names.
      dnsLookup: (host: string, callback: (error: null, address: string) => void) => callback(null, host),
      redisOptions: { ...options, ...credentials },
      // Only a redirected command is sent again, because Redis hasn't executed it.
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
    ...(isTls && { sentinelTLS: {} }),
    sentinelRetryStrategy: retryStrategy,
    sentinelCommandTimeout: COMMAND_TIMEOUT,
  });
}

/**
 * Rejects commands in an outage. `enableOfflineQueue: false` would also reject them while a node's connection opens.
 */
class ImpatientCluster extends Cluster {
  override sendCommand(...args: Parameters<Cluster['sendCommand']>): unknown {
    const [command] = args;
    // The client itself sends CLUSTER commands to find the nodes.
    if (this.status === 'ready' || command.name === 'cluster') return super.sendCommand(...args);
    command.reject(new Error("Cluster isn't ready."));
    return command.promise;
  }
}

export async function waitUntilReady(redis: RedisConnection, patience: Millis): Promise<void> {
  if (redis.status === 'ready') return;
  const ready = new Promise<void>((resolve) => redis.once('ready', () => resolve()));
  await withTimeout(patience, ready, () => {
    throw new Failure('store-unavailable');
  });
}
