import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { App, HTTPReceiver, type Logger, type Receiver, type ReceiverEvent } from '@slack/bolt';
import type { Config } from '../config.ts';
import type { Installations } from './installations.ts';
import { isPayload } from './payload.ts';
import { createSocket } from './socket.ts';
import { WEB_OPTIONS } from './web.ts';

/** A page for machines: `GET` path → status and JSON, or a text of the type that it names. */
export type Routes = Readonly<Record<string, () => RouteAnswer | Promise<RouteAnswer>>>;

interface RouteAnswer {
  readonly status: number;
  readonly body: object | string;
  readonly type?: string;
}

/** Answers one request of a browser. Never rejects. */
export type Handler = (req: IncomingMessage, res: ServerResponse) => Promise<void>;

/** A page for people: `GET` path → what answers it. */
export type Pages = Readonly<Record<string, Handler>>;

export interface SlackServer {
  readonly app: App;
  /** Listens, in Socket Mode connects. Resolves with the port. */
  start(port: number): Promise<number>;
  /** Whether events can arrive. */
  up(): boolean;
  /** Takes nothing new, then waits for what is in flight, at most `deadline` ms. Resolves with how many were left. */
  stop(deadline: number): Promise<number>;
}

/** Slack signs with its clock and refuses to be replayed; a request from more than this far ahead is not Slack's. */
const SKEW_SECONDS = 300;
const EVENTS = '/slack/events';

/**
 * Bolt behind a server of our own: HTTP or Socket Mode for the events, the pages in both. Every event is
 * acknowledged at the latest when its listeners are through, whatever happened to them, and counted until then.
 */
export function createSlackServer(
  config: Config['slack'],
  routes: Routes,
  installations: Installations,
  logger: Logger,
): SlackServer {
  const { mode, signingSecret, apiUrl } = config;
  const { pages, authorize } = installations;
  const clientOptions = { ...WEB_OPTIONS, slackApiUrl: apiUrl, logger };
  const http =
    mode.kind === 'http' ? new HTTPReceiver({ signingSecret, endpoints: [EVENTS], logger }) : undefined;
  const socket =
    mode.kind === 'socket' ? createSocket({ appToken: mode.appToken, clientOptions, logger }) : undefined;
  const inFlight = new Set<Promise<unknown>>();
  let stopping = false;

  const server = createServer((req, res) => {
    const path = req.url?.split('?')[0] ?? '';
    const route = req.method === 'GET' || req.method === 'HEAD' ? routes[path] : undefined;
    if (route !== undefined) return void answer(res, route);
    const page = req.method === 'GET' ? pages[path] : undefined;
    if (page !== undefined) return stopping ? end(res, 503) : void track(page(req, res));
    if (http === undefined || path !== EVENTS || req.method !== 'POST') return end(res, 404);
    if (stopping) return end(res, 503);
    if (isFromTheFuture(req)) return end(res, 401);
    // Bolt compares the content type as a whole and takes `; charset=utf-8` for another type.
    req.headers['content-type'] = req.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
    void buffered(req).then(
      (status) => (status === 200 ? http.requestListener(req, res) : end(res, status)),
      () => end(res, 400),
    );
  });
  server.requestTimeout = 10_000;

  const receiver: Receiver = {
    init(app) {
      (http ?? socket?.receiver)?.init({
        processEvent(event: ReceiverEvent) {
          if (isPayload(event.body)) return track(acknowledged(app, installations, event));
          logger.warn('a payload that is none of Slack’s was passed over');
          return event.ack();
        },
      } as unknown as App);
    },
    start: async () => undefined,
    stop: async () => undefined,
  };

  const track = <T>(work: Promise<T>): Promise<T> => {
    inFlight.add(work);
    const done = () => inFlight.delete(work);
    work.then(done, done);
    return work;
  };

  return {
    app: new App({ receiver, logger, clientOptions, authorize }),
    async start(port) {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject).listen(port, resolve);
      });
      await socket?.start();
      return (server.address() as AddressInfo).port;
    },
    up: () => !stopping && (socket?.up() ?? true),
    async stop(deadline) {
      stopping = true;
      await socket?.stop();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      let timer: NodeJS.Timeout | undefined;
      const patience = new Promise((resolve) => {
        timer = setTimeout(resolve, deadline);
      });
      const drains = drained(inFlight).then(installations.idle);
      await Promise.race([patience, drains.then(() => closed)]);
      clearTimeout(timer);
      server.closeAllConnections();
      return inFlight.size;
    },
  };
}

async function drained(inFlight: ReadonlySet<Promise<unknown>>): Promise<void> {
  while (inFlight.size > 0) await Promise.allSettled(inFlight);
}

/**
 * Hands the event to Bolt with an acknowledgement that works once, and gives it when nobody else did. Who leaves is
 * seen off first: Bolt acknowledges events before their work, and when this work fails Slack has to say it again.
 */
async function acknowledged(app: App, installations: Installations, event: ReceiverEvent): Promise<void> {
  if (await installations.leave(event.body)) return event.ack();
  let given = false;
  const ack = async (response?: unknown): Promise<void> => {
    if (given) return;
    given = true;
    await event.ack(response ?? installations.sorry(event.body));
  };
  try {
    await app.processEvent({ ...event, ack });
  } finally {
    await ack();
  }
}

/** As much as Bolt takes. */
const LARGEST = 4 * 1024 * 1024;

/**
 * Reads the body ahead of Bolt, which goes on with what it finds in `rawBody` and whose handler would end the
 * process over a body that is JSON and no object, such as `null`.
 */
async function buffered(req: IncomingMessage): Promise<200 | 400 | 413> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of req) {
    size += (chunk as Buffer).length;
    if (size > LARGEST) return 413;
    chunks.push(chunk as Buffer);
  }
  const rawBody = Buffer.concat(chunks);
  Object.assign(req, { rawBody });
  return isObject(rawBody.toString(), req.headers['content-type']) ? 200 : 400;
}

function isObject(body: string, type: string | undefined): boolean {
  const form = type === 'application/x-www-form-urlencoded';
  const json = form ? new URLSearchParams(body).get('payload') : body;
  if (json === null) return true;
  try {
    const parsed: unknown = JSON.parse(json);
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed);
  } catch {
    return false;
  }
}

function isFromTheFuture(req: IncomingMessage): boolean {
  return Number(req.headers['x-slack-request-timestamp']) > Date.now() / 1000 + SKEW_SECONDS;
}

async function answer(res: ServerResponse, route: Routes[string]): Promise<void> {
  const { status, body, type = 'application/json' } = await route();
  res.writeHead(status, { 'content-type': type }).end(typeof body === 'string' ? body : JSON.stringify(body));
}

function end(res: ServerResponse, status: number): void {
  res.writeHead(status).end();
}
