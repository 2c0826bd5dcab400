import { setTimeout as delay } from 'node:timers/promises';
import { Queue } from 'bullmq';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { encodePattern, nextOccurrence } from '../../src/delivery/wakeup/recurrence-pattern.ts';
import { createScheduler, type Scheduler } from '../../src/delivery/wakeup/scheduler.ts';
import { StoreUnavailable } from '../../src/domain/failure/index.ts';
import { connectQueue } from '../../src/redis/connect.ts';
import { type TestRedis, testRedis } from '../support/redis.ts';
import { type PendingCommands, watchPending } from '../support/redis-commands.ts';

const TEAM = 'T0TEAM0001';
const DAILY = { cadence: { kind: 'daily' }, time: '09:00', zone: 'Europe/Rome' } as const;
const WEEKLY = { cadence: { kind: 'weekly', weekday: 1 }, time: '08:00', zone: 'UTC' } as const;

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

const recurring = () => stored(async (bull) => (await bull.getJobSchedulers()).map(({ key }) => key));
const nextRun = async () => (await stored((bull) => bull.getJobScheduler(TEAM)))?.next ?? 0;

function ringing(): { readonly rung: string[]; until(count: number): Promise<void> } {
  const rung: string[] = [];
  let told = () => {};
  scheduler.start(async (workspace) => {
    rung.push(workspace);
    told();
  });
  return {
    rung,
    async until(count) {
      while (rung.length < count)
        await new Promise<void>((resolve) => {
          told = resolve;
        });
    },
  };
}

it('wakes a workspace by its timings, a moment after the first of them, the same in every process', async () => {
  await scheduler.setTimings(TEAM, [WEEKLY, DAILY]);
  const next = await nextRun();
  const due = nextOccurrence(encodePattern(TEAM, [DAILY, WEEKLY]), Date.now());
  expect(next).toBe(due);
  expect(await recurring()).toEqual([TEAM]);
});

it('spreads workspaces over twenty seconds after the due instant', () => {
  const after = Date.parse('2026-11-20T07:00:00Z');
  const due = Date.parse('2026-11-20T08:00:00Z');
  const moments = Array.from(
    { length: 500 },
    (_, n) => (nextOccurrence(encodePattern(`T${n}`, [DAILY]), after) ?? 0) - due,
  );
  expect(Math.min(...moments)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...moments)).toBeLessThan(20_000);
  expect(new Set(moments.map((ms) => Math.floor(ms / 1_000))).size).toBe(20);
});

it('finds the moment after the due instant as well as the instant itself', () => {
  const pattern = encodePattern(TEAM, [DAILY]);
  const first = nextOccurrence(pattern, Date.parse('2026-11-20T07:00:00Z')) ?? 0;
  expect(nextOccurrence(pattern, first - 1)).toBe(first);
  expect(nextOccurrence(pattern, first)).toBe(first + 24 * 3_600_000);
});

it('has nothing to say of what is no pattern of ours', () => {
  expect(nextOccurrence('0 9 * * *', 0)).toBeUndefined();
});

it('writes nothing where nothing has changed, so that an overdue run stays', async () => {
  await scheduler.setTimings(TEAM, [DAILY]);
  const before = await stored((bull) => bull.getDelayed());
  await scheduler.setTimings(TEAM, [DAILY, DAILY]);
  const after = await stored((bull) => bull.getDelayed());
  expect(after.map(({ id, timestamp }) => [id, timestamp])).toEqual(
    before.map(({ id, timestamp }) => [id, timestamp]),
  );
});

it('reckons anew what is overdue and has lost its job', async () => {
  await scheduler.setTimings(TEAM, [DAILY]);
  const [job] = await stored((bull) => bull.getDelayed());
  await redis.client.zrem('{tally-0}:deliver:delayed', job?.id ?? '');
  await redis.client.del(`{tally-0}:deliver:${job?.id}`);
  await redis.client.zadd('{tally-0}:deliver:repeat', 1, TEAM);
  await scheduler.setTimings(TEAM, [DAILY]);
  expect(await nextRun()).toBeGreaterThan(Date.now());
});

