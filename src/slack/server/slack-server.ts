import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { App, type Receiver, type ReceiverEvent } from '@slack/bolt';
import type { Config } from '../../config/config.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import { withTimeout } from '../../runtime/timers.ts';
import { createOAuthNonces } from '../../workspace/short-lived/replay-protection.ts';
import type { CommandNames } from '../command-prefix.ts';
import type { Installations } from '../installations.ts';
import { parsePayload } from '../request/payload.ts';
import type { SlackServices } from '../slack-services.ts';
import { INTERACTIVE_OPTIONS } from '../web-client.ts';
import { limitConnections, serializeRequests } from './connection-limits.ts';
import { createRejectionLog, REJECTIONS } from './http-rejections.ts';
import { lookUp } from './listeners.ts';
import {
  createSignedRequestReader,
  refuse,
  SERVER_LIMITS,
  type SignatureClaim,
  secondsLeft,
} from './signed-request.ts';
import { createSocketMode } from './socket-mode.ts';

/** Pages for machines: path of a `GET` → status, and JSON or text with its content type. */
export type MachineRoutes = Readonly<Record<string, () => RouteAnswer | Promise<RouteAnswer>>>;

interface RouteAnswer {
  readonly status: number;
  readonly body: object | string;
  readonly type?: string;
}

const EVENTS_PATH = '/slack/events';

/** Passes a payload to Bolt. Rejects if Bolt does. */
type ProcessEvent = (event: ReceiverEvent) => Promise<void>;

/**
 * Bolt behind Tally's own HTTP server, which serves the pages, and Slack's events unless Socket Mode does. Every event is
 * acknowledged by the time its listeners end, even if they fail, and counts as in flight until then.
 */
export function createSlackServer(
  { mode, signingSecret, apiUrl }: Config['slack'],
  services: ReceiverServices & Pick<SlackServices, 'names'>,
  installations: Installations,
  routes: MachineRoutes,
) {
  const { names, boltLogger: logger } = services;
  const { authorize } = installations;
  const clientOptions = names.forClient({ ...INTERACTIVE_OPTIONS, slackApiUrl: apiUrl, logger });
  const socket = mode.kind === 'socket' ? createSocketMode(mode.appToken, clientOptions, logger) : undefined;
  const inFlight = createInFlightTracker();
  let isLeaving = false;

  const processEvent: ProcessEvent = async (event) => {
    const body = parsePayload(event.body);
    if (body !== undefined)
      return inFlight.track(processAndAck(app, installations, names, { ...event, body }));
    logger.warn('Ignored a payload that does not have the shape of Slack’s');
    await event.ack();
  };
  const serve: RequestListener = (req, res) => {
    const path = req.url?.split('?')[0] ?? '';
    // Tells clients to reconnect, to another process, before this one stops.
    if (isLeaving) res.setHeader('connection', 'close');
    const route = req.method === 'GET' || req.method === 'HEAD' ? lookUp(routes, path) : undefined;
    if (route !== undefined) return void answer(res, route);
    const page = req.method === 'GET' ? lookUp(installations.pages, path) : undefined;
    if (page !== undefined) return void inFlight.track(page(req, res));
    if (socket !== undefined || path !== EVENTS_PATH || req.method !== 'POST') return refuse(res, 404);
    void receive(req, res);
  };
  const server = createServer(SERVER_OPTIONS, serializeRequests(serve));
  const connections = limitConnections(server, SERVER_LIMITS.connections);
  const receive = createPayloadReceiver(services, signingSecret, processEvent, connections.trust);

  const receiver: Receiver = {
    init: () => socket?.receiver.init({ processEvent } as unknown as App),
    start: async () => undefined,
    stop: async () => undefined,
  };
  // Tally stores no conversation state, so Bolt need not look one up.
  const app = new App({ receiver, logger, clientOptions, authorize, convoStore: false });

  return {
    app,
    /**
     * Listens, and asks Slack for as long as it does not accept the token or the connection of Socket Mode.
     * @returns the port
     */
    async start(port: number): Promise<number> {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject).listen(port, resolve);
      });
      await Promise.all([socket?.start(), installations.tokenCheck?.start()]);
      return (server.address() as AddressInfo).port;
    },
    /** Whether events can arrive, and Slack accepts the answers. */
    up: (): boolean => !isLeaving && (installations.tokenCheck?.ok() ?? true) && (socket?.up() ?? true),
    /** From now on `up` is false; goes on for `delay` ms, and then until nothing more arrives. */
    async leave(delay: Millis): Promise<void> {
      isLeaving = true;
      await sleep(delay);
      const end = performance.now() + SETTLING.most;
      for (let before = -1; before !== connections.arrived() && performance.now() < end; ) {
        before = connections.arrived();
        await sleep(SETTLING.pause);
        // On a busy machine the time is up before Node looks at the network.
        await turn();
      }
    },
    /** Accepts nothing new, then waits up to `deadline` ms for what is in flight. @returns how many were cut off */
    async stop(deadline: Millis): Promise<number> {
      isLeaving = true;
      installations.tokenCheck?.stop();
      await socket?.stop();
      const closed = new Promise((resolve) => server.close(resolve));
      connections.drain();
      // A request that is still being received is in flight once it is complete.
      const drained = closed.then(inFlight.drain).then(installations.idle);
      await withTimeout(deadline, drained, () => undefined);
      server.closeAllConnections();
      return inFlight.count();
    },
  };
}

