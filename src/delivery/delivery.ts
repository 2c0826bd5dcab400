import { setMaxListeners } from 'node:events';
import type { Logger } from 'pino';
import type { BillingClient } from '../billing/client.ts';
import { type Day, dayAt } from '../domain/time/calendar.ts';
import { inSpan } from '../runtime/spans.ts';
import { postMessage } from '../slack/reply/post-message.ts';
import type { UserDirectory } from '../slack/request/users.ts';
import type { WebClient } from '../slack/web-client.ts';
import type { LastDelivery, Schedule } from '../workspace/owned/schedules.ts';
import { type AnswerNotes, collectAnswerNotes, type LastUsed } from '../workspace/record/last-used.ts';
import type { Workspace, Workspaces } from '../workspace/record/workspaces.ts';
import { createBillingCache } from './billing-cache.ts';
import {
  type DeliveryContext,
  type DeliveryRun,
  LeaseLostError,
  reportAt,
  startDeliveryRun,
} from './context.ts';
import type { DeliveryLog, DeliveryLogSnapshot } from './log/delivery-log.ts';
import { earliest } from './log/due-dates.ts';
import { requireChannel } from './outbox/recipients.ts';
import { correctPost } from './posts/correction.ts';
import { explainCorrections, planExplanations } from './posts/explain-corrections.ts';
import { notifyOwners } from './posts/notify-owner.ts';
import { deliverPost } from './posts/post.ts';
import { type ManualReason, manualPostMessage } from './posts/post-blocks.ts';
import { type DeliveryPlan, planDeliveries } from './posts/post-plan.ts';
import { type PostableReport, type Reports, shownProjects } from './posts/postable-report.ts';
import { abandonDelivery, resumePausedSchedule } from './posts/record-failure.ts';
import { isReminderIdle, planReminders } from './reminders/reminder-plan.ts';
import { runReminders } from './reminders/reminders.ts';
import type { WatchFiguresStore } from './watches/watch-figures.ts';
import { isWatchIdle, planWatches, runWatches } from './watches/watch-plan.ts';

export interface DeliveryParts {
  readonly workspaces: Workspaces;
  readonly deliveryLog: DeliveryLog;
  readonly watchFigures: WatchFiguresStore;
  /** @throws NotInstalled, UnsealFailed, StoreUnavailable */
  readonly clientFor: (workspace: string) => Promise<WebClient>;
  readonly users: UserDirectory;
  readonly reports: () => Reports;
  readonly billing: BillingClient;
  readonly lastUsed: LastUsed;
  /** ms since the epoch */
  readonly clock: () => number;
  readonly log: Logger;
}

export interface Delivery {
  /**
   * Delivers whatever is due in a workspace. Only one process does so at a time, and an extra, repeated or late call
   * does no harm.
   *
   * @returns when to run again besides the calendar, in ms; undefined for never
   * @throws StoreUnavailable
   */
  run(workspace: string): Promise<number | undefined>;
  /** Posts what the schedule would, as of now; neither log nor calendar change. @throws Failure */
  send(workspace: string, schedule: Schedule, why: ManualReason, by: string): Promise<void>;
  /** No further post is begun. */
  stop(): void;
}

/** Another process holds the lease: try again after this, in ms. */
const BUSY_DELAY = 3_000;
/** What falls due during a run is taken along, but a run comes to an end. */
const MAX_PASSES = 10;
/** Channels of one workspace that are posted to in parallel. */
const CHANNELS = 5;

export function createDelivery(parts: DeliveryParts): Delivery {
  const { deliveryLog, watchFigures, clientFor, users, clock, log, workspaces } = parts;
  const stopping = new AbortController();
  // Every post that waits listens to it, and there may be any number of them: Node would warn from the eleventh on.
  setMaxListeners(0, stopping.signal);
  const billingForRun = createBillingCache(parts.billing, clock);
  const unrecordedPosts = new Map<string, string>();
  const reportOf = ({ report }: Pick<Schedule, 'report'>): PostableReport => {
    const found = parts.reports()[report];
    if (found === undefined) throw new Error(`There is no report ${report}.`);
    return found;
  };

  async function deliver(workspace: string): Promise<number | undefined> {
    const lease = await deliveryLog.lease(workspace);
    if (lease === 'gone') return undefined;
    if (lease === 'taken') return clock() + BUSY_DELAY;
    const run = startDeliveryRun({
      ...{ workspaces, deliveryLog, watchFigures, clientFor, users, clock, log },
      ...{ lease, reportOf, unrecordedPosts },
      stopping: stopping.signal,
    });
    try {
      return await runPasses(run, billingForRun, parts.lastUsed);
    } catch (error) {
      if (stopping.signal.aborted) return clock();
      if (!(error instanceof LeaseLostError)) throw error;
      log.warn({ workspace }, 'a delivery run lost its lease');
      return clock() + BUSY_DELAY;
    } finally {
      run.end();
      // If the store is away, the lease expires by itself.
      await deliveryLog.release(lease).catch(() => undefined);
    }
  }

  return {
    run: (workspace) => inSpan('delivery', () => deliver(workspace)),
    send: (teamId, schedule, why, by) => sendByHand(parts, reportOf(schedule), { teamId, schedule, why, by }),
    stop: () => stopping.abort(),
  };
}

