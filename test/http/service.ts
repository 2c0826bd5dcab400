import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Socket,
  type Server as TcpServer,
} from 'node:net';
import { onTestFinished } from 'vitest';

export interface Service {
  readonly url: string;
  readonly port: number;
  readonly requests: { method: string; url: string; headers: IncomingMessage['headers']; body: string }[];
  connections(): number;
  open(): number;
  close(): Promise<void>;
}

type Answering = (request: IncomingMessage, response: ServerResponse, nth: number) => void;

/** @param answer called when the whole request has arrived; `nth` counts from 1 */
export async function serve(answer: Answering): Promise<Service> {
  const requests: Service['requests'] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { method = '', url = '', headers } = request;
    requests.push({ method, url, headers, body });
    answer(request, response, requests.length);
  });
  return listening(server, requests);
}

/** @param talk gets every raw connection */
export function serveRaw(talk: (socket: Socket, nth: number) => void): Promise<Service> {
  let nth = 0;
  const server = createTcpServer((socket) => {
    nth += 1;
    socket.on('error', () => {});
    talk(socket, nth);
  });
  return listening(server, []);
}

async function listening(server: Server | TcpServer, requests: Service['requests']): Promise<Service> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    connections: () => connections,
    open: () => sockets.size,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

export async function serving(starting: Promise<Service>): Promise<Service> {
  const service = await starting;
  onTestFinished(service.close);
  return service;
}

/** @returns a port that refuses connections */
export async function closedPort(): Promise<number> {
  const service = await serveRaw(() => {});
  await service.close();
  return service.port;
}

export function json(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

export async function failureOf(asking: Promise<unknown>): Promise<unknown> {
  return asking.then(
    () => {
      throw new Error('It was answered.');
    },
    (error: unknown) => error,
  );
}
