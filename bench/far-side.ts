/** The least that can stand on the other side of the bot: a Slack that counts and waits, and the same hops without a bot. */
import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Redis } from 'ioredis';
import { Agent, request } from 'undici';

interface Served {
  readonly url: string;
  close(): Promise<void>;
}

interface Posted {
  readonly text: string;
  readonly bytes: number;
}

export interface FakeSlack extends Served {
  /** Calls by method; posts to a `response_url` count as `response_url`. */
  readonly calls: Map<string, number>;
  /** A fresh `response_url`, and the message that arrives there. */
  expectAnswer(): { readonly responseUrl: string; readonly arrives: Promise<Posted> };
}

/** Longer than anything the bot waits for, a busy machine included, in ms. */
const PATIENCE = 120_000;
const PERSON = { id: 'U0BENCH', team_id: 'T0BENCH', is_owner: true, locale: 'en-US', tz: 'Etc/UTC' };
const FORM = 'application/x-www-form-urlencoded';

async function serve(listener: RequestListener): Promise<Served> {
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
  const expected = new Map<string, (posted: Posted) => void>();
  let issued = 0;

  const served = await serve(async (incoming, response) => {
    const body = await bodyOf(incoming);
    const [, room, rest = ''] = (incoming.url ?? '').split('/');
    const method = room === 'api' ? rest : 'response_url';
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
      const arrives = new Promise<Posted>((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error('No answer came.')), PATIENCE);
        expected.set(id, (posted) => {
          clearTimeout(timer);
          resolve(posted);
        });
      });
      return { responseUrl: `${served.url}/response/${id}`, arrives };
    },
  };
}

export interface Asker {
  /** Sends one signed slash command and waits for its answer; how long each took, in ms. */
  ask(command: string, text: string): Promise<{ answer: string; acknowledged: number; answered: number }>;
  close(): Promise<void>;
}

export function createAsker(slack: FakeSlack, botUrl: string, secret: string): Asker {
  // Bots close what has been idle for five seconds: a request sent at that moment would be lost.
  const agent = new Agent({ pipelining: 1, keepAliveMaxTimeout: 2_000 });
  return {
    async ask(command, text) {
      const { responseUrl, arrives } = slack.expectAnswer();
      const { team_id, id: user_id } = PERSON;
      const fields = { command, text, team_id, user_id, channel_id: 'C0BENCH', trigger_id: '1.2.3' };
      const body = new URLSearchParams({ ...fields, response_url: responseUrl }).toString();
      const begun = performance.now();
      const took = () => performance.now() - begun;
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

export interface Hops {
  /** One request, one Redis command, two questions side by side, one answer: a command with nothing in between. */
  once(): Promise<unknown>;
  close(): Promise<void>;
}

/** @param sizes how many bytes the bodies have: what billing answers, and what is posted at the end */
export async function startHops(
  slack: FakeSlack,
  redis: Redis,
  sizes: { readonly answer: number; readonly message: number },
): Promise<Hops> {
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
  const asker = new Agent({ pipelining: 1 });
  return {
    async once() {
      const { responseUrl, arrives } = slack.expectAnswer();
      await Promise.all([arrives, post(asker, bot.url, responseUrl, {})]);
    },
    async close() {
      await Promise.all([agent.close(), asker.close()]);
      await Promise.all([bot.close(), billing.close()]);
    },
  };
}
