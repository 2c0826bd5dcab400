/** Commands while two processes are replaced one after the other, as a rolling update does. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { startBilling } from '../../sandbox/billing.ts';
import { freePort } from '../../sandbox/bot-process.ts';
import { BOT_ENTRY, buildBot } from '../../sandbox/build.ts';
import { ADMIN, MEMBER, OWNER } from '../../sandbox/slack/index.ts';
import { CHANNEL, goodToken, slackEnvironment, startTestSlack, textOf } from '../support/bot.ts';
import { endProcess } from '../support/delivery-processes.ts';
import { endWithParent } from '../support/end-with-parent.ts';
import { testRedis } from '../support/redis.ts';
import { waitUntil } from '../support/wait-until.ts';

const ROUNDS = process.env.CHAOS === 'whole' ? 8 : 1;
const PEOPLE = [OWNER, ADMIN, MEMBER];
/** Between two commands; people ask less often than once a second. */
const PAUSE = 150;

interface Backend {
  readonly port: number;
  readonly child: ChildProcess;
}

/** Hands each request to the next process in turn, and to another one where nothing listens any more. */
async function startBalancer(backends: readonly Backend[]) {
  let turn = 0;
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => send(backends.length));
    const send = (left: number): void => {
      turn += 1;
      const { port = 0 } = backends[turn % backends.length] ?? {};
      const { method, url: path, headers } = incoming;
      const sent = request({ host: '127.0.0.1', port, method, path, headers, agent: false }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      });
      sent.on('error', (error: NodeJS.ErrnoException) => {
        if (error.code === 'ECONNREFUSED' && left > 1) send(left - 1);
        else outgoing.writeHead(502).end();
      });
      sent.end(Buffer.concat(chunks));
    };
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}

it('answers each command once while both processes are replaced', async () => {
  await buildBot(() => undefined);
  const [redis, billing] = await Promise.all([testRedis(), startBilling()]);
  const backends: Backend[] = [];
  const balancer = await startBalancer(backends);
  const slack = await startTestSlack('http', () => balancer.url, 15_000);
  const env = {
    PATH: process.env.PATH,
    ...slackEnvironment('http', slack),
    REDIS_URL: redis.url,
    ENCRYPTION_KEYS: `k:${randomBytes(32).toString('base64')}`,
    TRUSTED_API_HOSTS: '127.0.0.1',
    BILLING_BASE_URL: billing.url,
  };
  const start = async (): Promise<Backend> => {
    const port = await freePort();
    const child = spawn(process.execPath, [BOT_ENTRY, 'start'], {
      env: { ...env, PORT: String(port) },
      stdio: 'ignore',
    });
    endWithParent(child);
    await waitUntil(() =>
      fetch(`http://127.0.0.1:${port}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
    return { port, child };
  };
  backends.push(...(await Promise.all([start(), start()])));
  await slack.say(OWNER, CHANNEL, '/billing connect');
  await slack.waitFor(() => textOf(slack.modal(OWNER)?.view).includes('User access token'));
  await slack.submit(OWNER, { token: goodToken(billing), project: '123' });
  await slack.waitFor(() => textOf(slack.modal(OWNER)?.view).includes('Connected'));
  await slack.dismiss(OWNER);

  const answers = (person: string) =>
    slack.messages(person, CHANNEL).filter(({ from, ephemeral }) => ephemeral && from !== person);
  const before = PEOPLE.map((person) => answers(person).length);
  let isOver = false;
  const asked = PEOPLE.map(() => 0);
  const asking = (async () => {
    for (let turn = 0; !isOver; turn += 1) {
      const at = turn % PEOPLE.length;
      asked[at] = (asked[at] ?? 0) + 1;
      await slack.say(PEOPLE[at] ?? OWNER, CHANNEL, '/balance 123');
      await delay(PAUSE);
    }
  })();
  for (let round = 0; round < ROUNDS; round += 1)
    for (const at of backends.keys()) {
      const old = backends[at];
      const next = await start();
      if (old === undefined) continue;
      const ended = endProcess(old.child);
      await delay(PAUSE);
      backends[at] = next;
      await ended;
      expect(old.child.exitCode).toBe(0);
    }
  isOver = true;
  await asking;
  const given = () => PEOPLE.map((person, at) => answers(person).slice(before[at]));
  const isAnswered = (at: number) =>
    (given()[at] ?? []).filter(({ text, blocks }) => `${text}\n${textOf(blocks)}`.includes('left')).length >=
    (asked[at] ?? 0);
  await waitUntil(async () => PEOPLE.every((_, at) => isAnswered(at))).catch(() => undefined);
  expect(given().map((messages) => messages.length)).toEqual(asked);
  for (const { text, blocks } of given().flat()) expect(`${text}\n${textOf(blocks)}`).toContain('left');
  for (const { child } of backends) await endProcess(child);
  balancer.close();
  await Promise.all([slack.close(), billing.close(), redis.close()]);
}, 300_000);
