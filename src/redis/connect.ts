import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { StoreUnavailable } from '../domain/failure/index.ts';
import type { Millis } from '../domain/time/calendar.ts';
import { withoutUndefined } from '../domain/without-undefined.ts';
import { startTimeout } from '../runtime/timers.ts';
import { formatRedisHosts, parseRedisUrl, withoutIgnoredOptions } from './url.ts';

/** Slack waits three seconds for the ack: a refusal in time is better than silence. */
const COMMAND_TIMEOUT = 1_500;
const CONNECT_TIMEOUT = 2_000;
/** Ends a connection whose peer vanished, long before TCP would after a quarter of an hour. */
const SILENCE_TIMEOUT = 5_000;
const MAX_RETRY_DELAY = 1_000;

/** To one server, or to a Cluster. */
export type RedisConnection = Redis | Cluster;

export const isCluster = (redis: RedisConnection): redis is Cluster => redis instanceof Cluster;

const retryStrategy = (times: number): number => Math.min(50 * 2 ** Math.min(times, 6), MAX_RETRY_DELAY);

/** The name of the connection by which a bot is known to run. */
export const BOT_CONNECTION = 'tally-bot';

interface ConnectionOptions {
  /** Called once when the store goes away, however many errors follow; in a Cluster also when one of its nodes does. */
  readonly onOutage?: (error: Error) => void;
  /** Called when it is back, but not for the first connection. */
  readonly onRecovery?: () => void;
  /** The connection's name in CLIENT LIST. */
  readonly name?: string;
}

/** A master that became a replica rejects writes: reconnects without sending the command again. */
const reconnectOnError = (error: Error): boolean => error.message.startsWith('READONLY');

/** Options for commands that people wait for: each fails at once, or after its timeout. */
const IMPATIENT = {
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  connectTimeout: CONNECT_TIMEOUT,
  reconnectOnError,
} satisfies RedisOptions;

type SentCommand = Parameters<Redis['sendCommand']>[0];

/** As ioredis' `commandTimeout`, by a timeout that leaves the time to read an answer. */
function limitTime(command: SentCommand, hosts: string, onTimeout = (): void => undefined): void {
  const cancel = startTimeout(COMMAND_TIMEOUT, () => {
    command.reject(new Error(`Timed out: no answer from ${hosts} within ${COMMAND_TIMEOUT} ms.`));
    onTimeout();
  });
  command.promise.then(cancel, cancel);
}

/**
 * Refuses commands while no node is known. `enableOfflineQueue: false` would do that too, and also refuse those that come
 * while the connection to a node is opened; so they wait for that one, within their timeout.
 */
class ImpatientCluster extends Cluster {
  hosts = 'Redis';
  override sendCommand(...args: Parameters<Cluster['sendCommand']>): unknown {
    const [command] = args;
    limitTime(command, this.hosts);
    // The client itself asks for the nodes.
    if (this.status === 'ready' || command.name === 'cluster') return super.sendCommand(...args);
    command.reject(new Error('Cluster isn’t ready.'));
    return command.promise;
  }
}

/** Sends the commands of one turn of the event loop together: a write to a socket costs more than a command. */
class BatchingRedis extends Redis {
  override sendCommand(...args: Parameters<Redis['sendCommand']>): unknown {
    const [{ name, promise }] = args;
    // Otherwise it would go on in database 0, which is another program's.
    if (name === 'select') promise.catch(() => this.disconnect(true));
    // Undefined before the first connection.
    const socket: Redis['stream'] | undefined = this.stream;
    if (socket?.writable && socket.writableCorked === 0) {
      socket.cork();
      process.nextTick(() => socket.uncork());
    }
    return super.sendCommand(...args);
  }
}

