/** Measures whole commands, from the signed request to the message at the `response_url`, with a real Redis. */
import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { Agent } from 'undici';
import { type BillingService, startBilling } from '../sandbox/billing.ts';
import { startRedis } from '../sandbox/redis.ts';
import { createTally } from '../src/app.ts';
import { type Config, parseConfig } from '../src/config/config.ts';
import { createLog } from '../src/ops/log.ts';
import { createKeyring } from '../src/vault/keyring.ts';
import { createWorkspaces } from '../src/workspace/record/workspaces.ts';
import { UNLIMITED } from '../test/support/no-rate-limits.ts';
import { type Counter, createCounter, formatCounts } from './call-counter.ts';
import {
  type Baseline,
  type CommandSender,
  createCommandSender,
  post,
  startBaseline,
  startFakeSlack,
} from './fake-slack.ts';
import { compareWaiting, type Line, line, waitFor } from './measure.ts';

const RUNS = 150;
const AT_ONCE = { questions: 200, projects: 100, identical: 50 } as const;
const SECRET = 'a-signing-secret-for-the-bench';
/** Bytes, about as large as billing's answers and Tally's message. */
const SIZES = { answer: 500, message: 2_500 } as const;

export interface Report {
  readonly lines: readonly Line[];
  readonly notes: readonly string[];
}

interface Bench {
  readonly sender: CommandSender;
  readonly counter: Counter;
  readonly baseline: Baseline;
  readonly billing: BillingService;
}

export async function commands(): Promise<Report> {
  const bench = await setUp();
  try {
    const warm = await oneAtATime(bench);
    const crowd = await allAtOnce(bench);
    const same = await identical(bench);
    return {
      lines: [...warm.lines, ...crowd.lines],
      notes: [`Redis: ${bench.redisKind}.`, ...warm.notes, ...crowd.notes, ...same],
    };
  } finally {
    await bench.close();
  }
}

async function setUp() {
  const [server, billing, slack] = await Promise.all([startRedis(), startBilling(), startFakeSlack()]);
  const { redis, port, sender, stop } = await startBenchBot(server.url, slack, billing);
  setUpProjects(billing);
  const counter = createCounter(redis, billing, slack, port);
  const baseline = await startBaseline(slack, redis, SIZES);
  return {
    sender,
    counter,
    baseline,
    billing,
    redisKind: server.kind,
    async close() {
      counter.close();
      await Promise.all([stop(), baseline.close()]);
      await Promise.all([slack.close(), billing.close(), server.stop()]);
    },
  };
}

