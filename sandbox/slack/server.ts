/** The sandbox's HTTP server, on loopback only: Web API, response URLs, OAuth, files, Socket Mode and the page. */
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, resolve, sep } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Snapshot, Verbs } from '../protocol.ts';
import type { Loose } from './blocks.ts';
import type { Core } from './core.ts';
import type { SocketDelivery } from './delivery.ts';
import type { WebApi } from './web-api.ts';

export type VerbHandlers = { [V in keyof Verbs]: (body: Verbs[V]) => Promise<{ ok: boolean } & Loose> };

export interface ServerParts {
  core: Core;
  api: WebApi;
  socket: SocketDelivery | undefined;
  handlers: VerbHandlers;
  /** @returns the ID of this person, or of the first person for null */
  person: (id: string | null) => string | undefined;
  snapshot: (person: string) => Snapshot;
  onChange: (listener: () => void) => () => void;
  pageDir: string | undefined;
}

const MAX_BODY_BYTES = 4 * 1024 * 1024;
const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;

/** Rejects DNS rebinding, where the Host header has an outside name that resolves to loopback. */
const isLocal = ({ headers }: IncomingMessage): boolean => LOOPBACK.test(headers.host ?? '');

/** Browsers send the page's origin; other programs send none. */
const isFromOwnPage = ({ headers }: IncomingMessage): boolean =>
  headers.origin === undefined || headers.origin === `http://${headers.host}`;

/** @throws Error if the port is taken; 0 takes a free port */
export async function listen(port: number, parts: ServerParts) {
  const server = createServer((request, response) => {
    route(request, response, parts).catch((error: unknown) => {
      if (!response.headersSent) sendJson(response, 500, { ok: false, error: 'internal_error' });
      else response.destroy();
      process.emitWarning(error instanceof Error ? error : String(error));
    });
  });
  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => socket.destroy());
    if (parts.socket && isLocal(request) && isFromOwnPage(request))
      parts.socket.upgrade(request, socket, head);
    else socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n');
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function route(request: IncomingMessage, response: ServerResponse, parts: ServerParts): Promise<void> {
  const { core, api, handlers } = parts;
  const isReading = request.method === 'GET' || request.method === 'HEAD';
  if (!isLocal(request)) return sendJson(response, 403, { ok: false, error: 'foreign_host' });
  if (!isReading && !isFromOwnPage(request))
    return sendJson(response, 403, { ok: false, error: 'foreign_origin' });
  const url = new URL(request.url ?? '/', 'http://localhost');
  const [, section = '', rest = ''] = /^\/([^/]*)\/?(.*)$/.exec(url.pathname) ?? [];
  const body = await readBody(request);
  const fields = parseFields(request.headers['content-type'], body);

  if (section === 'api') return callMethod(rest, url, request, fields, response, parts);
  if (section === 'response') {
    if (core.behaviour.latency > 0) await delay(core.behaviour.latency);
    const { status, body: answer } = core.responses.answer(rest, fields);
    api.note('response_url', fields, answer, rest);
    return sendJson(response, status, answer);
  }
  if (url.pathname === '/oauth/v2/authorize' && core.oauth) {
    const reply = core.oauth.authorize(url.searchParams, isReading ? undefined : fields);
    if ('redirect' in reply) return redirect(reply.redirect, response);
    response.writeHead(reply.status, { 'Content-Type': 'text/html; charset=utf-8', ...SECURITY_HEADERS });
    return void response.end(reply.html);
  }
  if (section === 'upload') {
    const file = api.files.get(rest);
    if (file) file.content = await uploadedBytes(request.headers['content-type'], body);
    return void response.writeHead(file ? 200 : 404).end();
  }
  if (section === 'file') {
    const { name, content } = api.files.get(rest) ?? {};
    if (name === undefined) return sendJson(response, 404, { ok: false, error: 'file_not_found' });
    // Always a download, so that an uploaded page never runs in the sandbox's origin.
    const disposition = `attachment; filename*=UTF-8''${encodeURIComponent(name)}`;
    const headers = { 'Content-Type': 'application/octet-stream', 'Content-Disposition': disposition };
    return void response.writeHead(200, headers).end(content);
  }
  if (section === 'sandbox' && rest === 'stream') return stream(url.searchParams.get('as'), response, parts);
  if (section === 'sandbox' && !isReading && Object.hasOwn(handlers, rest))
    return sendJson(response, 200, await handlers[rest as keyof Verbs](fields as never));
  return sendFile(url.pathname, response, parts);
}

