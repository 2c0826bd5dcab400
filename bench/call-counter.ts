/** Counts the Redis commands, billing requests, Slack calls and connections that some work causes. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import type { Redis } from 'ioredis';
import type { BillingService } from '../sandbox/billing.ts';
import type { FakeSlack } from './fake-slack.ts';

interface Counts {
  /** By command, without those of this counter. Empty when the server keeps no statistics. */
  readonly redis: Readonly<Record<string, number>>;
  readonly billing: number;
  readonly slack: Readonly<Record<string, number>>;
  /** Connections that the bot opened. */
  readonly connections: number;
}

export interface Counter {
  during<T>(work: () => Promise<T>): Promise<{ result: T; counts: Counts }>;
  close(): void;
}

/** Node's diagnostics channel for sockets that connect. */
const SOCKETS = 'net.client.socket';

/** @param botPort connections to this port are the bench's own; all others are the bot's */
export function createCounter(
  redis: Redis,
  billing: BillingService,
  slack: FakeSlack,
  botPort: number,
): Counter {
  let connections = 0;
  const onSocket = (message: unknown) => {
    const { socket } = message as { socket: Socket };
    socket.once('connect', () => {
      if (socket.remotePort !== botPort) connections += 1;
    });
  };
  subscribe(SOCKETS, onSocket);

  const readCounts = async (): Promise<Counts> => ({
    redis: await commandsOf(redis),
    billing: billing.requests.length,
    slack: Object.fromEntries(slack.calls),
    connections,
  });

  return {
    async during(work) {
      const before = await readCounts();
      const result = await work();
      const after = await readCounts();
      return {
        result,
        counts: {
          redis: difference(before.redis, after.redis),
          billing: after.billing - before.billing,
          slack: difference(before.slack, after.slack),
          connections: after.connections - before.connections,
        },
      };
    },
    close: () => void unsubscribe(SOCKETS, onSocket),
  };
}

async function commandsOf(redis: Redis): Promise<Record<string, number>> {
  const info = await redis.info('commandstats');
  const lines = [...info.matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm)];
  return Object.fromEntries(
    lines.flatMap(([, name = '', calls]) => (name === 'info' ? [] : [[name, Number(calls)]])),
  );
}

function difference(before: Readonly<Record<string, number>>, after: Readonly<Record<string, number>>) {
  const grown = Object.entries(after).map(([name, count]) => [name, count - (before[name] ?? 0)] as const);
  return Object.fromEntries(grown.filter(([, count]) => count > 0));
}

/** `1 Redis (hmget), 2 billing, 1 Slack (response_url), 0 new connections` */
export function formatCounts({ redis, billing, slack, connections }: Counts): string {
  return [
    formatGroup('Redis', redis),
    `${billing} billing`,
    formatGroup('Slack', slack),
    `${connections} new connections`,
  ].join(', ');
}

function formatGroup(what: string, counts: Readonly<Record<string, number>>): string {
  const entries = Object.entries(counts);
  const all = entries.reduce((sum, [, count]) => sum + count, 0);
  const each = entries.map(([name, count]) => (entries.length > 1 ? `${name} ${count}` : name)).join(', ');
  return `${all} ${what}${each === '' ? '' : ` (${each})`}`;
}
