import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { App } from '@slack/bolt';
import { afterEach, describe, expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { boltLogger, createLog } from '../../src/ops/log.ts';
import { createSocketMode } from '../../src/slack/server/socket-mode.ts';
import { BACKGROUND_OPTIONS } from '../../src/slack/web-client.ts';
import { waitUntil } from '../support/wait-until.ts';

const HELLO = JSON.stringify({ type: 'hello', num_connections: 3 });

/** The part of Slack that opens connections of Socket Mode. */
async function startSlack() {
  const sockets: WebSocket[] = [];
  const received: string[] = [];
  let url = '';
  let asked = 0;
  let failures = 0;
  let link = (socket: WebSocket): void => socket.send(HELLO);
  let body: object | undefined;
  let barrier: ((done: (isLet: boolean, status?: number) => void) => void) | undefined;
  let retryAfter: string | undefined;
  const server = createServer((_, res) => {
    asked += 1;
    if (retryAfter !== undefined) return void res.writeHead(429, { 'retry-after': retryAfter }).end('{}');
    if (failures > 0) {
      failures -= 1;
      return void res.writeHead(500).end('down');
    }
    res.setHeader('content-type', 'application/json');
    res.end(JSON.stringify(body ?? { ok: true, url: url.replace('http', 'ws') }));
  });
  const upgrades = new WebSocketServer({
    server,
    verifyClient: (_, done) => (barrier === undefined ? done(true) : barrier(done)),
  });
  upgrades.on('connection', (socket) => {
    sockets.push(socket);
    socket.on('message', (data) => received.push(String(data)));
    link(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: () => `${url}/api/`,
    sockets,
    received,
    open: () => sockets.filter(({ readyState }) => readyState === 1).length,
    asked: () => asked,
    fail(times: number) {
      failures = times;
    },
    /** The next answer of the Web API. Undefined answers with the address of the socket. */
    answer(next: object | undefined) {
      body = next;
    },
    /** How a proxy treats WebSockets. Undefined without a proxy. */
    block(next: typeof barrier) {
      barrier = next;
    },
    limit(seconds: number) {
      retryAfter = String(seconds);
    },
    onConnection(next: typeof link) {
      link = next;
    },
    async close() {
      for (const socket of upgrades.clients) socket.terminate();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

let slack: Awaited<ReturnType<typeof startSlack>>;
let socket: ReturnType<typeof createSocketMode>;
let lines: string[];
let bodies: unknown[];
afterEach(async () => {
  await socket.stop();
  await slack.close();
});

async function started(before: () => void = () => undefined): Promise<void> {
  slack = await startSlack();
  before();
  lines = [];
  bodies = [];
  const log = createLog('trace', { write: (line) => void lines.push(line) });
  const clientOptions = { ...BACKGROUND_OPTIONS, slackApiUrl: slack.url() };
  socket = createSocketMode('xapp-for-tests', clientOptions, log, boltLogger(log));
  const app = new App({ receiver: socket.receiver, authorize: async () => ({}) });
  app.processEvent = async ({ body, ack }) => {
    bodies.push(body);
    await ack();
  };
  await socket.start();
}

const event = (payload: object | undefined) =>
  JSON.stringify({ type: 'events_api', envelope_id: 'e-1', payload });

describe('the client for Socket Mode', () => {
  it.each(['refresh_requested', 'warning'])('reconnects at once if Slack sends “%s”', async (reason) => {
    await started();
    slack.sockets[0]?.send(JSON.stringify({ type: 'disconnect', reason }));
    // Slack's own client would wait five seconds first.
    await waitUntil(() => slack.sockets.length === 2 && socket.isUp(), 4_000);
    await waitUntil(() => slack.open() === 1);
  });

  it('starts while Slack is down, and connects once Slack is back', async () => {
    await started(() => slack.fail(2));
    expect(socket.isUp()).toBe(false);
    await waitUntil(() => socket.isUp());
    expect(slack.asked()).toBe(3);
    const problems = lines.filter((line) => /"level":"(?:warn|error)".*(?:reached|WSS|request)/.test(line));
    expect(problems).toEqual([expect.stringContaining('Slack can’t be reached')]);
    expect(problems[0]).not.toContain('stack');
  });

  it('starts although Slack rejects the token, and logs the rejection', async () => {
    await started(() => slack.answer({ ok: false, error: 'invalid_auth' }));
    expect(socket.isUp()).toBe(false);
    expect(lines.join('')).toMatch(/"code":"invalid_auth".*"Slack rejects SLACK_APP_TOKEN"/);
    slack.answer(undefined);
    await waitUntil(() => socket.isUp());
  });

  it('logs that a proxy refuses WebSockets, and connects once the proxy allows them', async () => {
    await started(() => slack.block((done) => done(false, 403)));
    await waitUntil(() => lines.join('').includes('allow WebSocket connections from this machine'));
    expect(socket.isUp()).toBe(false);
    slack.block(undefined);
    await waitUntil(() => socket.isUp());
  });

  it('doesn’t reconnect once it is stopped', async () => {
    await started();
    slack.fail(1);
    slack.sockets[0]?.terminate();
    await waitUntil(() => slack.asked() === 2);
    await socket.stop();
    slack.sockets[0]?.terminate();
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect(slack.asked()).toBe(2);
    expect(slack.open()).toBe(0);
  });

  it.each([
    ['without a payload', event(undefined)],
    ['without an event', event({})],
    ['that is null', 'null'],
    ['that is no JSON', '{'],
  ])('survives a message %s, and handles the next message', async (_, envelope) => {
    await started();
    const lost: unknown[] = [];
    const note = (reason: unknown) => void lost.push(reason);
    process.on('unhandledRejection', note);
    slack.sockets[0]?.send(envelope);
    slack.sockets[0]?.send(event({ event: { type: 'message' } }));
    await waitUntil(() => bodies.length > 0 && slack.received.length > 0);
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', note);
    expect(lost).toEqual([]);
    expect(bodies).toEqual([{ event: { type: 'message' } }]);
  });
});
