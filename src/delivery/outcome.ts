import { EditConflict } from '../domain/failure/index.ts';
import type { AuditAction } from '../workspace/audit.ts';
import { type LastDelivery, type PauseReason, REPORT_NAMES, type Schedule } from '../workspace/schedules.ts';
import type { DeliveryContext } from './context.ts';
import type { DeliveryLogEntry } from './delivery-log.ts';
import { type DeliveryTask, pauseBasis, type ScheduleLogEntry, SLACK_SETTLE_MS } from './plan.ts';
import type { DeliveryAttempt } from './post.ts';
import { type FailureEffect, probeDelayAfter, retryDelayAfter } from './retry.ts';

/** As the audit names Tally itself. */
const TALLY = 'tally';
const HOUR = 3_600_000;
const MAY_BE_THERE = 'It may be in the channel all the same: look there before it is sent again.';

export const lastDeliveryOf = ({ due }: Pick<DeliveryTask, 'due'>, at: number) => ({
  date: due.date,
  due: due.at,
  at,
  failures: 0,
});

/**
 * Notes that a delivery failed, and what comes of it: another try, a pause of the workspace or of the schedule, or the
 * end of it.
 *
 * @throws LeaseLostError, StoreUnavailable
 */
export async function recordFailure(
  task: DeliveryTask,
  course: DeliveryAttempt,
  trouble: FailureEffect,
  round: DeliveryContext,
): Promise<void> {
  const { schedule, superseded } = task;
  const { id, paused } = schedule;
  const now = round.clock();
  const entry = entryAfter(trouble, course, paused?.why, now);
  const { failures = 0, unanswered } = round.workspace.lastSent(id) ?? {};
  const { cause = trouble.cause } = entry;
  const isOver = entry.state === 'failed';
  const sent: LastDelivery = {
    ...lastDeliveryOf(task, now),
    failures: failures + (isOver ? 1 : 0),
    ...(unanswered && { unanswered }),
    ...(isOver
      ? { result: 'failed', cause }
      : { result: 'trying', cause, ...(entry.next !== undefined && { next: entry.next }) }),
  };
  const drop = isOver || entry.state === 'held' ? superseded : [];
  await round.enter({ schedule: id, date: task.due.date, before: course.before, entry, drop, sent });
  if (trouble.kind === 'wait') await round.quiet(now + trouble.for);
  if (trouble.kind === 'pause' && trouble.why !== paused?.why) await pause(schedule, trouble.why, round);
}

/** @param pausedBy why the schedule is paused already */
function entryAfter(
  trouble: FailureEffect,
  { entry, isDoubtful }: DeliveryAttempt,
  pausedBy: PauseReason | undefined,
  now: number,
): DeliveryLogEntry {
  const { cause } = trouble;
  const doubt = trouble.kind === 'unclear' || isDoubtful;
  if (trouble.kind === 'pause' || (pausedBy !== undefined && !doubt))
    return heldAfter(trouble, { entry, isDoubtful }, pausedBy, now);
  const { next: _, untold, probes, post, ...rest } = entry;
  // Slack's own pauses are no failures, unless they go on and on.
  const counts = trouble.kind !== 'wait' || now - entry.began > HOUR;
  const tries = entry.tries + (counts ? 1 : 0);
  const base = {
    ...rest,
    tries,
    // When it was sent is where Slack is asked about it, however often that fails.
    at: doubt ? entry.at : now,
    ...(doubt && post !== undefined && { post }),
  };
  const isEnough = trouble.kind === 'unclear' && post?.isAgain === true;
  const wait = isEnough ? undefined : counts ? retryDelayAfter(tries) : 0;
  if (wait === undefined) {
    const words = doubt ? `${cause} ${MAY_BE_THERE}` : cause;
    return { ...base, cause: words, state: 'failed', isMissed: true, untold: 'failed' };
  }
  const least = trouble.kind === 'wait' ? trouble.for : trouble.kind === 'unclear' ? SLACK_SETTLE_MS : 0;
  return { ...base, cause, state: doubt ? 'sending' : 'trying', next: now + Math.max(wait, least) };
}

/** Its schedule is paused: it waits, and is tried now and then. Somebody is told of a new reason, once. */
function heldAfter(
  trouble: FailureEffect,
  { entry, isDoubtful }: Pick<DeliveryAttempt, 'entry' | 'isDoubtful'>,
  pausedBy: PauseReason | undefined,
  now: number,
): DeliveryLogEntry {
  const { untold: before, post, ...rest } = entry;
  const probes = pausedBy === undefined ? 1 : (entry.probes ?? 0) + 1;
  const untold = trouble.kind === 'pause' && trouble.why !== pausedBy ? trouble.why : before;
  const wait = Math.max(probeDelayAfter(probes), trouble.kind === 'wait' ? trouble.for : 0);
  return {
    ...rest,
    ...(isDoubtful
      ? { state: 'sending', ...(post !== undefined && { post }) }
      : { state: 'held', at: now, tries: 0 }),
    ...(untold !== undefined && { untold }),
    cause: trouble.cause,
    probes,
    next: now + wait,
  };
}

/** Tally's own pause; where somebody changed the schedule meanwhile, the next try sees what they made of it. */
async function pause(schedule: Schedule, why: PauseReason, round: DeliveryContext): Promise<void> {
  const at = round.clock();
  const asked = pauseBasis(why, schedule, round.workspace);
  const paused = { why, at, ...(asked !== undefined && { asked }) };
  await save({ ...schedule, paused }, 'schedule paused', round);
}

/** What held it up is gone. */
export async function resumeSchedule(
  { paused: _, ...schedule }: Schedule,
  round: DeliveryContext,
): Promise<void> {
  await save(schedule, 'schedule resumed', round);
}

async function save(schedule: Schedule, action: AuditAction, round: DeliveryContext): Promise<void> {
  const { teamId, workspace, workspaces, clock } = round;
  const about = `${REPORT_NAMES[schedule.report]} · ${schedule.channel}`;
  const entries = [{ at: clock(), who: TALLY, action, about }];
  try {
    await workspaces.saveSchedule({ teamId, workspace, entries }, schedule);
  } catch (error) {
    if (!(error instanceof EditConflict)) throw error;
  }
}

/** It was begun, and whoever changed or paused the schedule since did not want it any more. */
export async function abandonDelivery(
  { schedule, line }: ScheduleLogEntry,
  round: DeliveryContext,
): Promise<void> {
  const { date, json, entry } = line;
  const at = round.clock();
  const cause = 'The schedule was changed or paused before it could be posted.';
  const { next, untold, probes, post, ...rest } = entry;
  const { failures = 0 } = round.workspace.lastSent(schedule.id) ?? {};
  await round.enter({
    schedule: schedule.id,
    date,
    before: json,
    entry: { ...rest, state: 'failed', at, cause },
    sent: { ...lastDeliveryOf({ due: { date, at: entry.due } }, at), result: 'failed', cause, failures },
  });
}
