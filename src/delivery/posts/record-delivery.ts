/** Records what became of a date: its entry in the delivery log and, for people, how the schedule's last delivery ended. */
import type { Day, Millis } from '../../domain/time/calendar.ts';
import { FIELDS } from '../../redis/keys.ts';
import type { LastDelivery, PauseReason } from '../../workspace/owned/schedule-record.ts';
import { type DeliveryContext, openState } from '../delivery-run.ts';
import { deliveryKey, type LogWrite } from '../log/delivery-log.ts';
import {
  type DatedLogEntry,
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

type StateChange = (now: SendState) => SendState;

/** The owner is notified of a project that gives no answer in this many posts in a row. */
const NOTIFY_AFTER = 2;

/** One attempt to deliver a date: each method records how far it got. @throws LeaseLostError, StoreUnavailable */
export class DeliveryAttempt {
  /** The date's entry as the attempt begins. */
  readonly begun: DeliveryLogEntry;
  private readonly document: ReturnType<typeof openDate>;

  constructor(
    private readonly task: DeliveryTask,
    private readonly context: DeliveryContext,
  ) {
    const { schedule, due, line } = task;
    this.begun = entryNow(line?.entry, due.at, context.clock());
    const known = { schedule: schedule.id, date: due.date, json: line?.json ?? '' };
    this.document = openDate({ entry: this.begun, ...known }, context);
  }

  /** What the post says, once it was claimed. */
  get post(): PostContent | undefined {
    return this.document.value().post;
  }

  /** The post goes out, unless the schedule has changed since it was read. @throws ScheduleChangedError */
  claim(change: StateChange, post: PostContent): Promise<void> {
    const field = FIELDS.schedule + this.task.schedule.id;
    const expected = { field, value: this.context.workspace.fields[field] ?? '' };
    const step = (now: DeliveryLogEntry): DeliveryLogEntry => {
      const { awaitsFigures, post: _, ...entry } = withSendState(now, change(now));
      return { post, ...entry };
    };
    return this.document.update(step, { needsLease: true, expected });
  }

  /** Slack has the post, so this is stored even after the lease is lost. */
  async confirm(change: StateChange, questions: LogWrite['questions']): Promise<void> {
    const { schedule } = this.task;
    const { post } = this;
    const { at, channel = schedule.channel, ts } = change(this.document.value());
    const before = this.context.workspace.lastSent(schedule.id)?.unanswered;
    const unanswered = Object.entries(post?.unanswered ?? {}).map(
      ([key, cause]) => [key, { posts: (before?.[key]?.posts ?? 0) + 1, cause }] as const,
    );
    const silent = unanswered.filter(([, { posts }]) => posts === NOTIFY_AFTER);
    const step = (now: DeliveryLogEntry): DeliveryLogEntry => {
      const after = change(now);
      if (after === now) return now;
      return {
        due: now.due,
        began: now.began,
        ...after,
        tries: 0,
        ...(post && { post }),
        ...(silent.length > 0 && {
          pendingNotice: 'unanswered',
          silent: Object.fromEntries(silent.map(([key, { cause }]) => [key, cause])),
        }),
      };
    };
    const ending = this.endingOf({
      result: post?.isLate ? 'posted-late' : 'posted',
      at,
      unanswered: Object.fromEntries(unanswered),
      ...(ts !== undefined && { ts }),
    });
    const posted = { channel, at };
    await this.document.update(step, { drop: this.earlierFields(), posted, questions, ...ending });
  }

  /** Nothing was spent, and the schedule posts nothing then. */
  skip(): Promise<void> {
    const at = this.context.clock();
    const { due, began, tries } = this.begun;
    const ending = { ...this.endingOf({ at, result: 'skipped' }), drop: this.earlierFields() };
    return this.document.replace({ due, began, tries, state: 'skipped', at }, ending);
  }

  /** Billing has not reported the newest day yet: the post waits, without an error. */
  wait({ next, awaits }: { readonly next: Millis; readonly awaits: Day }): Promise<void> {
    const at = this.context.clock();
    const { due } = this.begun;
    const ending = { ...countsOf(this.task.schedule.id, this.context), at, awaits, next };
    return this.document.replace(
      { state: 'due', awaitsFigures: true, due, tries: 0, began: at, at, next },
      this.endingOf({ ...ending, result: 'waiting' }),
    );
  }

  /**
   * The delivery failed: it is tried again, its schedule is paused, it waits for Slack's rate limit, or it is given up.
   *
   * @returns what became of it
   */
  async fail(failure: SendFailure): Promise<FailedState> {
    const { schedule, superseded } = this.task;
    const { effect } = failure;
    const at = this.context.clock();
    const entry = this.entryAfter(failure, at);
    const { state, next, cause = effect.cause } = entry;
    const counts = countsOf(schedule.id, this.context);
    const ending: Ending =
      state === 'failed'
        ? { ...counts, failures: counts.failures + 1, at, result: 'failed', cause }
        : { ...counts, at, result: 'trying', cause, ...(next !== undefined && { next }) };
    const isOver = state === 'failed' || state === 'held';
    const drop = isOver ? superseded.map((date) => deliveryKey(schedule.id, date)) : [];
    await this.document.replace(entry, { ...this.endingOf(ending), drop });
    if (effect.kind === 'pause' && effect.why !== schedule.paused?.why)
      await pauseSchedule(schedule, effect.why, this.context);
    return state === 'failed' ? 'failed' : state === 'held' ? 'paused' : 'retrying';
  }

  private entryAfter(failure: SendFailure, now: Millis): DeliveryLogEntry {
    const { effect, mayBeInSlack } = failure;
    const { begun } = this;
    const pausedBy = this.task.schedule.paused?.why;
    const mayBePosted = effect.kind === 'unclear' || mayBeInSlack;
    if (effect.kind === 'pause' || (pausedBy !== undefined && !mayBePosted))
      return holdEntry(failure, begun, pausedBy, now);
    const { due, began } = begun;
    const entry = this.document.value();
    const after = afterFailure(begun, entry, failure, now, postRetryDelay, began);
    const { post } = effect.kind === 'unclear' ? entry : begun;
    const base = { due, began, ...after, ...(mayBePosted && post && { post }) };
    if (after.state !== 'failed') return base;
    const cause = { ...effect.cause, ...(mayBePosted && { mayBePosted }) };
    return { ...base, cause, isMissed: true, pendingNotice: 'failed' };
  }

  private earlierFields(): readonly string[] {
    const { schedule, earlier } = this.task;
    return earlier.map(({ date }) => deliveryKey(schedule.id, date));
  }

  private endingOf(ending: Ending): Pick<LogWrite, 'lastDelivery'> {
    return endingOf(this.task, ending);
  }
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
      return { state: 'due', at: now, ...fresh };
  }
}

type Ending = Pick<LastDelivery, 'result' | 'at'> & Partial<LastDelivery>;

/** What people see of how the date ended, written with its entry. */
const endingOf = ({ schedule, due }: Pick<DeliveryTask, 'schedule' | 'due'>, ending: Ending) => ({
  lastDelivery: [schedule.id, { date: due.date, due: due.at, failures: 0, ...ending }] as const,
});

/** The dates in a row that failed so far, and the posts in a row in which a project gave no answer. */
function countsOf(schedule: string, { workspace }: DeliveryContext) {
  const { failures = 0, unanswered } = workspace.lastSent(schedule) ?? {};
  return { failures, ...(unanswered && { unanswered }) };
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
