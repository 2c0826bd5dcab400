import { NotAllowed } from '../../domain/failure/index.ts';
import { REPORTS } from '../../domain/report.ts';
import type { DueTime } from '../../domain/time/cadence.ts';
import { type Day, HOUR, MINUTE, type Millis } from '../../domain/time/calendar.ts';
import { LATE_AFTER } from '../../runtime/track-work.ts';
import { callSlack } from '../../slack/web-client.ts';
import type { Schedule } from '../../workspace/owned/schedule-record.ts';
import { requireSettings } from '../../workspace/record/workspace.ts';
import { deliveryKey } from '../log/delivery-log.ts';
import type { MissedDates, PostContent, PostSubject } from '../log/delivery-log-entry.ts';
import { classifyFailure } from '../outbox/failures.ts';
import { findPost } from '../outbox/find-post.ts';
import { sendMessage } from '../outbox/send-message.ts';
import type { Draft } from '../outbox/send-state.ts';
import { renderPost } from './post-blocks.ts';
import type { DeliveryTask } from './post-plan.ts';
import { type PostContext, type ReportResult, runReport, shownProjects, topicOf } from './postable-report.ts';
import {
  beginAttempt,
  type DeliveryAttempt,
  recordClaim,
  recordPost,
  recordPostFailure,
  recordSkip,
  recordWait,
} from './record-delivery.ts';
import { connectionsOf, resumePausedSchedule } from './schedule-pauses.ts';

/** Posts one date of one schedule, or records why not. @throws LeaseLostError, StoreUnavailable */
export async function deliverPost(task: DeliveryTask, context: PostContext): Promise<void> {
  const { schedule, due } = task;
  const attempt = beginAttempt(task, context);
  const { awaitsFigures, next } = attempt.begun;
  // A post that waited for its figures is not late for that.
  const expectedAt = awaitsFigures && next !== undefined ? next : due.at;
  const outcome = await sendMessage(
    {
      ...{ kind: 'post', key: deliveryKey(schedule.id, due.date), to: schedule.channel },
      ...{ schedule: schedule.id, due: expectedAt, stored: attempt.begun },
      prepare: (isAgain) => preparePost(task, attempt, { expectedAt, isAgain }, context),
      topic() {
        const { post } = attempt.document.value();
        return post && topicOfPost(post, due.at, context);
      },
      save: (change, { questions }) => recordPost(task, attempt, change, questions, context),
      async onRefused(_, mayBeInSlack) {
        const error = new NotAllowed('channel');
        await recordPostFailure(
          task,
          attempt,
          { error, effect: classifyFailure(error), mayBeInSlack },
          context,
        );
        return true;
      },
      async fail(failure) {
        const cause = sharedCause(schedule);
        const { effect, error } = failure;
        if (cause !== undefined && effect.kind === 'pause' && effect.why === schedule.paused?.why)
          context.probeFailures.set(cause, error);
        return recordPostFailure(task, attempt, failure, context);
      },
    },
    context,
  );
  if (outcome === 'done' && schedule.paused !== undefined) await resumePausedSchedule(schedule, context);
}

/** What it shows, also where another run made it. */
const topicOfPost = ({ subject, unanswered = {} }: PostContent, at: Millis, context: PostContext) =>
  topicOf({ ...subject, projects: shownProjects(subject, { unanswered }) }, at, subject.zone, context);

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
    await recordWait(task, attempt, wait, context);
    return 'waiting';
  }
  const { earlier, isEmpty } = await summarizeMissedDates(task, context);
  if (schedule.skipsEmpty && result.isEmpty && isEmpty && !isAgain) {
    await recordSkip(task, attempt, context);
    return 'skipped';
  }
  return {
    projects: shownProjects(schedule, result),
    render({ at }) {
      const { projects, timing, correctsFrom } = schedule;
      const post: PostContent = {
        ...{ earlier, checks: 0, figures: result.figures, unanswered: result.unanswered },
        isLate: at - expectedAt > LATE_AFTER,
        ...(result.awaits !== undefined && { without: result.awaits }),
        subject: subjectOf(schedule, result, context),
      };
      const { workspace } = context;
      const about = { projects, timing, correctsFrom, workspace, date: due.date, at };
      return {
        message: renderPost(result, { ...post, ...about }),
        claim: (change) => recordClaim(task, attempt, change, post, context),
      };
    },
  };
}

/** What the post is about. Corrections use it, even if the schedule and the settings have changed. */
function subjectOf(schedule: Schedule, { covers }: ReportResult, { workspace }: PostContext): PostSubject {
  const { report, projects, timing } = schedule;
  const { zone } = requireSettings(workspace);
  return { report, projects, timing, zone, covers, connections: connectionsOf(schedule, workspace) };
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
export async function summarizeMissedDates(
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
