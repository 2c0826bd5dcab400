/** Records what became of a date: its entry in the delivery log and, for people, how the schedule's last delivery ended. */
import { EditConflict } from '../../domain/failure/index.ts';
import { REPORTS } from '../../domain/report.ts';
import type { Day, Millis } from '../../domain/time/calendar.ts';
import type { LastDelivery, PauseReason, Schedule } from '../../workspace/owned/schedules.ts';
import type { AuditAction } from '../../workspace/record/audit.ts';
import type { DeliveryContext } from '../context.ts';
import type { LogWrite } from '../log/delivery-log.ts';
import type { DeliveryLogEntry, PostedMessage } from '../log/delivery-log-entry.ts';
import { nextTry, notSent, postRetryDelay, probeDelayAfter } from '../outbox/retry.ts';
import { type FailedState, type SendFailure, trackMessage } from '../outbox/send-message.ts';
import type { DeliveryTask, ScheduleLogEntry } from './post-plan.ts';
import { pauseBasis } from './run-state.ts';

/** One attempt to deliver a date, with its log entry as last read or written. */
export interface DeliveryAttempt {
  /** The entry's JSON as the log has it; undefined for none. */
  before: string | undefined;
  entry: DeliveryLogEntry;
}

export function beginAttempt(
  { due, line }: DeliveryTask,
  { clock }: Pick<DeliveryContext, 'clock'>,
): DeliveryAttempt {
  const now = clock();
  const fresh = { due: due.at, began: now, tries: 0 };
  const { json: before, entry } = line ?? {};
  switch (entry?.state) {
    case 'sending':
    case 'trying':
      // If an edit has moved the date, the hour of tries begins again; whether Slack may have taken it stays.
      return { before, entry: entry.due === due.at ? entry : { ...entry, ...fresh } };
    case 'held':
      return { before, entry: { ...entry, ...fresh } };
    default:
      return { before, entry: { ...fresh, state: 'trying', at: now } };
  }
}

type Ending = Pick<LastDelivery, 'result' | 'at'> & Partial<LastDelivery>;

/** @param more replaces what the write has otherwise */
const writeOf = (
  { schedule, due }: Pick<DeliveryTask, 'schedule' | 'due'>,
  { before }: Pick<DeliveryAttempt, 'before'>,
  entry: DeliveryLogEntry,
  ending: Ending,
  more: Partial<LogWrite> = {},
): LogWrite => ({
  ...{ schedule: schedule.id, date: due.date, before, entry },
  lastDelivery: { date: due.date, due: due.at, failures: 0, ...ending },
  ...more,
});

/** The dates in a row that failed so far, and the posts in a row in which a project gave no answer. */
function countsOf(schedule: string, { workspace }: DeliveryContext) {
  const { failures = 0, unanswered } = workspace.lastSent(schedule) ?? {};
  return { failures, ...(unanswered && { unanswered }) };
}

/** What stays of an entry, whatever became of its date. */
const keptOf = ({ due, began, tries }: DeliveryLogEntry) => ({ due, began, tries });

const datesOf = ({ earlier }: DeliveryTask): readonly Day[] => earlier.map(({ date }) => date);

/** The owner is notified of a project that gives no answer in this many posts in a row. */
const NOTIFY_AFTER = 2;

/** Slack has the post, so this is recorded even after the lease is lost. It fails only while the store is away. */
export async function recordPost(
  task: DeliveryTask,
  attempt: DeliveryAttempt,
  post: PostedMessage,
  questions: LogWrite['questions'],
  context: DeliveryContext,
): Promise<void> {
  const { at, channel, ts, isLate, unanswered: failed = {} } = post;
  const before = context.workspace.lastSent(task.schedule.id)?.unanswered;
  const unanswered = Object.fromEntries(
    Object.entries(failed).map(([key, cause]) => [key, { posts: (before?.[key]?.posts ?? 0) + 1, cause }]),
  );
  const silent = Object.entries(unanswered).filter(([, { posts }]) => posts === NOTIFY_AFTER);
  const entry: DeliveryLogEntry = {
    ...{ ...keptOf(attempt.entry), state: 'posted', tries: 0, at, post },
    ...(silent.length > 0 && {
      pendingNotice: 'unanswered',
      silent: Object.fromEntries(silent.map(([key, { cause }]) => [key, cause])),
    }),
  };
  const ending: Ending = { at, unanswered, result: isLate ? 'posted-late' : 'posted', ts };
  const more = { drop: datesOf(task), posted: { channel, at }, questions };
  await context.deliveryLog.write(context.lease, writeOf(task, attempt, entry, ending, more));
}

/** Nothing was spent, and the schedule posts nothing then. */
export async function recordSkip(task: DeliveryTask, attempt: DeliveryAttempt, context: DeliveryContext) {
  const at = context.clock();
  const entry = { ...keptOf(attempt.entry), state: 'skipped', at } as const;
  const more = { drop: datesOf(task) };
  await context.writeLog(writeOf(task, attempt, entry, { at, result: 'skipped' }, more));
}

