/** Records what became of a date: its entry in the delivery log and, for people, how the schedule's last delivery ended. */
import type { Day, Millis } from '../../domain/time/calendar.ts';
import { FIELDS } from '../../redis/keys.ts';
import type { LastDelivery, PauseReason, Schedule } from '../../workspace/owned/schedule-record.ts';
import { type DeliveryContext, openState } from '../delivery-run.ts';
import { type DatedLogEntry, deliveryKey, type LogWrite } from '../log/delivery-log.ts';
import {
  type DeliveryLogEntry,
  type PostContent,
  parseLogEntry,
  type SendState,
} from '../log/delivery-log-entry.ts';
import { notSentFailure, trackMessage } from '../outbox/failures.ts';
import {
  afterFailure,
  type FailedState,
  postRetryDelay,
  probeDelayAfter,
  type SendFailure,
  withSendState,
} from '../outbox/send-state.ts';
import type { DeliveryTask, ScheduleLogEntry } from './post-plan.ts';
import { pauseSchedule } from './schedule-pauses.ts';

/** What the log has of one date, as this pass read it. */
export const openDate = ({ schedule, date, entry, json }: DatedLogEntry, context: DeliveryContext) =>
  openState(
    deliveryKey(schedule, date),
    // This text was parsed already.
    (now) => (now === json || now === undefined ? entry : parseLogEntry(now)),
    context,
  );

/** One attempt to deliver a date. */
export interface DeliveryAttempt {
  /** As the attempt begins, then as it was last written. */
  readonly document: ReturnType<typeof openDate>;
  readonly begun: DeliveryLogEntry;
}

export function beginAttempt(
  { schedule, due, line }: Pick<DeliveryTask, 'schedule' | 'due' | 'line'>,
  context: DeliveryContext,
): DeliveryAttempt {
  const begun = entryNow(line?.entry, due.at, context.clock());
  const known = line ?? { schedule: schedule.id, date: due.date, json: '' };
  return { document: openDate({ ...known, entry: begun }, context), begun };
}

function entryNow(entry: DeliveryLogEntry | undefined, due: Millis, now: Millis): DeliveryLogEntry {
  const fresh = { due, began: now, tries: 0 };
  switch (entry?.state) {
    case 'sending':
    case 'due':
      // If an edit has moved the date, the hour of tries begins again; whether Slack may have taken it stays.
      return entry.due === due ? entry : { ...entry, ...fresh };
    case 'held':
      return { ...entry, ...fresh };
    default:
      return { ...fresh, state: 'due', at: now };
  }
}

type Ending = Pick<LastDelivery, 'result' | 'at'> & Partial<LastDelivery>;
type DatedSchedule = Pick<DeliveryTask, 'schedule' | 'due'>;

/** What people see of how the date ended, written with its entry. */
const endingOf = ({ schedule, due }: DatedSchedule, ending: Ending): Pick<LogWrite, 'lastDelivery'> => ({
  lastDelivery: [schedule.id, { date: due.date, due: due.at, failures: 0, ...ending }],
});

/** The dates in a row that failed so far, and the posts in a row in which a project gave no answer. */
function countsOf(schedule: string, { workspace }: DeliveryContext) {
  const { failures = 0, unanswered } = workspace.lastSent(schedule) ?? {};
  return { failures, ...(unanswered && { unanswered }) };
}

const fieldsOf = ({ id }: Schedule, dates: readonly Day[]): readonly string[] =>
  dates.map((date) => deliveryKey(id, date));
const earlierFields = ({ schedule: { id }, earlier }: DeliveryTask): readonly string[] =>
  earlier.map(({ date }) => deliveryKey(id, date));

/** Stores that the post goes out, only if the schedule has not changed since it was read. */
export function recordClaim(
  { schedule: { id } }: DeliveryTask,
  { document }: DeliveryAttempt,
  change: StateChange,
  post: PostContent,
  context: DeliveryContext,
): Promise<void> {
  const field = FIELDS.schedule + id;
  const expected = { field, value: context.workspace.fields[field] ?? '' };
  return document.update(
    (now) => {
      const { awaitsFigures, ...entry } = withSendState(now, change(now));
      return { ...entry, post };
    },
    { needsLease: true, expected },
  );
}

type StateChange = (now: SendState) => SendState;

/** The owner is notified of a project that gives no answer in this many posts in a row. */
const NOTIFY_AFTER = 2;

/** Slack has the post, so this is stored even after the lease is lost. */
export async function recordPost(
  task: DeliveryTask,
  { document }: DeliveryAttempt,
  change: StateChange,
  questions: LogWrite['questions'],
  context: DeliveryContext,
): Promise<void> {
  const { schedule } = task;
  const { post } = document.value();
  const { at, channel = schedule.channel, ts } = change(document.value());
  const before = context.workspace.lastSent(schedule.id)?.unanswered;
  const unanswered = Object.fromEntries(
    Object.entries(post?.unanswered ?? {}).map(([key, cause]) => [
      key,
      { posts: (before?.[key]?.posts ?? 0) + 1, cause },
    ]),
  );
  const silent = Object.entries(unanswered).filter(([, { posts }]) => posts === NOTIFY_AFTER);
  const ending: Ending = {
    ...{ at, unanswered, result: post?.isLate ? 'posted-late' : 'posted' },
    ...(ts !== undefined && { ts }),
  };
  const step = (now: DeliveryLogEntry): DeliveryLogEntry => {
    const after = change(now);
    if (after === now) return now;
    return {
      ...{ due: now.due, began: now.began, ...after, tries: 0 },
      ...(post && { post }),
      ...(silent.length > 0 && {
        pendingNotice: 'unanswered',
        silent: Object.fromEntries(silent.map(([key, { cause }]) => [key, cause])),
      }),
    };
  };
  const posted = { channel, at };
  await document.update(step, {
    ...{ ...endingOf(task, ending), drop: earlierFields(task), posted, questions },
  });
}

