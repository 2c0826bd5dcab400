import { setTimeout as delay } from 'node:timers/promises';
import { isFailure, StoreUnavailable } from '../domain/failure/index.ts';
import type { ReportResult } from '../features/feature.ts';
import { projectName } from '../features/schedules/blocks.ts';
import { postWithMetadata } from '../slack/post-message.ts';
import { callSlack } from '../slack/web-client.ts';
import { FIELDS } from '../workspace/fields.ts';
import type { LastDelivery, Schedule } from '../workspace/schedules.ts';
import { requireSettings } from '../workspace/workspace.ts';
import { summarizeMissedDates } from './catch-up.ts';
import { type DeliveryContext, LeaseLostError, runReport, ScheduleChangedError } from './context.ts';
import type { DeliveryLogEntry, PostedMessage, PostSubject } from './delivery-log.ts';
import { DELIVERY_EVENT_TYPE, deliveryKey, findPost } from './find-post.ts';
import { lastDeliveryOf, recordFailure, resumeSchedule } from './outcome.ts';
import { connectionsOf, type DeliveryTask } from './plan.ts';
import { renderPost } from './post-blocks.ts';
import { classifyFailure, OutcomeUnknown } from './retry.ts';

/** From here on a post says that it is late, in ms. */
const LATE = 5 * 60_000;
/** Between the note that a post goes out and the call nothing may come that takes longer, in ms. */
const FRESH = 3_000;
/** A pause that Slack asks for is waited out on the spot up to this, in ms. */
const SHORT = 5_000;
const MOST_WAITS = 3;
/** A store that is away is waited for before a post that is out goes unnoted, in ms. */
const NOTING = 30_000;

/** Where a delivery stands while it goes on: what the ledger says of it, and whether Slack may have taken it before. */
export interface DeliveryAttempt {
  before: string | undefined;
  entry: DeliveryLogEntry;
  isDoubtful: boolean;
}

/** Posts one date of one schedule, or notes why not. @throws LeaseLostError, StoreUnavailable */
export async function deliverPost(task: DeliveryTask, round: DeliveryContext): Promise<void> {
  const course = begin(task, round);
  const { schedule } = task;
  try {
    await probe(schedule, round);
    if (!course.isDoubtful || !(await isFound(task, course, round))) await postNow(task, course, round);
    if (schedule.paused !== undefined) await resumeSchedule(schedule, round);
  } catch (error) {
    if (error instanceof ScheduleChangedError) return;
    if (error instanceof LeaseLostError || (round.stopping.aborted && !isSlacks(error))) throw error;
    if (!isFailure(error) && !(error instanceof OutcomeUnknown))
      round.log.error({ err: error, workspace: round.teamId }, 'a scheduled post failed');
    const key = sharedCause(schedule);
    const trouble = classifyFailure(error);
    if (key !== undefined && trouble.kind === 'pause' && trouble.why === schedule.paused?.why)
      round.failing.set(key, error);
    await recordFailure(task, course, trouble, round);
  }
}

function begin({ due, line }: DeliveryTask, round: DeliveryContext): DeliveryAttempt {
  const now = round.clock();
  const fresh: DeliveryLogEntry = { state: 'trying', due: due.at, at: now, began: now, tries: 0 };
  const before = line?.json;
  switch (line?.entry.state) {
    case 'sending':
      return { before, entry: entryFor(line.entry, fresh), isDoubtful: true };
    case 'trying':
      return { before, entry: entryFor(line.entry, fresh), isDoubtful: false };
    case 'held':
      return { before, entry: { ...line.entry, due: due.at, began: now, tries: 0 }, isDoubtful: false };
    default:
      return { before, entry: fresh, isDoubtful: false };
  }
}

/** Where an edit has put the date off, the hour of tries begins anew; whether Slack may have taken it stays. */
const entryFor = (entry: DeliveryLogEntry, { due, began, tries }: DeliveryLogEntry): DeliveryLogEntry =>
  entry.due === due ? entry : { ...entry, due, began, tries };

