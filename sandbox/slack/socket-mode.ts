/** Socket Mode: the bot connects by WebSocket, gets envelopes and acknowledges them. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';
import { type Ack, type Delivery, statusOf, titleOf } from './delivery.ts';
import { APP } from './people.ts';
import type { TrafficLog } from './traffic.ts';
import { randomId } from './workspace.ts';

export interface SocketOptions {
  ackTimeout: number;
  traffic: TrafficLog;
  /** Called when the number of open connections changes. */
  changed: () => void;
}

export type DisconnectReason = 'warning' | 'refresh_requested' | 'link_disabled';

export interface SocketDelivery extends Delivery {
  /** A single-use ticket for the URL that `apps.connections.open` returns. */
  ticket(): string;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  connections(): number;
  /** Asks one connection to reconnect, as Slack does every few hours. */
  disconnect(reason: DisconnectReason): void;
}

const PING_EVERY = 5_000;

export function socketDelivery(options: SocketOptions): SocketDelivery {
  const server = new WebSocketServer({ noServer: true });
  const tickets = new Set<string>();
  const waiting = new Map<string, { socket: WebSocket; settle: (ack: Ack) => void }>();
  let nextSocket = 0;

  const open = () => [...server.clients].filter((client) => client.readyState === WebSocket.OPEN);
  const pings = setInterval(() => {
    for (const socket of open()) socket.ping(`Ping from the sandbox ${Date.now()}`);
  }, PING_EVERY);
  pings.unref();

  server.on('connection', (socket: WebSocket) => {
    socket.on('error', () => socket.terminate());
    socket.on('message', (data) => receive(String(data)));
    socket.on('close', () => {
      for (const envelope of waiting.values())
        if (envelope.socket === socket) envelope.settle({ how: 'unreachable' });
      options.changed();
    });
    socket.send(JSON.stringify(hello(server.clients.size)));
    options.changed();
  });

  function receive(data: string): void {
    const { envelope_id: id, payload } = parsed(data);
    waiting.get(String(id))?.settle({ how: 'acked', body: isEmpty(payload) ? undefined : payload });
  }

  async function send(...[kind, payload, retry]: Parameters<Delivery['send']>): Promise<Ack> {
    const envelope = {
      envelope_id: randomUUID(),
      type: kind,
      payload,
      accepts_response_payload: kind !== 'events_api',
      ...(kind === 'events_api' && {
        retry_attempt: retry?.number ?? 0,
        retry_reason: retry?.reason ?? '',
      }),
    };
    const end = options.traffic.begin('slack→bot', titleOf(kind, payload), envelope);
    const ack = await acknowledged(envelope);
    end(statusOf(ack), ack.how === 'acked' ? ack.body : '');
    return ack;
  }

  /** Sends each envelope to one connection, in turn. */
  function acknowledged(envelope: { envelope_id: string }): Promise<Ack> {
    const sockets = open();
    const socket = sockets[nextSocket++ % Math.max(1, sockets.length)];
    if (!socket) return Promise.resolve({ how: 'unreachable' });
    return new Promise<Ack>((resolve) => {
      const settle = (ack: Ack) => {
        clearTimeout(timer);
        waiting.delete(envelope.envelope_id);
        resolve(ack);
      };
      const timer = setTimeout(settle, options.ackTimeout, { how: 'timeout' });
      waiting.set(envelope.envelope_id, { socket, settle });
      socket.send(JSON.stringify(envelope));
    });
  }

  return {
    send,
    ticket() {
      const ticket = randomUUID();
      tickets.add(ticket);
      return ticket;
    },
    upgrade(request, socket, head) {
      const ticket = new URL(request.url ?? '/', 'http://localhost').searchParams.get('ticket') ?? '';
      if (!tickets.delete(ticket)) {
        socket.end('HTTP/1.1 401 Unauthorized\r\nConnection: close\r\n\r\n');
        return;
      }
      server.handleUpgrade(request, socket, head, (client) => server.emit('connection', client, request));
    },
    connections: () => open().length,
    disconnect(reason) {
      open()[0]?.send(JSON.stringify({ type: 'disconnect', reason, debug_info: { host: 'sandbox' } }));
    },
    async close() {
      clearInterval(pings);
      for (const socket of server.clients) socket.terminate();
      for (const envelope of [...waiting.values()]) envelope.settle({ how: 'unreachable' });
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function hello(connections: number) {
  return {
    type: 'hello',
    num_connections: connections,
    connection_info: { app_id: APP },
    debug_info: { host: `sandbox-${randomId()}`, build_number: 1, approximate_connection_time: 18_060 },
  };
}

function parsed(data: string): { envelope_id?: unknown; payload?: unknown } {
  try {
    const value: unknown = JSON.parse(data);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

function isEmpty(payload: unknown): boolean {
  if (payload === undefined || payload === null || payload === '') return true;
  return typeof payload === 'object' && Object.keys(payload).length === 0;
}
