import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { App, type CustomRoute, HTTPReceiver, type Receiver, type ReceiverEvent } from '@slack/bolt';
import type { Config } from '../../config/config.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import { withTimeout } from '../../timeout.ts';
import { createOAuthNonces } from '../../workspace/replay-protection.ts';
import type { CommandNames } from '../command-prefix.ts';
import type { Installations } from '../install/installations.ts';
import { parsePayload } from '../request/payload.ts';
import type { SlackServices } from '../slack-services.ts';
import { INTERACTIVE_OPTIONS } from '../web-client.ts';
import { createRequestGuard, refuse, SERVER_LIMITS, SIGNATURE_LIFE } from './request-guard.ts';
import { createSocketMode } from './socket-mode.ts';

/** Machine-readable routes: GET path → status and body. */
type MachineRoutes = Readonly<Record<string, () => RouteAnswer | Promise<RouteAnswer>>>;

interface RouteAnswer {
  readonly status: number;
  readonly body: object | string;
  readonly type?: string;
}

const EVENTS_PATH = '/slack/events';

type ServerServices = Pick<SlackServices, 'redis' | 'names' | 'onRejected' | 'log' | 'boltLogger'>;

/**
 * Bolt with its own receivers: HTTPReceiver serves pages and, without Socket Mode, Slack's events. Every event is
 * acknowledged when its listeners end, even if they fail; until then it is in flight.
 */
export function createSlackServer(
  config: Config['slack'],
  services: ServerServices,
  installations: Installations,
  routes: MachineRoutes,
) {
  const { mode, apiUrl } = config;
  const { names, log, boltLogger: logger } = services;
  const { authorize, tokenCheck } = installations;
  const clientOptions = names.forClient({ ...INTERACTIVE_OPTIONS, slackApiUrl: apiUrl, logger });
  const socket =
    mode.kind === 'socket' ? createSocketMode(mode.appToken, clientOptions, log, logger) : undefined;
  const inFlight = new Set<Promise<unknown>>();
  /** Connections without a signed request, in the order in which they came. */
  const unsigned = new Set<Socket>();
  const customRoutes = [
    ...Object.entries(routes).map(([path, route]) => machineRoute(path, route)),
    ...Object.entries(installations.pages).map(
      ([path, page]): CustomRoute => ({
        path,
        method: 'GET',
        handler: (req, res) => void track(page(req, res)),
      }),
    ),
  ];
  const http = createHttpReceiver(config, services, customRoutes, unsigned, () => isLeaving);
  let server: Server | undefined;
  let isLeaving = false;
  /** Counts connections and requests since start. */
  let arrived = 0;

  /** Work that `stop` waits for. */
  const track = (work: Promise<void>): Promise<void> => {
    inFlight.add(work);
    const done = () => inFlight.delete(work);
    work.then(done, done);
    return work;
  };
  const drain = async (): Promise<void> => {
    while (inFlight.size > 0) await Promise.allSettled(inFlight);
  };

  /** Bolt reads parts of a payload unchecked, so it is checked before Bolt gets it. */
  const processEvent = async (event: ReceiverEvent): Promise<void> => {
    const body = parsePayload(event.body);
    if (body !== undefined) return track(processAndAck(app, installations, names, { ...event, body }));
    logger.warn('Ignored a payload that does not have the shape of Slack’s');
    await event.ack();
  };
  const receiver: Receiver = {
    init: () => (socket?.receiver ?? http).init({ processEvent } as App),
    start: async () => undefined,
    stop: async () => undefined,
  };
  // Tally stores no conversation state, so Bolt need not look one up.
  const app = new App({ receiver, logger, clientOptions, authorize, convoStore: false });

  return {
    app,
    /** Listens. Retries until Slack accepts the token or the socket connection. @returns the port */
    async start(port: number): Promise<number> {
      server = await http.start(port, SERVER_LIMITS);
      server.maxRequestsPerSocket = SERVER_LIMITS.requestsPerConnection;
      const count = () => {
        arrived += 1;
      };
      server.on('connection', count).on('request', count);
      server.on('connection', (socket: Socket) => limitUnsigned(unsigned, socket));
      await Promise.all([socket?.start(), tokenCheck?.start()]);
      return (server.address() as AddressInfo).port;
    },
    /** Ready: events can arrive, and Slack accepts our token. */
    up: (): boolean => !isLeaving && (tokenCheck?.ok() ?? true) && (socket?.isUp() ?? true),
    /** Sets `up` to false, keeps serving for `delay` ms, then until requests stop coming. */
    async leave(delay: Millis): Promise<void> {
      isLeaving = true;
      await sleep(delay);
      const end = performance.now() + SETTLING.most;
      for (let before = -1; before !== arrived && performance.now() < end; ) {
        before = arrived;
        await sleep(SETTLING.pause);
        // Under load the timer can fire before Node reads pending network input.
        await turn();
      }
    },
    /** Stops accepting and waits up to `deadline` ms for work in flight. @returns how many requests were cut off */
    async stop(deadline: Millis): Promise<number> {
      isLeaving = true;
      tokenCheck?.stop();
      await socket?.stop();
      const closed = server === undefined ? Promise.resolve() : http.stop();
      // A request still being received counts once it is complete.
      const drained = closed.then(drain);
      await withTimeout(deadline, drained, () => undefined);
      server?.closeAllConnections();
      return inFlight.size;
    },
  };
}

