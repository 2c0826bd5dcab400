/** When a workspace is woken: at its due times, after a change, and after a wake-up was lost. */
import { beforeEach, describe, expect, it } from 'vitest';
import { wakeUpTime } from '../../src/delivery/run-planner.ts';
import { createScheduler, loadOldestOverdue } from '../../src/delivery/wakeup/scheduler.ts';
import { Failure } from '../../src/domain/failure/index.ts';
import { connectQueue } from '../../src/redis/connect.ts';
import { membersKey, recordKey } from '../../src/redis/keys.ts';
import type { Schedule } from '../../src/workspace/owned/schedule-record.ts';
import { createDeletion } from '../../src/workspace/record/deletion.ts';
import { createWorkspaceIndex } from '../../src/workspace/record/workspace-index.ts';
import { finding, save, schedule } from '../support/delivery.ts';
import { startDelivery, TEAM } from '../support/start-delivery.ts';
import { waitUntil } from '../support/wait-until.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let ahead: number;
const delivery = await startDelivery(0, () => ({ clock: () => Date.now() + ahead }));
const { redis, slack } = delivery;

beforeEach(() => {
  ahead = 0;
  slack.now = () => Date.now() + ahead;
});

/** Due a minute ago, and each day again. */
const timing = () => ({
  cadence: { kind: 'daily' as const },
  time: new Date(Date.now() - MINUTE).toISOString().slice(11, 16),
  zone: 'UTC',
});
const given = (one: Partial<Schedule> = {}) =>
  save(redis, TEAM, schedule({ timing: timing(), since: Date.now() - 2 * HOUR, ...one }));
/** The workspaces that will be woken. */
const planned = async () =>
  (await redis.zrange('{tally-0}:deliver:delayed', '0', '-1')).map((job) => job.split('.')[0]);
const posted = () => waitUntil(() => slack.posts.length === 1);
const parts = () => delivery.parts;

describe('a workspace', () => {
  it('is woken at the start for what fell due before, and then for the next date', async () => {
    await given();
    parts().planner.start();
    await posted();
    await waitUntil(async () => (await planned()).join() === TEAM);
  });

  it('is woken for what is due, although nothing has changed since and its process is another one', async () => {
    await given({ since: Date.now() });
    await parts().planner.changed(TEAM);
    ahead = 25 * HOUR;
    await delivery.restart();
    parts().planner.start();
    await posted();
  });

  it('is woken at once for a schedule that was changed and is due', async () => {
    parts().planner.start();
    await given();
    await parts().planner.changed(TEAM);
    await posted();
  });

  it('is planned from what another process changed while it was read', async () => {
    await redis.hset(recordKey(TEAM), 'settings', '{}');
    const index = createWorkspaceIndex(redis);
    let isChanged = false;
    await delivery.restart({
      index: {
        ...index,
        async moveCheck(entry, at) {
          if (!isChanged) {
            isChanged = true;
            await given({ since: Date.now() });
            await index.touch(TEAM);
          }
          return index.moveCheck(entry, at);
        },
      },
    });
    await parts().planner.changed(TEAM);
    expect(await planned()).toEqual([TEAM]);
  });

  it.each<[string, () => Promise<unknown>]>([
    [
      'its wake-up was lost',
      async () => {
        await parts().planner.changed(TEAM);
        await redis.unlink(...(await redis.keys('{tally-0}:*')));
      },
    ],
    [
      'its process ended before it was planned',
      async () => {
        await parts().close();
        await expect(parts().planner.changed(TEAM)).rejects.toThrow();
        await delivery.restart();
      },
    ],
  ])('is found where %s', async (_, lose) => {
    await given({ since: Date.now() });
    await lose();
    expect(await planned()).toEqual([]);
    ahead = 48 * HOUR;
    await parts().planner.repair();
    expect(await planned()).toEqual([TEAM]);
  });

  it('is found among more than are read at a time', async () => {
    const teams = Array.from({ length: 201 }, (_, n) => `T0TEAM${n}`);
    const saved = schedule({ timing: timing(), since: Date.now() });
    await Promise.all(teams.map((team) => save(redis, team, saved)));
    await Promise.all(teams.map((team) => createWorkspaceIndex(redis).touch(team)));
    ahead = HOUR;
    await parts().planner.repair();
    expect((await planned()).sort()).toEqual(teams.sort());
  });

  it('is not woken for a schedule that somebody paused', async () => {
    await given({ paused: { why: 'person', at: 0, by: 'U0OWNER001' } });
    await parts().planner.changed(TEAM);
    expect(await planned()).toEqual([]);
    expect(await redis.keys(`*${TEAM}*`)).toEqual([recordKey(TEAM)]);
  });

  it('that is gone without a word is not woken any more', async () => {
    await given({ since: Date.now() });
    await parts().planner.changed(TEAM);
    await redis.del(recordKey(TEAM));
    ahead = 48 * HOUR;
    await parts().planner.repair();
    expect(await planned()).toEqual([]);
  });

  it('that leaves while its posts are delivered gets none, and leaves nothing that names it', async () => {
    let gone = false;
    await delivery.restart({
      async report() {
        await createDeletion({ redis, others: delivery.parts.scheduler.forget }).workspace(TEAM);
        gone = true;
        return finding('100');
      },
    });
    await given();
    parts().planner.start();
    await waitUntil(async () => {
      const keys = await redis.keys('*');
      const events = await redis.xrange('{tally-0}:deliver:events', '-', '+');
      return gone && !JSON.stringify([keys, events, await planned()]).includes(TEAM);
    });
    expect(slack.posts).toEqual([]);
  });

  it('is looked at anew when the rules of time zones have changed', async () => {
    const index = createWorkspaceIndex(redis);
    await given({ since: Date.now() });
    await parts().planner.changed(TEAM);
    await parts().planner.repair();
    await redis.set('tally:{tally-0}:zones', 'of another year');
    expect(await index.due(0, Date.now(), 10)).toEqual([]);
    await redis.del('tally:{tally-0}:check-lock');
    await index.claimChecks(0, 'a process', 1_000);
    expect(await index.due(0, Date.now(), 10)).toMatchObject([{ workspace: TEAM }]);
  });

  it.each([
    ['is deleted', {}, [], []],
    ['stays if the workspace belongs to it', {}, [TEAM], ['served']],
    ['stays beside anything else', { settings: '{}' }, [], ['served', 'settings']],
  ])('whose organization has left: the note of it %s', async (_, fields, members, left) => {
    await delivery.set({ served: 'E0GRID0001', ...fields });
    if (members.length > 0) await redis.sadd(membersKey('E0GRID0001'), ...members);
    await parts().planner.changed(TEAM);
    expect((await redis.hkeys(recordKey(TEAM))).sort()).toEqual(left);
  });

  it('is woken within twenty seconds of its due time, at a moment of its own', () => {
    const due = Date.UTC(2026, 10, 20, 9);
    const delays = Array.from(
      { length: 500 },
      (_, n) => wakeUpTime(`T${n}`, { nextDue: due }, due - 1)! - due,
    );
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...delays)).toBeLessThan(20_000);
    expect(new Set(delays.map((ms) => Math.floor(ms / 1_000))).size).toBe(20);
  });
});

