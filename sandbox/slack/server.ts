/** The sandbox's HTTP server: Web API, response URLs, OAuth, files, Socket Mode and the page. Loopback only. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { type AuthorizeParts, type AuthorizeReply, authorizeAnswer, authorizePage } from './authorize.ts';
import { type Files, uploadedBytes } from './files.ts';
import { isFromOwnPage, isLocal, parseFieldValues, readBody, readBytes, sendJson } from './http.ts';
import type { Page } from './page.ts';
import type { ResponseUrls, SlackBehaviour } from './response-urls.ts';
import type { TrafficLog } from './traffic.ts';
import type { WebApi } from './web-api.ts';

export interface ServerParts {
  api: WebApi;
  behaviour: SlackBehaviour;
  responses: Pick<ResponseUrls, 'answer'>;
  files: Files;
  page: Page;
  traffic: TrafficLog;
  /** Absent when the app has a fixed token. */
  authorize?: AuthorizeParts | undefined;
  scopes: ReadonlySet<string>;
  /** The page's path for the app in this workspace. */
  appPath: (team: string | null) => string;
  upgrade?: ((request: IncomingMessage, socket: Duplex, head: Buffer) => void) | undefined;
}

export interface Listening {
  port: number;
  close(): Promise<void>;
}

/** @param port 0 takes a free port; rejects when the port is taken */
export async function listen(port: number, parts: ServerParts): Promise<Listening> {
  const server = createServer((request, response) => {
    route(request, response, parts).catch((error: unknown) => {
      if (!response.headersSent) sendJson(response, 500, { ok: false, error: 'internal_error' });
      else response.destroy();
      process.emitWarning(error instanceof Error ? error : String(error));
    });
  });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    const isLink = request.url?.startsWith('/link');
    if (parts.upgrade && isLink && isLocal(request) && isFromOwnPage(request))
      parts.upgrade(request, socket, head);
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
  if (!isLocal(request)) return sendJson(response, 403, { ok: false, error: 'foreign_host' });
  const isReading = request.method === 'GET' || request.method === 'HEAD';
  if (!isReading && !isFromOwnPage(request))
    return sendJson(response, 403, { ok: false, error: 'foreign_origin' });
  const url = new URL(request.url ?? '/', 'http://localhost');
  const [, section = '', rest = ''] = /^\/([^/]*)\/?(.*)$/.exec(url.pathname) ?? [];
  if (section === 'api') return callMethod(rest, url, request, response, parts);
  if (section === 'response' && request.method === 'POST') return respond(rest, request, response, parts);
  if (url.pathname === '/oauth/v2/authorize' && parts.authorize)
    return authorize(url.searchParams, request, response, parts.authorize);
  if (url.pathname === '/app_redirect' && isReading)
    return redirect(parts.appPath(url.searchParams.get('team')), response);
  if (section === 'upload' && request.method === 'POST') return upload(rest, request, response, parts);
  if (section === 'file' && isReading) return download(rest, response, parts);
  if (section === 'sandbox' && rest === 'stream')
    return parts.page.stream(url.searchParams.get('as'), response);
  if (section === 'sandbox' && request.method === 'POST') return parts.page.verb(rest, request, response);
  if (isReading) return parts.page.file(url.pathname, response);
  sendJson(response, 405, { ok: false, error: 'method_not_allowed' });
}

async function callMethod(
  method: string,
  url: URL,
  request: IncomingMessage,
  response: ServerResponse,
  { api, behaviour, scopes }: ServerParts,
): Promise<void> {
  const fields = parseFieldValues(request.headers['content-type'], await readBody(request));
  const { authorization = '' } = request.headers;
  const args = { ...Object.fromEntries(url.searchParams), ...fields, ...basicCredentials(authorization) };
  const bearer = /^Bearer (\S+)$/i.exec(authorization)?.[1];
  const token = bearer ?? (typeof args.token === 'string' ? args.token : undefined);
  if (behaviour.latency > 0) await delay(behaviour.latency);
  const answer = api.answer(method, token, args);
  if (answer === 'hang') return;
  const headers = { 'X-OAuth-Scopes': [...scopes].join(','), ...answer.headers };
  sendJson(response, answer.status, answer.body, headers);
}

async function respond(
  key: string,
  request: IncomingMessage,
  response: ServerResponse,
  { responses, behaviour, traffic }: ServerParts,
): Promise<void> {
  const body = parseFieldValues(request.headers['content-type'], await readBody(request));
  if (behaviour.latency > 0) await delay(behaviour.latency);
  const end = traffic.begin('bot→slack', 'response_url', body);
  const { status, body: answer } = responses.answer(key, body);
  end(answer.ok ? String(status) : `${status} ${answer.error ?? ''}`, answer);
  sendJson(response, status, answer);
}

async function upload(
  id: string,
  request: IncomingMessage,
  response: ServerResponse,
  { files }: ServerParts,
): Promise<void> {
  const bytes = await uploadedBytes(request.headers['content-type'], await readBytes(request));
  const isKnown = files.receive(id, bytes);
  response.writeHead(isKnown ? 200 : 404, { 'Content-Type': 'text/plain' });
  response.end(isKnown ? `OK - ${bytes.length}` : 'file_not_found');
}

/** Always as a download, so that an uploaded page never runs in the sandbox's origin. */
function download(id: string, response: ServerResponse, { files }: ServerParts): void {
  const file = files.find(id);
  if (!file) {
    sendJson(response, 404, { ok: false, error: 'file_not_found' });
    return;
  }
  response.writeHead(200, {
    'Content-Type': 'application/octet-stream',
    'Content-Disposition': `attachment; filename*=UTF-8''${encodeURIComponent(file.name)}`,
  });
  response.end(file.content);
}

/** The client ID and secret can be in the header instead of the form. */
function basicCredentials(authorization: string): Record<string, string> {
  const [, given] = /^Basic (\S+)$/i.exec(authorization) ?? [];
  if (given === undefined) return {};
  const [id = '', ...rest] = Buffer.from(given, 'base64').toString('utf8').split(':');
  return { client_id: decodeURIComponent(id), client_secret: decodeURIComponent(rest.join(':')) };
}

function redirect(to: string, response: ServerResponse): void {
  response.writeHead(302, { Location: to, 'Cache-Control': 'no-store' }).end();
}

async function authorize(
  query: URLSearchParams,
  request: IncomingMessage,
  response: ServerResponse,
  parts: AuthorizeParts,
): Promise<void> {
  const reply: AuthorizeReply =
    request.method === 'POST'
      ? authorizeAnswer(
          query,
          parseFieldValues(request.headers['content-type'], await readBody(request)),
          parts,
        )
      : authorizePage(query, parts);
  if ('redirect' in reply) return redirect(reply.redirect, response);
  response.writeHead(reply.status, { 'Content-Type': 'text/html; charset=utf-8', 'X-Frame-Options': 'DENY' });
  response.end(reply.html);
}