/** A bot with one connection. All load comes from one person, so rate limits are off, and so are loading messages. */
export async function startBenchBot(
  redisUrl: string,
  slack: Awaited<ReturnType<typeof startFakeSlack>>,
  billing: Parameters<typeof saveConnection>[2],
) {
  const config = parseConfig({
    SLACK_SIGNING_SECRET: SECRET,
    SLACK_BOT_TOKEN: 'xoxb-for-the-bench',
    SLACK_API_URL: `${slack.url}/api/`,
    REDIS_URL: redisUrl,
    ENCRYPTION_KEYS: `bench:${randomBytes(32).toString('base64')}`,
    TRUSTED_API_HOSTS: '127.0.0.1',
  });
  const redis = new Redis(redisUrl.replace(/^unix:\/\//, ''));
  await saveConnection(redis, config, billing);
  const tally = createTally(
    { ...config, http: { port: 0, shutdownDelay: 0 } },
    createLog('error'),
    Date.now,
    UNLIMITED,
    { message: 60_000, modal: 2_500 },
  );
  const port = await tally.start();
  const sender = createCommandSender(slack, `http://127.0.0.1:${port}`, SECRET);
  return {
    redis,
    port,
    sender,
    async stop() {
      await sender.close();
      await tally.stop();
      redis.disconnect();
    },
  };
}

/** Saves the connection of the bench's workspace, like `/billing connect`. */
export async function saveConnection(
  redis: Redis,
  { keys }: Config,
  billing: Pick<BillingService, 'url'> & { readonly tokens: readonly { readonly value: string }[] },
): Promise<void> {
  const workspaces = createWorkspaces({ redis, keyring: createKeyring(keys) });
  const workspace = await workspaces.load('T0BENCH');
  await workspaces.saveConnection(
    { workspace, entries: [] },
    {
      name: 'main',
      baseUrl: billing.url,
      token: billing.tokens[0]?.value ?? '',
      role: 'read-only',
      lifetime: '30-days',
      registeredBy: 'U0BENCH',
      registeredAt: Date.now(),
    },
  );
}

/** Creates projects from `10001` on, each with a balance and a week of usage. */
export function setUpProjects(billing: BillingService): void {
  const week = Array.from({ length: 7 }, (_, i) => new Date(Date.now() - (i + 1) * 86_400_000));
  const items = week.map((day) => ({
    day: day.toISOString().slice(0, 10),
    totalAmount: '29800.12',
    totalBonuses: '0',
  }));
  for (let i = 0; i < AT_ONCE.projects; i += 1) {
    billing.setBalance(projectAt(i), '{"balance":1234567.80,"bonuses":12000}', 1);
    billing.setItems(projectAt(i), JSON.stringify(items), 1);
  }
}

export const projectAt = (i: number): string => String(10_001 + (i % AT_ONCE.projects));

async function sendAndCheck(sender: CommandSender, command: string, text: string) {
  const times = await sender.send(command, text);
  const figure = command === '/balance' ? / left\b/ : / spent\b/;
  if (!figure.test(times.answer)) throw new Error(`Unexpected answer to ${command} ${text}: ${times.answer}`);
  return times;
}

async function oneAtATime({ sender, counter, baseline, billing }: Bench): Promise<Report> {
  const lines: Line[] = [];
  const notes: string[] = [];
  for (const [command, text] of [
    ['/balance', '123'],
    ['/spend', '123'],
  ] as const) {
    const run = () => sendAndCheck(sender, command, text);
    for (let i = 0; i < 30; i += 1) await Promise.all([run(), baseline.run()]);
    const { counts } = await counter.during(run);
    notes.push(`A warm ${command} ${text}: ${formatCounts(counts)}.`);
    const bare = { name: 'the same hops between bare servers', run: () => baseline.run() };
    lines.push(await compareWaiting({ name: `${command} ${text}, request to answer`, run }, bare, RUNS));
    lines.push(await billingAlone(billing));
  }
  return { lines, notes };
}

/** Repeats the last two queries without the bot, to show the sandbox's share of the time. */
async function billingAlone({ url, requests, tokens }: BillingService): Promise<Line> {
  const bodies = requests.slice(-2).map(({ query }) => JSON.stringify({ query }));
  const headers = { 'content-type': 'application/json', 'x-user-token': tokens[0]?.value ?? '' };
  const agent = new Agent({ pipelining: 1 });
  const times: number[] = [];
  for (let i = 0; i < RUNS; i += 1) {
    times.push(
      await waitFor(() =>
        Promise.all(bodies.map((body) => post(agent, `${url}/bill/graphql`, body, headers))),
      ),
    );
  }
  await agent.close();
  return line('  of which the sandbox’s billing', times);
}

async function allAtOnce({ sender, counter, baseline }: Bench): Promise<Report> {
  const { questions, projects } = AT_ONCE;
  const each = Array.from({ length: questions }, (_, i) => projectAt(i));
  const sendAll = () => Promise.all(each.map((project) => sendAndCheck(sender, '/balance', project)));
  await sendAll();
  const startedAt = performance.now();
  const { result, counts } = await counter.during(sendAll);
  const took = performance.now() - startedAt;
  const bare = await waitFor(() => Promise.all(each.map(() => baseline.run())));
  const slowest = Math.max(...result.map(({ acknowledged }) => acknowledged));
  return {
    lines: [
      line(
        `/balance, ${questions} at once, each`,
        result.map((answer) => answer.answered),
      ),
    ],
    notes: [
      `${questions} /balance at once for ${projects} projects: all answered in ${took.toFixed(0)} ms ` +
        `(${rate(questions, took)}), bare hops ${bare.toFixed(0)} ms (${rate(questions, bare)}); slowest ` +
        `acknowledgement ${slowest.toFixed(0)} ms of Slack’s 3,000. ${formatCounts(counts)}.`,
    ],
  };
}

const rate = (count: number, ms: number): string => `${Math.round((count / ms) * 1000)} a second`;

async function identical({ sender, counter }: Bench): Promise<string[]> {
  const { identical: count } = AT_ONCE;
  const run = () => Promise.all(Array.from({ length: count }, () => sendAndCheck(sender, '/balance', '123')));
  const { counts } = await counter.during(run);
  return [`${count} times the same /balance 123 at once: ${formatCounts(counts)}.`];
}
