/** Bolt behind an HTTP server for pages and health checks. Slack's events come over HTTP or Socket Mode. */
import type { Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { App, type CustomRoute, HTTPReceiver, type Receiver, type ReceiverEvent } from '@slack/bolt';
import type { Config } from '../../config/config.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import { withTimeout } from '../../timeout.ts';
import { modal, refuseForm, section } from '../block-kit/blocks.ts';
import type { Installations } from '../install/installations.ts';
import { parsePayload, type SlackPayload } from '../request/payload.ts';
import type { SlackServices } from '../slack-services.ts';
import { INTERACTIVE_OPTIONS } from '../web-client.ts';
import { createRequestGuard, refuse, SERVER_LIMITS } from './request-guard.ts';
import { createSocketMode } from './socket-mode.ts';

type MachineRoutes = Readonly<Record<string, () => RouteAnswer | Promise<RouteAnswer>>>;

interface RouteAnswer {
  readonly status: number;
  readonly body: object | string;
  readonly type?: string;
}

const EVENTS_PATH = '/slack/events';

type ServerServices = Pick<SlackServices, 'onRejected' | 'log' | 'boltLogger'>;

export function createSlackServer(
  config: Config['slack'],
  services: ServerServices,
  installations: Installations,
  routes: MachineRoutes,
) {
  const { mode, apiUrl } = config;
  const { log, boltLogger: logger } = services;
  const { authorize, tokenCheck } = installations;
  const clientOptions = { ...INTERACTIVE_OPTIONS, slackApiUrl: apiUrl, logger };
  const socket =
    mode.kind === 'socket' ? createSocketMode(mode.appToken, clientOptions, log, logger) : undefined;
  const inFlight = createInFlight();
  const customRoutes = [
    ...Object.entries(routes).map(machineRoute),
    ...Object.entries(installations.pages).map(([path, page]): CustomRoute => {
      return { path, method: 'GET', handler: (req, res) => void inFlight.track(page(req, res)) };
    }),
  ];
  let isLeaving = false;
  const http = createHttpReceiver(config, services, customRoutes, () => isLeaving);
  let server: Server | undefined;

  const processEvent = (event: ReceiverEvent): Promise<void> =>
    inFlight.track(processAndAck(app, installations, services, event));
  const receiver: Receiver = {
    init: () => (socket?.receiver ?? http).init({ processEvent } as App),
    start: async () => undefined,
    stop: async () => undefined,
  };
  const app = new App({ receiver, logger, clientOptions, authorize, convoStore: false });

  return {
    app,
    async start(port: number): Promise<number> {
      server = await http.start(port, SERVER_LIMITS);
      server.maxRequestsPerSocket = SERVER_LIMITS.requestsPerConnection;
      await Promise.all([socket?.start(), tokenCheck?.start()]);
      return (server.address() as AddressInfo).port;
    },
    up: (): boolean => !isLeaving && (tokenCheck?.ok() ?? true) && (socket?.isUp() ?? true),
    /** Waits for running work for at most `deadline` ms. @returns how many requests were cut off */
    async stop(deadline: Millis): Promise<number> {
      isLeaving = true;
      tokenCheck?.stop();
      await socket?.stop();
      // A request whose body is still arriving counts as running once it is complete.
      if (server) await withTimeout(deadline, http.stop().then(inFlight.drain), () => undefined);
      server?.closeAllConnections();
      return inFlight.count();
    },
  };
}

function createInFlight() {
  const running = new Set<Promise<void>>();
  return {
    track(work: Promise<void>): Promise<void> {
      running.add(work);
      const end = () => running.delete(work);
      work.then(end, end);
      return work;
    },
    count: () => running.size,
    async drain(): Promise<void> {
      while (running.size > 0) await Promise.allSettled(running);
    },
  };
}

function createHttpReceiver(
  { mode, signingSecret }: Config['slack'],
  { onRejected, log, boltLogger: logger }: ServerServices,
  customRoutes: CustomRoute[],
  isLeaving: () => boolean,
) {
  const isSocketMode = mode.kind === 'socket';
  const isAllowed = createRequestGuard(signingSecret, log, onRejected);

  const receiver = new HTTPReceiver({
    signingSecret,
    signatureVerification: !isSocketMode,
    endpoints: isSocketMode ? [] : EVENTS_PATH,
    logger,
    customRoutes,
    customPropertiesExtractor: () => ({ arrived: performance.now() }),
    dispatchErrorHandler: ({ response }) => refuse(response, 404),
    async processEventErrorHandler({ error, response }) {
      logger.error('Could not process a request from Slack', error);
      if (!response.headersSent) refuse(response, 500);
      return false;
    },
  });
  const serve = receiver.requestListener;
  receiver.requestListener = (req, res) => {
    if (isLeaving()) res.setHeader('connection', 'close');
    if (req.method !== 'POST') serve(req, res);
    else if (isSocketMode || req.url?.split('?')[0] !== EVENTS_PATH) refuse(res, 404);
    else void isAllowed(req, res).then((isIt) => isIt && serve(req, res));
  };
  return receiver;
}

/** Bolt acknowledges events at once, but Slack must resend an uninstall if deleting the data fails. */
async function processAndAck(
  app: App,
  installations: Installations,
  { boltLogger }: ServerServices,
  event: ReceiverEvent,
): Promise<void> {
  const body = parsePayload(event.body);
  if (body === undefined) {
    boltLogger.warn('Ignored a payload that does not look like one from Slack');
    return event.ack();
  }
  if (body.type === 'event_callback' && (await installations.handleUninstall(body))) return event.ack();
  let isAcknowledged = false;
  const ack = async (response?: unknown): Promise<void> => {
    if (isAcknowledged) return;
    isAcknowledged = true;
    await event.ack(response ?? (body.type === 'view_submission' ? notSaved(body) : undefined));
  };
  await app.processEvent({ ...event, body, ack }).finally(ack);
}

/** Without an answer, Slack would close the form as if it were saved. */
function notSaved({ view }: SlackPayload) {
  const text = 'Tally couldn’t save this. Nothing was changed. Try again in a minute.';
  const instead = modal({ title: 'That didn’t work', blocks: [section(text)] });
  return refuseForm((view?.blocks ?? []) as never[], text, instead);
}

function machineRoute([path, route]: [string, MachineRoutes[string]]): CustomRoute {
  const answer = async (res: ServerResponse): Promise<void> => {
    const { status, body, type = 'text/plain' } = await route();
    if (typeof body === 'string') res.writeHead(status, { 'content-type': type }).end(body);
    else res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  return { path, method: ['GET', 'HEAD'], handler: (_, res) => void answer(res) };
}
