import type { Millis } from '../domain/time/calendar.ts';
import type { Workspace } from '../workspace/record/workspaces.ts';
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

/** What a job has to do at one instant. */
export interface PlannedWork extends NextWork {
  /** Nothing is to be done now. */
  readonly isIdle: boolean;
  /** Fields of the delivery log that are no longer needed. */
  readonly stale: readonly string[];
  /** Does it. @throws LeaseLostError, StoreUnavailable */
  run(context: DeliveryContext): Promise<void>;
}

/** The work of all jobs, to be run in their order; the next is at `now` unless all are idle. */
export function planJobs(
  jobs: readonly Job[],
  workspace: Workspace,
  snapshot: DeliveryLogSnapshot,
  now: Millis,
): PlannedWork {
  const all = jobs.map((job) => job.plan(workspace, snapshot, now));
  const isIdle = all.every((work) => work.isIdle);
  return {
    isIdle,
    next: isIdle ? earliest(...all.map(({ next }) => next)) : now,
    nextDue: earliest(...all.map(({ nextDue }) => nextDue)),
    stale: all.flatMap(({ stale }) => stale),
    async run(context) {
      for (const work of all) await work.run(context);
    },
  };
}
