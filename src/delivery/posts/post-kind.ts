/** The posts of schedules. Tally checks a post again later, and corrects it if its figures have changed. */
import { isDeepStrictEqual } from 'node:util';
import { isFailure, type StoredFailure } from '../../domain/failure/index.ts';
import { REPORTS } from '../../domain/report.ts';
import type { DueTime } from '../../domain/time/cadence.ts';
import { type Day, earliest, HOUR, MINUTE, type Millis } from '../../domain/time/calendar.ts';
import { FIELDS } from '../../redis/keys.ts';
import { connectionsOf } from '../../workspace/projects/chosen-project.ts';
import { hashOf, hashSetup } from '../../workspace/record/audited-change.ts';
import type { Schedule } from '../../workspace/record/automation-records.ts';
import { requireSettings, type Workspace } from '../../workspace/record/workspace.ts';
import { dropMessage, newMessage, putMessage } from '../delivery-log.ts';
import type { Draft, MessageKind, Transition } from '../outbox/message-kind.ts';
import type { FailureEffect } from '../outbox/retry-policy.ts';
import { makeReportNow, type ReportResult } from '../reports/make-report.ts';
import type { DeliveryContext, RunView } from '../run-context.ts';
import { hashBucket } from '../wake-ups.ts';
import { planDates } from './post-dates.ts';
import { parseFigure, questionOfPost, renderPost, shownProjects } from './post-message.ts';
import {
  dateOf,
  isHandled,
  type MissedDates,
  POST_FORMAT,
  type PostAbout,
  type PostContent,
  type PostEntry,
  postKey,
  postsOf,
  scheduleOf,
} from './post-record.ts';

/** Different workspaces' posts that are due at the same time are spread over a period of this length. */
const WORKSPACE_SPREAD: Millis = 20_000;
const LATE_AFTER: Millis = 5 * MINUTE;
const BILLING_CHECK_INTERVAL: Millis = 30 * MINUTE;
/** A sent post's record is kept for longer than 72 hours, because the last check comes after 72 hours. */
const RECORD_LIFETIME: Millis = 96 * HOUR;
const MAX_CORRECTION_TRIES = 6;
const MAX_NAMED_DATES = 10;

function planSchedule(schedule: Schedule, { workspace, snapshot, now }: RunView) {
  const posts = postsOf(schedule.id, snapshot);
  const { last, settled, due, upcoming } = planDates(schedule, posts, now);
  // The newest post names the missed dates, so it waits until Tally knows whether an earlier post was sent.
  const isBegun = posts.some(
    (post) => dateOf(post) === due?.date || (post.state === 'sending' && post.about.basis === undefined),
  );
  const isNew = due !== undefined && !isBegun;
  return {
    added: isNew
      ? [newMessage(postKey(schedule.id, due.date), schedule.channel, { due: due.at }, due.at)]
      : [],
    stale: posts.filter(
      (post) =>
        isHandled(post) &&
        post !== last &&
        post !== settled &&
        (post.state === 'failed' || now - post.at > RECORD_LIFETIME),
    ),
    next: upcoming && upcoming.at + hashBucket(workspace.teamId, WORKSPACE_SPREAD),
  };
}

