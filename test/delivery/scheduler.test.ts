import { setTimeout as delay } from 'node:timers/promises';
import { Queue } from 'bullmq';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createScheduler, type Scheduler } from '../../src/delivery/wakeup/scheduler.ts';
import { StoreUnavailable } from '../../src/domain/failure/index.ts';
import { connectQueue } from '../../src/redis/connect.ts';
import { type TestRedis, testRedis } from '../support/redis.ts';
import { type PendingCommands, watchPending } from '../support/redis-commands.ts';

const TEAM = 'T0TEAM0001';

let redis: TestRedis;
let queue: ReturnType<typeof connectQueue>;
let scheduler: Scheduler;
let pending: PendingCommands;
let ahead: number;

beforeEach(async () => {
  redis = await testRedis();
  pending = watchPending(redis);
  queue = connectQueue(redis.url, () => undefined);
  ahead = 0;
  scheduler = make();
});

afterEach(async () => {
  await scheduler.stop(1_000);
  queue.disconnect();
  pending.stop();
  await redis.close();
});

const make = () =>
  createScheduler({
    connection: queue,
    clock: () => Date.now() + ahead,
    onError: () => undefined,
    pause: 200,
    lookAgain: 50,
  });

/** Workers that wait for a job. */
const waiting = () => pending.count('bzpopmin');

/** What BullMQ has in store. */
async function stored<T>(look: (bull: Queue) => Promise<T>): Promise<T> {
  const bull = new Queue('deliver', { connection: queue, prefix: '{tally-0}' });
  try {
    return await look(bull);
  } finally {
    await bull.close();
  }
}

function startCounting(work: () => Promise<void> = async () => undefined): {
  readonly woken: string[];
  until(count: number): Promise<void>;
} {
  const woken: string[] = [];
  let noted = () => {};
  scheduler.start(async (workspace) => {
    woken.push(workspace);
    await work();
    noted();
  });
  return {
    woken,
    async until(count) {
      while (woken.length < count)
        await new Promise<void>((resolve) => {
          noted = resolve;
        });
    },
  };
}

it('wakes once for one instant, however often and by however many processes it was asked', async () => {
  const other = make();
  const at = Date.now() + 200;
  await Promise.all([scheduler.runAt(TEAM, at), other.runAt(TEAM, at), scheduler.runAt(TEAM, at)]);
  const { woken, until } = startCounting();
  await until(1);
  await scheduler.runAt('T0TEAM0002', Date.now());
  await until(2);
  expect(woken).toEqual([TEAM, 'T0TEAM0002']);
  await other.stop(1_000);
});

it('wakes at once for what is past, and again for the same workspace afterwards', async () => {
  const { until } = startCounting();
  await scheduler.runAt(TEAM, 0);
  await until(1);
  await scheduler.runAt(TEAM, Date.now() + 1_000);
  await until(2);
});

it('goes by its own clock, which may be ahead of the machine’s', async () => {
  ahead = 24 * 3_600_000;
  await scheduler.runAt(TEAM, Date.now() + ahead + 300);
  const { until } = startCounting();
  await until(1);
});

it('wakes again for the instant of a run that a clock began too early', async () => {
  const at = Date.now() + 100;
  const { woken, until } = startCounting(async () => {
    if (woken.length === 1) await scheduler.runAt(TEAM, at);
  });
  await scheduler.runAt(TEAM, at);
  await until(2);
});

it('runs again what failed', async () => {
  let runs = 0;
  const twice = new Promise<void>((resolve) => {
    scheduler.start(async () => {
      runs += 1;
      if (runs === 2) return resolve();
      throw new StoreUnavailable();
    });
  });
  await scheduler.runAt(TEAM, 0);
  await twice;
});

it('carries the workspace’s id and nothing else, and leaves nothing of one that has left', async () => {
  await scheduler.runAt(TEAM, Date.now() + 60_000);
  await scheduler.runAt(TEAM, 0);
  const jobs = await stored((bull) => bull.getJobs(['delayed', 'waiting']));
  expect(jobs.length).toBeGreaterThanOrEqual(2);
  for (const { data } of jobs) expect(data).toEqual({ workspace: TEAM });
  await scheduler.forget(TEAM);
  expect(await redis.client.keys(`*${TEAM}*`)).toEqual([]);
  expect(await stored((bull) => bull.getJobs())).toEqual([]);
  expect(JSON.stringify(await redis.client.xrange('{tally-0}:deliver:events', '-', '+'))).not.toContain(TEAM);
});

it('says that the store does not answer instead of waiting for it', async () => {
  const nowhere = connectQueue('unix:///nowhere/redis.sock', () => undefined);
  const lost = createScheduler({
    connection: nowhere,
    clock: Date.now,
    onError: () => undefined,
    patience: 200,
  });
  await expect(lost.runAt(TEAM, 0)).rejects.toBeInstanceOf(StoreUnavailable);
  await expect(lost.forget(TEAM)).rejects.toBeInstanceOf(StoreUnavailable);
  await lost.stop(100);
  nowhere.disconnect();
});

it('leaves nothing in Redis, and waits with no connection, before anything is scheduled', async () => {
  const { woken } = startCounting();
  await scheduler.forget(TEAM);
  await delay(200);
  expect(await redis.client.keys('*')).toEqual([]);
  expect(waiting()).toBe(0);
  expect(woken).toEqual([]);
});

it('runs what another process scheduled that ended before it could', async () => {
  const { woken, until } = startCounting();
  await delay(100);
  const other = make();
  await other.runAt(TEAM, 0);
  await other.stop(100);
  await until(1);
  expect(woken).toEqual([TEAM]);
});

it('begins to wait for jobs at the first one that it schedules, if it was started', async () => {
  await scheduler.runAt(TEAM, Date.now() + 60_000);
  expect(waiting()).toBe(0);
  const { until } = startCounting();
  await scheduler.runAt(TEAM, 0);
  await until(1);
  while (waiting() === 0) await delay(20);
  expect(waiting()).toBe(1);
});

it('ends a process that has nothing scheduled at once', async () => {
  startCounting();
  await scheduler.stop(1_000);
  await scheduler.runAt(TEAM, 0);
  await delay(200);
  expect(waiting()).toBe(0);
});
