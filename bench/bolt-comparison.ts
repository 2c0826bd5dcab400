/**
 * Compares Tally with a thirty-line Bolt bot that sends the same two queries. Both run in turn as separate processes,
 * under the same load.
 *
 *     npx tsx bench/bolt-comparison.ts [runs]
 */
import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectTo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Redis } from 'ioredis';
import { bundle } from '../build.js';
import { startBilling } from '../sandbox/billing.ts';
import { freePort } from '../sandbox/bot-process.ts';
import { ROOT, SANDBOX_FOLDER } from '../sandbox/build.ts';
import { startRedis } from '../sandbox/redis.ts';
import { parseConfig } from '../src/config/config.ts';
import { sendBalance, sendSteadily, usageOf } from './balance-load.ts';
import { saveConnection, setUpProjects } from './commands.ts';
import { type CommandSender, createCommandSender, type FakeSlack, startFakeSlack } from './fake-slack.ts';
import { quantile } from './measure.ts';
import { columns } from './table.ts';

const BUNDLE = join(SANDBOX_FOLDER, 'bench');
const TALLY = join(BUNDLE, 'unlimited-bot.js');
const BOLT_BOT = join(ROOT, 'bench', 'bolt-bot.js');
const USAGE_REPORT = pathToFileURL(join(ROOT, 'bench', 'usage-report.js')).href;

const SECRET = 'a-signing-secret-for-the-bench';
const WARM_UP = { commands: 400, atOnce: 8 };
const ONE_BY_ONE = 300;
const STEADY_RATE = { perSecond: 200, seconds: 5 };
const CONCURRENT = { commands: 1_500, atOnce: 32 };
/** How long a process rests before its memory is read, in ms. */
const REST = 2_000;

/** The metrics and their units. Only CPU and memory are reliable on a busy machine. */
const METRICS = {
  'start until it listens': 'ms',
  'start until the first answer': 'ms',
  'CPU until the first answer': 'ms',
  'idle memory': 'MB',
  'CPU a command, one by one': 'ms',
  'time to the answer, p50': 'ms',
  'time to the answer, p99': 'ms',
  [`CPU a command at ${STEADY_RATE.perSecond}/s`]: 'ms',
  [`time to the answer at ${STEADY_RATE.perSecond}/s, p50`]: 'ms',
  [`time to the answer at ${STEADY_RATE.perSecond}/s, p99`]: 'ms',
  [`commands a second, ${CONCURRENT.atOnce} at once`]: '/s',
  [`CPU a command, ${CONCURRENT.atOnce} at once`]: 'ms',
  'CPU a command, one by one, once V8 has compiled it all': 'ms',
  [`CPU a command, the first ${WARM_UP.commands + ONE_BY_ONE}`]: 'ms',
  'CPU a command, all of them': 'ms',
  'memory after the load': 'MB',
} as const;

interface BotUnderTest {
  readonly script: string;
  readonly env: Record<string, string>;
}

