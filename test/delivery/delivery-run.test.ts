/** One run for one workspace: when it stops, how it keeps to Slack's pace, and what it was refused. */
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type DeliveryRun,
  type DeliveryRunParts,
  LeaseLostError,
  ScheduleChangedError,
  startDeliveryRun,
} from '../../src/delivery/delivery-run.ts';
import { type DeliveryLog, LEASE_MS } from '../../src/delivery/log/delivery-log.ts';
import { type ReportQuestion, runReport } from '../../src/delivery/posts/run-report.ts';
import { createWorkspaceRunner } from '../../src/delivery/workspace-runner.ts';
import { StoreUnavailable } from '../../src/domain/failure/index.ts';
import type { Workspace } from '../../src/workspace/record/workspace.ts';
import { createAnswerStore } from '../../src/workspace/service-outcomes.ts';
import { finding, schedule } from '../support/delivery.ts';
import { deliveryLogOf, recordedRun, workspacesOf } from '../support/delivery-records.ts';
import { CLIENT, workspaceOf } from '../support/records.ts';
import { startVirtualTime, type VirtualTime } from '../support/virtual-time.ts';

const NINE = Date.parse('2026-11-20T08:00:00Z');
const LEASE = { teamId: 'T1', token: 'x' };
/** Nothing answers there. */
const NO_SLACK = 'http://127.0.0.1:9/';

const runs: DeliveryRun[] = [];
afterEach(() => {
  for (const run of runs.splice(0)) run.end();
});

/** A run with its lease. @param log in place of the delivery log’s own methods */
function start({
  log: parts = {},
  ...given
}: Omit<Partial<DeliveryRunParts>, 'log'> & { log?: Partial<DeliveryLog> } = {}) {
  const calls: unknown[] = [];
  const noted =
    <T>(name: string, answer: T) =>
    async (...args: unknown[]) => {
      calls.push([name, ...args]);
      return answer;
    };
  const { context } = recordedRun(NO_SLACK, NINE, () => finding('1'));
  const run = startDeliveryRun({
    ...context,
    deliveryLog: deliveryLogOf({
      write: noted('write', 'written' as const),
      ...{ backOff: noted('backOff', undefined), renew: noted('renew', true) },
      ...parts,
    }),
    clientFor: noted('clientFor', CLIENT),
    ...given,
  });
  runs.push(run);
  return { run, calls };
}
function openPromise() {
  let resolve: (read: Workspace) => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<Workspace>((...settle) => {
    [resolve, reject] = settle;
  });
  return { promise, resolve, reject };
}