export const postKind: MessageKind<PostAbout> = {
  ...POST_FORMAT,
  plan(view) {
    const { workspace, snapshot } = view;
    const each = workspace.schedules.map((schedule) => planSchedule(schedule, view));
    const known = new Set(workspace.scheduleIds);
    const orphans = snapshot.messagesOf(POST_FORMAT).filter((post) => !known.has(scheduleOf(post)));
    return {
      writes: [
        ...each.flatMap(({ added }) => added).map(putMessage),
        ...[...each.flatMap(({ stale }) => stale), ...orphans].map(dropMessage),
      ],
      next: earliest(...each.map(({ next }) => next)),
    };
  },
  dueAt(message, view, planned) {
    const { now } = view;
    const schedule = findSchedule(message, view);
    // The schedule's record is damaged, so its posts wait for a repair. `plan` drops the posts of a deleted schedule.
    if (schedule === undefined) return undefined;
    const { state, about } = message;
    if (isHandled(message)) {
      return schedule.paused !== undefined || now - message.at > RECORD_LIFETIME ? undefined : planned;
    }
    if (state === 'due' && findWanted(message, view) === undefined) return 0;
    const isPaused = about.basis !== undefined && about.basis === basisOf(schedule, message.cause, view);
    return isPaused ? undefined : planned;
  },
  prepare: (message, context) =>
    message.state === 'posted' ? refreshPost(message, context) : preparePost(message, context),
  nextUpdate: (message, { clock }) => nextRefresh(message, message.about.post, clock()),
  questionOf: ({ about: { post } }, { workspace }) =>
    post && questionOfPost({ ...post.subject, ...post }, workspace),
  onRefused: (message, { cause }, context) =>
    message.state === 'posted' ? undefined : pausePost(message, cause, context),
  onFailed: afterFailedTry,
};

function afterFailedTry(
  after: PostEntry,
  { kind, cause }: FailureEffect,
  context: DeliveryContext,
): Transition<PostAbout> {
  const { state, next } = after;
  const now = context.clock();
  if (state === 'posted') {
    const { next: _, ...rest } = after;
    const again = after.tries > MAX_CORRECTION_TRIES ? nextRefresh(after, undefined, now) : next;
    return { outcome: 'retrying', message: { ...rest, ...(again !== undefined && { next: again }) } };
  }
  if (kind === 'permanent' && state !== 'failed') return pausePost(after, cause, context);
  const { basis: _, awaits: __, ...about } = after.about;
  const message = { ...after, about: { ...about, tried: now } };
  return { outcome: state === 'failed' ? 'failed' : 'retrying', message };
}

const findSchedule = (post: PostEntry, { workspace }: Pick<RunView, 'workspace'>): Schedule | undefined =>
  workspace.schedules.find(({ id }) => id === scheduleOf(post));

interface Wanted {
  readonly schedule: Schedule;
  readonly due: DueTime;
  /** Earlier dates without a post, oldest first. This post names them. */
  readonly missed: readonly DueTime[];
}

function findWanted(post: PostEntry, view: RunView): Wanted | undefined {
  const schedule = findSchedule(post, view);
  if (schedule === undefined || schedule.channel !== post.to) return undefined;
  const { due, missed } = planDates(schedule, postsOf(schedule.id, view.snapshot), view.now);
  if (due?.date !== dateOf(post) || due.at !== post.about.due) return undefined;
  return { schedule, due, missed };
}

function pausePost(post: PostEntry, cause: StoredFailure, context: DeliveryContext): Transition<PostAbout> {
  const schedule = findSchedule(post, context);
  const { next: _, ...rest } = post;
  const { awaits: __, ...about } = post.about;
  const basis = schedule && basisOf(schedule, cause, context);
  const paused = { ...about, ...(basis && { basis }), tried: context.clock() };
  return { outcome: 'paused', message: { ...rest, tries: 0, cause, about: paused } };
}

/** Hashes what may end a pause: the workspace's setup, and whether billing accepts the token again. */
function basisOf(
  schedule: Schedule,
  cause: StoredFailure | undefined,
  { workspace }: Pick<RunView, 'workspace'>,
): string {
  return hashOf([
    hashSetup(workspace, 'schedule'),
    cause?.kind === 'token-rejected' && connectionsOf(schedule, workspace).map(workspace.lastUsed),
  ]);
}

