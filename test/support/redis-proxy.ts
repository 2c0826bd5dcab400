/** A proxy to Redis that loses answers, stops and freezes, for tests of outages. */
import { connect as connectTo, createServer, type Socket } from 'node:net';

export type RedisProxy = Awaited<ReturnType<typeof startRedisProxy>>;

/** @param url `unix:///path?db=1`, as from `testRedis` */
export async function startRedisProxy(url: string) {
  const { pathname, search } = new URL(url);
  const path = `${pathname}.line-${++proxies}`;
  const clients = new Set<Socket>();
  let wanted: string | undefined;
  let last: string | undefined;
  const server = createServer((client) => {
    const redis = connectTo(pathname);
    let isLost = false;
    let isLast = false;
    client.on('data', (chunk) => {
      if (last !== undefined && chunk.includes(last)) [isLast, last] = [true, undefined];
      if (wanted !== undefined && chunk.includes(wanted)) [isLost, wanted] = [true, undefined];
      redis.write(chunk);
    });
    redis.on('data', (chunk) => {
      if (isLost) client.destroy();
      else client.write(chunk, () => isLast && void stop('broken'));
    });
    for (const [socket, other] of [
      [client, redis],
      [redis, client],
    ] as const)
      socket.on('error', () => undefined).on('close', () => other.destroy());
    clients.add(client);
    client.on('close', () => clients.delete(client));
  });
  const start = () => new Promise<void>((resolve) => server.listen(path, resolve));
  /** Accepts no connection until `start`. Open connections break, or end as when a server shuts down. */
  const stop = (how: 'broken' | 'ended' = 'broken'): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      for (const client of clients) how === 'broken' ? client.destroy() : client.end();
    });
  await start();
  return {
    url: `unix://${path}${search}`,
    /** Breaks the connection after Redis has run the next command with this text, before the answer arrives. */
    loseAnswerTo: (text: string) => {
      wanted = text;
    },
    /** Stops after Redis has answered the next command with this text. */
    stopAfter: (text: string) => {
      last = text;
    },
    stop,
    start,
    /** Open connections stay open, but pass nothing on. */
    freeze: () => {
      for (const client of clients) client.removeAllListeners('data').pause();
    },
  };
}

let proxies = 0;
