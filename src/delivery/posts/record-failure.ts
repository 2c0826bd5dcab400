import { EditConflict } from '../../domain/failure/index.ts';
import { REPORTS } from '../../domain/report.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import type { LastDelivery, PauseReason, Schedule } from '../../workspace/owned/schedules.ts';
import type { AuditAction } from '../../workspace/record/audit.ts';
import type { DeliveryContext } from '../context.ts';
import type { DeliveryLogEntry } from '../log/delivery-log-entry.ts';
import { nextTry, notSent, postRetryDelay, probeDelayAfter } from '../outbox/retry.ts';
import { type FailedState, type SendFailure, trackMessage } from '../outbox/send-message.ts';
import type { DeliveryTask, ScheduleLogEntry } from './post-plan.ts';
import { type DeliveryAttempt, lastDeliveryOf } from './record-post.ts';
import { pauseBasis } from './run-state.ts';

/** The audit trail's name for Tally itself. */
const TALLY = 'tally';

type PostFailure = Omit<SendFailure, 'error'>;

/**
 * Records that a delivery failed, and what follows: another try, a pause of the schedule, waiting for Slack's rate
 * limit, or giving up.
 *
 * @returns what became of it
 * @throws LeaseLostError, StoreUnavailable
 */
export async function recordFailure(
  task: DeliveryTask,
  attempt: DeliveryAttempt,
  { effect, isDoubtful }: PostFailure,
  context: DeliveryContext,
): Promise<FailedState> {
  const { schedule, superseded } = task;
  const { id, paused } = schedule;
  const now = context.clock();
  const entry = entryAfter({ effect, isDoubtful }, attempt.entry, paused?.why, now);
  const { failures = 0, unanswered } = context.workspace.lastSent(id) ?? {};
  const { cause = effect.cause } = entry;
  const isOver = entry.state === 'failed';
  const lastDelivery: LastDelivery = {
    ...lastDeliveryOf(task, now),
    failures: failures + (isOver ? 1 : 0),
    ...(unanswered && { unanswered }),
    ...(isOver
      ? { result: 'failed', cause }
      : { result: 'trying', cause, ...(entry.next !== undefined && { next: entry.next }) }),
  };
  const drop = isOver || entry.state === 'held' ? superseded : [];
  const { before } = attempt;
  await context.writeLog({ schedule: id, date: task.due.date, before, entry, drop, lastDelivery });
  if (effect.kind === 'pause' && effect.why !== paused?.why) await pause(schedule, effect.why, context);
  return isOver ? 'failed' : entry.state === 'held' ? 'paused' : 'retrying';
}

/** @param pausedBy why the schedule is paused already */
function entryAfter(
  { effect, isDoubtful }: PostFailure,
  entry: DeliveryLogEntry,
  pausedBy: PauseReason | undefined,
  now: Millis,
): DeliveryLogEntry {
  const { cause } = effect;
  const mayBePosted = effect.kind === 'unclear' || isDoubtful;
  if (effect.kind === 'pause' || (pausedBy !== undefined && !mayBePosted))
    return holdEntry({ effect, isDoubtful }, entry, pausedBy, now);
  const { next: _, pendingNotice, probes, post, waits, ...rest } = entry;
  const { tries, next } = nextTry(entry, effect, now, postRetryDelay);
  const base = {
    ...rest,
    tries,
    // Slack is searched around the instant when the post was sent, however often that fails.
    at: mayBePosted ? entry.at : now,
    ...(mayBePosted && post !== undefined && { post }),
  };
  const isLastTry = effect.kind === 'unclear' && post?.isAgain === true;
  if (isLastTry || next === undefined) {
    const explained = { ...cause, ...(mayBePosted && { mayBePosted }) };
    return { ...base, cause: explained, state: 'failed', isMissed: true, pendingNotice: 'failed' };
  }
  return { ...base, cause, state: mayBePosted ? 'sending' : 'trying', next };
}

/** The schedule is paused: the date waits and is probed. A new reason is notified, once. */
function holdEntry(
  { effect, isDoubtful }: PostFailure,
  entry: DeliveryLogEntry,
  pausedBy: PauseReason | undefined,
  now: Millis,
): DeliveryLogEntry {
  const { pendingNotice: before, post, ...rest } = entry;
  const probes = pausedBy === undefined ? 1 : (entry.probes ?? 0) + 1;
  const pendingNotice = effect.kind === 'pause' && effect.why !== pausedBy ? effect.why : before;
  const wait = Math.max(probeDelayAfter(probes), effect.kind === 'wait' ? effect.for : 0);
  return {
    ...rest,
    ...(isDoubtful
      ? { state: 'sending', ...(post !== undefined && { post }) }
      : { state: 'held', at: now, tries: 0 }),
    ...(pendingNotice !== undefined && { pendingNotice }),
    cause: effect.cause,
    probes,
    next: now + wait,
  };
}

async function pause(schedule: Schedule, why: PauseReason, context: DeliveryContext): Promise<void> {
  const at = context.clock();
  const asked = pauseBasis(why, schedule, context.workspace);
  const paused = { why, at, ...(asked !== undefined && { asked }) };
  await save({ ...schedule, paused }, 'schedule paused', context);
}

export async function resumePausedSchedule(
  { paused: _, ...schedule }: Schedule,
  context: DeliveryContext,
): Promise<void> {
  await save(schedule, 'schedule resumed', context);
}

/** If the schedule was changed since it was read, the change wins and the next pass reads it. */
async function save(schedule: Schedule, action: AuditAction, context: DeliveryContext): Promise<void> {
  const { teamId, workspace, workspaces, clock } = context;
  const about = `${REPORTS[schedule.report].title} · ${schedule.channel}`;
  const entries = [{ at: clock(), who: TALLY, action, about }];
  try {
    await workspaces.schedules.save({ teamId, workspace, entries }, schedule);
  } catch (error) {
    if (!(error instanceof EditConflict)) throw error;
  }
}

/** Closes a delivery that started before its schedule was changed or paused. */
export const abandonDelivery = ({ schedule, line }: ScheduleLogEntry, context: DeliveryContext) =>
  trackMessage('post', { schedule: schedule.id, tries: line.entry.tries }, context, async (work) => {
    work.outcome = 'changed';
    const { date, json, entry } = line;
    const at = context.clock();
    const cause = notSent('schedule-changed');
    const { next, pendingNotice, probes, post, ...rest } = entry;
    const isDropped = schedule.paused === undefined && entry.state !== 'sending';
    const { failures = 0 } = context.workspace.lastSent(schedule.id) ?? {};
    await context.writeLog({
      schedule: schedule.id,
      date,
      before: json,
      entry: { ...rest, state: 'failed', at, cause, ...(isDropped && { isDropped }) },
      lastDelivery: {
        ...lastDeliveryOf({ due: { date, at: entry.due } }, at),
        result: 'failed',
        cause,
        failures,
      },
    });
  });
