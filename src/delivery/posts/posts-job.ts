import pLimit from 'p-limit';
import { Failure } from '../../domain/failure/index.ts';
import { REPORTS } from '../../domain/report.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import type { DueTime } from '../../domain/time/cadence.ts';
import { type Day, earliest, HOUR, MINUTE, type Millis } from '../../domain/time/calendar.ts';
import { callSlack } from '../../slack/web-client.ts';
import type { Schedule } from '../../workspace/owned/schedule-record.ts';
import { requireSettings } from '../../workspace/record/workspace.ts';
import { deliveryKey } from '../log/delivery-log.ts';
import type { MissedDates, PostContent } from '../log/delivery-log-entry.ts';
import { classifyFailure } from '../outbox/failures.ts';
import { findPost } from '../outbox/find-post.ts';
import { sendMessage } from '../outbox/send-message.ts';
import type { Draft } from '../outbox/send-state.ts';
import { type Job, taskEach } from '../workspace-runner.ts';
import { correctPost, explainCorrections, planExplanations } from './corrections.ts';
import { notifyOwner, planNotices } from './notices.ts';
import { renderPost } from './post-blocks.ts';
import { type DeliveryPlan, type DeliveryTask, planDeliveries } from './post-plan.ts';
import { abandonDelivery, DeliveryAttempt } from './record-delivery.ts';
import {
  type MakeReport,
  type PostContext,
  type ReportResult,
  runReport,
  shownProjects,
  topicOf,
} from './run-report.ts';
import { connectionsOf, resumePausedSchedule } from './schedule-pauses.ts';

/** A post that goes out later than this is late; in ms. */
const LATE_AFTER: Millis = 5 * 60_000;

/** Posts of schedules, their corrections, and notes to owners. */
export const createPostsJob = (makeReport: MakeReport): Job => ({
  plan(workspace, snapshot, now) {
    const posts = planDeliveries(workspace, snapshot, now);
    const explanations = planExplanations(workspace, snapshot, posts.correctionsDue, now);
    const notices = planNotices(posts.pendingNotices, snapshot, now);
    const hasPosts = posts.tasks.length > 0 || posts.correctionsDue.length > 0;
    return {
      next: earliest(posts.next, explanations.next, notices.next),
      nextDue: posts.nextDue,
      stale: posts.stale.map(({ schedule, date }) => deliveryKey(schedule, date)),
      tasks: [
        ...taskEach(explanations.due, explainCorrections),
        ...taskEach(posts.abandoned, abandonDelivery),
        ...taskEach(notices.due, (owner, context) => notifyOwner(owner, posts.pendingNotices, context)),
        // The next pass finds them running.
        ...taskEach(posts.resumed, resumePausedSchedule),
        ...taskEach(hasPosts ? [posts] : [], (plan, context) =>
          sendPosts(plan, { ...context, makeReport, probeFailures: new Map() }),
        ),
      ],
    };
  },
});

const CHANNELS = 5;

/** Channels in parallel; posts to the same channel one after the other. */
async function sendPosts({ tasks, correctionsDue }: DeliveryPlan, context: PostContext): Promise<void> {
  const byChannel = new Map<SlackId, (() => Promise<void>)[]>();
  const add = (channel: SlackId, send: () => Promise<void>): void => {
    byChannel.set(channel, [...(byChannel.get(channel) ?? []), send]);
  };
  for (const task of tasks) add(task.schedule.channel, () => deliverPost(task, context));
  for (const due of correctionsDue) add(due.line.entry.channel ?? '', () => correctPost(due, context));
  const limit = pLimit(CHANNELS);
  const inOrder = async (sends: readonly (() => Promise<void>)[]): Promise<void> => {
    for (const send of sends) if (!context.isOver()) await send();
  };
  const ended = await Promise.allSettled([...byChannel.values()].map((sends) => limit(inOrder, sends)));
  const failed = ended.find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}

/** Posts one date of one schedule, or records why not. @throws LeaseLostError, StoreUnavailable */
async function deliverPost(task: DeliveryTask, context: PostContext): Promise<void> {
  const { schedule, due } = task;
  const attempt = new DeliveryAttempt(task, context);
  const { awaitsFigures, next } = attempt.begun;
  // A post that waited for its figures is not late for that.
  const expectedAt = awaitsFigures && next !== undefined ? next : due.at;
  const outcome = await sendMessage(
    {
      kind: 'post',
      key: deliveryKey(schedule.id, due.date),
      to: schedule.channel,
      schedule: schedule.id,
      due: expectedAt,
      stored: attempt.begun,
      prepare: (isAgain) => preparePost(task, attempt, { expectedAt, isAgain }, context),
      topic() {
        if (attempt.post === undefined) return undefined;
        // What it shows, also where another run made it.
        const { subject, unanswered = {} } = attempt.post;
        const projects = shownProjects(subject, { unanswered });
        return topicOf({ ...subject, projects }, due.at, subject.zone, context);
      },
      save: (change, { questions }) => attempt.confirm(change, questions),
      async onRefused(_, mayBeInSlack) {
        const error = new Failure('not-allowed', { reason: 'channel' });
        await attempt.fail({ error, effect: classifyFailure(error), mayBeInSlack });
        return true;
      },
      async fail(failure) {
        const cause = sharedCause(schedule);
        const { effect, error } = failure;
        if (cause !== undefined && effect.kind === 'pause' && effect.why === schedule.paused?.why)
          context.probeFailures.set(cause, error);
        return attempt.fail(failure);
      },
    },
    context,
  );
  if (outcome === 'done' && schedule.paused !== undefined) await resumePausedSchedule(schedule, context);
}

