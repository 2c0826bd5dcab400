import { randomBytes } from 'node:crypto';
import pLimit from 'p-limit';
import { isFailure } from '../domain/failure/index.ts';
import type { SlackId } from '../domain/slack-id.ts';
import { earliest, HOUR, MINUTE, type Millis } from '../domain/time/calendar.ts';
import { hashBucket } from '../redis/keys.ts';
import { repeat } from '../runtime/timers.ts';
import type { Workspace } from '../workspace/record/workspace.ts';
import type { IndexEntry, WorkspaceIndex } from '../workspace/record/workspace-index.ts';
import type { Scheduler } from './wakeup/scheduler.ts';
import { type NextWork, planJobs, type RunnerParts, type WorkspaceRunner } from './workspace-runner.ts';

export interface RunPlannerParts
  extends Pick<RunnerParts, 'jobs' | 'workspaces' | 'deliveryLog' | 'clock' | 'log'> {
  readonly index: WorkspaceIndex;
  readonly scheduler: Scheduler;
  readonly runner: WorkspaceRunner;
  /** Deletes a record that an interrupted deletion left. @returns whether it was one @throws StoreUnavailable */
  readonly deleteOrphan: (workspace: SlackId, fields: Workspace['fields']) => Promise<boolean>;
}

/**
 * Schedules runs, delivers, and schedules again. Records and delivery log hold the truth; scheduled runs are derived
 * from them and may be lost.
 */
export function createRunPlanner(parts: RunPlannerParts) {
  const { scheduler, runner, workspaces, index } = parts;
  /** The workspace's record changed: derives its scheduled runs again. @throws StoreUnavailable */
  const changed = (workspace: SlackId): Promise<void> => deriveRuns(parts, workspace);
  const repairs = createRepairs(parts, changed);
  return {
    changed,
    /** Derives the scheduled runs of workspaces whose check is due, overdue runs at once. @throws StoreUnavailable */
    repair: () => repairs.run(),
    oldestLost: repairs.oldestLost,
    start(): void {
      scheduler.start(async (workspace) => {
        const check = await planWakeUp(parts, workspace, await runner.run(workspace));
        // A workspace that uninstalls during its run must not keep a scheduled run.
        if (!(await workspaces.exists(workspace))) return scheduler.forget(workspace);
        await index.setCheck(workspace, check);
      });
      repairs.start();
    },
    async stop(patience: Millis): Promise<void> {
      repairs.stop();
      runner.stop();
      await scheduler.stop(patience);
    },
  };
}

/** How often runs are derived although another process does the same for the workspace at the same time. */
const MAX_ATTEMPTS = 5;

/**
 * Derives the scheduled runs of a workspace from its record and delivery log. The entry in the index says first that they
 * have to be checked soon, and afterwards that they are right: so a process that dies in between leaves a check behind,
 * and of two processes at the same time the one that read first starts again.
 */
async function deriveRuns(parts: RunPlannerParts, teamId: SlackId): Promise<void> {
  const { jobs, workspaces, deliveryLog, scheduler, index, deleteOrphan, clock } = parts;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const entry = await index.touch(teamId);
    const [workspace, snapshot] = await Promise.all([workspaces.load(teamId), deliveryLog.load(teamId)]);
    const hasLeft = Object.keys(workspace.fields).length === 0;
    if (hasLeft || (await deleteOrphan(teamId, workspace.fields))) {
      // The record goes before anything else of a workspace, and its first entry in the index comes before the record.
      await scheduler.forget(teamId);
      await index.remove(entry);
      return;
    }
    const check = await planWakeUp(parts, teamId, planJobs(jobs, workspace, snapshot, clock()));
    if (await index.moveCheck(entry, check)) return;
  }
}

/** How late a run may begin before it counts as lost. */
const LOST: Millis = 120_000;
/** The pause before the next check: longer than a day, because each daily post checks its workspace anyway. */
const LONGEST_PAUSE: Millis = 26 * HOUR;
const PAUSE_SPREAD: Millis = 4 * HOUR;

/** @returns when to check that the workspace woke */
async function planWakeUp(
  { scheduler, clock }: RunPlannerParts,
  teamId: SlackId,
  next: NextWork,
): Promise<Millis> {
  const now = clock();
  const at = wakeUpTime(teamId, next, now);
  if (at !== undefined) await scheduler.runAt(teamId, at);
  const latest = now + LONGEST_PAUSE + Math.random() * PAUSE_SPREAD;
  return Math.round(Math.min((at ?? Number.POSITIVE_INFINITY) + LOST, latest));
}