async function callMethod(
  method: string,
  url: URL,
  { headers: { authorization = '' } }: IncomingMessage,
  fields: Loose,
  response: ServerResponse,
  { core, api }: ServerParts,
): Promise<void> {
  const args: Loose = { ...Object.fromEntries(url.searchParams), ...fields };
  const bearer = /^Bearer (\S+)$/i.exec(authorization)?.[1];
  const answer = await api.answer(method, bearer ?? (args.token as string | undefined), args);
  if (answer === 'hang') return;
  const scopes = [...core.manifest.scopes].join(',');
  sendJson(response, answer.status, answer.body, { 'X-OAuth-Scopes': scopes, ...answer.headers });
}

const COALESCE_MS = 50;
const KEEP_ALIVE_MS = 15_000;

/** Sends a snapshot at once and after changes, at most every 50 ms. */
function stream(as: string | null, response: ServerResponse, parts: ServerParts): void {
  const person = parts.person(as);
  if (person === undefined) {
    sendJson(response, 404, { ok: false, error: 'user_not_found' });
    return;
  }
  response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
  let timer: NodeJS.Timeout | undefined;
  const send = () => {
    timer = undefined;
    response.write(`data: ${JSON.stringify(parts.snapshot(person))}\n\n`);
  };
  const forget = parts.onChange(() => {
    timer ??= setTimeout(send, COALESCE_MS);
  });
  const alive = setInterval(() => response.write(': \n\n'), KEEP_ALIVE_MS);
  response.once('close', () => {
    forget();
    clearTimeout(timer);
    clearInterval(alive);
  });
  send();
}

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};
const SECURITY_HEADERS = { 'X-Content-Type-Options': 'nosniff', 'X-Frame-Options': 'DENY' };

async function sendFile(path: string, response: ServerResponse, { pageDir }: ServerParts): Promise<void> {
  const wanted = resolve(pageDir ?? '', `.${path === '/' ? '/index.html' : decodeURIComponent(path)}`);
  const isInside = pageDir !== undefined && wanted.startsWith(resolve(pageDir) + sep);
  const content = isInside ? await readFile(wanted).catch(() => undefined) : undefined;
  if (!content) return sendJson(response, 404, { ok: false, error: 'not_found' });
  const type = TYPES[extname(wanted)] ?? 'application/octet-stream';
  response.writeHead(200, { 'Content-Type': type, 'Cache-Control': 'no-cache', ...SECURITY_HEADERS });
  response.end(content);
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw new Error('The body is too large.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parseFields(type: string | undefined, body: Buffer): Loose {
  if (!type?.startsWith('application/json')) return Object.fromEntries(new URLSearchParams(body.toString()));
  try {
    return (JSON.parse(body.toString()) ?? {}) as Loose;
  } catch {
    return {};
  }
}

/** Slack accepts plain bytes and, as the SDK sends it, a form with one part. */
async function uploadedBytes(type: string | undefined, body: Buffer): Promise<Buffer> {
  if (!type?.startsWith('multipart/form-data')) return body;
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
  const [part] = [...form.values()];
  return typeof part === 'object' ? Buffer.from(await part.arrayBuffer()) : Buffer.from(part ?? '');
}

function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

function redirect(to: string, response: ServerResponse): void {
  response.writeHead(302, { Location: to, 'Cache-Control': 'no-store' }).end();
}