async function preparePost(
  message: PostEntry,
  context: DeliveryContext,
): Promise<Draft<PostAbout> | Transition<PostAbout>> {
  const wanted = findWanted(message, context);
  if (wanted === undefined) return closePost(message, context);
  const { schedule, due } = wanted;
  const { workspace, clock } = context;
  const isNew = message.state === 'due';
  const result = await makeReportNow(schedule, due.at, context);
  const wait = isNew ? waitUntil(schedule, due, result, clock()) : undefined;
  if (wait !== undefined) {
    const { cause: _, ...rest } = message;
    const { next, awaits } = wait;
    const waiting = { ...rest, at: next, next, tries: 0, about: { due: due.at, awaits } };
    return { outcome: 'waiting', message: waiting };
  }
  const earlier = await summarizeMissedDates(wanted, context);
  const { zone } = requireSettings(workspace);
  const { report, projects, timing } = schedule;
  const { covers, figures, unanswered, awaits } = result;
  const hasWaited = message.about.post === undefined && message.at > due.at;
  const waitEnd = hasWaited ? due.at + schedule.waitHours * HOUR : 0;
  const post: PostContent = {
    isLate: clock() - Math.max(message.at, waitEnd) > LATE_AFTER || message.about.post?.isLate === true,
    earlier,
    figures,
    unanswered,
    ...(awaits !== undefined && { without: awaits }),
    subject: { report, projects, timing, zone, covers, connections: connectionsOf(schedule, workspace) },
  };
  return {
    projects: shownProjects(schedule, result),
    about: { due: due.at, post },
    restsOn: FIELDS.schedule + schedule.id,
    render: (at) => renderPost(result, { workspace, date: due.date, at, ...schedule, ...post }),
  };
}

/** Ends a post that isn't needed: its schedule was changed or paused, or a later date is due. */
function closePost(post: PostEntry, { workspace, snapshot, clock }: DeliveryContext): Transition<PostAbout> {
  const schedule = findSchedule(post, { workspace });
  const at = clock();
  const { due } = schedule ? planDates(schedule, postsOf(schedule.id, snapshot), at) : {};
  const isSuperseded = due !== undefined && due.date > dateOf(post);
  const { next: _, ...rest } = post;
  // Slack may have the message, so keep its record.
  const isKept = post.state === 'sending' || isSuperseded;
  return { outcome: 'skipped', message: isKept ? { ...rest, state: 'failed', at } : undefined };
}

/** When to ask billing again for the day that the post waits for; undefined to post now. */
function waitUntil(
  { waitHours }: Schedule,
  due: DueTime,
  { awaits }: ReportResult,
  now: Millis,
): { readonly next: Millis; readonly awaits: Day } | undefined {
  const end = due.at + waitHours * HOUR;
  if (awaits === undefined || now >= end) return undefined;
  return { next: Math.min(now + BILLING_CHECK_INTERVAL, end), awaits };
}

async function summarizeMissedDates(
  { schedule, missed }: Wanted,
  context: DeliveryContext,
): Promise<MissedDates> {
  // Billing reports only current balances, so missed balance reports are just counted.
  const maxNamed = REPORTS[schedule.report].coversDays ? MAX_NAMED_DATES : 0;
  const counted = Math.max(0, missed.length - maxNamed);
  const named = await Promise.all(
    missed.slice(counted).map(async ({ date, at }) => {
      try {
        const { covers, figures } = await makeReportNow(schedule, at, context);
        return { date, covers, figures };
      } catch (error) {
        if (isFailure(error, 'store-unavailable')) throw error;
        return { date, figures: {} };
      }
    }),
  );
  return { counted, named };
}

type Figures = PostContent['figures'];

const figuresDiffer = (before: Figures, after: Figures, percent: number): boolean =>
  [...Object.keys(before), ...Object.keys(after)].some((key) => differs(before[key], after[key], percent));

function differs(before: string | undefined, after: string | undefined, percent: number): boolean {
  const [was, is] = [parseFigure(before), parseFigure(after)];
  if (was === undefined || is === undefined) return was !== is;
  return is.minus(was).abs().times(100).gt(was.abs().times(percent));
}

const CORRECTED_FROM_PERCENT = 5;

