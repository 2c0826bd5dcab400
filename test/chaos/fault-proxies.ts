/**
 * TCP proxies between a process and everything it connects to. They count each chunk that the process sends about the
 * workspace as a step, and can inject a fault at one of these steps.
 */
import { createServer, connect as netConnect, type Server, type Socket } from 'node:net';

/** What a proxy does with the data of a step. */
export type ProxyAction =
  /** Forwards the data. */
  | 'pass'
  /** Drops the data and closes the connection. */
  | 'break-before'
  /** Forwards the data and closes the connection before the answer. */
  | 'break-after'
  /** Drops the data and answers with an error page, which to Redis' client is no answer at all. */
  | 'error-before'
  /** Forwards the data and answers with the error page in place of the answer. */
  | 'error-after';

/** As a gateway in front of a service that is down. */
const ERROR_PAGE = [
  'HTTP/1.1 502 Bad Gateway',
  'content-type: text/html',
  'content-length: 20',
  'connection: close',
  '',
  '<h1>Bad Gateway</h1>',
].join('\r\n');

export interface FaultProxies {
  /** @param target a socket's path or a loopback port @returns the proxy's path or port */
  open(target: string | number): Promise<string | number>;
  /** Starts counting steps. @param strike called at that step; returns what the proxy does */
  arm(step: number, strike: () => ProxyAction | Promise<ProxyAction>): void;
  /** Stops injecting. @returns the number of steps since `arm` */
  disarm(): number;
  /** Called with all data in the other direction. */
  onAnswer: (text: string) => void;
  close(): Promise<void>;
}

/** @param markers a chunk is a step when it contains one of these; the rest is noise, such as a queue's polling */
export function createFaultProxies(markers: readonly string[]): FaultProxies {
  const servers: Server[] = [];
  const sockets = new Set<Socket>();
  let steps = 0;
  let armed: { readonly step: number; readonly strike: () => ProxyAction | Promise<ProxyAction> } | undefined;

  const actionFor = (chunk: Buffer): ProxyAction | Promise<ProxyAction> => {
    if (armed === undefined || !markers.some((word) => chunk.includes(word))) return 'pass';
    steps += 1;
    if (steps !== armed.step) return 'pass';
    return armed.strike();
  };

  const connectSockets = (client: Socket, far: Socket): void => {
    let isBroken = false;
    let isError = false;
    const end = () => {
      client.destroy();
      far.destroy();
    };
    const answerError = () => {
      client.end(ERROR_PAGE);
      far.destroy();
    };
    client.on('data', async (chunk) => {
      const action = actionFor(chunk);
      // Only a fault is awaited, so that chunks without one keep their order.
      const what = typeof action === 'string' ? action : await action;
      if (what === 'break-before') return end();
      if (what === 'error-before') return answerError();
      isBroken ||= what === 'break-after';
      isError ||= what === 'error-after';
      far.write(chunk);
    });
    far.on('data', (chunk) => {
      lines.onAnswer(chunk.toString('latin1'));
      if (isBroken) end();
      else if (isError) answerError();
      else client.write(chunk);
    });
    for (const socket of [client, far]) {
      sockets.add(socket);
      socket
        .on('error', () => undefined)
        .on('close', () => {
          sockets.delete(socket);
          // An error page that was begun is sent to its end.
          if (socket === client || !client.writableEnded) end();
        });
    }
  };

  const lines: FaultProxies = {
    async open(target) {
      const server = createServer((client) =>
        connectSockets(
          client,
          typeof target === 'string' ? netConnect(target) : netConnect(target, '127.0.0.1'),
        ),
      );
      servers.push(server);
      const path = typeof target === 'string' ? `${target}.line` : undefined;
      await new Promise<void>((resolve) =>
        path === undefined ? server.listen(0, '127.0.0.1', resolve) : server.listen(path, resolve),
      );
      const address = server.address();
      return typeof address === 'object' && address !== null ? address.port : (path ?? '');
    },
    arm(step, strike) {
      steps = 0;
      armed = { step, strike };
    },
    disarm() {
      armed = undefined;
      return steps;
    },
    onAnswer: () => undefined,
    async close() {
      for (const socket of sockets) socket.destroy();
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
  return lines;
}
