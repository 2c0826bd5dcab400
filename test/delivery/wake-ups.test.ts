/** When a workspace is woken: when something is due, after a change, or after its wake-up was lost. */
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { newMessage, putMessage } from '../../src/delivery/delivery-log.ts';
import type { MessageKind } from '../../src/delivery/outbox/message-kind.ts';
import { createWakeUps } from '../../src/delivery/wake-ups.ts';
import { Failure } from '../../src/domain/failure/index.ts';
import { connectQueue } from '../../src/redis/connect.ts';
import { INDEX_KEY, recordKey } from '../../src/redis/keys.ts';
import { createWorkspaceDeleter, createWorkspaceIndex } from '../../src/workspace/record/workspace-store.ts';
import { openWakeUps } from '../support/delivery.ts';
import { createRunner } from '../support/delivery-runner.ts';
import { startMinimalSlack } from '../support/minimal-slack.ts';
import { testRedis, workspaceKeys } from '../support/redis.ts';
import { waitUntil } from '../support/wait-until.ts';

const TEAM = 'T0TEAM0001';
const HOUR = 3_600_000;
const store = await testRedis();
const slack = await startMinimalSlack();
const redis = store.client;
const index = createWorkspaceIndex(redis);
afterAll(() => Promise.all([store.close(), slack.close()]));

/** By this machine's clock; undefined for never. */
let due: number | undefined;
let prepare: () => Promise<void>;
const noteKind: MessageKind<object> = {
  name: 'notice',
  about: z.object({}),
  async prepare() {
    await prepare();
    return { projects: [], render: () => ({ text: 'Hello', blocks: [] }) };
  },
  plan: ({ snapshot, now }) => {
    const isOut = snapshot.messages.length > 0;
    const isDue = due !== undefined && due <= now && !isOut;
    const writes = isDue ? [putMessage(newMessage('notice/one/C0COSTS001', 'C0COSTS001', {}, now))] : [];
    return { writes, next: isOut || isDue ? undefined : due };
  },
};

let ending: (() => Promise<void>)[];
const startProcess = () => {
  const { parts, runner } = createRunner({ redis, slackUrl: slack.url }, [noteKind]);
  const queue = connectQueue(store.url, () => undefined);
  const planner = createWakeUps({ ...parts, queue, runner });
  ending.push(async () => {
    await planner.stop(2_000);
    queue.disconnect();
  });
  return planner;
};
/** The wake-ups of a process. @param run what each run does */
const queueOf = (run?: (workspace: string) => Promise<void>, clock = Date.now) => {
  const wakeUps = openWakeUps(redis, store.url, { ...(run && { run }), clock });
  ending.push(wakeUps.close);
  return wakeUps;
};
/** The workspaces with a waiting wake-up. */
const planned = async () => {
  const keys = await redis.keys('{tally}:deliver:de:*');
  return keys.map((key) => key.split(':').at(-1)).filter((id) => id !== 'sweep');
};
const posted = () => waitUntil(() => slack.posts.length === 1);

beforeEach(async () => {
  await redis.flushdb();
  slack.restore();
  [due, ending] = [undefined, []];
  prepare = async () => undefined;
  await index.touch(TEAM);
  await redis.hset(recordKey(TEAM), 'settings', '{}');
});
afterEach(async () => {
  for (const end of ending) await end();
});

describe('the work for a workspace', () => {
  it('is done when a process starts, if it was due earlier', async () => {
    due = Date.now() - HOUR;
    startProcess().start();
    await posted();
  });

  it('is done by any running process when it falls due', async () => {
    due = Date.now() + 1_500;
    await startProcess().changed(TEAM);
    startProcess().start();
    await posted();
    expect(Date.now()).toBeGreaterThanOrEqual(due);
  });

  it('is done at once if a change makes it due', async () => {
    const planner = startProcess();
    planner.start();
    await waitUntil(async () => (await planned()).length === 0);
    due = Date.now();
    await planner.changed(TEAM);
    await posted();
  });

  it('is still done if the workspace’s data changes while a process does the work', async () => {
    due = Date.now() + 50;
    const planner = startProcess();
    prepare = async () => {
      prepare = async () => undefined;
      await redis.hdel(`tally:{${TEAM}}:delivery-log`, 'notice/one/C0COSTS001');
    };
    planner.start();
    await planner.changed(TEAM);
    await posted();
    await waitUntil(async () => (await planned()).length === 0);
  });

  it('is planned again when a process starts, if the plan was lost', async () => {
    due = Date.now() + 3 * HOUR;
    const planner = startProcess();
    planner.start();
    await waitUntil(async () => (await planned()).join() === TEAM);
    await redis.unlink(...(await redis.keys('{tally}:*')));
    startProcess().start();
    await waitUntil(async () => (await planned()).join() === TEAM);
  });

  it('is not planned while nothing is due', async () => {
    startProcess().start();
    await waitUntil(async () => (await redis.llen('{tally}:deliver:wait')) === 0);
    await waitUntil(async () => (await planned()).length === 0);
  });

  it('is dropped if the workspace’s data disappears without an uninstall event', async () => {
    due = Date.now();
    await redis.del(recordKey(TEAM));
    await redis.zadd(INDEX_KEY, 0, TEAM);
    startProcess().start();
    await waitUntil(async () => (await redis.exists(INDEX_KEY)) === 0);
    expect(slack.posts).toEqual([]);
  });

  it('leaves no trace in the queue if Tally is uninstalled meanwhile', async () => {
    due = Date.now();
    const planner = startProcess();
    prepare = () => createWorkspaceDeleter({ redis, others: planner.forget }).workspace(TEAM);
    planner.start();
    await waitUntil(async () => (await workspaceKeys(redis)).length === 0);
    const events = await redis.xrange('{tally}:deliver:events', '-', '+');
    expect(JSON.stringify([events, await planned()])).not.toContain(TEAM);
    expect(slack.posts).toEqual([]);
  });
});

