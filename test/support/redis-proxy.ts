import { connect as connectTo, createServer, type Socket } from 'node:net';

/** A proxy to Redis that can lose answers. */
export interface RedisProxy {
  readonly url: string;
  /** Lets Redis run the next command that contains the text, then drops the connection before the answer arrives. */
  loseAnswerTo(text: string): void;
  close(): Promise<void>;
}

/** @param url `unix:///path?db=1`, as from `testRedis` */
export async function startRedisProxy(url: string): Promise<RedisProxy> {
  const { pathname, search } = new URL(url);
  const path = `${pathname}.line-${++proxies}`;
  const sockets = new Set<Socket>();
  let wanted: string | undefined;
  const server = createServer((client) => {
    const redis = connectTo(pathname);
    let isLost = false;
    client.on('data', (chunk) => {
      if (wanted !== undefined && chunk.includes(wanted)) [isLost, wanted] = [true, undefined];
      redis.write(chunk);
    });
    redis.on('data', (chunk) => {
      if (isLost) client.destroy();
      else client.write(chunk);
    });
    for (const [socket, other] of [
      [client, redis],
      [redis, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => other.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return {
    url: `unix://${path}${search}`,
    loseAnswerTo: (text) => {
      wanted = text;
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

let proxies = 0;