/**
 * Before a paused schedule is tried: what fails for many is asked for once in a round, and Slack's token by the
 * cheapest call there is.
 * @throws what still pauses it
 */
async function probe(schedule: Schedule, round: DeliveryContext): Promise<void> {
  const key = sharedCause(schedule);
  if (key === undefined) return;
  if (round.failing.has(key)) throw round.failing.get(key);
  if (schedule.paused?.why !== 'app-removed') return;
  const client = await round.client();
  await callSlack('auth.test', () => client.auth.test()).catch((error: unknown) => {
    if (classifyFailure(error).kind === 'pause') throw error;
  });
}

/** What paused it, where that pauses others as well. */
function sharedCause({ paused }: Schedule): string | undefined {
  if (paused?.why === 'app-removed') return paused.why;
  return paused?.why === 'token-rejected' ? `${paused.why} ${paused.asked ?? ''}` : undefined;
}

/** What Slack said of a post is noted also by a process that ends: otherwise somebody would have to ask what became of it. */
const isSlacks = (error: unknown): boolean =>
  isFailure(error) && (error.kind === 'cannot-post' || error.kind === 'slack-failed');

/** Slack may have taken it when its run died: then it is noted, and what Slack will not tell leaves the doubt. */
async function isFound(
  task: DeliveryTask,
  course: DeliveryAttempt,
  round: DeliveryContext,
): Promise<boolean> {
  const { schedule, due } = task;
  const { post } = course.entry;
  const key = deliveryKey(schedule.id, due.date);
  const known = round.arrived.get(`${round.teamId}/${key}`);
  const channel = post?.channel ?? schedule.channel;
  const found =
    known === undefined ? await findPost(await round.client(), channel, key, course.entry.at) : { ts: known };
  if (found === 'absent') course.isDoubtful = false;
  if (typeof found === 'string' || post === undefined) return false;
  await note(task, course, { ...post, ts: found.ts }, round);
  return true;
}

async function postNow(task: DeliveryTask, course: DeliveryAttempt, round: DeliveryContext): Promise<void> {
  const { schedule, due } = task;
  // Once more, and no more: a third one would help nobody.
  if (course.isDoubtful && course.entry.post?.isAgain) throw new OutcomeUnknown();
  const finding = await runReport(schedule, due.at, round);
  const { lines: earlier, isEmpty } = await summarizeMissedDates(task, round);
  if (schedule.skipsEmpty && finding.isEmpty && isEmpty && !course.isDoubtful)
    return skip(task, course, round);
  const { channel } = schedule;
  const client = await round.client();
  for (let waits = 0; ; waits += 1) {
    await round.pace(channel, round.book.lastPost(channel));
    const at = round.clock();
    const post: PostedMessage = {
      channel,
      ts: '',
      at,
      isLate: at - due.at > LATE,
      isAgain: course.isDoubtful,
      earlier,
      figures: finding.figures,
      unanswered: finding.unanswered,
      looks: 0,
      subject: subjectOf(schedule, finding, round),
    };
    const began = performance.now();
    const { next, cause, ...entry } = course.entry;
    await enter(task, course, { ...entry, state: 'sending', at, post }, round);
    // A process that stood still since may be one of two by now: whoever comes next asks Slack.
    if (performance.now() - began > FRESH) throw new LeaseLostError();
    const mark = {
      event_type: DELIVERY_EVENT_TYPE,
      event_payload: { key: deliveryKey(schedule.id, due.date) },
    };
    const message = renderPost(finding, { ...post, timing: schedule.timing, date: due.date });
    try {
      const ts = await postWithMetadata(client, channel, message, mark);
      round.posted(channel);
      return await note(task, course, { ...post, ts }, round);
    } catch (error) {
      const trouble = error instanceof LeaseLostError ? undefined : classifyFailure(error);
      if (trouble?.kind !== 'wait' || trouble.for > SHORT || waits >= MOST_WAITS) throw error;
      await delay(trouble.for, undefined, { signal: round.stopping }).catch(() => {
        throw error;
      });
    }
  }
}

