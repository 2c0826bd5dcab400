/**
 * Compares Tally with a thirty-line Bolt bot that sends the same two queries. Each runs in its own process under
 * the same load, against the sandbox's Slack and billing.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect as connectTo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { Redis } from 'ioredis';
import { bundle } from '../build.js';
import { type BillingService, startBilling } from '../sandbox/billing.ts';
import { freePort } from '../sandbox/bot-process.ts';
import { ROOT, SANDBOX_FOLDER } from '../sandbox/build.ts';
import { startRedis } from '../sandbox/redis.ts';
import { OWNER, type Slack, startSlack } from '../sandbox/slack/index.ts';
import { TEAM } from '../sandbox/slack/people.ts';
import { parseConfig } from '../src/config/config.ts';
import { createKeyring } from '../src/vault/keyring.ts';
import { createWorkspaces } from '../src/workspace/record/workspace-repository.ts';

const BUNDLE = join(SANDBOX_FOLDER, 'bench');
const USAGE_REPORT = pathToFileURL(join(ROOT, 'bench', 'usage-report.js')).href;
const SLACK = {
  signingSecret: '0123456789abcdef0123456789abcdef',
  botToken: 'xoxb-for-the-bench',
  manifest: {},
  mode: 'http',
  botUrl: () => '',
} as const;
const PROJECTS = 100;
const WARM_UP = 400;
const ONE_BY_ONE = 300;
const STEADY = { perSecond: 200, commands: 1_000 };
const CONCURRENT = { commands: 1_500, atOnce: 32 };
/** How long a process rests before its memory is read, in ms. */
const REST = 2_000;

/** @returns table rows: the medians of both bots, and Tally's as a multiple of the baseline's */
export async function compareWithBolt(runs: number): Promise<string[][]> {
  await bundle(['bench/unlimited-bot.ts'], BUNDLE);
  const [redis, billing, slack] = await Promise.all([startRedis(), startBilling(), startSlack(SLACK)]);
  const answers = await startAnswers();
  const shared = {
    PATH: process.env.PATH ?? '',
    SLACK_BOT_TOKEN: SLACK.botToken,
    SLACK_SIGNING_SECRET: SLACK.signingSecret,
    SLACK_API_URL: `${slack.url}/api/`,
  };
  const tally = {
    ...shared,
    REDIS_URL: redis.url,
    ENCRYPTION_KEYS: `bench:${randomBytes(32).toString('base64')}`,
    TRUSTED_API_HOSTS: '127.0.0.1',
    LOG_LEVEL: 'error',
  };
  const bare = { ...shared, BILLING_URL: billing.url, BILLING_TOKEN: billing.tokens[0]?.value ?? '' };
  const bots = [
    { script: join(BUNDLE, 'unlimited-bot.js'), env: tally },
    { script: join(ROOT, 'bench', 'bolt-bot.js'), env: bare },
  ];
  const measured: Record<string, number>[][] = bots.map(() => []);
  try {
    await setUp(tally, billing);
    for (let run = 0; run < runs; run += 1)
      for (const [i, { script, env }] of bots.entries())
        measured[i]?.push(await measure(script, env, slack, answers));
  } finally {
    answers.close();
    await Promise.all([slack.close(), billing.close(), redis.stop()]);
  }
  const rows = Object.keys(measured[0]?.[0] ?? {}).map((name) => {
    const [ours = Number.NaN, theirs = Number.NaN] = measured.map((runs) =>
      quantile(
        runs.map((run) => run[name] ?? Number.NaN),
        0.5,
      ),
    );
    return [name, rounded(ours), rounded(theirs), (ours / theirs).toFixed(2)];
  });
  return [['', 'Tally', 'baseline', '×'], ...rows];
}

const rounded = (value: number): string => value.toFixed(value < 100 ? 2 : 0);

const projectAt = (i: number): string => String(10_001 + (i % PROJECTS));

