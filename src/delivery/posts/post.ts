import { setTimeout as delay } from 'node:timers/promises';
import { isFailure } from '../../domain/failure/index.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import { FIELDS } from '../../redis/keys.ts';
import { postWithMetadata } from '../../slack/reply/post-message.ts';
import { callSlack } from '../../slack/web-client.ts';
import type { Schedule } from '../../workspace/owned/schedules.ts';
import { requireSettings } from '../../workspace/record/workspace.ts';
import { LeaseLostError, ScheduleChangedError } from '../context.ts';
import { deliveryKey } from '../log/delivery-log.ts';
import type { DeliveryLogEntry, PostedMessage, PostSubject } from '../log/delivery-log-entry.ts';
import { deliveryMetadata, findPost } from '../outbox/find-post.ts';
import { requireChannel } from '../outbox/recipients.ts';
import { classifyFailure, OutcomeUnknown } from '../outbox/retry.ts';
import { beginAttempt, type DeliveryAttempt } from './attempt.ts';
import { summarizeMissedDates } from './catch-up.ts';
import { renderPost } from './post-blocks.ts';
import type { DeliveryTask } from './post-plan.ts';
import { type ReportResult, shownProjects } from './postable-report.ts';
import { recordFailure, resumePausedSchedule } from './record-failure.ts';
import { recordPost, recordSkip, recordWait } from './record-post.ts';
import { type PostContext, runReport } from './run-report.ts';
import { connectionsOf } from './run-state.ts';

/** A post this long after its due time says that it is late; in ms. */
const LATE = 5 * 60_000;
/** Nothing may take longer between the log entry that a post goes out and the call; in ms. */
const FRESH = 3_000;
/** A rate limit of up to this is waited out within the run; in ms. */
const SHORT_WAIT = 5_000;
const MAX_SHORT_WAITS = 3;

/** Posts one date of one schedule, or records why not. @throws LeaseLostError, StoreUnavailable */
export async function deliverPost(task: DeliveryTask, context: PostContext): Promise<void> {
  const attempt = beginAttempt(task, context);
  const { schedule } = task;
  try {
    await probe(schedule, context);
    if (!attempt.isDoubtful || !(await recordIfPosted(task, attempt, context)))
      await postNow(task, attempt, context);
    if (schedule.paused !== undefined) await resumePausedSchedule(schedule, context);
  } catch (error) {
    if (error instanceof ScheduleChangedError) return;
    // What Slack said is recorded even by a process that is stopping: otherwise Slack would have to be searched.
    if (error instanceof LeaseLostError || (context.stopping.aborted && !isSlackError(error))) throw error;
    if (!isFailure(error) && !(error instanceof OutcomeUnknown))
      context.log.error({ err: error, workspace: context.teamId }, 'a scheduled post failed');
    const key = sharedCause(schedule);
    const effect = classifyFailure(error);
    if (key !== undefined && effect.kind === 'pause' && effect.why === schedule.paused?.why)
      context.probeFailures.set(key, error);
    await recordFailure(task, attempt, effect, context);
  }
}

/**
 * Checks the cause of a pause before the post is tried: once a pass for all schedules that share it, and Slack's token
 * by the cheapest call.
 *
 * @throws what still pauses it
 */
async function probe(schedule: Schedule, context: PostContext): Promise<void> {
  const key = sharedCause(schedule);
  if (key === undefined) return;
  if (context.probeFailures.has(key)) throw context.probeFailures.get(key);
  if (schedule.paused?.why !== 'app-removed') return;
  const client = await context.client();
  await callSlack('auth.test', () => client.auth.test()).catch((error: unknown) => {
    if (classifyFailure(error).kind === 'pause') throw error;
  });
}

/** A cause of a pause that affects other schedules too. */
function sharedCause({ paused }: Schedule): string | undefined {
  if (paused?.why === 'app-removed') return paused.why;
  return paused?.why === 'token-rejected' ? `${paused.why} ${paused.asked ?? ''}` : undefined;
}

const isSlackError = (error: unknown): boolean =>
  isFailure(error) && (error.kind === 'cannot-post' || error.kind === 'slack-failed');

/**
 * Looks for a post that Slack may have taken before its run died, and records it.
 *
 * @returns whether it was there; if Slack does not say, the attempt stays doubtful
 */
async function recordIfPosted(
  task: DeliveryTask,
  attempt: DeliveryAttempt,
  context: PostContext,
): Promise<boolean> {
  const { schedule, due } = task;
  const { post } = attempt.entry;
  const key = deliveryKey(schedule.id, due.date);
  const known = context.unrecordedPosts.get(`${context.teamId}/${key}`);
  const channel = post?.channel ?? schedule.channel;
  const found =
    known === undefined
      ? await findPost(await context.client(), channel, key, attempt.entry.at)
      : { ts: known };
  if (found === 'absent') attempt.isDoubtful = false;
  if (typeof found === 'string' || post === undefined) return false;
  await recordPost(task, attempt, { ...post, ts: found.ts }, context);
  return true;
}

