import type { Logger } from 'pino';
import { resumesByItself, type Schedule } from '../workspace/schedules.ts';
import type { Workspaces } from '../workspace/workspaces.ts';
import { type Delivery, isIdle } from './delivery.ts';
import type { DeliveryLog, DeliveryLogSnapshot } from './delivery-log.ts';
import { planDeliveries } from './plan.ts';
import type { Scheduler } from './scheduler.ts';

export interface EngineParts {
  readonly scheduler: Scheduler;
  readonly delivery: Delivery;
  readonly workspaces: Workspaces;
  readonly deliveryLog: DeliveryLog;
  /** Every workspace that has schedules. @throws StoreUnavailable */
  readonly scheduledWorkspaces: () => Promise<readonly string[]>;
  /** ms since the epoch */
  readonly clock: () => number;
  readonly log: Logger;
}

/** What forms and lists of schedules need from delivery. */
export interface Scheduling {
  /** The workspace's schedules changed: derives its scheduled runs again. */
  changed(workspace: string): Promise<void>;
  /** What became of the due dates so far. @throws StoreUnavailable */
  readLog(workspace: string): Promise<DeliveryLogSnapshot>;
  /**
   * Posts what the schedule would, as of now, without using up a due date. The post says that it is a test, or who
   * asked for it. `schedule` need not be saved.
   *
   * @throws Failure: CannotPost where the channel does not take it, and whatever the report throws
   */
  send(workspace: string, schedule: Schedule, why: 'test' | 'now', by: string): Promise<void>;
}

export interface Engine extends Scheduling {
  /** Delivers from now on, overdue posts first. */
  start(): void;
  /** Derives all scheduled runs from the records, overdue ones at once. @throws StoreUnavailable */
  repair(): Promise<void>;
  /** Begins no further post, and lets running ones end within `patience` ms. */
  stop(patience: number): Promise<void>;
}

/** Scheduled runs that were lost are missed no longer than this, in ms. */
const REPAIR_INTERVAL = 600_000;
/** After a repair that failed, in ms. */
const REPAIR_RETRY = 5_000;
const PARALLEL = 20;

/**
 * Schedules runs, delivers, and schedules again. Records and delivery log hold the truth; scheduled runs are derived
 * from them and may be lost.
 */
export function createEngine(parts: EngineParts): Engine {
  const { scheduler, delivery, deliveryLog, log } = parts;
  const repairs = repeatRepairs(parts);

  const changed = (workspace: string) => rescheduleRuns(parts, workspace);
  return {
    changed,
    readLog: deliveryLog.read,
    async send(workspace, schedule, why, by) {
      await delivery.send(workspace, schedule, why, by);
      if (schedule.paused === undefined) return;
      // What works by hand may end Tally's own pause.
      await changed(workspace).catch((err: unknown) =>
        log.warn({ err, workspace }, 'could not reschedule a workspace; the next repair will'),
      );
    },
    repair: () => repairAll(parts, () => false),
    start() {
      scheduler.start(async (workspace) => {
        const next = await delivery.run(workspace);
        if (next === undefined) return;
        await scheduler.runAt(workspace, next);
        await forgetIfGone(parts, workspace);
      });
      repairs.start();
    },
    async stop(patience) {
      repairs.stop();
      delivery.stop();
      await scheduler.stop(patience);
    },
  };
}

async function rescheduleRuns(parts: EngineParts, teamId: string): Promise<void> {
  const { workspaces, deliveryLog, scheduler, clock } = parts;
  const [workspace, snapshot] = await Promise.all([workspaces.read(teamId), deliveryLog.read(teamId)]);
  const active = workspace.schedules.filter(
    ({ paused }) => paused === undefined || resumesByItself(paused.why),
  );
  await scheduler.setTimings(
    teamId,
    active.map(({ timing }) => timing),
  );
  const now = clock();
  const plan = planDeliveries(workspace, snapshot, now);
  const next = isIdle(plan) ? plan.next : now;
  if (next !== undefined) await scheduler.runAt(teamId, next);
  if (active.length > 0 || next !== undefined) await forgetIfGone(parts, teamId);
}

/** A workspace that was removed during the call must leave no scheduled run behind. */
async function forgetIfGone({ workspaces, scheduler }: EngineParts, teamId: string): Promise<void> {
  const { fields } = await workspaces.read(teamId);
  if (Object.keys(fields).length === 0) await scheduler.forget(teamId);
}

async function repairAll(parts: EngineParts, isStopped: () => boolean): Promise<void> {
  const scheduled = await parts.scheduledWorkspaces();
  const queue = [...scheduled];
  const work = async () => {
    for (let one = queue.shift(); one !== undefined && !isStopped(); one = queue.shift())
      await rescheduleRuns(parts, one);
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
  const known = new Set(scheduled);
  for (const one of await parts.scheduler.workspaces()) if (!known.has(one)) await rescheduleRuns(parts, one);
}

function repeatRepairs(parts: EngineParts) {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const repeat = async (): Promise<void> => {
    const isDone = await repairAll(parts, () => isStopped).then(
      () => true,
      (err: unknown) => {
        if (!isStopped) parts.log.warn({ err }, 'could not derive scheduled runs; trying again soon');
        return false;
      },
    );
    if (isStopped) return;
    // At another moment than the processes that started together with this one.
    const pause = isDone ? REPAIR_INTERVAL * (0.75 + Math.random() / 2) : REPAIR_RETRY;
    timer = setTimeout(() => void repeat(), pause);
    timer.unref();
  };
  return {
    start: () => void repeat(),
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
