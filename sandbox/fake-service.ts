/**
 * The HTTP server of the fake services: listens on loopback, reads the whole request, sends what `answer` returns,
 * and reports the exchange with its secrets masked.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Traffic } from './protocol.ts';

export interface ServiceRequest {
  method: string;
  /** As received, without the query: percent-encoded, doubled slashes kept. */
  path: string;
  /** The query with its question mark, or empty. */
  search: string;
  headers: Record<string, string>;
  body: string;
  at: number;
  /** Rejects when the service closes first. */
  pause(ms: number): Promise<void>;
}

export interface ServiceReply {
  status: number;
  headers?: Record<string, string>;
  /** An iterable is sent without a Content-Length. */
  body?: string | Iterable<string>;
}

/** `hang` keeps the connection open without an answer; `reset` resets it. */
export type ServiceAnswer = ServiceReply | 'hang' | 'reset';

export type ServiceExchange = Omit<Traffic, 'id'>;

export interface ServiceOptions {
  /** 0, the default, takes a free port. */
  port?: number;
  /** ms since the epoch */
  now?: () => number;
  /** Called after each exchange, answered or not. */
  onExchange?: (exchange: ServiceExchange) => void;
  /** How long the mode `slow` waits, in ms. */
  slowFor?: number;
}

interface Service {
  direction: string;
  now: () => number;
  port: number;
  answer: (asked: ServiceRequest) => Promise<ServiceAnswer>;
  onExchange?: ((exchange: ServiceExchange) => void) | undefined;
}

const MASK = '[masked]';
const SECRET_HEADERS = new Set([
  'authorization',
  'cookie',
  'x-user-token',
  'x-auth-token',
  'x-subject-token',
]);
const MAX_BODY_BYTES = 1024 * 1024;
const MAX_SHOWN = 4_000;

export async function startService(service: Service): Promise<{ url: string; close(): Promise<void> }> {
  const closing = new AbortController();
  const server = createServer((request, response) => {
    handleRequest(service, request, response, closing.signal).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(service.port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise<void>((resolve) => {
        closing.abort();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function handleRequest(
  service: Service,
  request: IncomingMessage,
  response: ServerResponse,
  closing: AbortSignal,
) {
  const startedAt = performance.now();
  const asked = await read(request, service.now(), closing);
  let said: ServiceAnswer = 'hang';
  response.once('close', () => {
    service.onExchange?.({
      at: asked.at,
      direction: service.direction,
      title: `${asked.method} ${asked.path}${asked.search}`,
      status: statusOf(said, response),
      took: Math.round(performance.now() - startedAt),
      request: formatMessage(asked.headers, asked.body),
      response: typeof said === 'string' ? '' : formatMessage(said.headers ?? {}, bodyText(said)),
    });
  });
  said = await service.answer(asked);
  if (said === 'reset') request.socket.resetAndDestroy();
  else if (said !== 'hang') await send(response, said, asked.method === 'HEAD');
}

async function read(request: IncomingMessage, at: number, closing: AbortSignal): Promise<ServiceRequest> {
  const [path = '/', query] = (request.url ?? '/').split('?', 2);
  return {
    method: request.method ?? 'GET',
    path,
    search: query === undefined ? '' : `?${query}`,
    headers: Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    ),
    body: await readBody(request),
    at,
    pause: (ms) => delay(ms, undefined, { signal: closing }),
  };
}

/** Reads and drops what exceeds the limit: an answer before the end of the request would reset the connection. */
async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    if (size < MAX_BODY_BYTES) chunks.push(chunk);
    size += chunk.length;
  }
  return Buffer.concat(chunks).toString('utf8');
}

async function send(response: ServerResponse, reply: ServiceReply, headOnly: boolean): Promise<void> {
  response.writeHead(reply.status, reply.headers);
  if (headOnly || reply.body === undefined || typeof reply.body === 'string') {
    response.end(headOnly ? undefined : reply.body);
    return;
  }
  await pipeline(Readable.from(reply.body), response);
}

function statusOf(said: ServiceAnswer, response: ServerResponse): string {
  if (typeof said !== 'string')
    return response.writableFinished ? String(said.status) : `${said.status}, cut off`;
  return said === 'reset' ? 'reset' : 'no answer';
}

function bodyText({ body }: ServiceReply): string {
  if (body === undefined || typeof body === 'string') return body ?? '';
  return '(a stream)';
}

function formatMessage(headers: Record<string, string>, body: string): string {
  const lines = Object.entries(maskHeaders(headers)).map(([name, value]) => `${name}: ${value}`);
  const text = body.replace(/("secret"\s*:\s*")[^"]*/g, `$1${MASK}`);
  const cut = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
  return [...lines, '', cut].join('\n');
}

/** Returns a copy without the values of authorization headers. */
export function maskHeaders(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      SECRET_HEADERS.has(name.toLowerCase()) ? MASK : value,
    ]),
  );
}

/** Returns undefined for invalid JSON. */
export function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** @param body JSON text */
export function jsonReply(status: number, body: string, headers: Record<string, string> = {}): ServiceReply {
  return { status, headers: { 'Content-Type': 'application/json', ...headers }, body };
}

export function htmlReply(status: number, title: string, headers: Record<string, string> = {}): ServiceReply {
  const body = `<!doctype html>\n<html lang="en">\n<title>${title}</title>\n<h1>${title}</h1>\n</html>\n`;
  return { status, headers: { 'Content-Type': 'text/html; charset=utf-8', ...headers }, body };
}