/** Most schedules are due at 09:00, so each workspace gets its own delay, up to this. */
const SPREAD: Millis = 20_000;
/** Wake-ups further ahead than this, except for due dates, are rounded to minutes. */
const FAR: Millis = 10 * MINUTE;
const SECOND: Millis = 1_000;

/** When to wake a workspace: the same in every process, so that a wake-up is not planned twice. Undefined for never. */
export function wakeUpTime(teamId: SlackId, { next, nextDue }: NextWork, now: Millis): Millis | undefined {
  return earliest(
    next === undefined ? undefined : roundUp(Math.max(next, now), now),
    nextDue === undefined ? undefined : nextDue + hashBucket(teamId, SPREAD),
  );
}

/** Rounds up, so that a single run does what is due at about the same time. */
function roundUp(at: Millis, now: Millis): Millis {
  const step = at - now > FAR ? MINUTE : SECOND;
  return Math.ceil(at / step) * step;
}

/** The interval between checks for lost runs, and the delay after a failed check. */
const INTERVAL: Millis = MINUTE;
const RETRY: Millis = 5_000;
/** How often the log repeats that checks fail. */
const REMINDER: Millis = 10 * MINUTE;
/** How long a process keeps the checks of a shard unless it claims them again; shorter than the interval. */
const CLAIM: Millis = 40_000;
/** The pause before a workspace is checked again whose own check failed. */
const FAILED_PAUSE: Millis = 10 * MINUTE;
const PAGE = 200;
const PARALLEL = 20;

/**
 * Finds lost scheduled runs. Reads only workspaces whose check is due, in one process at a time.
 *
 * @param derive derives the runs of a workspace, and sets its next check @throws StoreUnavailable
 */
function createRepairs(
  { index, clock, log }: Pick<RunPlannerParts, 'index' | 'clock' | 'log'>,
  derive: (workspace: SlackId) => Promise<void>,
) {
  const owner = randomBytes(12).toString('base64url');
  const limit = pLimit(PARALLEL);
  let stop = (): void => undefined;

  const repair = async ({ workspace }: IndexEntry): Promise<void> => {
    try {
      await derive(workspace);
    } catch (err) {
      if (isFailure(err, 'store-unavailable')) throw err;
      // A workspace that can't be checked must not keep the others from it.
      log.error({ err, workspace }, 'Could not schedule the runs of a workspace');
      await index.setCheck(workspace, clock() + FAILED_PAUSE);
    }
  };
  const repairShard = async (shard: number, stopping?: AbortSignal): Promise<void> => {
    const until = clock();
    while (!stopping?.aborted && (await index.claimChecks(shard, owner, CLAIM))) {
      const due = await index.due(shard, until, PAGE);
      const each = async (entry: IndexEntry) => (stopping?.aborted ? undefined : repair(entry));
      await Promise.all(due.map((entry) => limit(each, entry)));
      if (due.length < PAGE) return;
    }
  };
  /** Once, for every shard that no other process has. @throws StoreUnavailable */
  const run = async (stopping?: AbortSignal): Promise<void> => {
    for (const shard of index.shards) if (!stopping?.aborted) await repairShard(shard, stopping);
  };

  return {
    run,
    /**
     * A run that failed too often is scheduled no more. What is then left of it is the workspace's check, which can't be made either.
     *
     * @returns for how many ms the oldest of them has been due, 0 if none is @throws StoreUnavailable
     */
    async oldestLost(): Promise<Millis> {
      const now = clock();
      const due = await Promise.all(index.shards.map((shard) => index.due(shard, now, 1)));
      // A check at 0 is asked for at once, without a run.
      const late = due.flat().filter(({ at }) => at > 0 && at < now - 2 * INTERVAL);
      return Math.max(0, ...late.map(({ at }) => now - at + LOST));
    },
    start(): void {
      let logged: Millis | undefined;
      const check = async (stopping: AbortSignal): Promise<void> => {
        await run(stopping);
        if (logged !== undefined) log.info('Tally checks for lost runs again');
        logged = undefined;
      };
      stop = repeat(check, {
        // Random, so that processes that started together don't check at the same moment.
        pause: () => INTERVAL * (0.75 + Math.random() / 2),
        retry: RETRY,
        onError(err) {
          if (logged !== undefined && clock() < logged + REMINDER) return;
          logged = clock();
          log.warn({ err }, 'Could not check for lost runs; Tally tries again soon');
        },
      });
    },
    stop: () => stop(),
  };
}
