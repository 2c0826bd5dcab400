/** Commands while two processes are replaced one after the other, as a rolling update does. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { startBilling } from '../../sandbox/billing.ts';
import { freePort } from '../../sandbox/bot-process.ts';
import { BOT_ENTRY, buildBot } from '../../sandbox/build.ts';
import { ADMIN, MEMBER, OWNER } from '../../sandbox/slack/index.ts';
import { CHANNEL, goodToken, slackEnvironment, startTestSlack, textOf } from '../support/bot.ts';
import { endProcess } from '../support/delivery-processes.ts';
import { describeUnless } from '../support/describe-unless.ts';
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

interface Proxy {
  readonly url: string;
  close(): Promise<void>;
}

/** Hands each request to the next process in turn, and to another one where nothing listens any more. */
async function startBalancer(backends: readonly Backend[]): Promise<Proxy> {
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
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => void server.close(),
  };
}

/** Two processes behind a proxy, and three people who ask both. @param behind starts the proxy */
async function startInstallation(
  behind: (backends: readonly Backend[]) => Promise<Proxy>,
  shutdownDelay = 0,
) {
  await buildBot(() => undefined);
  const [redis, billing] = await Promise.all([testRedis(), startBilling()]);
  const backends: Backend[] = [];
  const proxy = { url: '' };
  const slack = await startTestSlack('http', () => proxy.url, 15_000);
  const env = {
    PATH: process.env.PATH,
    ...slackEnvironment('http', slack),
    REDIS_URL: redis.url,
    ENCRYPTION_KEYS: `k:${randomBytes(32).toString('base64')}`,
    TRUSTED_API_HOSTS: '127.0.0.1',
    BILLING_BASE_URL: billing.url,
    SHUTDOWN_DELAY: String(shutdownDelay),
  };
  const start = async (port: number): Promise<Backend> => {
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
  backends.push(...(await Promise.all([start(await freePort()), start(await freePort())])));
  const { url, close } = await behind(backends);
  proxy.url = url;
  await slack.say(OWNER, CHANNEL, '/billing connect');
  await slack.waitFor(() => textOf(slack.modal(OWNER)?.view).includes('User access token'));
  await slack.submit(OWNER, { token: goodToken(billing), project: '123' });
  await slack.waitFor(() => textOf(slack.modal(OWNER)?.view).includes('Connected'));
  await slack.dismiss(OWNER);

  const answers = (person: string) =>
    slack.messages(person, CHANNEL).filter(({ from, ephemeral }) => ephemeral && from !== person);
  return {
    backends,
    start,
    /** Asks all the time while this happens. Each question has to get one answer, with figures. */
    async askDuring(work: () => Promise<void>) {
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
      await work();
      isOver = true;
      await asking;
      const given = () => PEOPLE.map((person, at) => answers(person).slice(before[at]));
      const isAnswered = (at: number) =>
        (given()[at] ?? []).filter(({ text, blocks }) => `${text}\n${textOf(blocks)}`.includes('left'))
          .length >= (asked[at] ?? 0);
      await waitUntil(async () => PEOPLE.every((_, at) => isAnswered(at))).catch(() => undefined);
      expect(given().map((messages) => messages.length)).toEqual(asked);
      for (const { text, blocks } of given().flat()) expect(`${text}\n${textOf(blocks)}`).toContain('left');
    },
    async stop() {
      for (const { child } of backends) await endProcess(child);
      await close();
      await Promise.all([slack.close(), billing.close(), redis.close()]);
    },
  };
}

it('answers each command once while both processes are replaced', async () => {
  const { backends, start, askDuring, stop } = await startInstallation(startBalancer);
  await askDuring(async () => {
    for (let round = 0; round < ROUNDS; round += 1)
      for (const at of backends.keys()) {
        const old = backends[at];
        const next = await start(await freePort());
        if (old === undefined) continue;
        const ended = endProcess(old.child);
        await delay(PAUSE);
        backends[at] = next;
        await ended;
        expect(old.child.exitCode).toBe(0);
      }
  });
  await stop();
}, 300_000);

/** The code blocks of docs/proxy.md. */
const examples = async (): Promise<readonly string[]> =>
  [...(await readFile('docs/proxy.md', 'utf8')).matchAll(/^```\w*\n(.*?)^```$/gms)].map(
    ([, text = '']) => text,
  );

const exampleWith = async (text: string): Promise<string> => {
  const found = (await examples()).find((example) => example.includes(text));
  if (found === undefined) throw new Error(`No example in docs/proxy.md has ${text}.`);
  return found;
};

const withPorts = (text: string, [one, two]: readonly Backend[]): string =>
  text
    .replaceAll('127.0.0.1:3000', `127.0.0.1:${one?.port}`)
    .replaceAll('127.0.0.1:3001', `127.0.0.1:${two?.port}`);

/** In place of the parts that need a certificate, it listens on loopback. */
const PROXIES = {
  async haproxy(backends: readonly Backend[], port: number) {
    const text = withPorts(await exampleWith('option httpchk'), backends);
    return text.replace(/^ {4}bind .*$/m, `    bind 127.0.0.1:${port}`);
  },
  async nginx(backends: readonly Backend[], port: number, home: string) {
    const [server, upstream, several] = [
      await exampleWith('limit_req_zone'),
      await exampleWith('upstream tally'),
      await exampleWith('proxy_next_upstream'),
    ];
    const lines = server.split('\n');
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${join(home, name)};`,
    );
    return [
      ...['daemon off;', `pid ${join(home, 'pid')};`, `error_log ${join(home, 'errors')};`],
      ...['events {}', 'http {', 'access_log off;', ...paths],
      ...lines.slice(0, 2),
      withPorts(upstream, backends),
      ...['server {', `listen 127.0.0.1:${port};`],
      ...lines.slice(2).flatMap((line) => (line.includes('proxy_pass ') ? several.split('\n') : line)),
      ...['}', '}', ''],
    ].join('\n');
  },
};

const COMMANDS = {
  haproxy: (file: string) => ['haproxy', '-db', '-f', file],
  nginx: (file: string) => ['nginx', '-c', file],
};

async function startProxy(kind: keyof typeof PROXIES, backends: readonly Backend[]): Promise<Proxy> {
  const home = await mkdtemp(join(tmpdir(), 'tally-proxy-'));
  const [port, file] = [await freePort(), join(home, 'proxy.conf')];
  await writeFile(file, await PROXIES[kind](backends, port, home));
  const [command = '', ...args] = COMMANDS[kind](file);
  const child = spawn(command, args, {
    stdio: process.env.PROXY_LOG ? 'inherit' : 'ignore',
    env: { ...process.env, PATH },
  });
  endWithParent(child);
  const url = `http://127.0.0.1:${port}`;
  await waitUntil(() =>
    fetch(`${url}/readyz`).then(
      ({ status }) => status === 404,
      () => false,
    ),
  );
  return {
    url,
    async close() {
      await endProcess(child);
      await rm(home, { recursive: true, force: true });
    },
  };
}

/** Debian installs them where a user without rights may not look. */
const PATH = `${process.env.PATH}:/usr/sbin`;
const missing = (kind: string): string | undefined =>
  spawnSync(kind, ['-v'], { env: { ...process.env, PATH } }).status === 0 ? undefined : `without ${kind}`;

for (const kind of ['haproxy', 'nginx'] as const)
  describeUnless(missing(kind), `behind ${kind} as documented`, () => {
    it('answers each command once while both are stopped and started in turn', async () => {
      const { backends, start, askDuring, stop } = await startInstallation(
        (all) => startProxy(kind, all),
        kind === 'haproxy' ? 5 : 1,
      );
      await askDuring(async () => {
        for (let round = 0; round < ROUNDS; round += 1)
          for (const [at, old] of [...backends].entries()) {
            await endProcess(old.child, 'SIGTERM', 20_000);
            expect(old.child.exitCode).toBe(0);
            backends[at] = await start(old.port);
            // What takes the next one out of turn looks at this one first.
            await delay(2_000);
          }
      });
      await stop();
    }, 300_000);
  });
