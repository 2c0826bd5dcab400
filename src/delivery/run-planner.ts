import { hashBucket } from '../domain/hash-bucket.ts';
import type { SlackId } from '../domain/slack-id.ts';
import { HOUR, MINUTE, type Millis } from '../domain/time/calendar.ts';
import type { Workspace } from '../workspace/record/workspace.ts';
import type { IndexEntry, WorkspaceIndex } from '../workspace/record/workspace-index.ts';
import { earliest } from './log/due-dates.ts';
import { createRepairs } from './wakeup/repairs.ts';
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
  const { scheduler, runner } = parts;
  /** The workspace's record changed: derives its scheduled runs again. @throws StoreUnavailable */
  const changed = (workspace: SlackId): Promise<void> => deriveRuns(parts, workspace);
  const repairs = createRepairs(parts, changed);
  return {
    changed,
    /** Derives the scheduled runs of workspaces whose check is due, overdue runs at once. @throws StoreUnavailable */
    repair: repairs.run,
    start(): void {
      scheduler.start(async (workspace, job) => {
        await afterRun(parts, workspace, await runner.run(workspace, job));
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
  const { jobs, workspaces, deliveryLog, index, deleteOrphan, clock } = parts;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const entry = await index.touch(teamId);
    const [workspace, snapshot] = await Promise.all([workspaces.load(teamId), deliveryLog.load(teamId)]);
    if (hasLeft(workspace) || (await deleteOrphan(teamId, workspace.fields)))
      return forgetWorkspace(parts, entry);
    const check = await planWakeUp(parts, teamId, planJobs(jobs, workspace, snapshot, clock()));
    if (await index.moveCheck(entry, check)) return;
  }
}

const hasLeft = ({ fields }: Workspace): boolean => Object.keys(fields).length === 0;

/** The record goes before anything else of a workspace, and its first entry in the index comes before the record. */
async function forgetWorkspace({ scheduler, index }: RunPlannerParts, entry: IndexEntry): Promise<void> {
  await scheduler.forget(entry.workspace);
  await index.remove(entry);
}

/** A workspace that uninstalls during its run must not keep a scheduled run. */
async function afterRun(parts: RunPlannerParts, teamId: SlackId, next: NextWork): Promise<void> {
  const { workspaces, scheduler, index } = parts;
  const check = await planWakeUp(parts, teamId, next);
  if (!(await workspaces.exists(teamId))) return scheduler.forget(teamId);
  await index.setCheck(teamId, check);
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