describe('a planned job of a workspace', () => {
  it('runs only once, at the time that was requested last', async () => {
    const woken: string[] = [];
    const [one, other] = [queueOf(async (workspace) => void woken.push(workspace)), queueOf()];
    await Promise.all([one.wake(TEAM, Date.now() + HOUR), other.wake(TEAM, Date.now() + 50)]);
    await one.wake(TEAM, Date.now() + 200);
    await redis.del(INDEX_KEY);
    one.start();
    await waitUntil(() => woken.length === 1);
    await one.wake('T0TEAM0002', 0);
    await waitUntil(() => woken.length > 1);
    expect(woken).toEqual([TEAM, 'T0TEAM0002']);
  });

  it('is repeated if it failed, and doesn’t delay other workspaces’ jobs', async () => {
    const woken: string[] = [];
    const wakeUps = queueOf(async (workspace) => {
      woken.push(workspace);
      if (workspace === TEAM && woken.filter((team) => team === TEAM).length < 2)
        throw new Failure('store-unavailable');
    });
    wakeUps.start();
    await wakeUps.wake(TEAM, 0);
    await wakeUps.wake('T0TEAM0002', 0);
    await waitUntil(() => woken.filter((workspace) => workspace === TEAM).length > 1);
    expect(woken).toContain('T0TEAM0002');
  });

  it('runs after the workspace’s current job ends, not at the same time', async () => {
    let running = 0;
    let most = 0;
    let runs = 0;
    const wakeUps = queueOf(async () => {
      running += 1;
      runs += 1;
      most = Math.max(most, running);
      if (runs === 1) await Promise.all([wakeUps.wake(TEAM, 0), wakeUps.wake(TEAM, 0)]);
      await new Promise((resolve) => setTimeout(resolve, 100));
      running -= 1;
    });
    wakeUps.start();
    await wakeUps.wake(TEAM, 0);
    await waitUntil(() => runs === 2);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect([runs, most]).toEqual([2, 1]);
  });

  it('is dropped if its workspace is deleted before the current job ends', async () => {
    let runs = 0;
    const wakeUps = queueOf(async () => {
      runs += 1;
      await wakeUps.wake(TEAM, Date.now() + HOUR);
      await wakeUps.forget(TEAM);
    });
    wakeUps.start();
    await wakeUps.wake(TEAM, 0);
    await waitUntil(async () => runs > 0 && (await redis.llen('{tally}:deliver:active')) === 0);
    expect(await planned()).toEqual([]);
  });

  it('is rejected quickly if Redis can’t be reached', async () => {
    const lost = openWakeUps(redis, 'unix:///nowhere/redis.sock');
    await expect(lost.wake(TEAM, 0)).rejects.toMatchObject({ kind: 'store-unavailable' });
    await lost.close();
  });

  it('counts as overdue from its planned time until it has ended', async () => {
    let end = () => {};
    let isRunning = false;
    const running = () =>
      new Promise<void>((resolve) => {
        isRunning = true;
        end = resolve;
      });
    // This process's clock is ten minutes ahead.
    const wakeUps = queueOf(running, () => Date.now() + 10 * 60_000);
    await redis.del(INDEX_KEY);
    const overdue = async () => Math.round(((await wakeUps.oldestOverdue()) ?? 0) / 60_000);
    expect(await overdue()).toBe(0);
    await queueOf().wake('T0TEAM0002', Date.now() + HOUR);
    expect(await overdue()).toBe(0);
    await queueOf().wake(TEAM, Date.now());
    expect(await overdue()).toBe(10);
    wakeUps.start();
    await waitUntil(() => isRunning);
    expect(await overdue()).toBe(10);
    end();
    await waitUntil(async () => (await overdue()) === 0);
  });
});