class ImpatientRedis extends BatchingRedis {
  hosts = 'Redis';
  #watched: Redis['stream'] | undefined;
  override sendCommand(...args: Parameters<Redis['sendCommand']>): unknown {
    limitTime(args[0], this.hosts, () => this.#watchSilence(this.stream));
    return super.sendCommand(...args);
  }

  /** As ioredis' `socketTimeout`: ends a connection over which no answer comes any more. */
  #watchSilence(stream: Redis['stream'] | undefined): void {
    if (stream === undefined || stream === this.#watched) return;
    this.#watched = stream;
    const { bytesRead } = stream;
    const cancel = startTimeout(SILENCE_TIMEOUT - COMMAND_TIMEOUT, () => {
      this.#watched = undefined;
      if (stream.bytesRead !== bytesRead) return;
      stream.destroy(new Error(`Timed out: nothing came from ${this.hosts} within ${SILENCE_TIMEOUT} ms.`));
    });
    stream.once('close', cancel);
  }
}

/** Options for a queue: commands wait for Redis, and blocking commands have no timeout. */
const PATIENT = {
  maxRetriesPerRequest: null,
  connectTimeout: CONNECT_TIMEOUT,
  keepAlive: SILENCE_TIMEOUT,
  reconnectOnError,
} satisfies RedisOptions;

/**
 * Opens a connection in the background and keeps it open. During an outage every command fails at once: nothing is queued
 * or sent twice, because a command may have been executed although its answer was lost.
 *
 * @param url in any form of `parseRedisUrl`
 * @throws RedisUrlError
 */
export function connectRedis(
  url: string,
  { onOutage, onRecovery, ...options }: ConnectionOptions = {},
): RedisConnection {
  const address = parseRedisUrl(url);
  const hosts = formatRedisHosts(address);
  const redis = Object.assign(openConnection(url, true, options), { hosts });
  let isAway = false;
  const lost = (error: Error) => {
    if (isAway) return;
    isAway = true;
    onOutage?.(error);
  };
  const found = () => {
    if (isAway) onRecovery?.();
    isAway = false;
  };
  redis.on('error', lost);
  // A peer that closes politely emits no error. It may end what was idle: an outage is only what lasts.
  let closings = 0;
  redis.on('reconnecting', () => {
    closings += 1;
    if (closings > 1) lost(new Error(`${hosts} closed the connection.`));
  });
  redis.on('ready', () => {
    closings = 0;
    found();
  });
  if (isCluster(redis)) {
    redis.on('node error', (error: Error) => lost(error));
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
  const redis = openConnection(url, false);
  redis.on('error', onError);
  return redis;
}

function openConnection(
  url: string,
  isImpatient: boolean,
  { name: connectionName }: ConnectionOptions = {},
): RedisConnection {
  const options = {
    ...(connectionName !== undefined && { connectionName }),
    ...(isImpatient ? IMPATIENT : PATIENT),
  };
  const address = parseRedisUrl(url);
  const SingleRedis = isImpatient ? ImpatientRedis : BatchingRedis;
  if (address.kind === 'single')
    return new SingleRedis(withoutIgnoredOptions(address.url).replace(/^unix:\/\//, ''), {
      ...options,
      retryStrategy,
    });
  const { username, password, isTls } = address;
  const credentials = { ...withoutUndefined({ username, password }), ...(isTls && { tls: {} }) };
  if (address.kind === 'cluster') {
    const nodes = [...address.nodes];
    const clusterOptions = {
      clusterRetryStrategy: retryStrategy,
      // Certificates are for names: they are not looked up here, but by the connection.
      dnsLookup: (host: string, callback: (error: null, address: string) => void) => callback(null, host),
      redisOptions: { ...options, ...credentials, ...(isImpatient && { socketTimeout: SILENCE_TIMEOUT }) },
    };
    if (!isImpatient) return new Cluster(nodes, clusterOptions);
    // Only what a node refused is sent again: it was not executed. What may have been executed fails.
    const redirects = { maxRedirections: 5, retryDelayOnFailover: 0, retryDelayOnClusterDown: 0 };
    return new ImpatientCluster(nodes, { ...clusterOptions, ...redirects });
  }
  const { sentinels, name, db, sentinelUsername, sentinelPassword } = address;
  return new SingleRedis({
    ...options,
    ...credentials,
    retryStrategy,
    sentinels: [...sentinels],
    name,
    db,
    ...withoutUndefined({ sentinelUsername, sentinelPassword }),
    enableTLSForSentinelMode: isTls,
    // The Sentinels take the same authorities as the servers.
    ...(isTls && { sentinelTLS: {} }),
    sentinelRetryStrategy: retryStrategy,
    sentinelCommandTimeout: COMMAND_TIMEOUT,
  });
}

/**
 * Waits until the connection answers: for the start of a process, whose first commands would otherwise be refused.
 *
 * @param patience milliseconds
 * @throws StoreUnavailable; the connection goes on trying
 */
export async function waitUntilReady(redis: RedisConnection, patience: Millis): Promise<void> {
  if (redis.status === 'ready') return;
  await new Promise<void>((resolve, reject) => {
    const settle = (done: () => void) => () => {
      cancel();
      redis.off('ready', arrived);
      done();
    };
    const arrived = settle(resolve);
    const refuse = settle(() => reject(new StoreUnavailable()));
    const cancel = startTimeout(patience, refuse);
    redis.on('ready', arrived);
  });
}