/** All that is to be done for a workspace at `now` (ms). */
export function planRun(workspace: Workspace, snapshot: DeliveryLogSnapshot, now: number) {
  const posts = planDeliveries(workspace, snapshot, now);
  const explanations = planExplanations(workspace, snapshot, posts.correctionsDue, now);
  const watches = planWatches(workspace, snapshot, now);
  const reminders = planReminders(workspace, snapshot, now);
  return {
    ...{ posts, explanations, watches, reminders },
    isIdle:
      isIdle(posts) && explanations.due.length === 0 && isWatchIdle(watches) && isReminderIdle(reminders),
    /** When there is something to do besides the calendar, in ms; undefined for never. */
    next: earliest(posts.next, explanations.next, watches.next, reminders.next),
  };
}

/** Plans and delivers until nothing is left. @returns when to run again, in ms */
async function runPasses(
  run: DeliveryRun,
  billingForRun: () => BillingClient,
  lastUsed: LastUsed,
): Promise<number | undefined> {
  const { teamId, lease, clock, workspaces, deliveryLog } = run;
  for (let pass = 0; pass < MAX_PASSES; pass += 1) {
    const [workspace, logSnapshot] = await Promise.all([workspaces.read(teamId), deliveryLog.read(teamId)]);
    const plan = planRun(workspace, logSnapshot, clock());
    await deliveryLog.drop(lease, plan.posts.stale);
    await deliveryLog.dropStates(lease, [...plan.watches.stale, ...plan.reminders.stale]);
    if (plan.isIdle) return plan.next;
    if (run.isOver()) return clock();
    const answerNotes = collectAnswerNotes(clock);
    const probeFailures = new Map<string, unknown>();
    const billing = billingForRun();
    const context = { ...run, workspace, logSnapshot, billing, answerNotes, probeFailures };
    for (const channel of plan.explanations.due)
      if (!run.isOver()) await explainCorrections(channel, context);
    await executePlan(plan.posts, context);
    await runReminders(plan.reminders, context);
    await runWatches(plan.watches, run.watchFigures, context);
    await noteUse(lastUsed, { teamId, workspace }, answerNotes);
  }
  return clock() + BUSY_DELAY;
}

async function noteUse(
  lastUsed: LastUsed,
  by: { readonly teamId: string; readonly workspace: Workspace },
  answerNotes: AnswerNotes,
): Promise<void> {
  await Promise.all(answerNotes.all().map((notes) => lastUsed.note(by, notes)));
}

interface ManualPost {
  readonly teamId: string;
  readonly schedule: Schedule;
  readonly why: ManualReason;
  /** Slack ID */
  readonly by: string;
}

async function sendByHand(
  parts: DeliveryParts,
  report: PostableReport,
  { teamId, schedule, why, by }: ManualPost,
): Promise<void> {
  const { workspaces, billing, clientFor, lastUsed, clock, log } = parts;
  const client = () => clientFor(teamId);
  const workspace = await workspaces.read(teamId);
  const answerNotes = collectAnswerNotes(clock);
  const result = await reportAt(report, schedule, clock(), { workspace, billing, answerNotes });
  // A test that goes to one person is of what the channel would get.
  const shown = shownProjects(schedule, result);
  await requireChannel('post by hand', schedule.channel, shown, { ...parts, client, teamId });
  const target = { channel: why === 'test-to-me' ? by : schedule.channel, thread: undefined };
  await postMessage(await client(), target, manualPostMessage(result, why, by));
  await noteUse(lastUsed, { teamId, workspace }, answerNotes);
  if (why !== 'now') return;
  const at = clock();
  const date = dayAt(at, schedule.timing.zone);
  // The post was sent, so a failure to store this is ignored.
  await workspaces
    .noteSent(teamId, workspace, schedule.id, afterManualPost(workspace.lastSent(schedule.id), date, at))
    .catch((err: unknown) => log.warn({ err, workspace: teamId }, 'could not note a post sent by hand'));
}

/** It replaces a date that failed; a date that is still being retried continues. */
function afterManualPost(before: LastDelivery | undefined, date: Day, at: number): LastDelivery {
  if (before?.result === 'trying' || before?.result === 'waiting') return { ...before, byHand: at };
  const { cause: _, next, ts, ...rest } = before ?? { date, due: at, failures: 0 };
  return { ...rest, result: 'posted', at, byHand: at };
}

/** Nothing is to be done now. */
export const isIdle = (plan: DeliveryPlan): boolean =>
  [plan.tasks, plan.resumed, plan.correctionsDue, plan.pendingNotifications, plan.abandoned].every(
    (some) => some.length === 0,
  );

/** Channels in parallel; posts to the same channel one after the other. */
async function executePlan(plan: DeliveryPlan, context: DeliveryContext): Promise<void> {
  for (const one of plan.abandoned) await abandonDelivery(one, context);
  await notifyOwners(plan.pendingNotifications, context);
  // The next pass finds them running.
  for (const one of plan.resumed) await resumePausedSchedule(one, context);
  const byChannel = new Map<string, (() => Promise<void>)[]>();
  const add = (channel: string, work: () => Promise<void>): void => {
    byChannel.set(channel, [...(byChannel.get(channel) ?? []), work]);
  };
  for (const task of plan.tasks) add(task.schedule.channel, () => deliverPost(task, context));
  for (const due of plan.correctionsDue)
    add(due.line.entry.post?.channel ?? '', () => correctPost(due, context));
  const queues = [...byChannel.values()];
  const work = async () => {
    for (let queue = queues.shift(); queue !== undefined; queue = queues.shift())
      for (const one of queue) if (!context.isOver()) await one();
  };
  const ended = await Promise.allSettled(Array.from({ length: CHANNELS }, work));
  const failed = ended.find((one) => one.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
