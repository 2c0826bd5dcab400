/**
 * Delivers scheduled posts that are due in one minute with two processes, and counts them in a fake Slack. Run directly:
 * ten thousand posts of 500 workspaces; a process is killed after a third of them, Redis after two thirds. With `--bare`
 * nothing is killed, Slack answers at once and each post has a channel of its own; as many empty jobs of BullMQ run before it,
 * by two processes on a Redis of the same kind.
 *
 *     npx tsx bench/deliveries.ts [workspaces] [schedules each] [channels each] [--bare]
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { QUEUE_NAME, queuePrefix } from '../src/redis/keys.ts';
import {
  endProcess,
  startDeliveryProcess,
  startPersistentRedis,
} from '../test/support/delivery-processes.ts';
import { saveManySchedules } from '../test/support/many-schedules.ts';
import { type SlackPost, startMinimalSlack } from '../test/support/minimal-slack.ts';

const MINUTE = 60_000;
const TIMEOUT = 300_000;

interface Size {
  readonly workspaces: number;
  readonly each: number;
  readonly channels: number;
}

/**
 * @param slow how long Slack takes for each post, in ms
 * @param breaks whether to kill a process and Redis; otherwise all posts are overdue when the processes start
 * @returns lines to print
 */
export async function deliveries(
  { workspaces, each, channels }: Size,
  breaks: boolean,
  slow = 150,
): Promise<string[]> {
  const redis = await startPersistentRedis();
  const slack = await startMinimalSlack();
  slack.slow = slow;
  const client = new Redis(redis.url.replace('unix://', ''));
  client.on('error', () => undefined);
  // The next minute that leaves time to start the processes.
  const next = Math.ceil((Date.now() + 15_000) / MINUTE) * MINUTE;
  const due = breaks ? next : Math.floor(Date.now() / MINUTE) * MINUTE;
  await saveManySchedules(client, { workspaces, each, channels, due, since: Math.min(Date.now(), due - 1) });
  // As after any post before: a process that knows of no queue looks for one twice a minute.
  const worked = new Queue(QUEUE_NAME, { connection: client, prefix: queuePrefix(0) });
  await worked.waitUntilReady();
  await worked.close();
  const start = () => startDeliveryProcess(redis.url, slack.url);
  const [first, second] = await Promise.all([start(), start()]);
  const readCpu = cpuReader([first, second], client);
  const from = breaks ? due : Date.now();
  const all = workspaces * each;
  const keyOf = ({ workspace, key }: SlackPost): string => `${workspace} ${key}`;
  const seen = new Set<string>();
  let counted = 0;
  // Only those that came since: counting all of them each time would take a core of the machine.
  const distinct = (): number => {
    for (const post of slack.posts.slice(counted)) seen.add(keyOf(post));
    counted = slack.posts.length;
    return seen.size;
  };
  const waitForPosts = async (count: number) => {
    while (distinct() < count && Date.now() < from + TIMEOUT) await delay(50);
  };
  const events: string[] = [];
  const note = (what: string) =>
    events.push(
      `${what} at ${((Date.now() - from) / 1000).toFixed(1)} s, with ${slack.posts.length} posts out`,
    );
  if (breaks) {
    await waitForPosts(all / 3);
    await endProcess(first, 'SIGKILL');
    note('a process was killed');
    await waitForPosts((all * 2) / 3);
    await redis.restart();
    note('Redis was killed and started again');
  }
  await waitForPosts(all);
  const cpu = breaks ? [] : [`CPU seconds: ${await readCpu()}`];
  const times = slack.posts.map(({ at }) => (at - from) / 1000).sort((a, b) => a - b);
  const share = (part: number) => times[Math.floor((times.length - 1) * part)]?.toFixed(1);
  client.disconnect();
  await Promise.all([endProcess(first), endProcess(second)]);
  await Promise.all([slack.close(), redis.stop()]);
  return [
    `${all} scheduled posts of ${workspaces} workspaces, ${channels} channels each, by two processes:`,
    ...events,
    `posts ${slack.posts.length}, duplicates ${slack.posts.length - distinct()}, lost ${all - distinct()}`,
    `seconds: half ${share(0.5)}, 90 % ${share(0.9)}, 99 % ${share(0.99)}, all ${share(1)}`,
    `marked as possibly posted twice: ${slack.posts.filter(({ blocks }) => blocks.includes('may be a duplicate')).length}`,
    ...cpu,
    `history calls: ${slack.calls.filter(({ method }) => method === 'conversations.history').length}`,
  ];
}

/** The kernel's clock ticks a second, for `/proc`. */
const TICKS = 100;

/** @returns a function that says what two processes and their Redis have used since, as far as the system tells */
function cpuReader(processes: readonly ChildProcess[], client: Redis): () => Promise<string> {
  const used = () =>
    processes.map(({ pid }) => {
      const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
      const [user, system] = stat
        .slice(stat.lastIndexOf(')') + 2)
        .split(' ')
        .slice(11);
      return (Number(user) + Number(system)) / TICKS;
    });
  const usedByRedis = async () => {
    const found = [...(await client.info('cpu')).matchAll(/^used_cpu_(?:user|sys):([\d.]+)/gm)];
    return found.reduce((sum, [, seconds]) => sum + Number(seconds), 0);
  };
  if (process.platform !== 'linux') return async () => 'not known here';
  const before = used();
  const redisBefore = usedByRedis();
  return async () => {
    const each = used().map((seconds, at) => (seconds - (before[at] ?? 0)).toFixed(1));
    return `${each.join(' + ')}, Redis ${((await usedByRedis()) - (await redisBefore)).toFixed(1)}`;
  };
}

const EMPTY_JOBS = fileURLToPath(new URL('empty-jobs.js', import.meta.url));

/** How long two processes take for jobs of BullMQ that do nothing: what a delivery cannot be faster than. */
async function emptyJobs(count: number): Promise<string> {
  const redis = await startPersistentRedis();
  const socket = redis.url.replace('unix://', '');
  const client = new Redis(socket, { maxRetriesPerRequest: null });
  const queue = new Queue('empty', { connection: client });
  const jobs = Array.from({ length: count }, () => ({
    name: 'empty',
    data: {},
    opts: { removeOnComplete: true },
  }));
  await queue.addBulk(jobs);
  const workers = [1, 2].map(() => fork(EMPTY_JOBS, [socket]));
  await Promise.all(workers.map((worker) => once(worker, 'message')));
  const readCpu = cpuReader(workers, client);
  const from = performance.now();
  for (const worker of workers) worker.send('start');
  while ((await queue.getJobCountByTypes('wait', 'active')) > 0) await delay(20);
  const took = (performance.now() - from) / 1_000;
  const cpu = await readCpu();
  await Promise.all(workers.map((worker: ChildProcess) => endProcess(worker)));
  await queue.close();
  client.disconnect();
  await redis.stop();
  return `${count} empty jobs of BullMQ by two processes: ${took.toFixed(1)} s; CPU seconds: ${cpu}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const isBare = process.argv.includes('--bare');
  const sizes = process.argv.slice(2).filter((word) => word !== '--bare');
  const [workspaces = 500, each = 20, channels = isBare ? each : 5] = sizes.map(Number);
  const size = { workspaces, each, channels };
  if (isBare) console.log(await emptyJobs(workspaces * each));
  console.log((await deliveries(size, !isBare, isBare ? 0 : 150)).join('\n'));
}