/**
 * Makes a posted report again: with the projects, days, zone and connections of the post, but with current rights.
 * @throws Failure
 */
async function refreshPost(
  message: PostEntry,
  context: DeliveryContext,
): Promise<Draft<PostAbout> | Transition<PostAbout>> {
  const { workspace, clock } = context;
  const { next: _, cause: __, ...rest } = message;
  const { due, post } = message.about;
  const schedule = workspace.schedules.find(({ id }) => id === scheduleOf(message));
  const never: Transition<PostAbout> = { outcome: 'skipped', message: rest };
  // Over another connection, a project ID may mean another account's project.
  if (post === undefined || schedule === undefined || hasOtherConnections(post, workspace)) return never;
  const { subject, figures: posted, without } = post;
  const { channel = message.to } = message;
  const result = await makeReportNow({ ...subject, channel, posted, sentAt: message.at }, due, context);
  if (!isDeepStrictEqual(result.covers, subject.covers)) return never;
  const { unanswered, awaits, figures } = result;
  // A post without one of its figures can't be rendered. The next check tries again.
  const isLost = Object.keys(posted).some(
    (key) => !(key in figures) && !['not-allowed', undefined].includes(unanswered[key]?.kind),
  );
  // A day that was missing is filled in, however small the change.
  const isFilledIn = without !== undefined && awaits === undefined;
  const isChanged = figuresDiffer(posted, figures, isFilledIn ? 0 : CORRECTED_FROM_PERCENT);
  const now = clock();
  if (isLost || !isChanged) {
    const next = nextRefresh(message, result, now);
    return { outcome: 'skipped', message: { ...rest, tries: 0, ...(next && { next }) } };
  }
  const { without: ___, ...before } = post;
  const stillMissing = awaits === undefined ? {} : { without: awaits };
  const isCorrected =
    !isFilledIn &&
    Object.keys(posted).some((key) => differs(posted[key], figures[key], CORRECTED_FROM_PERCENT));
  const was = post.changed?.was ?? (isCorrected ? posted : undefined);
  const changed = { at: now, ...(was && { was }) };
  const corrected: PostContent = { ...before, ...stillMissing, figures, unanswered, changed };
  const { owner } = schedule;
  const details = { ...subject, ...corrected, workspace, owner, date: dateOf(message), at: message.at };
  return {
    projects: shownProjects(subject, corrected),
    about: { due, post: corrected },
    render: () => renderPost(result, details),
  };
}

const hasOtherConnections = ({ subject }: PostContent, workspace: Workspace): boolean =>
  !isDeepStrictEqual(connectionsOf(subject, workspace), subject.connections);

const REFRESH_TIMES: readonly Millis[] = [6, 24, 72].map((hours) => hours * HOUR);
/** After the post and after each check, Tally asks again for this long about projects that didn't answer. */
const ASK_AGAIN_FOR: Millis = 3 * HOUR;
const ASK_AGAIN_INTERVAL: Millis = 30 * MINUTE;

/** Whether asking again could add a missing project. A project that the channel may not see is never added. */
const isIncomplete = (post: Pick<PostContent, 'unanswered'> | undefined): boolean =>
  Object.values(post?.unanswered ?? {}).some(({ kind }) => kind !== 'not-allowed');

/** When to check a post again; undefined for never. @param shown the post or report, with its unanswered projects */
function nextRefresh(
  { at }: PostEntry,
  shown: Pick<PostContent, 'unanswered'> | undefined,
  now: Millis,
): Millis | undefined {
  const age = now - at;
  const began = REFRESH_TIMES.findLast((look) => look <= age) ?? 0;
  if (isIncomplete(shown) && age + ASK_AGAIN_INTERVAL <= began + ASK_AGAIN_FOR)
    return now + ASK_AGAIN_INTERVAL;
  const next = REFRESH_TIMES.find((look) => look > age);
  return next && at + next;
}
