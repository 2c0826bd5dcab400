import pino from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createRepairs } from '../../src/delivery/run-planner.ts';
import { createScheduler, loadOldestOverdue, type Scheduler } from '../../src/delivery/wakeup/scheduler.ts';
import { connectQueue } from '../../src/redis/connect.ts';
import { createWorkspaceIndex } from '../../src/workspace/record/workspace-index.ts';
import { type TestRedis, testRedis } from '../support/redis.ts';
import { commandsOf } from '../support/redis-commands.ts';
import { waitUntil } from '../support/wait-until.ts';

const [FIRST, SECOND] = ['T0FIRST001', 'T0SECOND01'] as const;
const MINUTE = 60_000;

let redis: TestRedis;
let queue: ReturnType<typeof connectQueue>;
let scheduler: Scheduler;

beforeEach(async () => {
  redis = await testRedis();
  queue = connectQueue(redis.url, () => undefined);
  scheduler = createScheduler({
    connection: queue,
    clock: Date.now,
    onError: () => undefined,
    pause: 100,
    lookAgain: 50,
  });
});

afterEach(async () => {
  await scheduler.stop(1_000);
  queue.disconnect();
  await redis.close();
});

/** As a process sees it whose clock says that many minutes later. */
const overdueAfter = async (minutes: number): Promise<number> =>
  (await loadOldestOverdue(redis.client, () => Date.now() + minutes * MINUTE)) / MINUTE;

it('is zero if nothing was ever scheduled, or only for later', async () => {
  expect(await overdueAfter(0)).toBe(0);
  await scheduler.runAt(FIRST, Date.now() + 60 * MINUTE);
  expect(await overdueAfter(0)).toBe(0);
});

it('is zero, and never negative, when the clock advances while it is read', async () => {
  let now = Date.now();
  const ticking = () => {
    now += 1;
    return now;
  };
  expect(await loadOldestOverdue(redis.client, ticking)).toBe(0);
});

it('is the age of the oldest of all workspaces’ runs that nobody takes', async () => {
  await scheduler.runAt(FIRST, Date.now());
  await scheduler.runAt(SECOND, Date.now() + 5_000);
  expect(await overdueAfter(10)).toBeCloseTo(10, 0);
});

it('counts a run that began and does not end, until it ends', async () => {
  let end = () => {};
  const began = new Promise<void>((resolve) =>
    scheduler.start(async () => {
      resolve();
      await new Promise<void>((done) => {
        end = done;
      });
    }),
  );
  await scheduler.runAt(FIRST, Date.now());
  await began;
  expect(await overdueAfter(10)).toBeCloseTo(10, 0);
  end();
  await waitUntil(async () => (await overdueAfter(10)) === 0);
});

it('counts a run that fails from when it was due, although it is tried again', async () => {
  const tried: string[] = [];
  scheduler.start(async (workspace) => {
    tried.push(workspace);
    if (workspace === FIRST) throw new Error('It fails.');
  });
  await scheduler.runAt(FIRST, Date.now());
  await scheduler.runAt(SECOND, Date.now());
  await waitUntil(() => tried.filter((workspace) => workspace === FIRST).length > 2);
  expect(tried).toContain(SECOND);
  expect(await overdueAfter(10)).toBeCloseTo(10, 0);
});

it('counts a run that failed too often and that no check can schedule again, as in a full Redis', async () => {
  const index = createWorkspaceIndex(redis.client);
  const now = Date.now();
  const lostAfter = async (minutes: number) => {
    const parts = { index, clock: () => now + minutes * MINUTE, log: pino({ enabled: false }) };
    return (await createRepairs(parts, async () => undefined).oldestLost()) / MINUTE;
  };
  await index.setCheck(FIRST, now + 60 * MINUTE);
  await index.setCheck(SECOND, now);
  // The check comes two minutes after the run, and is made every minute.
  expect([await lostAfter(0), await lostAfter(1), await lostAfter(10)]).toEqual([0, 0, 12]);
  await index.setCheck(SECOND, 0);
  expect(await lostAfter(10)).toBe(0);
});

it('reads as little for a thousand workspaces as for one', async () => {
  for (let i = 0; i < 1_000; i += 1)
    await redis.client.zadd('{tally-0}:deliver:delayed', Date.now() * 4096, `T${i}.${1_000 + i}`);
  await overdueAfter(0);
  const commands = await commandsOf(
    redis,
    () => overdueAfter(0),
    () => false,
  );
  expect(commands).toEqual(['zrangebyscore', 'lrange', 'lrange']);
});
