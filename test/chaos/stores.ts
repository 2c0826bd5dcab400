/** The forms of Redis that chaos tests break: one server that keeps its data, a master with Sentinels, a Cluster. */
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { connectQueue, type RedisConnection } from '../../src/redis/connect.ts';
import { startPersistentRedis } from '../support/delivery-processes.ts';
import { type RedisServer, startCluster, startSentinels } from '../support/redis-servers.ts';
import { waitUntil } from '../support/wait-until.ts';

export interface ChaosStore {
  /** REDIS_URL without proxies, with the servers that run. */
  readonly url: string;
  /** Connected directly; its commands wait while Redis is away. */
  readonly client: RedisConnection;
  /** All keys of all masters. */
  keys(): Promise<string[]>;
  /** Deletes everything. */
  flush(): Promise<void>;
  /** Kills the server and starts it again, with its data. */
  restart(): Promise<void>;
  /** Sends SIGSTOP or SIGCONT to the server. */
  signal(signal: NodeJS.Signals): void;
  /** Kills the master, in a Cluster the one that holds the workspace; returns before a replica has taken over. */
  killMaster(): Promise<void>;
  /** Waits until a replica has taken over, and gives it a replica. */
  restore(): Promise<void>;
  stop(): Promise<void>;
}

export type StoreKind = 'one server' | 'Sentinels' | 'a Cluster';

export async function openStore(kind: StoreKind): Promise<ChaosStore> {
  if (kind === 'one server') return openServer();
  return kind === 'Sentinels' ? openSentinels() : openCluster();
}

const notHere = async (): Promise<never> => {
  throw new Error('This form of Redis has no such fault.');
};

async function openServer(): Promise<ChaosStore> {
  const server = await startPersistentRedis();
  const client = new Redis(server.url.replace('unix://', ''), {
    retryStrategy: () => 20,
    maxRetriesPerRequest: null,
  });
  client.on('error', () => undefined);
  return {
    url: server.url,
    client,
    keys: () => client.keys('*'),
    flush: async () => void (await client.flushall()),
    restart: server.restart,
    signal: server.signal,
    killMaster: notHere,
    restore: notHere,
    async stop() {
      client.disconnect();
      await server.stop();
    },
  };
}

/** What both forms with several servers have in common. */
function severalServers(url: string, masters: () => Promise<readonly RedisServer[]>) {
  const client = connectQueue(url, () => undefined);
  return {
    url,
    client,
    async keys() {
      return (await Promise.all((await masters()).map(({ client: one }) => one.keys('*')))).flat();
    },
    async flush() {
      await Promise.all((await masters()).map(({ client: one }) => one.flushall()));
    },
    restart: notHere,
    signal: () => undefined,
  };
}

async function openSentinels(): Promise<ChaosStore> {
  const sentinels = await startSentinels();
  const store = severalServers(sentinels.url, async () => [await sentinels.master()]);
  let killed: RedisServer | undefined;
  return {
    ...store,
    async killMaster() {
      killed = await sentinels.master();
      await killed.kill();
    },
    async restore() {
      await waitUntil(async () => (await sentinels.master()) !== killed);
      await sentinels.addReplica();
    },
    async stop() {
      store.client.disconnect();
      await sentinels.stop();
    },
  };
}

async function openCluster(): Promise<ChaosStore> {
  const cluster = await startCluster({ replicas: true });
  const store = severalServers(cluster.url, cluster.currentMasters);
  let killed: RedisServer | undefined;
  return {
    ...store,
    get url() {
      return cluster.url;
    },
    async killMaster() {
      const masters = await cluster.currentMasters();
      const held = await Promise.all(masters.map(({ client }) => client.keys('tally:{T0*}:*')));
      killed =
        masters[
          Math.max(
            0,
            held.findIndex((keys) => keys.length > 0),
          )
        ];
      await killed?.kill();
    },
    async restore() {
      // The killed one is no longer counted, and its replica is one of three masters.
      await waitUntil(async () => (await cluster.currentMasters()).length === 3);
      await cluster.addReplica();
      await delay(100);
    },
    async stop() {
      store.client.disconnect();
      await cluster.stop();
    },
  };
}
