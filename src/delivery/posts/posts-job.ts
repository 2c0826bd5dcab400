import { isDeepStrictEqual } from 'node:util';
import pLimit from 'p-limit';
import type { SlackId } from '../../domain/slack-id.ts';
import { MINUTE, type Millis } from '../../domain/time/calendar.ts';
import type { Job } from '../job.ts';
import { deliveryKey } from '../log/delivery-log.ts';
import type { DeliveryLogEntry, PostedMessage } from '../log/delivery-log-entry.ts';
import { earliest } from '../log/due-dates.ts';
import { recordFailed, trackMessage } from '../outbox/send-message.ts';
import { editMessage } from '../outbox/unclaimed-messages.ts';
import { type ExplanationPlan, explainCorrections, planExplanations } from './explain-corrections.ts';
import { type NoticePlan, notifyOwner, planNotices } from './notices.ts';
import { deliverPost } from './post.ts';
import { changedFigures, renderPost } from './post-blocks.ts';
import {
  CORRECTION_DELAYS,
  type DeliveryPlan,
  isIdle,
  planDeliveries,
  type ScheduleLogEntry,
} from './post-plan.ts';
import {
  type PostContext,
  type ReportResult,
  type Reports,
  runReport,
  shownProjects,
} from './postable-report.ts';
import { abandonDelivery, resumePausedSchedule } from './record-failure.ts';
import { connectionsOf } from './run-state.ts';

/** Channels of one workspace that are posted to in parallel. */
const CHANNELS = 5;

/** Posts of schedules, their corrections, and notes to owners. */
export const createPostsJob = (reports: Reports): Job => ({
  plan(workspace, snapshot, now) {
    const posts = planDeliveries(workspace, snapshot, now);
    const explanations = planExplanations(workspace, snapshot, posts.correctionsDue, now);
    const notices = planNotices(posts.pendingNotices, snapshot, now);
    return {
      isIdle: isIdle(posts) && explanations.due.length === 0 && notices.due.length === 0,
      next: earliest(posts.next, explanations.next, notices.next),
      nextDue: posts.nextDue,
      stale: posts.stale.map(({ schedule, date }) => deliveryKey(schedule, date)),
      run: (context) =>
        runPosts({ posts, explanations, notices }, { ...context, reports, probeFailures: new Map() }),
    };
  },
});

async function runPosts(
  {
    posts,
    explanations,
    notices,
  }: { readonly posts: DeliveryPlan; readonly explanations: ExplanationPlan; readonly notices: NoticePlan },
  context: PostContext,
): Promise<void> {
  for (const channel of explanations.due) if (!context.isOver()) await explainCorrections(channel, context);
  for (const line of posts.abandoned) await abandonDelivery(line, context);
  for (const owner of notices.due)
    if (!context.isOver()) await notifyOwner(owner, posts.pendingNotices, context);
  // The next pass finds them running.
  for (const schedule of posts.resumed) await resumePausedSchedule(schedule, context);
  await sendPosts(posts, context);
}

/** Channels in parallel; posts to the same channel one after the other. */
async function sendPosts({ tasks, correctionsDue }: DeliveryPlan, context: PostContext): Promise<void> {
  const byChannel = new Map<string, (() => Promise<void>)[]>();
  const add = (channel: SlackId, send: () => Promise<void>): void => {
    byChannel.set(channel, [...(byChannel.get(channel) ?? []), send]);
  };
  for (const task of tasks) add(task.schedule.channel, () => deliverPost(task, context));
  for (const due of correctionsDue) add(due.line.entry.post?.channel ?? '', () => correctPost(due, context));
  const limit = pLimit(CHANNELS);
  const inOrder = async (sends: readonly (() => Promise<void>)[]): Promise<void> => {
    for (const send of sends) if (!context.isOver()) await send();
  };
  const ended = await Promise.allSettled([...byChannel.values()].map((sends) => limit(inOrder, sends)));
  const failed = ended.find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}

/** After a check that failed, in ms, and how often. */
const RETRY_DELAY = 30 * MINUTE;
const MAX_TRIES = 6;

/** A post to check, with the log entry for each outcome. */
interface Correction extends ScheduleLogEntry {
  readonly post: PostedMessage;
  /** The post, with this check counted. */
  readonly checked: PostedMessage;
  readonly entry: DeliveryLogEntry;
}

/**
 * Checks the figures of a post again. If one changed by more than the schedule's percentage, the post is edited. The log
 * then holds the new figures and those that a reply has yet to explain, so each change is reported once. The post keeps
 * its own projects, days and channel, as far as the channel may see them today.
 *
 * @throws LeaseLostError, StoreUnavailable
 */
