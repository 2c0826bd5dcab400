import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Accepts any number of connections one after another, `most` at a time: for a new one the oldest without a signed request
 * is closed, whatever it is doing, or else the oldest that is idle. So a client without the secret can't keep others out by
 * holding connections. A new one is refused only when all are busy with signed requests.
 */
export function createConnectionLimit(most: number) {
  /** Connections without and with a signed request, both in the order in which they came. */
  const unknown = new Set<Socket>();
  const trusted = new Set<Socket>();
  /** How many requests of a connection have no response yet; it is in here only if some have none. */
  const busy = new Map<Socket, number>();
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

  return {
    watch(server: Server): void {
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
        busy.set(socket, (busy.get(socket) ?? 0) + 1);
        res.once('close', () => {
          const left = (busy.get(socket) ?? 1) - 1;
          if (left > 0) return void busy.set(socket, left);
          busy.delete(socket);
          if (isDraining) socket.destroySoon();
        });
      });
    },
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