/** Saves a connection, and projects with a balance and a week of usage each. */
async function setUp(env: NodeJS.ProcessEnv, billing: BillingService): Promise<void> {
  const { keys, redisUrl } = parseConfig(env);
  const redis = new Redis(redisUrl.replace(/^unix:\/\//, ''));
  const workspaces = createWorkspaces({ redis, keyring: createKeyring(keys) });
  const change = { workspace: await workspaces.load(TEAM), entries: [] };
  await workspaces.saveConnection(change, {
    name: 'main',
    baseUrl: billing.url,
    token: billing.tokens[0]?.value ?? '',
    role: 'read-only',
    lifetime: '30-days',
    registeredBy: OWNER,
    registeredAt: Date.now(),
  });
  redis.disconnect();
  const items = Array.from({ length: 7 }, (_, i) => ({
    day: new Date(Date.now() - (i + 1) * 86_400_000).toISOString().slice(0, 10),
    totalAmount: '29800.12',
    totalBonuses: '0',
  }));
  for (let i = 0; i < PROJECTS; i += 1) {
    billing.setBalance(projectAt(i), '{"balance":1234567.80,"bonuses":12000}', 1);
    billing.setItems(projectAt(i), JSON.stringify(items), 1);
  }
}

/** Receives the answers posted to `response_url`s. */
async function startAnswers() {
  const waiting = new Map<string, (text: string) => void>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    response.end('ok');
    waiting.get(request.url ?? '')?.(JSON.parse(Buffer.concat(chunks).toString()).text);
    waiting.delete(request.url ?? '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let issued = 0;
  return {
    next() {
      const path = `/${++issued}`;
      const text = new Promise<string>((resolve) => waiting.set(path, resolve));
      return { responseUrl: `${url}${path}`, text };
    },
    close: () => server.close().closeAllConnections(),
  };
}

type Answers = Awaited<ReturnType<typeof startAnswers>>;

/** Times are in ms, memory in MB. On a busy machine only CPU and memory are reliable. */
async function measure(
  script: string,
  env: Record<string, string>,
  slack: Slack,
  answers: Answers,
): Promise<Record<string, number>> {
  const port = await freePort();
  const startedAt = performance.now();
  const child = fork(script, {
    env: { ...env, PORT: String(port) },
    execArgv: ['--import', USAGE_REPORT],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const send = async (i: number, since = performance.now()): Promise<number> => {
    const { responseUrl, text } = answers.next();
    const fields = { command: '/balance', text: projectAt(i), team_id: TEAM, user_id: OWNER };
    const rest = { channel_id: 'C0BENCH', trigger_id: responseUrl, response_url: responseUrl };
    const body = new URLSearchParams({ ...fields, ...rest }).toString();
    const headers = { 'content-type': 'application/x-www-form-urlencoded', ...slack.signed(body) };
    const url = `http://127.0.0.1:${port}/slack/events`;
    const { status } = await fetch(url, { method: 'POST', headers, body });
    if (status !== 200) throw new Error(`The bot answered ${status}.`);
    const answer = await text;
    if (!/ left\b/.test(answer)) throw new Error(`Unexpected answer: ${answer}`);
    return performance.now() - since;
  };
  const sendAtOnce = async (commands: number, atOnce: number) => {
    const times: number[] = [];
    let next = 0;
    const sender = async () => {
      while (next < commands) times.push(await send(next++));
    };
    await Promise.all(Array.from({ length: atOnce }, sender));
    return times;
  };
  const withCpu = async (work: () => Promise<number[]>) => {
    const before = await usageOf(child);
    const from = performance.now();
    const times = await work();
    const perSecond = (1_000 * times.length) / (performance.now() - from);
    const cpu = ((await usageOf(child)).cpu - before.cpu) / 1_000 / times.length;
    return { cpu, perSecond, p50: quantile(times, 0.5), p99: quantile(times, 0.99) };
  };
  const memory = async () => {
    await delay(REST);
    return (await usageOf(child)).memory / 2 ** 20;
  };
  try {
    await waitUntilListening(port, child);
    const listens = performance.now() - startedAt;
    await send(0);
    const started = { answered: performance.now() - startedAt, cpu: (await usageOf(child)).cpu / 1_000 };
    const idle = await memory();
    await sendAtOnce(WARM_UP, 8);
    const single = await withCpu(() => sendAtOnce(ONE_BY_ONE, 1));
    // A command that is sent late counts from its planned moment.
    const steadyFrom = performance.now();
    const steady = await withCpu(() =>
      Promise.all(
        Array.from({ length: STEADY.commands }, async (_, i) => {
          const due = steadyFrom + (i * 1_000) / STEADY.perSecond;
          await delay(Math.max(0, due - performance.now()));
          return send(i, due);
        }),
      ),
    );
    const concurrent = await withCpu(() => sendAtOnce(CONCURRENT.commands, CONCURRENT.atOnce));
    return {
      'start until it listens, ms': listens,
      'start until the first answer, ms': started.answered,
      'CPU until the first answer, ms': started.cpu,
      'idle memory, MB': idle,
      'CPU a command, one by one, ms': single.cpu,
      'one by one, p50, ms': single.p50,
      'one by one, p99, ms': single.p99,
      'CPU a command at 200/s, ms': steady.cpu,
      'at 200/s, p99, ms': steady.p99,
      'commands a second, 32 at once': concurrent.perSecond,
      'CPU a command, 32 at once, ms': concurrent.cpu,
      'memory after the load, MB': await memory(),
    };
  } finally {
    child.kill('SIGTERM');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
}

/** @returns CPU time in µs and memory in bytes, from a process that has loaded `usage-report.js` */
async function usageOf(child: ChildProcess): Promise<{ cpu: number; memory: number }> {
  child.send('usage');
  const [usage] = await once(child, 'message');
  return usage;
}

function quantile(times: readonly number[], q: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
}

async function waitUntilListening(port: number, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const socket = connectTo({ port, host: '127.0.0.1' });
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isOpen) return;
    await delay(2);
  }
  throw new Error(`The bot ended with code ${child.exitCode} before it listened.`);
}
