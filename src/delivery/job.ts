import type { Millis } from '../domain/time/calendar.ts';
import type { Workspace } from '../workspace/record/workspace.ts';
import type { DeliveryContext } from './context.ts';
import type { DeliveryLogSnapshot } from './log/delivery-log.ts';
import { earliest } from './log/due-dates.ts';

/** When a workspace has something to do again. */
export interface NextWork {
  /** Besides the calendar; undefined for never. */
  readonly next?: Millis | undefined;
  /** The calendar's next date that is still ahead; undefined for none. */
  readonly nextDue?: Millis | undefined;
}

/** Something that Tally does for workspaces without a person: posts, watches, reminders. */
export interface Job {
  /** What is to be done for a workspace at `now` (ms), by its record and its delivery log. */
  plan(workspace: Workspace, snapshot: DeliveryLogSnapshot, now: Millis): PlannedWork;
}

/** One thing to do. @throws LeaseLostError, StoreUnavailable */
export type Task = (context: DeliveryContext) => Promise<void>;

/** What a job has to do at one instant. */
export interface PlannedWork extends NextWork {
  /** What is due now, in its order. */
  readonly tasks: readonly Task[];
  /** Fields of the delivery log that are no longer needed. */
  readonly stale: readonly string[];
}

/** The tasks of all jobs, in the jobs' order. While there are tasks, the next run is due at once. */
export function planJobs(
  jobs: readonly Job[],
  workspace: Workspace,
  snapshot: DeliveryLogSnapshot,
  now: Millis,
): PlannedWork {
  const all = jobs.map((job) => job.plan(workspace, snapshot, now));
  const tasks = all.flatMap((work) => work.tasks);
  return {
    tasks,
    next: tasks.length === 0 ? earliest(...all.map(({ next }) => next)) : now,
    nextDue: earliest(...all.map(({ nextDue }) => nextDue)),
    stale: all.flatMap(({ stale }) => stale),
  };
}

/** A task for each of these. */
export const taskEach = <T>(
  items: readonly T[],
  work: (item: T, context: DeliveryContext) => Promise<void>,
): readonly Task[] => items.map((item) => (context) => work(item, context));

/** Does one after the other, until nothing new may begin. @throws LeaseLostError, StoreUnavailable */
export async function runTasks(tasks: readonly Task[], context: DeliveryContext): Promise<void> {
  for (const task of tasks) if (!context.isOver()) await task(context);
}