/** Nothing was spent, and the schedule posts nothing then. */
export async function recordSkip(task: DeliveryTask, attempt: DeliveryAttempt, { clock }: DeliveryContext) {
  const at = clock();
  const { due, began, tries } = attempt.begun;
  const write = { ...endingOf(task, { at, result: 'skipped' }), drop: earlierFields(task) };
  await attempt.document.replace({ due, began, tries, state: 'skipped', at }, write);
}

/** Billing has not reported the newest day yet: the post waits, without an error. */
export async function recordWait(
  task: DeliveryTask,
  { document, begun: { due } }: DeliveryAttempt,
  { next, awaits }: { readonly next: Millis; readonly awaits: Day },
  context: DeliveryContext,
): Promise<void> {
  const at = context.clock();
  const ending: Ending = { ...countsOf(task.schedule.id, context), at, result: 'waiting', awaits, next };
  const entry = { state: 'due', awaitsFigures: true, due, tries: 0, began: at, at, next } as const;
  await document.replace(entry, endingOf(task, ending));
}

/**
 * Records that a delivery failed, and what follows: another try, a pause of the schedule, waiting for Slack's rate
 * limit, or giving up.
 *
 * @returns what became of it
 * @throws LeaseLostError, StoreUnavailable
 */
export async function recordPostFailure(
  task: DeliveryTask,
  attempt: DeliveryAttempt,
  failure: SendFailure,
  context: DeliveryContext,
): Promise<FailedState> {
  const { schedule, superseded } = task;
  const { effect } = failure;
  const at = context.clock();
  const entry = entryAfter(failure, attempt, schedule.paused?.why, at);
  const { state, next, cause = effect.cause } = entry;
  const counts = countsOf(schedule.id, context);
  const ending: Ending =
    state === 'failed'
      ? { ...counts, failures: counts.failures + 1, at, result: 'failed', cause }
      : { ...counts, at, result: 'trying', cause, ...(next !== undefined && { next }) };
  const drop = state === 'failed' || state === 'held' ? fieldsOf(schedule, superseded) : [];
  await attempt.document.replace(entry, { ...endingOf(task, ending), drop });
  if (effect.kind === 'pause' && effect.why !== schedule.paused?.why)
    await pauseSchedule(schedule, effect.why, context);
  return state === 'failed' ? 'failed' : state === 'held' ? 'paused' : 'retrying';
}

/** @param pausedBy why the schedule is paused already */
function entryAfter(
  failure: SendFailure,
  { begun, document }: DeliveryAttempt,
  pausedBy: PauseReason | undefined,
  now: Millis,
): DeliveryLogEntry {
  const { effect, mayBeInSlack } = failure;
  const isUnclear = effect.kind === 'unclear';
  const mayBePosted = isUnclear || mayBeInSlack;
  if (effect.kind === 'pause' || (pausedBy !== undefined && !mayBePosted))
    return holdEntry(failure, begun, pausedBy, now);
  const { due, began } = begun;
  const entry = document.value();
  const after = afterFailure(begun, entry, failure, now, postRetryDelay, began);
  const { post } = isUnclear ? entry : begun;
  const base = { due, began, ...after, ...(mayBePosted && post && { post }) };
  if (after.state !== 'failed') return base;
  const cause = { ...effect.cause, ...(mayBePosted && { mayBePosted }) };
  return { ...base, cause, isMissed: true, pendingNotice: 'failed' };
}

/** The schedule is paused: the date waits and is probed. A new reason is notified, once. */
function holdEntry(
  { effect, mayBeInSlack }: SendFailure,
  { pendingNotice: before, post, awaitsFigures, ...begun }: DeliveryLogEntry,
  pausedBy: PauseReason | undefined,
  now: Millis,
): DeliveryLogEntry {
  const { tries, at, channel, isAgain, probes: probed = 0 } = begun;
  const probes = pausedBy === undefined ? 1 : probed + 1;
  const pendingNotice = effect.kind === 'pause' && effect.why !== pausedBy ? effect.why : before;
  const wait = Math.max(probeDelayAfter(probes), effect.kind === 'wait' ? effect.for : 0);
  const tried = { cause: effect.cause, next: now + wait };
  const doubt = { ...(channel && { channel }), ...(isAgain && { isAgain }) };
  return {
    ...withSendState(
      begun,
      mayBeInSlack
        ? { state: 'sending', at, tries, ...doubt, ...tried }
        : { state: 'held', at: now, tries: 0, ...tried },
    ),
    ...(mayBeInSlack && post && { post }),
    ...(pendingNotice !== undefined && { pendingNotice }),
    probes,
  };
}

/** Closes a delivery that started before its schedule was changed or paused. */
export const abandonDelivery = ({ schedule, line }: ScheduleLogEntry, context: DeliveryContext) =>
  trackMessage(
    { kind: 'post', schedule: schedule.id, tries: line.entry.tries },
    context,
    async (annotate) => {
      annotate({ outcome: 'changed' });
      const { date, entry } = line;
      const { due, began, tries } = entry;
      const at = context.clock();
      const cause = notSentFailure('schedule-changed');
      const isDropped = schedule.paused === undefined && entry.state !== 'sending';
      const ending: Ending = { ...countsOf(schedule.id, context), at, result: 'failed', cause };
      await openDate(line, context).replace(
        { due, began, tries, state: 'failed', at, cause, ...(isDropped && { isDropped }) },
        endingOf({ schedule, due: { date, at: due } }, ending),
      );
    },
  );