async function postNow(task: DeliveryTask, attempt: DeliveryAttempt, context: PostContext): Promise<void> {
  const { schedule, due } = task;
  // A doubtful post is sent a second time, but not a third.
  if (attempt.isDoubtful && attempt.entry.post?.isAgain) throw new OutcomeUnknown();
  const result = await runReport(schedule, due.at, context);
  const wait = waitUntil(task, attempt, result, context.clock());
  if (wait !== undefined) return recordWait(task, attempt, wait, context);
  const { lines: earlier, isEmpty } = await summarizeMissedDates(task, context);
  if (schedule.skipsEmpty && result.isEmpty && isEmpty && !attempt.isDoubtful)
    return recordSkip(task, attempt, context);
  for (let waits = 0; ; waits += 1) {
    try {
      return await sendPost(task, attempt, { result, earlier }, context);
    } catch (error) {
      const effect = error instanceof LeaseLostError ? undefined : classifyFailure(error);
      if (effect?.kind !== 'wait' || effect.for > SHORT_WAIT || waits >= MAX_SHORT_WAITS) throw error;
      await delay(effect.for, undefined, { signal: context.stopping }).catch(() => {
        throw error;
      });
    }
  }
}

/** How often a waiting post asks billing again, in ms. */
const LOOK_INTERVAL = 30 * 60_000;
const HOUR = 3_600_000;

/** When to check again for a day that billing has not reported yet; undefined to post now. */
function waitUntil(
  { schedule: { waitHours, paused }, due }: DeliveryTask,
  { isDoubtful }: DeliveryAttempt,
  { awaits }: ReportResult,
  now: Millis,
): { readonly next: number; readonly day: string } | undefined {
  const end = due.at + waitHours * HOUR;
  if (awaits === undefined || isDoubtful || paused !== undefined || now >= end) return undefined;
  return { next: Math.min(now + LOOK_INTERVAL, end), day: awaits };
}

interface PostContent {
  readonly result: ReportResult;
  /** Lines about dates that were missed before. */
  readonly earlier: readonly string[];
}

/** Writes to the log that the post goes out, sends it, and records it. */
async function sendPost(
  task: DeliveryTask,
  attempt: DeliveryAttempt,
  { result, earlier }: PostContent,
  context: PostContext,
): Promise<void> {
  const { schedule, due } = task;
  const { channel } = schedule;
  const client = await context.client();
  await context.waitForChannel(channel, context.logSnapshot.lastPost(channel));
  await requireChannel('post', channel, shownProjects(schedule, result), context);
  const at = context.clock();
  const post: PostedMessage = {
    channel,
    ts: '',
    at,
    isLate: at - (attempt.entry.waits ? (attempt.entry.next ?? at) : due.at) > LATE,
    isAgain: attempt.isDoubtful,
    earlier,
    figures: result.figures,
    unanswered: result.unanswered,
    checks: 0,
    ...(result.awaits !== undefined && { without: result.awaits }),
    subject: subjectOf(schedule, result, context),
  };
  const began = performance.now();
  const { next, cause, waits, ...entry } = attempt.entry;
  await writeAttempt(task, attempt, { ...entry, state: 'sending', at, post }, context);
  // After a longer hang another worker may hold the lease. The next run asks Slack whether the post is there.
  if (performance.now() - began > FRESH) throw new LeaseLostError();
  const { timing, correctsFrom } = schedule;
  const message = renderPost(result, { ...post, timing, correctsFrom, date: due.date });
  const ts = await postWithMetadata(
    client,
    channel,
    message,
    deliveryMetadata(deliveryKey(schedule.id, due.date)),
  );
  context.notePosted(channel);
  await recordPost(task, attempt, { ...post, ts }, context);
}

/** What the post is about. Corrections use it, even if the schedule and the settings have changed. */
function subjectOf(schedule: Schedule, { covers }: ReportResult, { workspace }: PostContext): PostSubject {
  const { report, projects, timing } = schedule;
  const { zone } = requireSettings(workspace);
  return { report, projects, timing, zone, covers, connections: connectionsOf(schedule, workspace) };
}

/** Only while the lease is held, and only if neither the entry nor the schedule has changed since they were read. */
async function writeAttempt(
  { schedule: { id }, due: { date } }: DeliveryTask,
  attempt: DeliveryAttempt,
  entry: DeliveryLogEntry,
  context: PostContext,
): Promise<void> {
  const { before } = attempt;
  const expectedSchedule = context.workspace.fields[FIELDS.schedule + id] ?? '';
  const write = { schedule: id, date, before, entry, needsLease: true, expectedSchedule };
  attempt.before = await context.writeLog(write);
  attempt.entry = entry;
}