export async function correctPost(due: ScheduleLogEntry, context: PostContext): Promise<void> {
  const { post, next, cause, ...entry } = due.line.entry;
  if (post === undefined) return;
  const checked = { ...post, checks: checksDone(context.clock() - post.at) };
  const correction = { ...due, post, checked, entry };
  await trackMessage('correction', { schedule: due.schedule.id }, context, async (work) => {
    try {
      work.outcome = await check(correction, context);
    } catch (error) {
      await recordFailed(error, work, context, async () => void (await checkAgain(correction, context)));
    }
  });
}

/** @returns the outcome for its record */
async function check(correction: Correction, context: PostContext): Promise<string> {
  const { schedule, line, post, checked } = correction;
  const { subject } = post;
  const { workspace } = context;
  // Another account may use the same project ID for another project.
  if (!isDeepStrictEqual(connectionsOf(subject, workspace), subject.connections))
    return stopChecking(correction, context);
  const { report, projects, timing, zone } = subject;
  const request = { report, projects, timing, zone, channel: post.channel };
  const result = await runReport(request, line.entry.due, context);
  if (!isDeepStrictEqual(result.covers, subject.covers)) return stopChecking(correction, context);
  // A project that gives no answer now has not changed.
  if (Object.keys(result.unanswered).some((key) => post.figures[key] !== undefined))
    return checkAgain(correction, context);
  // The day that the post went without is filled in, however little it changes.
  const isFilledIn = post.without !== undefined && result.awaits === undefined;
  const changed = changedFigures(post.figures, result.figures, isFilledIn ? 0 : schedule.correctsFrom);
  if (Object.keys(changed).length === 0)
    return writeOutcome(correction, { tries: 0, post: checked }, context);
  return editPost(correction, result, changed, context);
}

async function editPost(
  correction: Correction,
  result: ReportResult,
  changed: ReportResult['figures'],
  context: PostContext,
): Promise<string> {
  const { schedule, line, post, checked } = correction;
  const { channel, ts, subject } = post;
  const at = context.clock();
  const { without: _, ...complete } = post;
  const current = { ...complete, ...(result.awaits !== undefined && { without: result.awaits }) };
  const { projects, timing } = subject;
  const { correctsFrom } = schedule;
  const about = { projects, timing, correctsFrom, workspace: context.workspace, date: line.date };
  const details = { ...current, ...about, corrected: at };
  const edited = await editMessage(
    {
      ...{ key: deliveryKey(schedule.id, line.date), to: channel },
      ...{ projects: shownProjects(subject, result), posted: { channel, ts } },
      content: () => renderPost(result, details),
    },
    context,
  );
  if (edited === 'gone') return stopChecking(correction, context);
  if (edited === 'refused') {
    await checkAgain(correction, context);
    return 'refused';
  }
  const unexplained = { ...changed, ...post.unexplained };
  const corrected = { ...current, checks: checked.checks, figures: result.figures, unexplained };
  const outcome = { tries: 0, post: corrected };
  await writeOutcome(correction, outcome, context, { channel, at });
  return 'sent';
}

/** The post is never checked again. */
const stopChecking = (correction: Correction, context: PostContext): Promise<string> =>
  writeOutcome(
    correction,
    { tries: 0, post: { ...correction.post, checks: CORRECTION_DELAYS.length } },
    context,
  );

/** Soon; after too many tries, not before the next planned check. */
async function checkAgain(correction: Correction, context: PostContext): Promise<'retrying'> {
  const { entry, post, checked } = correction;
  const outcome =
    entry.tries < MAX_TRIES
      ? { tries: entry.tries + 1, next: context.clock() + RETRY_DELAY, post }
      : { tries: 0, post: checked };
  await writeOutcome(correction, outcome, context);
  return 'retrying';
}

/** @returns that there is nothing to say, for its record */
async function writeOutcome(
  { schedule, line, entry }: Correction,
  outcome: Pick<DeliveryLogEntry, 'tries' | 'next' | 'post'>,
  context: PostContext,
  posted?: { readonly channel: SlackId; readonly at: Millis },
): Promise<'skipped'> {
  await context.writeLog({
    schedule: schedule.id,
    date: line.date,
    before: line.json,
    entry: { ...entry, ...outcome },
    ...(posted && { posted }),
    needsLease: true,
  });
  return 'skipped';
}

/** How many planned checks are done, `age` ms after the post. */
const checksDone = (age: number): number => CORRECTION_DELAYS.filter((pause) => pause <= age).length;