/**
 * What the post says, or why there is none, which is recorded. @throws Failure
 *
 * @param expectedAt when it was to go out, in ms
 */
async function preparePost(
  task: DeliveryTask,
  attempt: DeliveryAttempt,
  { expectedAt, isAgain }: { readonly expectedAt: Millis; readonly isAgain: boolean },
  context: PostContext,
): Promise<Draft | 'skipped' | 'waiting'> {
  const { schedule, due } = task;
  await probe(schedule, context);
  const result = await runReport(schedule, due.at, context);
  const wait = isAgain ? undefined : waitUntil(task, result, context.clock());
  if (wait !== undefined) {
    await attempt.wait(wait);
    return 'waiting';
  }
  const { earlier, isEmpty } = await summarizeMissedDates(task, context);
  if (schedule.skipsEmpty && result.isEmpty && isEmpty && !isAgain) {
    await attempt.skip();
    return 'skipped';
  }
  return {
    projects: shownProjects(schedule, result),
    render({ at }) {
      const { workspace } = context;
      const { report, projects, timing } = schedule;
      const { zone } = requireSettings(workspace);
      const connections = connectionsOf(schedule, workspace);
      // Corrections use it, even if the schedule and the settings have changed.
      const subject = { report, projects, timing, zone, covers: result.covers, connections };
      const post: PostContent = {
        isLate: at - expectedAt > LATE_AFTER,
        earlier,
        checks: 0,
        figures: result.figures,
        unanswered: result.unanswered,
        ...(result.awaits !== undefined && { without: result.awaits }),
        subject,
      };
      return {
        message: renderPost(result, { workspace, date: due.date, at, ...schedule, ...post }),
        claim: (change) => attempt.claim(change, post),
      };
    },
  };
}

/**
 * Checks the cause of a pause before the post is tried: once a pass for all schedules that share it, and Slack's token
 * by the cheapest call.
 *
 * @throws what still pauses it
 */
async function probe(schedule: Schedule, context: PostContext): Promise<void> {
  const cause = sharedCause(schedule);
  if (cause === undefined) return;
  if (context.probeFailures.has(cause)) throw context.probeFailures.get(cause);
  if (schedule.paused?.why !== 'app-removed') return;
  const client = await context.client();
  await callSlack('auth.test', () => client.auth.test()).catch((error: unknown) => {
    if (classifyFailure(error).kind === 'pause') throw error;
  });
}

/** A cause of a pause that affects other schedules too. */
function sharedCause({ paused }: Schedule): string | undefined {
  if (paused?.why === 'app-removed') return paused.why;
  return paused?.why === 'token-rejected' ? `${paused.why} ${paused.basis ?? ''}` : undefined;
}

/** How often a waiting post asks billing again, in ms. */
const LOOK_INTERVAL = 30 * MINUTE;

/** When to check again for a day that billing has not reported yet; undefined to post now. */
function waitUntil(
  { schedule: { waitHours, paused }, due }: DeliveryTask,
  { awaits }: ReportResult,
  now: Millis,
): { readonly next: number; readonly awaits: Day } | undefined {
  const end = due.at + waitHours * HOUR;
  if (awaits === undefined || paused !== undefined || now >= end) return undefined;
  return { next: Math.min(now + LOOK_INTERVAL, end), awaits };
}

/** A post names this many missed dates and counts the rest. */
const MAX_NAMED = 10;

/** @returns what the post says about the dates before it; `isEmpty` if nothing was spent on any of them */
async function summarizeMissedDates(
  task: DeliveryTask,
  context: PostContext,
): Promise<{ readonly earlier: MissedDates; readonly isEmpty: boolean }> {
  const missed: (DueTime & { readonly isUnclear: boolean })[] = [];
  for (const due of task.earlier) {
    const found = await findEarlierPost(due, task, context);
    if (typeof found === 'string') missed.push({ ...due, isUnclear: found === 'unknown' });
  }
  // The balance of an earlier date is unknown.
  const maxNamed = REPORTS[task.schedule.report].coversDays ? MAX_NAMED : 0;
  const counted = Math.max(0, missed.length - maxNamed);
  const named = await Promise.all(
    missed.slice(counted).map(async ({ date, at, isUnclear }) => {
      try {
        const { covers, figures, isEmpty } = await runReport(task.schedule, at, context);
        return { missed: { date, isUnclear, covers, figures }, isEmpty };
      } catch (error) {
        return { missed: { date, isUnclear, cause: classifyFailure(error).cause }, isEmpty: false };
      }
    }),
  );
  return {
    earlier: { counted, named: named.map(({ missed }) => missed) },
    isEmpty: counted === 0 && named.every(({ isEmpty }) => isEmpty),
  };
}

/** The post of an earlier date. A date whose post may or may not be in Slack is named again. */
async function findEarlierPost(
  { date }: DueTime,
  { schedule, doubtful }: DeliveryTask,
  context: PostContext,
) {
  const line = doubtful.find((doubt) => doubt.date === date);
  if (line === undefined) return 'absent';
  const { channel = schedule.channel } = line.entry;
  return findPost(await context.client(), channel, deliveryKey(schedule.id, date), line.entry.at);
}
