import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { App, HTTPResponseAck, type Logger, type Receiver, type ReceiverEvent } from '@slack/bolt';
import type { Config } from '../config.ts';
import type { Installations } from './installations.ts';
import { ownValue } from './listeners.ts';
import { isValidPayload } from './payload-schema.ts';
import { announcedSize, createBodyReader, isSslCheck, parseBody, SERVER_LIMITS } from './request-body.ts';
import { isSigned, readSignature, type SignatureClaim, secondsLeft } from './signature.ts';
import { createSocketMode } from './socket-mode.ts';
import { INTERACTIVE_OPTIONS } from './web-client.ts';

/** A page for machines: `GET` path → status and JSON, or a text of the type that it names. */
export type MachineRoutes = Readonly<Record<string, () => RouteAnswer | Promise<RouteAnswer>>>;

interface RouteAnswer {
  readonly status: number;
  readonly body: object | string;
  readonly type?: string;
}

export interface SlackServer {
  readonly app: App;
  /** Listens, in Socket Mode connects. Resolves with the port. */
  start(port: number): Promise<number>;
  /** Whether events can arrive. */
  up(): boolean;
  /** Takes nothing new, then waits for what is in flight, at most `deadline` ms. Resolves with how many were left. */
  stop(deadline: number): Promise<number>;
}

const EVENTS = '/slack/events';

export interface SlackServerParts {
  readonly routes: MachineRoutes;
  readonly installations: Installations;
  /** Whether a word comes for the first time, to any process, within so many seconds. @throws StoreUnavailable */
  readonly spend: (word: string, seconds: number) => Promise<boolean>;
  readonly logger: Logger;
}

/**
 * Bolt behind a server of our own: HTTP or Socket Mode for the events, the pages in both. Every event is
 * acknowledged at the latest when its listeners are through, whatever happened to them, and counted until then.
 */
export function createSlackServer(
  { mode, signingSecret, apiUrl }: Config['slack'],
  { routes, installations, spend, logger }: SlackServerParts,
): SlackServer {
  const { pages, authorize } = installations;
  const clientOptions = { ...INTERACTIVE_OPTIONS, slackApiUrl: apiUrl, logger };
  const socket =
    mode.kind === 'socket' ? createSocketMode({ appToken: mode.appToken, clientOptions, logger }) : undefined;
  const readBody = createBodyReader();
  const inFlight = new Set<Promise<unknown>>();
  let stopping = false;

  const server = createServer(SERVER_OPTIONS, (req, res) => {
    const path = req.url?.split('?')[0] ?? '';
    const route = req.method === 'GET' || req.method === 'HEAD' ? ownValue(routes, path) : undefined;
    if (route !== undefined) return void answer(res, route);
    const page = req.method === 'GET' ? ownValue(pages, path) : undefined;
    if (page !== undefined) return stopping ? end(res, 503) : void track(page(req, res));
    if (socket !== undefined || path !== EVENTS || req.method !== 'POST') return end(res, 404);
    if (stopping) return end(res, 503);
    void receive(req, res);
  });
  server.maxConnections = SERVER_LIMITS.connections;

  /** Nothing is parsed before its bytes are verified. */
  const receive = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const size = announcedSize(req);
    if (size !== undefined && size > SERVER_LIMITS.bodyBytes) return end(res, 413);
    const now = Date.now();
    const claim = readSignature(req.headers, now);
    const isSmall = size !== undefined && size <= SERVER_LIMITS.unsignedBytes;
    if (claim === undefined && !isSmall) return end(res, 401);
    const read = await readBody(req);
    if (typeof read === 'number') return end(res, read);
    const type = req.headers['content-type'];
    if (claim === undefined || !isSigned(read, claim, signingSecret))
      return end(res, isSslCheck(read, type) ? 200 : 401);
    const body = parseBody(read, type);
    if (body === undefined) return end(res, 400);
    if (body.ssl_check === '1') return end(res, 200);
    if (body.type === 'url_verification') return json(res, 200, { challenge: body.challenge });
    const isFirst = isFirstTime(claim, now);
    const ack = new HTTPResponseAck({
      logger,
      processBeforeResponse: false,
      httpRequest: req,
      httpRequestBody: body,
      httpResponse: res,
    });
    try {
      await take({ body, ack: ack.bind(), customProperties: { isFirst } });
    } catch (error) {
      logger.error('a request of Slack’s was not taken', error);
      ack.ack();
      if (!res.headersSent) end(res, 500);
    }
  };

  /** Asked while the request goes on, and awaited before its work. A store that is away refuses nobody. */
  const isFirstTime = async (claim: SignatureClaim, now: number): Promise<boolean> => {
    const isFirst = await spend(claim.digest.toString('base64url'), secondsLeft(claim, now)).catch(
      () => true,
    );
    if (!isFirst) logger.warn('a request that came before came again');
    return isFirst;
  };

  const take = async (event: ReceiverEvent): Promise<void> => {
    if (isValidPayload(event.body)) return track(acknowledged(app, installations, event));
    logger.warn('a payload that is none of Slack’s was passed over');
    await event.ack();
  };

  const receiver: Receiver = {
    init: () => socket?.receiver.init({ processEvent: take } as unknown as App),
    start: async () => undefined,
    stop: async () => undefined,
  };

  const track = <T>(work: Promise<T>): Promise<T> => {
    inFlight.add(work);
    const done = () => inFlight.delete(work);
    work.then(done, done);
    return work;
  };

  const app = new App({ receiver, logger, clientOptions, authorize });

  return {
    app,
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

const { headersTimeout, requestTimeout, checkInterval } = SERVER_LIMITS;
const SERVER_OPTIONS = { headersTimeout, requestTimeout, connectionsCheckingInterval: checkInterval };

async function answer(res: ServerResponse, route: MachineRoutes[string]): Promise<void> {
  const { status, body, type } = await route();
  if (typeof body !== 'string') return json(res, status, body);
  res.writeHead(status, { 'content-type': type ?? 'text/plain' }).end(body);
}

function json(res: ServerResponse, status: number, body: object): void {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/**
 * Refuses a request. Who is cut off while sending may never see why: so the answer goes out at once, and what still comes
 * of the body is thrown away, up to a limit.
 */
function end(res: ServerResponse, status: number): void {
  if (status === 503) res.setHeader('retry-after', SERVER_LIMITS.retryAfter);
  res.writeHead(status, { 'content-length': 0 }).flushHeaders();
  if (res.req.readableEnded) return void res.end();
  let discarded = 0;
  const discard = (chunk: Buffer): void => {
    discarded += chunk.length;
    if (discarded > SERVER_LIMITS.discardedBytes) res.req.destroy();
  };
  res.req.on('data', discard).once('end', () => res.end());
}
