/** Sends Slack's requests to the bot: by signed HTTP, or in Socket Mode as envelopes over its WebSocket. */
import { createHmac, randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';
import { APP } from './people.ts';

type Kind = 'slash_commands' | 'interactive' | 'events_api';
type Payload = Record<string, unknown>;

interface Retry {
  number: number;
  reason: 'http_timeout' | 'http_error' | 'connection_failed';
}

/** `body` is the acknowledgement's JSON or text; undefined if it is empty. */
export type Ack =
  | { how: 'acked'; body: unknown }
  | { how: 'refused'; status: number; noRetry: boolean }
  | { how: 'timeout' }
  | { how: 'unreachable' };

export interface Delivery {
  /** Never rejects. */
  send(kind: Kind, payload: Payload, retry?: Retry): Promise<Ack>;
  close(): Promise<void>;
}

export function sign(body: string, secret: string, at: number): Record<string, string> {
  const timestamp = String(Math.floor(at / 1000));
  const digest = createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex');
  return { 'X-Slack-Request-Timestamp': timestamp, 'X-Slack-Signature': `v0=${digest}` };
}

const FORM = 'application/x-www-form-urlencoded';

function encode(kind: Kind, payload: Payload): { type: string; body: string } {
  if (kind === 'events_api') return { type: 'application/json', body: JSON.stringify(payload) };
  const fields = kind === 'interactive' ? { payload: JSON.stringify(payload) } : payload;
  return { type: FORM, body: new URLSearchParams(fields as Record<string, string>).toString() };
}

interface HttpOptions {
  /** How long the bot may take to acknowledge, in ms. */
  ackTimeout: number;
  botUrl: () => string;
  signingSecret: string;
  now: () => number;
}

export function httpDelivery(options: HttpOptions): Delivery {
  const closing = new AbortController();
  return {
    async send(kind, payload, retry) {
      const { type, body } = encode(kind, payload);
      const headers = {
        'Content-Type': type,
        ...sign(body, options.signingSecret, options.now()),
        ...(retry && { 'X-Slack-Retry-Num': String(retry.number), 'X-Slack-Retry-Reason': retry.reason }),
      };
      const tooLate = AbortSignal.timeout(options.ackTimeout);
      const signal = AbortSignal.any([tooLate, closing.signal]);
      try {
        const url = `${options.botUrl()}/slack/events`;
        const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
        const text = await response.text();
        if (response.status === 200) return { how: 'acked', body: text === '' ? undefined : parsed(text) };
        const noRetry = response.headers.get('x-slack-no-retry') === '1';
        return { how: 'refused', status: response.status, noRetry };
      } catch {
        return { how: tooLate.aborted ? 'timeout' : 'unreachable' };
      }
    },
    async close() {
      closing.abort();
    },
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

export interface SocketDelivery extends Delivery {
  /** A single-use ticket for the URL that `apps.connections.open` returns. */
  ticket(): string;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

const PING_EVERY = 5_000;

export function socketDelivery(ackTimeout: number, changed: () => void): SocketDelivery {
  const server = new WebSocketServer({ noServer: true });
  const tickets = new Set<string>();
  const waiting = new Map<string, { socket: WebSocket; settle: (ack: Ack) => void }>();
  let nextSocket = 0;

  const open = () => [...server.clients].filter((client) => client.readyState === WebSocket.OPEN);
  const settleAll = (socket?: WebSocket) => {
    for (const envelope of [...waiting.values()])
      if (socket === undefined || envelope.socket === socket) envelope.settle({ how: 'unreachable' });
  };
  const pings = setInterval(() => {
    for (const socket of open()) socket.ping();
  }, PING_EVERY);
  pings.unref();

  server.on('connection', (socket: WebSocket) => {
    socket.on('error', () => socket.terminate());
    socket.on('message', (data) => {
      const { envelope_id: id, payload } = (parsed(String(data)) ?? {}) as Payload;
      const isEmpty = !payload || Object.keys(payload).length === 0;
      waiting.get(String(id))?.settle({ how: 'acked', body: isEmpty ? undefined : payload });
    });
    socket.on('close', () => {
      settleAll(socket);
      changed();
    });
    const connection = { num_connections: server.clients.size, connection_info: { app_id: APP } };
    socket.send(JSON.stringify({ type: 'hello', ...connection, debug_info: { host: 'sandbox' } }));
    changed();
  });

  return {
    send(type, payload, retry) {
      const sockets = open();
      const socket = sockets[nextSocket++ % Math.max(1, sockets.length)];
      if (!socket) return Promise.resolve({ how: 'unreachable' });
      const isEvent = type === 'events_api';
      const retries = { retry_attempt: retry?.number ?? 0, retry_reason: retry?.reason ?? '' };
      const id = randomUUID();
      return new Promise<Ack>((resolve) => {
        const settle = (ack: Ack) => {
          clearTimeout(timer);
          waiting.delete(id);
          resolve(ack);
        };
        const timer = setTimeout(settle, ackTimeout, { how: 'timeout' });
        waiting.set(id, { socket, settle });
        const envelope = { envelope_id: id, type, payload, accepts_response_payload: !isEvent };
        socket.send(JSON.stringify({ ...envelope, ...(isEvent && retries) }));
      });
    },
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
    async close() {
      clearInterval(pings);
      for (const socket of server.clients) socket.terminate();
      settleAll();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