/** What was sent before the stop may still lie in the machine's buffers. It has arrived once nothing came for `pause` ms. */
const SETTLING = { pause: 50, most: 3_000 } as const;

type ReceiverServices = Pick<SlackServices, 'redis' | 'onRejected' | 'log' | 'boltLogger'>;

/** Handles a POST from Slack. @param trust called with the connection of a request that Slack signed */
function createPayloadReceiver(
  { redis, onRejected, log, boltLogger: logger }: ReceiverServices,
  signingSecret: string,
  processEvent: ProcessEvent,
  trust: (socket: Socket) => void,
) {
  const readSigned = createSignedRequestReader(signingSecret);
  const { spend } = createOAuthNonces(redis, 'request');
  const logRejection = createRejectionLog(log);

  /** Runs in parallel with the request's look-ups. While Redis is down, nothing counts as a replay. */
  const isFirstTime = async (claim: SignatureClaim, now: Millis): Promise<boolean> => {
    const digest = claim.digest.toString('base64url');
    const isFirst = await spend(digest, secondsLeft(claim, now)).catch(() => true);
    if (!isFirst) logger.warn('Ignored a replayed request');
    return isFirst;
  };

  return async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const [now, arrived] = [Date.now(), performance.now()];
    const signed = await readSigned(req, now);
    if (signed === 'ssl-check') return refuse(res, 200);
    if (typeof signed === 'string') {
      onRejected(signed);
      logRejection(signed);
      return refuse(res, REJECTIONS[signed]);
    }
    const { body, claim } = signed;
    trust(req.socket);
    if (body.ssl_check === '1') return refuse(res, 200);
    if (body.type === 'url_verification') return json(res, 200, { challenge: body.challenge });
    const isFirst = isFirstTime(claim, now);
    try {
      await processEvent({
        body,
        ack: async (response) => acknowledge(res, response),
        customProperties: { isFirst, arrived },
      });
    } catch (error) {
      logger.error('Could not process a request from Slack', error);
      if (!res.headersSent) refuse(res, 500);
    }
  };
}

function createInFlightTracker() {
  const inFlight = new Set<Promise<unknown>>();
  return {
    track<T>(work: Promise<T>): Promise<T> {
      inFlight.add(work);
      const done = () => inFlight.delete(work);
      work.then(done, done);
      return work;
    },
    count: () => inFlight.size,
    async drain(): Promise<void> {
      while (inFlight.size > 0) await Promise.allSettled(inFlight);
    },
  };
}

/**
 * Passes an event to Bolt with an acknowledgement that works once, and acknowledges it afterwards if no listener did.
 * Uninstalls are handled before Bolt, which acknowledges events first: if deleting fails, Slack must send them again.
 */
async function processAndAck(
  app: App,
  installations: Installations,
  names: CommandNames,
  event: ReceiverEvent,
): Promise<void> {
  const isEvent = event.body.type === 'event_callback';
  if (isEvent && (await installations.handleUninstall(event.body))) return event.ack();
  let isAcknowledged = false;
  const ack = async (response?: unknown): Promise<void> => {
    if (isAcknowledged) return;
    isAcknowledged = true;
    await event.ack(names.inTexts(response ?? installations.notInstalledReply(event.body)));
  };
  try {
    await app.processEvent({ ...event, ack });
  } finally {
    await ack();
  }
}

/** With nothing, a text, or a message or a form's errors as JSON. */
function acknowledge(res: ServerResponse, response?: unknown): void {
  if (typeof response === 'object' && response !== null) json(res, 200, response);
  else res.writeHead(200).end(response);
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