describe('a wake-up', () => {
  const wake = (team: string, at: number) => parts().scheduler.runAt(team, at);
  /** Starts to work off wake-ups. */
  function start(work: (workspace: string) => Promise<void> = async () => undefined): string[] {
    const woken: string[] = [];
    parts().scheduler.start(async (workspace) => {
      woken.push(workspace);
      await work(workspace);
    });
    return woken;
  }

  it('comes once for one instant, however many processes asked for it', async () => {
    const other = delivery.another();
    const at = Date.now() + 200;
    await Promise.all([wake(TEAM, at), other.scheduler.runAt(TEAM, at), wake(TEAM, at)]);
    await other.close();
    const woken = start();
    await waitUntil(() => woken.length === 1);
    await wake('T0TEAM0002', 0);
    await waitUntil(() => woken.length > 1);
    expect(woken).toEqual([TEAM, 'T0TEAM0002']);
  });

  it('comes again where its run failed, and holds up no other workspace', async () => {
    const queue = connectQueue(delivery.url, () => undefined);
    const quick = { clock: Date.now, onError: () => undefined, pause: 100 };
    const scheduler = createScheduler({ connection: queue, ...quick });
    const woken: string[] = [];
    scheduler.start(async (workspace) => {
      woken.push(workspace);
      if (workspace === TEAM && woken.length < 4) throw new Failure('store-unavailable');
    });
    await scheduler.runAt(TEAM, 0);
    await scheduler.runAt('T0TEAM0002', 0);
    await waitUntil(() => woken.filter((workspace) => workspace === TEAM).length > 1);
    expect(woken).toContain('T0TEAM0002');
    await scheduler.stop(1_000);
    queue.disconnect();
  });

  it('says that the store does not answer instead of waiting for it', async () => {
    const nowhere = connectQueue('unix:///nowhere/redis.sock', () => undefined);
    const lost = createScheduler({
      ...{ connection: nowhere, clock: Date.now, onError: () => undefined, patience: 200 },
    });
    await expect(lost.runAt(TEAM, 0)).rejects.toMatchObject({ kind: 'store-unavailable' });
    await lost.stop(100);
    nowhere.disconnect();
  });

  it('leaves nothing in Redis before anything is scheduled', async () => {
    start();
    await parts().scheduler.forget(TEAM);
    expect(await redis.keys('*')).toEqual([]);
  });

  it('counts as overdue from when it was due, until its run has ended', async () => {
    /** In minutes, as a process sees it whose clock says ten minutes more. */
    const overdue = async () =>
      Math.round((await loadOldestOverdue(redis, () => Date.now() + 10 * MINUTE)) / MINUTE);
    expect(await overdue()).toBe(0);
    await wake('T0TEAM0002', Date.now() + HOUR);
    expect(await overdue()).toBe(0);
    await wake(TEAM, Date.now());
    expect(await overdue()).toBe(10);
    let end = () => {};
    const woken = start(
      () =>
        new Promise((resolve) => {
          end = resolve;
        }),
    );
    await waitUntil(() => woken.length === 1);
    expect(await overdue()).toBe(10);
    end();
    await waitUntil(async () => (await overdue()) === 0);
  });

  it('counts as overdue where it was lost and no check can plan it again, as in a full Redis', async () => {
    const index = createWorkspaceIndex(redis);
    const lost = async (minutes: number) => {
      ahead = minutes * MINUTE;
      return Math.round((await parts().planner.oldestLost()) / MINUTE);
    };
    await index.setCheck('T0TEAM0002', Date.now() + HOUR);
    await index.setCheck(TEAM, Date.now());
    // The check comes two minutes after the run, and is made every minute.
    expect([await lost(0), await lost(1), await lost(10)]).toEqual([0, 0, 12]);
  });
});