describe('a run', () => {
  it('reads the record once for all callers at the same time, and gives nobody an older read', async () => {
    const reads: ReturnType<typeof openPromise>[] = [];
    const load = () => {
      const pending = openPromise();
      reads.push(pending);
      return pending.promise;
    };
    const { run } = start({ workspaces: workspacesOf({ load }) });
    const [before, later] = [workspaceOf(), workspaceOf()];
    const first = [run.loadWorkspace(), run.loadWorkspace()];
    await delay(0);
    const second = [run.loadWorkspace(), run.loadWorkspace()];
    await delay(0);
    expect(reads).toHaveLength(1);
    reads[0]?.resolve(before);
    for (const read of await Promise.all(first)) expect(read).toBe(before);
    await delay(0);
    expect(reads).toHaveLength(2);
    reads[1]?.reject(new StoreUnavailable());
    expect((await Promise.allSettled(second)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const after = run.loadWorkspace();
    await delay(0);
    reads[2]?.resolve(later);
    expect(await after).toBe(later);
  });

  it('is over once the process stops, and once Slack limits the rate', async () => {
    const { run, calls } = start();
    expect([run.isOver(), run.teamId]).toEqual([false, 'T1']);
    await run.backOff(NINE + 7);
    expect(run.isOver()).toBe(true);
    expect(calls).toEqual([['backOff', LEASE, NINE + 7]]);
    const controller = new AbortController();
    const { run: stopping } = start({ stopping: controller.signal });
    expect(stopping.isOver()).toBe(false);
    controller.abort();
    expect(stopping.isOver()).toBe(true);
  });

  it('has one client', async () => {
    const { run, calls } = start();
    expect(await Promise.all([run.client(), run.client()])).toEqual([CLIENT, CLIENT]);
    expect(calls).toEqual([['clientFor', 'T1']]);
  });

  it('writes to the log with its lease', async () => {
    const { run, calls } = start();
    const write = { name: 'watch/x', before: undefined, value: 1, needsLease: true };
    expect(await run.write(write)).toBe('written');
    expect(calls).toEqual([['write', LEASE, write]]);
  });

  describe('holds its lease', () => {
    let time: VirtualTime;
    beforeEach(() => {
      time = startVirtualTime();
    });
    afterEach(() => time.end());

    /** How often it was renewed, after what, and what the run can still do. */
    function hold(renew: () => Promise<boolean>) {
      const at: number[] = [];
      const { run, calls } = start({
        log: {
          renew: () => {
            at.push(time.now());
            return renew();
          },
        },
      });
      const write = (needsLease?: boolean) =>
        run.write({
          name: 'x',
          before: undefined,
          value: 1,
          ...(needsLease !== undefined && { needsLease }),
        });
      return { run, calls, at, write };
    }

    it('and renews it four times in its life, until it ends', async () => {
      const { run, at } = hold(async () => true);
      await time.pass(LEASE_MS);
      expect(at).toEqual([1, 2, 3, 4].map((n) => (n * LEASE_MS) / 4));
      await time.pass(10 * LEASE_MS);
      expect(run.isOver()).toBe(false);
      run.end();
      await time.pass(LEASE_MS);
      expect(at).toHaveLength(44);
    });

    it('until another run has it; then it writes only what needs no lease', async () => {
      const { run, write, calls } = hold(async () => false);
      expect(await write(true)).toBe('written');
      await time.pass(LEASE_MS / 4);
      expect(run.isOver()).toBe(true);
      await expect(write(true)).rejects.toBeInstanceOf(LeaseLostError);
      expect(calls).toHaveLength(1);
      expect([await write(false), await write()]).toEqual(['written', 'written']);
    });

    it('for its whole life while the store is away, from the last renewal', async () => {
      let isAway = false;
      const { run } = hold(async () => {
        if (isAway) throw new StoreUnavailable();
        return true;
      });
      await time.pass(LEASE_MS / 4);
      isAway = true;
      await time.pass(LEASE_MS - 1);
      expect(run.isOver()).toBe(false);
      await time.pass(1);
      expect(run.isOver()).toBe(true);
      isAway = false;
      await time.pass(LEASE_MS / 4);
      expect(run.isOver()).toBe(false);
    });

    it('by the instant when its last renewal began', async () => {
      const answers: ((isHeld: boolean) => void)[] = [];
      const { run } = hold(() => new Promise((resolve) => void answers.push(resolve)));
      await time.pass(LEASE_MS - 1);
      answers[0]?.(true);
      await time.pass(LEASE_MS / 4);
      expect(run.isOver()).toBe(false);
      await time.pass(1);
      expect(run.isOver()).toBe(true);
    });
  });

  describe('leaves a second between two posts to one channel', () => {
    /** Whether it would wait: with a process that stops, the wait is given up at once. */
    const waits = async (
      lastPost: number | undefined,
      noted?: { readonly channel: string; readonly at: number },
    ) => {
      let now = NINE;
      const { run } = start({ stopping: AbortSignal.abort(), clock: () => now });
      if (noted !== undefined) {
        now = noted.at;
        run.rememberPost(noted.channel);
        now = NINE;
      }
      return run.waitForChannel('C1', lastPost).then(
        () => false,
        () => true,
      );
    };

    it('whichever schedule posted last', async () => {
      expect(await waits(undefined)).toBe(false);
      expect(await waits(NINE)).toBe(true);
      expect(await waits(NINE - 1_049)).toBe(true);
      expect(await waits(NINE - 1_050)).toBe(false);
      expect(await waits(undefined, { channel: 'C1', at: NINE - 1_049 })).toBe(true);
      expect(await waits(NINE - 5_000, { channel: 'C1', at: NINE - 1_049 })).toBe(true);
      expect(await waits(NINE - 1_049, { channel: 'C1', at: NINE - 5_000 })).toBe(true);
      expect(await waits(undefined, { channel: 'C2', at: NINE })).toBe(false);
    });

    it('and not longer if the clock went back', async () => {
      const { run } = start();
      await run.waitForChannel('C1', NINE + 86_400_000);
    });
  });
});

describe('a delivery', () => {
  it('records that its lease was lost, and runs again; its caller handles other failures', async () => {
    const outcomes: string[] = [];
    const released: unknown[] = [];
    const { context } = recordedRun(NO_SLACK, NINE, () => finding('1'));
    const ends = (error: Error) =>
      createWorkspaceRunner({
        ...context,
        deliveryLog: deliveryLogOf({
          lease: async () => LEASE,
          load: () => Promise.reject(error),
          async release(lease) {
            released.push(lease);
            throw new StoreUnavailable();
          },
        }),
        ...{ jobs: [], answerStore: createAnswerStore(context.workspaces, () => undefined) },
        onFinished: ({ outcome }) => void outcomes.push(outcome),
      });
    expect(await ends(new LeaseLostError()).run('T1')).toEqual({ next: NINE + 3_000 });
    const mistake = new TypeError('a mistake');
    await expect(ends(mistake).run('T1')).rejects.toBe(mistake);
    const stopped = ends(mistake);
    stopped.stop();
    expect(await stopped.run('T1')).toEqual({ next: NINE });
    expect(outcomes).toEqual(['lease-lost', 'unknown', 'stopped']);
    expect(released).toEqual([LEASE, LEASE, LEASE]);
  });
});

describe('a report', () => {
  it('is asked with the workspace’s zone unless another one is given, as of no later than now', async () => {
    const questions: ReportQuestion[] = [];
    const { context } = recordedRun(NO_SLACK, NINE, (question) => {
      questions.push(question);
      return finding('1');
    });
    const request = schedule({
      timing: { cadence: { kind: 'weekdays' }, time: '09:00', zone: 'Europe/Rome' },
    });
    await runReport(request, NINE + 5, context);
    await runReport({ ...request, zone: 'Asia/Tokyo' }, NINE - 5, context);
    expect(questions.map(({ at, zone }) => [at, zone])).toEqual([
      [NINE, 'UTC'],
      [NINE - 5, 'Asia/Tokyo'],
    ]);
    const monday = Date.parse('2026-11-23T08:00:00Z');
    await runReport(request, monday, { ...context, clock: () => monday });
    expect(questions.at(-1)?.days).toBe(3);
  });

  it('is not asked for with settings that are damaged', async () => {
    const workspace = workspaceOf({ fields: { settings: '{' } });
    const { context } = recordedRun(NO_SLACK, NINE, () => finding('1'), { workspace });
    await expect(runReport(schedule(), NINE, context)).rejects.toMatchObject({ kind: 'settings-damaged' });
  });
});

it.each([LeaseLostError, ScheduleChangedError])('%o says in the log what happened', (Kind) => {
  expect(new Kind().message).toMatch(/^[A-Z].+\.$/);
});