/** @returns the lines of a table: the medians of both bots, and Tally's as a multiple of the baseline's */
export async function compareWithBolt(runs: number): Promise<string[]> {
  await bundle(['bench/unlimited-bot.ts'], BUNDLE);
  const [redis, billing, slack] = await Promise.all([startRedis(), startBilling(), startFakeSlack()]);
  const shared = {
    PATH: process.env.PATH ?? '',
    SLACK_BOT_TOKEN: 'xoxb-for-the-bench',
    SLACK_SIGNING_SECRET: SECRET,
    SLACK_API_URL: `${slack.url}/api/`,
  };
  const own = {
    REDIS_URL: redis.url,
    ENCRYPTION_KEYS: `bench:${randomBytes(32).toString('base64')}`,
    TRUSTED_API_HOSTS: '127.0.0.1',
    LOG_LEVEL: 'error',
  };
  const bots: BotUnderTest[] = [
    { script: TALLY, env: { ...shared, ...own } },
    {
      script: BOLT_BOT,
      env: { ...shared, BILLING_URL: billing.url, BILLING_TOKEN: billing.tokens[0]?.value ?? '' },
    },
  ];
  const client = new Redis(redis.url.replace(/^unix:\/\//, ''));
  const measured: number[][][] = bots.map(() => []);
  try {
    await saveConnection(client, parseConfig({ ...shared, ...own }), billing);
    setUpProjects(billing);
    for (let run = 0; run < runs; run += 1)
      for (const [i, side] of bots.entries()) measured[i]?.push(await measure(side, slack));
  } finally {
    client.disconnect();
    await Promise.all([slack.close(), billing.close(), redis.stop()]);
  }
  const rows = Object.entries(METRICS).map(([name, unit], at) => {
    const [tally = Number.NaN, bare = Number.NaN] = measured.map((runs) =>
      quantile(
        runs.map((run) => run[at] ?? Number.NaN),
        0.5,
      ),
    );
    return [name, inUnit(tally, unit), inUnit(bare, unit), (tally / bare).toFixed(2)];
  });
  return [
    `Tally and a thirty-line Bolt bot, /balance, medians of ${runs} runs each; Redis: ${redis.kind}.`,
    columns([['', 'Tally', 'baseline', '×'], ...rows]),
  ];
}

const inUnit = (value: number, unit: string) =>
  `${value.toFixed(unit === '/s' || value >= 100 ? 0 : 2)} ${unit}`;

/** Returns figures in the order of {@link METRICS}. */
async function measure({ script, env }: BotUnderTest, slack: FakeSlack): Promise<number[]> {
  const port = await freePort();
  const startedAt = performance.now();
  const child = fork(script, {
    env: { ...env, PORT: String(port) },
    execArgv: ['--import', USAGE_REPORT],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const sender = createCommandSender(slack, `http://127.0.0.1:${port}`, SECRET);
  try {
    await waitUntilListening(port, child);
    const listens = performance.now() - startedAt;
    await sendBalance(sender, 0);
    const answers = performance.now() - startedAt;
    const started = (await usageOf(child)).cpu / 1_000;
    await delay(REST);
    const idle = (await usageOf(child)).memory / 2 ** 20;

    const warmUp = await withCpu(child, () => sendConcurrently(sender, WARM_UP));
    const single = await withCpu(child, () => sendOneByOne(sender));
    const steady = await withCpu(child, () =>
      sendSteadily(sender, STEADY_RATE.perSecond * STEADY_RATE.seconds, STEADY_RATE.perSecond),
    );
    const concurrentFrom = performance.now();
    const concurrent = await withCpu(child, () => sendConcurrently(sender, CONCURRENT));
    const perSecond = CONCURRENT.commands / ((performance.now() - concurrentFrom) / 1_000);
    const compiled = await withCpu(child, () => sendOneByOne(sender));
    await delay(REST);
    const after = (await usageOf(child)).memory / 2 ** 20;
    return [
      ...[listens, answers, started, idle],
      ...[...figures(single), ...figures(steady)],
      ...[perSecond, concurrent.cpu, compiled.cpu],
      ...[cpuOfAll([warmUp, single]), cpuOfAll([warmUp, single, steady, concurrent, compiled]), after],
    ];
  } finally {
    child.kill('SIGTERM');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    await sender.close();
  }
}

interface Load {
  /** ms each */
  readonly times: readonly number[];
  /** ms for one command */
  readonly cpu: number;
}

const figures = ({ cpu, times }: Load): number[] => [cpu, quantile(times, 0.5), quantile(times, 0.99)];

/** @returns ms for one command of all of them */
const cpuOfAll = (loads: readonly Load[]): number =>
  sumOf(loads, ({ cpu, times }) => cpu * times.length) / sumOf(loads, ({ times }) => times.length);

const sumOf = <T>(values: readonly T[], amount: (value: T) => number): number =>
  values.reduce((sum, value) => sum + amount(value), 0);

async function sendOneByOne(sender: CommandSender): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < ONE_BY_ONE; i += 1) times.push(await sendBalance(sender, i));
  return times;
}

async function sendConcurrently(
  sender: CommandSender,
  size: { commands: number; atOnce: number },
): Promise<number[]> {
  const times: number[] = [];
  let next = 0;
  const worker = async () => {
    while (next < size.commands) {
      next += 1;
      times.push(await sendBalance(sender, next));
    }
  };
  await Promise.all(Array.from({ length: size.atOnce }, worker));
  return times;
}

async function withCpu(child: ChildProcess, work: () => Promise<number[]>): Promise<Load> {
  const before = await usageOf(child);
  const times = await work();
  const { cpu } = await usageOf(child);
  return { times, cpu: (cpu - before.cpu) / 1_000 / times.length };
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

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log((await compareWithBolt(Number(process.argv[2] ?? 5))).join('\n'));
}
