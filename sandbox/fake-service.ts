/**
 * The HTTP server behind both fake services. The chosen mode or the test decides how it answers.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Switch } from './protocol.ts';

export interface ServiceRequest {
  method: string;
  /** The path as received: percent-encoded, with doubled slashes, without the query. */
  path: string;
  search: string;
  headers: Record<string, string>;
  body: string;
  at: number;
  pause(ms: number): Promise<void>;
}

export interface ServiceReply {
  status: number;
  headers?: Record<string, string>;
  /** An iterable is sent without a Content-Length. */
  body?: string | Iterable<string>;
}

/** `hang` never answers the request; `reset` resets the connection. */
export type ServiceAnswer = ServiceReply | 'hang' | 'reset';

/**
 * Chooses the answer to a request; undefined stands for the ordinary answer.
 * @param ordinary makes the ordinary answer; billing can make it for another query
 */
export type Responder<Request> = (
  request: Request,
  ordinary: (query?: string) => Promise<ServiceReply>,
) => ServiceAnswer | undefined | Promise<ServiceAnswer | undefined>;

export interface ServiceOptions {
  now?: () => number;
  /** How long the mode `slow` waits, in ms. */
  slowFor?: number;
}

interface Mode<Request> {
  label: string;
  hint: string;
  onChange?: (isChosen: boolean) => void;
  respond?: Responder<Request>;
}

interface Service<Request> extends ServiceOptions {
  modes: Record<string, Mode<Request>>;
  describe: (asked: ServiceRequest) => Request;
  ordinary: (asked: ServiceRequest, query?: string) => Promise<ServiceReply>;
}

const MAX_BODY_BYTES = 1024 * 1024;

export async function startService<Request>(service: Service<Request>) {
  const { modes, now = Date.now } = service;
  const closing = new AbortController();
  const requests: Request[] = [];
  let chosen = 'healthy';
  let respond: Responder<Request> | undefined;

  const answer = async (asked: ServiceRequest): Promise<ServiceAnswer> => {
    const request = service.describe(asked);
    requests.push(request);
    const ordinary = (query?: string) => service.ordinary(asked, query);
    return (await respond?.(request, ordinary)) ?? ordinary();
  };
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const said = await answer(await read(request, now(), closing.signal));
    if (said === 'reset') request.socket.resetAndDestroy();
    else if (said !== 'hang') await send(response, said, request.method === 'HEAD');
  };
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: requests as readonly Request[],
    modes: Object.entries(modes).map(([mode, { label, hint }]) => ({
      mode,
      label,
      hint,
    })) satisfies Switch['modes'],
    mode: () => chosen,
    setMode(mode: string) {
      const next = modes[mode];
      if (!next) throw new RangeError(`There is no mode "${mode}".`);
      modes[chosen]?.onChange?.(false);
      next.onChange?.(true);
      chosen = mode;
      respond = next.respond;
    },
    /** Answers with this function until `respond` is called again or another mode is chosen. */
    respond(responder: Responder<Request> | undefined) {
      respond = responder;
    },
    close(): Promise<void> {
      closing.abort();
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

export const commonModes = (slowFor = 4_000) => ({
  healthy: { label: 'Healthy', hint: 'Answers correctly, at once.' },
  slow: {
    label: 'Slow',
    hint: `Answers correctly, after ${slowFor / 1000} s.`,
    async respond({ pause }: Pick<ServiceRequest, 'pause'>) {
      await pause(slowFor);
      return undefined;
    },
  },
});

/** Reads to the end even beyond the limit, because an early answer would reset the connection. */
async function read(request: IncomingMessage, at: number, signal: AbortSignal): Promise<ServiceRequest> {
  const [path = '/', query] = (request.url ?? '/').split('?', 2);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    if (size < MAX_BODY_BYTES) chunks.push(chunk);
    size += chunk.length;
  }
  const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)]);
  return {
    method: request.method ?? 'GET',
    path,
    search: query === undefined ? '' : `?${query}`,
    headers: Object.fromEntries(headers),
    body: Buffer.concat(chunks).toString('utf8'),
    at,
    pause: (ms) => delay(ms, undefined, { signal }),
  };
}

async function send(response: ServerResponse, reply: ServiceReply, headOnly: boolean): Promise<void> {
  response.writeHead(reply.status, reply.headers);
  if (!headOnly && typeof reply.body === 'object') return pipeline(Readable.from(reply.body), response);
  response.end(headOnly ? undefined : reply.body);
}

function jsonOr(body: unknown): unknown {
  try {
    return typeof body === 'string' ? JSON.parse(body) : typeof body;
  } catch {
    return body;
  }
}

export const parseObject = (body: string) => ({ ...(jsonOr(body) as Record<string, unknown>) });

export function jsonReply(status: number, body: object | string, headers: Record<string, string> = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { status, headers: { 'Content-Type': 'application/json', ...headers }, body: text };
}

export function htmlReply(status: number, title: string, headers: Record<string, string> = {}): ServiceReply {
  const body = `<!doctype html>\n<html lang="en">\n<title>${title}</title>\n<h1>${title}</h1>\n</html>\n`;
  return { status, headers: { 'Content-Type': 'text/html; charset=utf-8', ...headers }, body };
}