/** Billing has not reported the newest day yet: the post waits, without an error. */
export async function recordWait(
  task: DeliveryTask,
  attempt: DeliveryAttempt,
  { next, awaits }: { readonly next: Millis; readonly awaits: Day },
  context: DeliveryContext,
): Promise<void> {
  const { due } = attempt.entry;
  const at = context.clock();
  const entry = { state: 'trying', waits: true, due, tries: 0, began: at, at, next } as const;
  const ending: Ending = { ...countsOf(task.schedule.id, context), at, result: 'waiting', awaits, next };
  await context.writeLog(writeOf(task, attempt, entry, ending));
}

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
  failure: PostFailure,
  context: DeliveryContext,
): Promise<FailedState> {
  const { schedule, superseded } = task;
  const { effect } = failure;
  const at = context.clock();
  const entry = entryAfter(failure, attempt.entry, schedule.paused?.why, at);
  const { state, next, cause = effect.cause } = entry;
  const counts = countsOf(schedule.id, context);
  const ending: Ending =
    state === 'failed'
      ? { ...counts, failures: counts.failures + 1, at, result: 'failed', cause }
      : { ...counts, at, result: 'trying', cause, ...(next !== undefined && { next }) };
  const drop = state === 'failed' || state === 'held' ? superseded : [];
  await context.writeLog(writeOf(task, attempt, entry, ending, { drop }));
  if (effect.kind === 'pause' && effect.why !== schedule.paused?.why)
    await pauseSchedule(schedule, effect.why, context);
  return state === 'failed' ? 'failed' : state === 'held' ? 'paused' : 'retrying';
}

/** @param pausedBy why the schedule is paused already */
function entryAfter(
  { effect, isDoubtful }: PostFailure,
  before: DeliveryLogEntry,
  pausedBy: PauseReason | undefined,
  now: Millis,
): DeliveryLogEntry {
  const { cause } = effect;
  const { post } = before;
  const mayBePosted = effect.kind === 'unclear' || isDoubtful;
  if (effect.kind === 'pause' || (pausedBy !== undefined && !mayBePosted))
    return holdEntry({ effect, isDoubtful }, before, pausedBy, now);
  const { tries, next } = nextTry(before, effect, now, postRetryDelay);
  const base = {
    ...{ ...keptOf(before), tries },
    // Slack is searched around the instant when the post was sent, however often that fails.
    at: mayBePosted ? before.at : now,
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
  { pendingNotice: before, post, waits, ...rest }: DeliveryLogEntry,
  pausedBy: PauseReason | undefined,
  now: Millis,
): DeliveryLogEntry {
  const probes = pausedBy === undefined ? 1 : (rest.probes ?? 0) + 1;
  const pendingNotice = effect.kind === 'pause' && effect.why !== pausedBy ? effect.why : before;
  const wait = Math.max(probeDelayAfter(probes), effect.kind === 'wait' ? effect.for : 0);
  return {
    ...rest,
    ...(isDoubtful
      ? { state: 'sending', ...(post !== undefined && { post }) }
      : { state: 'held', at: now, tries: 0 }),
    ...(pendingNotice !== undefined && { pendingNotice }),
    ...{ cause: effect.cause, probes, next: now + wait },
  };
}

/** Closes a delivery that started before its schedule was changed or paused. */
export const abandonDelivery = ({ schedule, line }: ScheduleLogEntry, context: DeliveryContext) =>
  trackMessage('post', { schedule: schedule.id, tries: line.entry.tries }, context, async (note) => {
    note({ outcome: 'changed' });
    const { date, json: before, entry } = line;
    const at = context.clock();
    const cause = notSent('schedule-changed');
    const isDropped = schedule.paused === undefined && entry.state !== 'sending';
    const after = { ...keptOf(entry), state: 'failed', at, cause, ...(isDropped && { isDropped }) } as const;
    const ending: Ending = { ...countsOf(schedule.id, context), at, result: 'failed', cause };
    await context.writeLog(writeOf({ schedule, due: { date, at: entry.due } }, { before }, after, ending));
  });

async function pauseSchedule(schedule: Schedule, why: PauseReason, context: DeliveryContext): Promise<void> {
  const asked = pauseBasis(why, schedule, context.workspace);
  const paused = { why, at: context.clock(), ...(asked !== undefined && { asked }) };
  await saveSchedule({ ...schedule, paused }, 'schedule paused', context);
}

export const resumePausedSchedule = ({ paused: _, ...schedule }: Schedule, context: DeliveryContext) =>
  saveSchedule(schedule, 'schedule resumed', context);

/** The audit trail's name for Tally itself. */
const TALLY = 'tally';

/** If the schedule was changed since it was read, the change wins and the next pass reads it. */
async function saveSchedule(
  schedule: Schedule,
  action: AuditAction,
  { teamId, workspace, workspaces, clock }: DeliveryContext,
): Promise<void> {
  const about = `${REPORTS[schedule.report].title} · ${schedule.channel}`;
  const entries = [{ at: clock(), who: TALLY, action, about }];
  try {
    await workspaces.schedules.save({ teamId, workspace, entries }, schedule);
  } catch (error) {
    if (!(error instanceof EditConflict)) throw error;
  }
}
