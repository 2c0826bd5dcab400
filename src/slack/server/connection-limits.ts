import type { RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Accepts any number of connections one after another, `most` at a time: for a new one the oldest without a signed request
 * is closed, whatever it is doing, or else the oldest that is idle. So a client without the secret can't keep others out by
 * holding connections. A new one is refused only when all are busy with signed requests.
 */
export function limitConnections(server: Server, most: number) {
  /** Connections without and with a signed request, both in the order in which they came. */
  const unknown = new Set<Socket>();
  const trusted = new Set<Socket>();
  /** Connections with a request that has no response yet. */
  const busy = new Set<Socket>();
  let arrived = 0;
  let isDraining = false;

  const firstIdle = (): Socket | undefined => {
    for (const socket of trusted) if (!busy.has(socket)) return socket;
    return undefined;
  };
  const close = (socket: Socket): void => {
    unknown.delete(socket);
    trusted.delete(socket);
    socket.destroy();
  };

  server.on('connection', (socket: Socket) => {
    arrived += 1;
    const isFull = unknown.size + trusted.size >= most;
    const [oldest = firstIdle()] = unknown;
    if (isFull && oldest === undefined) return void socket.destroy();
    if (isFull && oldest !== undefined) close(oldest);
    unknown.add(socket);
    socket.once('close', () => {
      unknown.delete(socket);
      trusted.delete(socket);
      busy.delete(socket);
    });
  });
  server.on('request', ({ socket }, res) => {
    arrived += 1;
    busy.add(socket);
    res.once('close', () => {
      busy.delete(socket);
      if (isDraining) socket.destroySoon();
    });
  });

  return {
    /** Notes that Slack signed a request of this connection. */
    trust(socket: Socket): void {
      if (unknown.delete(socket)) trusted.add(socket);
    },
    arrived: () => arrived,
    /** Closes each connection as soon as it has no request without a response. */
    drain(): void {
      isDraining = true;
      for (const socket of [...unknown, ...trusted]) if (!busy.has(socket)) close(socket);
    },
  };
}

/**
 * Handles the requests of a connection one by one, and reads no further while one is not answered. Node handles all that
 * are in what it read at once, so a client that does not read its answers could make it work without end.
 */
export function serializeRequests(handle: RequestListener): RequestListener {
  const queues = new WeakMap<Socket, (() => void)[]>();
  return (req, res) => {
    const { socket } = req;
    const queue = queues.get(socket) ?? [];
    const run = (): void => {
      res.once('close', () => {
        const next = queue.shift();
        if (socket.destroyed) return;
        // Lets other connections have their turn first.
        if (next !== undefined) return void setImmediate(next);
        queues.delete(socket);
        socket.resume();
      });
      handle(req, res);
    };
    if (!queues.has(socket)) {
      queues.set(socket, queue);
      return run();
    }
    socket.pause();
    queue.push(run);
  };
}
