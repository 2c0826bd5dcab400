/**
 * Tally beside a bot of thirty lines that asks the same two questions: each a process of its own under the same load, in
 * turns, started anew each time.
 *
 *     npx tsx bench/floor.ts [rounds]
 */
import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectTo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Redis } from 'ioredis';
import { bundle } from '../build.ts';
import { startBilling } from '../sandbox/billing.ts';
import { freePort } from '../sandbox/bot-process.ts';
import { ROOT, SANDBOX_FOLDER } from '../sandbox/build.ts';
import { startRedis } from '../sandbox/redis.ts';
import { readConfig } from '../src/config.ts';
import { inventProjects, projectAt, saveConnection } from './commands.ts';
import { type Asker, createAsker, type FakeSlack, startFakeSlack } from './far-side.ts';
import { quantile } from './measure.ts';
import { columns } from './table.ts';

const BUNDLE = join(SANDBOX_FOLDER, 'bench');
const TALLY = join(BUNDLE, 'unlimited-bot.js');
const FLOOR_BOT = join(ROOT, 'bench', 'floor-bot.js');
const USAGE_REPORT = pathToFileURL(join(ROOT, 'bench', 'usage-report.js')).href;

const SECRET = 'a-signing-secret-for-the-bench';
const WARM_UP = { commands: 400, atOnce: 8 };
const ONE_BY_ONE = 300;
const STEADY = { aSecond: 200, seconds: 5 };
const CROWD = { commands: 1_500, atOnce: 32 };
/** How long a process is left alone before its memory is read, in ms. */
const SETTLING = 2_000;

/** What is measured, each with its unit. CPU and memory hold on a busy machine too; the other times and the rate do not. */
const MEASURES = {
  'start until it listens': 'ms',
  'start until the first answer': 'ms',
  'CPU until the first answer': 'ms',
  'idle memory': 'MB',
  'CPU a command, one by one': 'ms',
  'time to the answer, p50': 'ms',
  'time to the answer, p99': 'ms',
  [`CPU a command at ${STEADY.aSecond}/s`]: 'ms',
  [`time to the answer at ${STEADY.aSecond}/s, p50`]: 'ms',
  [`time to the answer at ${STEADY.aSecond}/s, p99`]: 'ms',
  [`commands a second, ${CROWD.atOnce} at once`]: '/s',
  [`CPU a command, ${CROWD.atOnce} at once`]: 'ms',
  'memory after the load': 'MB',
} as const;

interface Side {
  readonly script: string;
  readonly env: Record<string, string>;
}

/** @returns the lines of a table: the medians of both, and how many times the floor Tally is */
export async function floor(rounds: number): Promise<string[]> {
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
  const sides: Side[] = [
    { script: TALLY, env: { ...shared, ...own } },
    {
      script: FLOOR_BOT,
      env: { ...shared, BILLING_URL: billing.url, BILLING_TOKEN: billing.tokens[0]?.value ?? '' },
    },
  ];
  const client = new Redis(redis.url.replace(/^unix:\/\//, ''));
  const measured: number[][][] = sides.map(() => []);
  try {
    await saveConnection(client, readConfig({ ...shared, ...own }), billing);
    inventProjects(billing);
    for (let round = 0; round < rounds; round += 1)
      for (const [i, side] of sides.entries()) measured[i]?.push(await measure(side, slack));
  } finally {
    client.disconnect();
    await Promise.all([slack.close(), billing.close(), redis.stop()]);
  }
  const rows = Object.entries(MEASURES).map(([name, unit], at) => {
    const [tally = Number.NaN, bare = Number.NaN] = measured.map((runs) =>
      quantile(
        runs.map((run) => run[at] ?? Number.NaN),
        0.5,
      ),
    );
    return [name, inUnit(tally, unit), inUnit(bare, unit), (tally / bare).toFixed(2)];
  });
  return [
    `Tally beside a bot of thirty lines, /balance, medians of ${rounds} rounds in turns; Redis: ${redis.kind}.`,
    columns([['', 'Tally', 'floor', '×'], ...rows]),
  ];
}

const inUnit = (value: number, unit: string) =>
  `${value.toFixed(unit === '/s' || value >= 100 ? 0 : 2)} ${unit}`;

/** In the order of {@link MEASURES}. */
async function measure({ script, env }: Side, slack: FakeSlack): Promise<number[]> {
  const port = await freePort();
  const begun = performance.now();
  const child = fork(script, {
    env: { ...env, PORT: String(port) },
    execArgv: ['--import', USAGE_REPORT],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const asker = createAsker(slack, `http://127.0.0.1:${port}`, SECRET);
  try {
    await listening(port, child);
    const listens = performance.now() - begun;
    await balance(asker, 0);
    const answers = performance.now() - begun;
    const started = (await usageOf(child)).cpu / 1_000;
    await delay(SETTLING);
    const idle = (await usageOf(child)).memory / 2 ** 20;

    await crowd(asker, WARM_UP);
    const single = await withCpu(child, () => oneByOne(asker));
    const steady = await withCpu(child, () => steadily(asker));
    const begunCrowd = performance.now();
    const crowded = await withCpu(child, () => crowd(asker, CROWD));
    const aSecond = CROWD.commands / ((performance.now() - begunCrowd) / 1_000);
    await delay(SETTLING);
    const after = (await usageOf(child)).memory / 2 ** 20;
    return [
      ...[listens, answers, started, idle],
      ...[...figures(single), ...figures(steady)],
      ...[aSecond, crowded.cpu, after],
    ];
  } finally {
    child.kill('SIGTERM');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    await asker.close();
  }
}

interface Load {
  /** ms each */
  readonly times: readonly number[];
  /** ms for one command */
  readonly cpu: number;
}

const figures = ({ cpu, times }: Load): number[] => [cpu, quantile(times, 0.5), quantile(times, 0.99)];

async function balance(asker: Asker, i: number): Promise<number> {
  const { answer, answered } = await asker.ask('/balance', projectAt(i));
  if (!/ left\b/.test(answer)) throw new Error(`/balance was answered: ${answer}`);
  return answered;
}

async function oneByOne(asker: Asker): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < ONE_BY_ONE; i += 1) times.push(await balance(asker, i));
  return times;
}

/** Each command goes out at its moment, however many are under way; a late one counts from that moment. */
function steadily(asker: Asker): Promise<number[]> {
  const { aSecond, seconds } = STEADY;
  const begun = performance.now();
  return Promise.all(
    Array.from({ length: aSecond * seconds }, async (_, i) => {
      const due = begun + (i * 1_000) / aSecond;
      await delay(Math.max(0, due - performance.now()));
      await balance(asker, i);
      return performance.now() - due;
    }),
  );
}

async function crowd(asker: Asker, size: { commands: number; atOnce: number }): Promise<number[]> {
  const times: number[] = [];
  let next = 0;
  const worker = async () => {
    while (next < size.commands) {
      next += 1;
      times.push(await balance(asker, next));
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

async function usageOf(child: ChildProcess): Promise<{ cpu: number; memory: number }> {
  child.send('usage');
  const [usage] = await once(child, 'message');
  return usage;
}

async function listening(port: number, child: ChildProcess): Promise<void> {
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
  console.log((await floor(Number(process.argv[2] ?? 5))).join('\n'));
}