/** What the post is about: a later look asks for the same, whatever became of the schedule and the settings. */
function subjectOf(
  schedule: Schedule,
  { covers }: ReportResult,
  { workspace }: DeliveryContext,
): PostSubject {
  const { report, projects, timing } = schedule;
  const { zone } = requireSettings(workspace);
  return { report, projects, timing, zone, covers, connections: connectionsOf(schedule, workspace) };
}

/** Over what stands there, and only with the lease and for the schedule as it was read. */
async function enter(
  task: DeliveryTask,
  course: DeliveryAttempt,
  entry: DeliveryLogEntry,
  round: DeliveryContext,
): Promise<void> {
  const { before } = course;
  const { schedule, due } = task;
  const { id } = schedule;
  const resting = round.workspace.fields[FIELDS.schedule + id] ?? '';
  course.before = await round.enter({ schedule: id, date: due.date, before, entry, strictly: true, resting });
  course.entry = entry;
}

/** It is out: whatever happens now, that is noted, and remembered where it cannot be. */
async function note(
  task: DeliveryTask,
  course: DeliveryAttempt,
  post: PostedMessage,
  round: DeliveryContext,
): Promise<void> {
  const { schedule, due } = task;
  const { next, cause, untold, probes, ...entry } = course.entry;
  const name = `${round.teamId}/${deliveryKey(schedule.id, due.date)}`;
  round.arrived.set(name, post.ts);
  const unanswered = unansweredAfter(round.workspace.lastSent(schedule.id), post);
  const silent = Object.entries(unanswered).filter(([, { posts }]) => posts === NOTIFIED_FROM);
  const causes = silent.map(([key, { cause: why }]) => `${projectName(key, round.workspace)}: ${why}`);
  const sent: LastDelivery = {
    ...lastDeliveryOf(task, post.at),
    unanswered,
    result: post.isLate ? 'posted-late' : 'posted',
    ts: post.ts,
  };
  const entering = {
    ...lineOf(task),
    before: course.before,
    entry: {
      ...entry,
      ...{ state: 'posted' as const, tries: 0, at: post.at, post },
      ...(causes.length > 0 && { untold: 'unanswered' as const, cause: causes.join(' ') }),
    },
    posted: { channel: post.channel, at: post.at },
    sent,
  };
  await untilNoted(() => round.ledger.enter(round.lease, entering));
  round.arrived.delete(name);
}

/** Somebody is told of a project without an answer from so many posts in a row on. */
const NOTIFIED_FROM = 2;

/** Which projects gave no answer, since how many posts. */
function unansweredAfter(before: LastDelivery | undefined, { unanswered = {} }: PostedMessage) {
  const counted = Object.entries(unanswered).map(([key, cause]) => {
    const posts = (before?.unanswered?.[key]?.posts ?? 0) + 1;
    return [key, { posts, cause }] as const;
  });
  return Object.fromEntries(counted);
}

async function untilNoted(work: () => Promise<unknown>): Promise<void> {
  const began = performance.now();
  for (;;) {
    try {
      await work();
      return;
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || performance.now() - began > NOTING) throw error;
      await delay(500);
    }
  }
}

async function skip(task: DeliveryTask, course: DeliveryAttempt, round: DeliveryContext): Promise<void> {
  const at = round.clock();
  const { next, cause, untold, probes, post, ...entry } = course.entry;
  await round.enter({
    ...lineOf(task),
    before: course.before,
    entry: { ...entry, state: 'skipped', at },
    sent: { ...lastDeliveryOf(task, at), result: 'skipped' },
  });
}

const lineOf = ({ schedule, due, earlier }: DeliveryTask) => ({
  schedule: schedule.id,
  date: due.date,
  drop: earlier.map(({ date }) => date),
});