it('reckons anew when the clock was put forward', async () => {
  await scheduler.setTimings(TEAM, [DAILY]);
  const before = await nextRun();
  ahead = 3 * 24 * 3_600_000 + 3_600_000;
  await scheduler.setTimings(TEAM, [DAILY]);
  expect(await nextRun()).not.toBe(before);
  expect((await nextRun()) + ahead).toBe(nextOccurrence(encodePattern(TEAM, [DAILY]), Date.now() + ahead));
});

it('wakes nobody any more who has no timings', async () => {
  await scheduler.setTimings(TEAM, [DAILY]);
  await scheduler.setTimings(TEAM, []);
  expect(await recurring()).toEqual([]);
  expect(await stored((bull) => bull.getDelayed())).toEqual([]);
});

it('wakes once for one instant, however often and by whomever it was asked', async () => {
  const other = make();
  const at = Date.now() + 200;
  await Promise.all([scheduler.runAt(TEAM, at), other.runAt(TEAM, at), scheduler.runAt(TEAM, at)]);
  const { rung, until } = ringing();
  await until(1);
  await scheduler.runAt('T0TEAM0002', Date.now());
  await until(2);
  expect(rung).toEqual([TEAM, 'T0TEAM0002']);
  await other.stop(1_000);
});

it('wakes once for one second, or for one minute where that is far off', async () => {
  const delayed = async () => (await stored((bull) => bull.getDelayed())).length;
  const soon = Math.ceil(Date.now() / 1_000) * 1_000 + 300_000;
  for (const early of [900, 500]) await scheduler.runAt(TEAM, soon - early);
  expect(await delayed()).toBe(1);
  await scheduler.runAt(TEAM, soon + 500);
  expect(await delayed()).toBe(2);
  const late = Math.ceil(Date.now() / 60_000) * 60_000 + 1_200_000;
  for (const early of [50_000, 20_000]) await scheduler.runAt(TEAM, late - early);
  expect(await delayed()).toBe(3);
  await scheduler.runAt(TEAM, late + 20_000);
  expect(await delayed()).toBe(4);
});

it('wakes at once for what is past, and again for the same workspace afterwards', async () => {
  const { until } = ringing();
  await scheduler.runAt(TEAM, 0);
  await until(1);
  await scheduler.runAt(TEAM, Date.now() + 1_000);
  await until(2);
});

it('goes by its own clock, which may be ahead of the machine’s', async () => {
  ahead = (nextOccurrence(encodePattern(TEAM, [DAILY]), Date.now()) ?? 0) - Date.now() - 300;
  await scheduler.setTimings(TEAM, [DAILY]);
  const { until } = ringing();
  await until(1);
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
  await scheduler.setTimings(TEAM, [DAILY]);
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
  await expect(lost.setTimings(TEAM, [DAILY])).rejects.toBeInstanceOf(StoreUnavailable);
  await lost.stop(100);
  nowhere.disconnect();
});

it('leaves nothing in Redis, and waits with no connection, before anything is scheduled', async () => {
  const { rung } = ringing();
  await scheduler.setTimings(TEAM, []);
  await scheduler.forget(TEAM);
  await delay(200);
  expect(await redis.client.keys('*')).toEqual([]);
  expect(waiting()).toBe(0);
  expect(rung).toEqual([]);
});

it('runs what another process scheduled that ended before it could', async () => {
  const { rung, until } = ringing();
  await delay(100);
  const other = make();
  await other.runAt(TEAM, 0);
  await other.stop(100);
  await until(1);
  expect(rung).toEqual([TEAM]);
});

it('begins to wait for jobs at the first one that it schedules, if it was started', async () => {
  await scheduler.runAt(TEAM, Date.now() + 60_000);
  expect(waiting()).toBe(0);
  const { until } = ringing();
  await scheduler.runAt(TEAM, 0);
  await until(1);
  while (waiting() === 0) await delay(20);
  expect(waiting()).toBe(1);
});

it('ends a process that has nothing scheduled at once', async () => {
  ringing();
  await scheduler.stop(1_000);
  await scheduler.runAt(TEAM, 0);
  await delay(200);
  expect(waiting()).toBe(0);
});
