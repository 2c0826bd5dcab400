import type { Logger } from 'pino';
import type { Scheduling } from '../features/schedules/scheduling.ts';
import { resumesByItself } from '../workspace/schedules.ts';
import type { Workspaces } from '../workspace/workspaces.ts';
import { type Delivery, isIdle } from './delivery.ts';
import type { DeliveryLog } from './delivery-log.ts';
import { planDeliveries } from './plan.ts';
import type { Scheduler } from './scheduler.ts';

export interface EngineParts {
  readonly alarms: Scheduler;
  readonly delivery: Delivery;
  readonly workspaces: Workspaces;
  readonly ledger: DeliveryLog;
  /** Every workspace that has schedules. @throws StoreUnavailable */
  readonly scheduled: () => Promise<readonly string[]>;
  /** ms since the epoch */
  readonly clock: () => number;
  readonly log: Logger;
}

export interface Engine extends Scheduling {
  /** Delivers from now on, what is overdue first. */
  start(): void;
  /** Derives from the records when everybody is woken, and wakes whoever has something overdue. @throws StoreUnavailable */
  repair(): Promise<void>;
  /** Begins no further post, and lets those under way end within `patience` ms. */
  stop(patience: number): Promise<void>;
}

/** Wake-ups that were lost are missed no longer than this, in ms. */
const REPAIRS = 600_000;
/** Where the store was away at the start, in ms. */
const AGAIN = 5_000;
const AT_ONCE = 20;

/** Wakes, delivers, and wakes again: the record and the ledger are the truth, the alarms are derived from them. */
export function createEngine(parts: EngineParts): Engine {
  const { alarms, delivery, workspaces, ledger, scheduled, clock, log } = parts;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  async function ring(workspace: string): Promise<void> {
    const next = await delivery.run(workspace);
    if (next === undefined) return;
    await alarms.wake(workspace, next);
    await unlessGone(workspace);
  }

  /** Who left meanwhile was forgotten before this alarm was set. */
  async function unlessGone(workspace: string): Promise<void> {
    const { fields } = await workspaces.read(workspace);
    if (Object.keys(fields).length === 0) await alarms.forget(workspace);
  }

  async function changed(workspace: string): Promise<void> {
    const [record, book] = await Promise.all([workspaces.read(workspace), ledger.read(workspace)]);
    // One that a person paused is not woken for.
    const awake = record.schedules.filter(
      ({ paused }) => paused === undefined || resumesByItself(paused.why),
    );
    await alarms.set(
      workspace,
      awake.map(({ timing }) => timing),
    );
    const now = clock();
    const plan = planDeliveries(record, book, now);
    const next = isIdle(plan) ? plan.next : now;
    if (next !== undefined) await alarms.wake(workspace, next);
    if (awake.length > 0 || next !== undefined) await unlessGone(workspace);
  }

  async function repair(): Promise<void> {
    const there = await scheduled();
    const queue = [...there];
    const work = async () => {
      for (let one = queue.shift(); one !== undefined && !isStopped; one = queue.shift()) await changed(one);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    const known = new Set(there);
    for (const one of await alarms.workspaces()) if (!known.has(one)) await changed(one);
  }

  async function keepRepairing(): Promise<void> {
    const isDone = await repair().then(
      () => true,
      (err: unknown) => {
        if (!isStopped) log.warn({ err }, 'the alarms of schedules could not be derived');
        return false;
      },
    );
    if (isStopped) return;
    // Apart from the other processes, which began at the same moment.
    const pause = isDone ? REPAIRS * (0.75 + Math.random() / 2) : AGAIN;
    timer = setTimeout(() => void keepRepairing(), pause);
    timer.unref();
  }

  return {
    changed,
    book: ledger.read,
    async send(workspace, schedule, why, by) {
      await delivery.send(workspace, schedule, why, by);
      // What works by hand may end Tally's own pause.
      if (schedule.paused !== undefined)
        await changed(workspace).catch((err: unknown) =>
          log.warn({ err }, 'schedules wait for the next look'),
        );
    },
    repair,
    start() {
      alarms.start(ring);
      void keepRepairing();
    },
    async stop(patience) {
      isStopped = true;
      clearTimeout(timer);
      delivery.stop();
      await alarms.stop(patience);
    },
  };
}
