/** A minimal Slack for benchmarks, and a baseline: the same network hops without the bot. */
import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Redis } from 'ioredis';
import { Agent, request } from 'undici';

interface RunningServer {
  readonly url: string;
  close(): Promise<void>;
}

interface ReceivedMessage {
  readonly text: string;
  readonly bytes: number;
}

export interface FakeSlack extends RunningServer {
  /** Number of calls by method; posts to a `response_url` count as `response_url`. */
  readonly calls: Map<string, number>;
  /** Returns a new `response_url` and a promise of the message posted there. */
  expectAnswer(): { readonly responseUrl: string; readonly arrives: Promise<ReceivedMessage> };
}

/** Longer than any timeout of the bot, in ms. */
const ANSWER_TIMEOUT = 120_000;
const PERSON = { id: 'U0BENCH', team_id: 'T0BENCH', is_owner: true, locale: 'en-US', tz: 'Etc/UTC' };
const FORM = 'application/x-www-form-urlencoded';

async function serve(listener: RequestListener): Promise<RunningServer> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function bodyOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

function sendJson(response: ServerResponse, body: string): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(body);
}

export async function startFakeSlack(): Promise<FakeSlack> {
  const calls = new Map<string, number>();
  const expected = new Map<string, (posted: ReceivedMessage) => void>();
  let issued = 0;

  const served = await serve(async (incoming, response) => {
    const body = await bodyOf(incoming);
    const [, section, rest = ''] = (incoming.url ?? '').split('/');
    const method = section === 'api' ? rest : 'response_url';
    calls.set(method, (calls.get(method) ?? 0) + 1);
    if (method !== 'response_url') return sendJson(response, JSON.stringify({ ok: true, user: PERSON }));
    expected.get(rest)?.({ text: JSON.parse(body).text, bytes: body.length });
    expected.delete(rest);
    response.end('ok');
  });

  return {
    ...served,
    calls,
    expectAnswer() {
      issued += 1;
      const id = String(issued);
      const arrives = new Promise<ReceivedMessage>((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error('The bot did not answer.')), ANSWER_TIMEOUT);
        expected.set(id, (posted) => {
          clearTimeout(timer);
          resolve(posted);
        });
      });
      return { responseUrl: `${served.url}/response/${id}`, arrives };
    },
  };
}

export interface CommandSender {
  /** Sends a signed slash command; resolves with the answer and the times until each response, in ms. */
  send(command: string, text: string): Promise<{ answer: string; acknowledged: number; answered: number }>;
  close(): Promise<void>;
}

export function createCommandSender(slack: FakeSlack, botUrl: string, secret: string): CommandSender {
  // Node servers close connections after five idle seconds; a request at that moment would fail.
  const agent = new Agent({ pipelining: 1, keepAliveMaxTimeout: 2_000 });
  return {
    async send(command, text) {
      const { responseUrl, arrives } = slack.expectAnswer();
      const { team_id, id: user_id } = PERSON;
      const fields = { command, text, team_id, user_id, channel_id: 'C0BENCH', trigger_id: '1.2.3' };
      const body = new URLSearchParams({ ...fields, response_url: responseUrl }).toString();
      const startedAt = performance.now();
      const took = () => performance.now() - startedAt;
      const [acknowledged, { answer, answered }] = await Promise.all([
        post(agent, `${botUrl}/slack/events`, body, signed(body, secret)).then(took),
        arrives.then(({ text }) => ({ answer: text, answered: took() })),
      ]);
      return { acknowledged, answer, answered };
    },
    close: () => agent.close(),
  };
}

function signed(body: string, secret: string): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const digest = createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex');
  return {
    'content-type': FORM,
    'x-slack-request-timestamp': timestamp,
    'x-slack-signature': `v0=${digest}`,
  };
}

/** Resolves with the body; rejects unless the status is 200. */
export async function post(
  agent: Agent,
  url: string,
  body: string,
  headers: Record<string, string>,
): Promise<string> {
  const { statusCode, body: answer } = await request(url, {
    dispatcher: agent,
    method: 'POST',
    headers,
    body,
  });
  const text = await answer.text();
  if (statusCode !== 200) throw new Error(`${new URL(url).pathname} answered ${statusCode}: ${text}`);
  return text;
}

export interface Baseline {
  /** The hops of a command: a request, a Redis command, two parallel queries and an answer. */
  run(): Promise<unknown>;
  close(): Promise<void>;
}

/** @param sizes bytes of billing's answers and of the posted message */
export async function startBaseline(
  slack: FakeSlack,
  redis: Redis,
  sizes: { readonly answer: number; readonly message: number },
): Promise<Baseline> {
  const agent = new Agent({ pipelining: 1, connections: 16 });
  const json = { 'content-type': 'application/json' };
  const answer = JSON.stringify({ text: 'x'.repeat(sizes.answer) });
  const message = JSON.stringify({ text: 'x'.repeat(sizes.message) });
  const billing = await serve(async (incoming, response) => {
    await bodyOf(incoming);
    sendJson(response, answer);
  });
  const bot = await serve(async (incoming, response) => {
    const responseUrl = await bodyOf(incoming);
    response.end();
    await redis.ping();
    await Promise.all([post(agent, billing.url, '{}', json), post(agent, billing.url, '{}', json)]);
    await post(agent, responseUrl, message, json);
  });
  const client = new Agent({ pipelining: 1 });
  return {
    async run() {
      const { responseUrl, arrives } = slack.expectAnswer();
      await Promise.all([arrives, post(client, bot.url, responseUrl, {})]);
    },
    async close() {
      await Promise.all([agent.close(), client.close()]);
      await Promise.all([bot.close(), billing.close()]);
    },
  };
}
