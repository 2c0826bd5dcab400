import type { Logger } from 'pino';
import type { SlackId } from '../domain/slack-id.ts';
import type { Timing } from '../domain/time/cadence.ts';
import { HOUR, type Millis } from '../domain/time/calendar.ts';
import { resumesByItself } from '../workspace/owned/schedules.ts';
import type { IndexEntry, WorkspaceIndex } from '../workspace/record/workspace-index.ts';
import type { Workspace, Workspaces } from '../workspace/record/workspaces.ts';
import type { Delivery } from './delivery.ts';
import { type Job, planJobs } from './job.ts';
import type { DeliveryLog } from './log/delivery-log.ts';
import { encodePattern, nextOccurrence } from './wakeup/recurrence-pattern.ts';
import { createRepairs } from './wakeup/repairs.ts';
import type { Scheduler } from './wakeup/scheduler.ts';

export interface EngineParts {
  readonly scheduler: Scheduler;
  readonly delivery: Delivery;
  readonly jobs: readonly Job[];
  readonly workspaces: Workspaces;
  readonly deliveryLog: DeliveryLog;
  readonly index: WorkspaceIndex;
  /** Deletes a record that is only the rest of a deletion. @returns whether it was one @throws StoreUnavailable */
  readonly deleteOrphan: (workspace: SlackId, fields: Workspace['fields']) => Promise<boolean>;
  readonly clock: () => Millis;
  readonly log: Logger;
}

export interface Engine {
  /** The workspace's record changed: derives its scheduled runs again. @throws StoreUnavailable */
  changed(workspace: SlackId): Promise<void>;
  /** Delivers from now on, overdue posts first. */
  start(): void;
  /** Derives the scheduled runs of workspaces whose check is due, overdue runs at once. @throws StoreUnavailable */
  repair(): Promise<void>;
  /** Begins no further post, and lets running ones end within `patience` ms. */
  stop(patience: Millis): Promise<void>;
}

/**
 * Schedules runs, delivers, and schedules again. Records and delivery log hold the truth; scheduled runs are derived
 * from them and may be lost.
 */
export function createEngine(parts: EngineParts): Engine {
  const { scheduler, delivery } = parts;
  const changed = (workspace: SlackId) => deriveRuns(parts, workspace);
  const repairs = createRepairs(parts, changed);
  return {
    changed,
    repair: repairs.run,
    start() {
      scheduler.start(async (workspace) => {
        const next = await delivery.run(workspace);
        if (next !== undefined) await scheduler.runAt(workspace, next);
        await afterRun(parts, workspace, next);
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

/** The calendar of everything that a workspace has scheduled: when it has to run again and again. */
const scheduledTimings = (workspace: Workspace): readonly Timing[] =>
  workspace.schedules
    .filter(({ paused }) => paused === undefined || resumesByItself(paused.why))
    .map(({ timing }) => timing);

/** How often runs are derived although another process does the same for the workspace at the same time. */
const MAX_ATTEMPTS = 5;

/**
 * Derives the scheduled runs of a workspace from its record and delivery log. The entry in the index says first that they
 * have to be checked soon, and afterwards that they are right: so a process that dies in between leaves a check behind,
 * and of two at the same time the one that read first starts again.
 */
async function deriveRuns(parts: EngineParts, teamId: SlackId): Promise<void> {
  const { jobs, workspaces, deliveryLog, scheduler, index, deleteOrphan, clock } = parts;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const entry = await index.touch(teamId);
    const [workspace, snapshot] = await Promise.all([workspaces.read(teamId), deliveryLog.read(teamId)]);
    if (hasLeft(workspace) || (await deleteOrphan(teamId, workspace.fields)))
      return forgetWorkspace(parts, entry);
    const timings = scheduledTimings(workspace);
    await scheduler.setTimings(teamId, timings);
    const now = clock();
    const plan = planJobs(jobs, workspace, snapshot, now);
    const next = plan.isIdle ? plan.next : now;
    if (next !== undefined) await scheduler.runAt(teamId, next);
    if (await index.moveCheck(entry, nextCheck({ teamId, timings, next, now }))) return;
  }
}

const hasLeft = ({ fields }: Workspace): boolean => Object.keys(fields).length === 0;

/** The record goes before anything else of a workspace, and its first entry in the index comes before the record. */
async function forgetWorkspace({ scheduler, index }: EngineParts, entry: IndexEntry): Promise<void> {
  await scheduler.forget(entry.workspace);
  await index.remove(entry);
}

/** A workspace that uninstalls during its run must not keep a scheduled run. */
async function afterRun(parts: EngineParts, teamId: SlackId, next: number | undefined): Promise<void> {
  const { workspaces, scheduler, index, clock } = parts;
  const workspace = await workspaces.read(teamId);
  if (hasLeft(workspace)) return scheduler.forget(teamId);
  const timings = scheduledTimings(workspace);
  await index.setCheck(teamId, nextCheck({ teamId, timings, next, now: clock() }));
}

/** How late a run may begin before it is taken for lost, in ms. */
const LOST_MS = 120_000;
/** Where nothing runs earlier: longer than a day, so that a workspace with a daily post needs no check. In ms. */
const LONGEST_PAUSE = 26 * HOUR;
const PAUSE_SPREAD = 4 * HOUR;

interface NextRuns {
  readonly teamId: SlackId;
  readonly timings: readonly Timing[];
  /** The next single run, in ms. */
  readonly next: number | undefined;
  readonly now: Millis;
}

function nextCheck({ teamId, timings, next = Number.POSITIVE_INFINITY, now }: NextRuns): number {
  const recurring = nextOccurrence(encodePattern(teamId, timings), now) ?? Number.POSITIVE_INFINITY;
  const latest = now + LONGEST_PAUSE + Math.random() * PAUSE_SPREAD;
  return Math.round(Math.min(Math.max(now, Math.min(recurring, next)) + LOST_MS, latest));
}
