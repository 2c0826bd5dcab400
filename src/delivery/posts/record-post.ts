import type { Day } from '../../domain/time/calendar.ts';
import type { LastDelivery } from '../../workspace/owned/schedules.ts';
import type { DeliveryContext } from '../context.ts';
import type { LogWrite } from '../log/delivery-log.ts';
import type { DeliveryLogEntry, PostedMessage } from '../log/delivery-log-entry.ts';
import type { DeliveryTask } from './post-plan.ts';

/** The owner is notified of a project that gives no answer in this many posts in a row. */
const NOTIFY_AFTER = 2;

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

export const lastDeliveryOf = ({ due }: Pick<DeliveryTask, 'due'>, at: number) => ({
  date: due.date,
  due: due.at,
  at,
  failures: 0,
});

/** Slack has the post, so this is recorded even after the lease is lost. It fails only while the store is away. */
export async function recordPost(
  task: DeliveryTask,
  attempt: DeliveryAttempt,
  post: PostedMessage,
  questions: LogWrite['questions'],
  context: DeliveryContext,
): Promise<void> {
  const { schedule } = task;
  const { due, began } = attempt.entry;
  const unanswered = countUnanswered(() => context.workspace.lastSent(schedule.id), post);
  const silent = Object.entries(unanswered).flatMap(([project, { posts, cause: why }]) =>
    posts === NOTIFY_AFTER ? [[project, why] as const] : [],
  );
  const lastDelivery: LastDelivery = {
    ...lastDeliveryOf(task, post.at),
    unanswered,
    result: post.isLate ? 'posted-late' : 'posted',
    ts: post.ts,
  };
  const write = {
    ...lineOf(task),
    before: attempt.before,
    entry: {
      ...{ state: 'posted' as const, due, began, tries: 0, at: post.at, post },
      ...(silent.length > 0 && { pendingNotice: 'unanswered' as const, silent: Object.fromEntries(silent) }),
    },
    posted: { channel: post.channel, at: post.at },
    ...{ lastDelivery, questions },
  };
  await context.deliveryLog.write(context.lease, write);
}

/** Which projects gave no answer, and in how many posts in a row. */
function countUnanswered(before: () => LastDelivery | undefined, { unanswered = {} }: PostedMessage) {
  const counted = Object.entries(unanswered).map(([key, cause]) => {
    const posts = (before()?.unanswered?.[key]?.posts ?? 0) + 1;
    return [key, { posts, cause }] as const;
  });
  return Object.fromEntries(counted);
}

/** Nothing was spent, and the schedule posts nothing then. */
export async function recordSkip(
  task: DeliveryTask,
  attempt: DeliveryAttempt,
  context: DeliveryContext,
): Promise<void> {
  const at = context.clock();
  const { next, cause, pendingNotice, probes, waits, post, ...entry } = attempt.entry;
  await context.writeLog({
    ...lineOf(task),
    before: attempt.before,
    entry: { ...entry, state: 'skipped', at },
    lastDelivery: { ...lastDeliveryOf(task, at), result: 'skipped' },
  });
}

/** Billing has not reported the newest day yet: the post waits, without an error. */
export async function recordWait(
  task: DeliveryTask,
  attempt: DeliveryAttempt,
  { next, awaits }: { readonly next: number; readonly awaits: Day },
  context: DeliveryContext,
): Promise<void> {
  const at = context.clock();
  const { cause, pendingNotice, probes, post, ...entry } = attempt.entry;
  const { failures = 0, unanswered } = context.workspace.lastSent(task.schedule.id) ?? {};
  await context.writeLog({
    schedule: task.schedule.id,
    date: task.due.date,
    before: attempt.before,
    entry: { ...entry, state: 'trying', waits: true, tries: 0, began: at, at, next },
    lastDelivery: {
      ...lastDeliveryOf(task, at),
      failures,
      ...(unanswered && { unanswered }),
      ...{ result: 'waiting', awaits, next },
    },
  });
}

const lineOf = ({ schedule, due, earlier }: DeliveryTask) => ({
  schedule: schedule.id,
  date: due.date,
  drop: earlier.map(({ date }) => date),
});