/**
 * Requests sent before the stop may still sit in OS buffers. Wait until `pause` ms pass without one, at most `most`.
 */
const SETTLING = { pause: 50, most: 3_000 } as const;

/** Bolt's receiver behind the guard. In Socket Mode it serves only pages. */
function createHttpReceiver(
  { mode, signingSecret }: Config['slack'],
  { redis, onRejected, log, boltLogger: logger }: ServerServices,
  customRoutes: CustomRoute[],
  unsigned: Set<Socket>,
  isLeaving: () => boolean,
): HTTPReceiver {
  const isSocketMode = mode.kind === 'socket';
  const isAllowed = createRequestGuard(signingSecret, log, onRejected);
  const { spend } = createOAuthNonces(redis, 'request');

  /** Runs in parallel with look-ups. Without Redis nothing counts as a replay. */
  const isFirstTime = async (req: IncomingMessage): Promise<boolean> => {
    const digest = Buffer.from(String(req.headers['x-slack-signature']).slice('v0='.length), 'hex');
    const isFirst = await spend(digest.toString('base64url'), SIGNATURE_LIFE).catch(() => true);
    if (!isFirst) logger.warn('Ignored a replayed request');
    return isFirst;
  };

  const receiver = new HTTPReceiver({
    signingSecret,
    signatureVerification: !isSocketMode,
    endpoints: isSocketMode ? [] : EVENTS_PATH,
    logger,
    customRoutes,
    // Called only for requests with a valid signature.
    customPropertiesExtractor(req) {
      unsigned.delete(req.socket);
      return { isFirst: isFirstTime(req), arrived: performance.now() };
    },
    dispatchErrorHandler: ({ response }) => refuse(response, 404),
    async processEventErrorHandler({ error, response }) {
      logger.error('Could not process a request from Slack', error);
      if (!response.headersSent) refuse(response, 500);
      return false;
    },
  });
  const serve = receiver.requestListener;
  receiver.requestListener = (req, res) => {
    // Makes clients reconnect to another process before this one stops.
    if (isLeaving()) res.setHeader('connection', 'close');
    if (req.method !== 'POST') serve(req, res);
    else if (isSocketMode || req.url?.split('?')[0] !== EVENTS_PATH) refuse(res, 404);
    else void isAllowed(req, res).then((isIt) => isIt && serve(req, res));
  };
  return receiver;
}

/**
 * Hands an event to Bolt; acknowledges it afterwards if no listener did. Uninstalls are handled before Bolt, because
 * Bolt acknowledges first, and Slack must resend if deleting fails.
 */
async function processAndAck(
  app: App,
  installations: Installations,
  names: CommandNames,
  { body, ...event }: ReceiverEvent,
): Promise<void> {
  if (body.type === 'event_callback' && (await installations.handleUninstall(body))) return event.ack();
  let isAcknowledged = false;
  const ack = async (response?: unknown): Promise<void> => {
    if (isAcknowledged) return;
    isAcknowledged = true;
    await event.ack(names.inTexts(response ?? installations.notInstalledReply(body)));
  };
  await app.processEvent({ ...event, body, ack }).finally(ack);
}

function machineRoute(path: string, route: MachineRoutes[string]): CustomRoute {
  const answer = async (res: ServerResponse): Promise<void> => {
    const { status, body, type = 'text/plain' } = await route();
    if (typeof body === 'string') res.writeHead(status, { 'content-type': type }).end(body);
    else res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  return { path, method: ['GET', 'HEAD'], handler: (_, res) => void answer(res) };
}

/**
 * For one connection too many without a signed request, the oldest is closed, whatever it is doing: a client without the secret
 * can't keep others out by holding connections.
 */
function limitUnsigned(unsigned: Set<Socket>, socket: Socket): void {
  unsigned.add(socket);
  socket.once('close', () => unsigned.delete(socket));
  const [oldest] = unsigned;
  if (unsigned.size > SERVER_LIMITS.unsignedConnections) oldest?.destroy();
}
