/** Figures that changed after they were posted: the post is edited, and a reply explains what changed. */
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import type { SlackId } from '../../domain/slack-id.ts';
import { MINUTE, type Millis } from '../../domain/time/calendar.ts';
import { chosenByKey } from '../../workspace/projects/chosen-project.ts';
import { millis, tryParseRecord } from '../../workspace/record/record-schema.ts';
import type { Workspace } from '../../workspace/record/workspaces.ts';
import { type DeliveryContext, openState } from '../context.ts';
import { type DeliveryLogLine, type DeliveryLogSnapshot, deliveryKey } from '../log/delivery-log.ts';
import type { DeliveryLogEntry, PostedMessage } from '../log/delivery-log-entry.ts';
import { splitByTime } from '../outbox/retry.ts';
import { recordFailed, trackMessage } from '../outbox/send-message.ts';
import { sendStoredMessage, sendsAt, storedMessageSchema } from '../outbox/stored-message.ts';
import { editMessage } from '../outbox/unclaimed-messages.ts';
import {
  changedFigures,
  correctionLines,
  correctionMessage,
  coveredText,
  renderPost,
} from './post-blocks.ts';
import { CORRECTION_DELAYS, type ScheduleLogEntry } from './post-plan.ts';
import { type PostContext, type ReportResult, runReport, shownProjects } from './postable-report.ts';
import { connectionsOf } from './run-state.ts';

/** After a check that failed, in ms, and how often. */
const RETRY_DELAY = 30 * MINUTE;
const MAX_TRIES = 6;

/**
 * Checks the figures of a post again. If one changed by more than the schedule's percentage, the post is edited. The log
 * then holds the new figures and those that a reply has yet to explain, so each change is reported once. The post keeps
 * its own projects, days and channel, as far as the channel may see them today.
 *
 * @throws LeaseLostError, StoreUnavailable
 */
export async function correctPost(due: ScheduleLogEntry, context: PostContext): Promise<void> {
  const { schedule, line } = due;
  const { post, next, cause, ...entry } = line.entry;
  if (post === undefined) return;
  const age = context.clock() - post.at;
  const checks = CORRECTION_DELAYS.filter((pause) => pause <= age).length;
  const write = (after: Pick<DeliveryLogEntry, 'tries' | 'next' | 'post'>, editedAt?: Millis) =>
    context.writeLog({
      ...{ schedule: schedule.id, date: line.date, before: line.json, needsLease: true },
      entry: { ...entry, ...after },
      ...(editedAt !== undefined && { posted: { channel: post.channel, at: editedAt } }),
    });
  /** Soon; after too many tries, not before the next planned check. */
  const checkAgain = () =>
    entry.tries < MAX_TRIES
      ? write({ tries: entry.tries + 1, next: context.clock() + RETRY_DELAY, post })
      : write({ tries: 0, post: { ...post, checks } });
  await trackMessage('correction', { schedule: schedule.id }, context, async (note) => {
    try {
      const change = await findChange(due, post, context);
      const at = context.clock();
      const edited = typeof change === 'string' ? change : await editPost(due, post, change, at, context);
      if (typeof edited !== 'string') await write({ tries: 0, post: { ...edited, checks } }, at);
      else if (edited === 'retrying' || edited === 'refused') await checkAgain();
      else if (edited === 'unchanged') await write({ tries: 0, post: { ...post, checks } });
      else await write({ tries: 0, post: { ...post, checks: CORRECTION_DELAYS.length } });
      const isQuiet = edited === 'unchanged' || edited === 'over';
      note({ outcome: typeof edited !== 'string' ? 'sent' : isQuiet ? 'skipped' : edited });
    } catch (error) {
      await recordFailed(error, note, context, async () => void (await checkAgain()));
    }
  });
}

interface Change {
  readonly result: ReportResult;
  /** Figures as they were posted; '' for none. */
  readonly changed: ReportResult['figures'];
}

/** @returns `over` for a post that is never checked again @throws Failure */
async function findChange(
  { schedule, line }: ScheduleLogEntry,
  { subject, channel, figures, without }: PostedMessage,
  context: PostContext,
): Promise<Change | 'over' | 'retrying' | 'unchanged'> {
  // Another account may use the same project ID for another project.
  if (!isDeepStrictEqual(connectionsOf(subject, context.workspace), subject.connections)) return 'over';
  const result = await runReport({ ...subject, channel }, line.entry.due, context);
  if (!isDeepStrictEqual(result.covers, subject.covers)) return 'over';
  // A project that gives no answer now has not changed.
  if (Object.keys(result.unanswered).some((key) => figures[key] !== undefined)) return 'retrying';
  // The day that the post went without is filled in, however little it changes.
  const isFilledIn = without !== undefined && result.awaits === undefined;
  const changed = changedFigures(figures, result.figures, isFilledIn ? 0 : schedule.correctsFrom);
  return Object.keys(changed).length === 0 ? 'unchanged' : { result, changed };
}

/** @returns the post as it is in the channel now @throws Failure */
async function editPost(
  { schedule, line: { date } }: ScheduleLogEntry,
  { without: _, ...post }: PostedMessage,
  { result, changed }: Change,
  at: Millis,
  context: PostContext,
): Promise<PostedMessage | 'over' | 'refused'> {
  const { channel, ts, subject } = post;
  const { projects, timing } = subject;
  const current = { ...post, ...(result.awaits !== undefined && { without: result.awaits }) };
  const about = { projects, timing, correctsFrom: schedule.correctsFrom, workspace: context.workspace, date };
  const edited = await editMessage(
    {
      ...{ key: deliveryKey(schedule.id, date), to: channel, posted: { channel, ts } },
      projects: shownProjects(subject, result),
      content: () => renderPost(result, { ...current, ...about, corrected: at }),
    },
    context,
  );
  if (edited !== 'edited') return edited === 'gone' ? 'over' : 'refused';
  return { ...current, figures: result.figures, unexplained: { ...changed, ...post.unexplained } };
}

/** Prefix of the states in the log: one per channel, from when its reply is due until its posts are recorded as explained. */
const EXPLANATION_STATE = 'correction/';

const figures = z.record(z.string(), z.string());
const explanation = storedMessageSchema.extend({
  began: millis,
  /** `ts` of the post in whose thread it is. */
  thread: z.string(),
  lines: z.array(z.string()).readonly(),
  /** By the post's `deliveryKey`: the present figures that the lines explain; '' where there are none any more. */
  explained: z.record(z.string(), figures),
});
type Explanation = Readonly<z.infer<typeof explanation>>;

/** Returns undefined if nothing is stored or it is damaged. */
const parseExplanation = (json: string | undefined): Explanation | undefined =>
  tryParseRecord(explanation, json);

interface CorrectedPost {
  readonly line: DeliveryLogLine;
  readonly post: PostedMessage & Required<Pick<PostedMessage, 'unexplained'>>;
}

function unexplainedPosts(workspace: Workspace, { lines }: DeliveryLogSnapshot): readonly CorrectedPost[] {
  const running = workspace.schedules.filter(({ paused }) => paused === undefined).map(({ id }) => id);
  return lines.flatMap((line) => {
    const { post } = line.entry;
    if (post?.unexplained === undefined || !running.includes(line.schedule)) return [];
    return [{ line, post: { ...post, unexplained: post.unexplained } }];
  });
}

/**
 * The channels that need a reply about corrections.
 *
 * @param correcting posts that are checked first: their channels get one reply about all corrections
 */
export function planExplanations(
  workspace: Workspace,
  snapshot: DeliveryLogSnapshot,
  correcting: readonly ScheduleLogEntry[],
  now: Millis,
) {
  const busy = new Set(correcting.map(({ line }) => line.entry.post?.channel));
  const begun = snapshot.statesOf(EXPLANATION_STATE).map(([name]) => name.slice(EXPLANATION_STATE.length));
  const open = unexplainedPosts(workspace, snapshot).map(({ post }) => post.channel);
  const waiting = [...new Set([...begun, ...open])]
    .filter((channel) => !busy.has(channel))
    .map((channel) => {
      const stored = parseExplanation(snapshot.state(EXPLANATION_STATE + channel));
      return { what: channel, at: (stored && sendsAt(stored)) ?? 0 };
    });
  return splitByTime(waiting, snapshot, now);
}

/** Says in the thread of the newest post what was corrected in all of them. @throws LeaseLostError, StoreUnavailable */
export async function explainCorrections(channel: SlackId, context: DeliveryContext): Promise<void> {
  const { workspace, logSnapshot, deliveryLog, lease, clock } = context;
  const name = EXPLANATION_STATE + channel;
  const posts = unexplainedPosts(workspace, logSnapshot).filter(({ post }) => post.channel === channel);
  const document = openState(name, parseExplanation, context);
  const stored = document.value() ?? explanationOf(channel, posts, workspace, clock());
  await document.update(() => stored, { needsLease: true });
  const { began, thread, lines, explained } = stored;
  const projects = [
    ...posts.flatMap(({ post }) => post.subject.projects),
    // The lines may name projects of posts whose schedules are paused or gone by now.
    ...Object.values(explained).flatMap((of) => Object.keys(of).map((key) => chosenByKey(key, []))),
  ];
  // Figures that changed back need no reply, nor do posts whose schedules are paused or gone.
  if (posts.length > 0 && lines.length > 0) {
    if (sendsAt(stored) !== undefined)
      await sendStoredMessage(
        {
          ...{ kind: 'correction', key: `${name}/${began}`, message: stored, projects },
          thread: { ts: thread, isBroadcast: false },
          content: () => correctionMessage(lines, Object.keys(explained).length),
          save: (message, needsLease) =>
            document.update(() => ({ ...message, began, thread, lines, explained }), { needsLease }),
        },
        context,
      );
    if (sendsAt(document.value() ?? stored) !== undefined) return;
  }
  for (const { line, post } of posts) await closePost(line, post, stored, context);
  await deliveryLog.drop(lease, [name]);
}

function explanationOf(
  channel: SlackId,
  posts: readonly CorrectedPost[],
  workspace: Workspace,
  at: Millis,
): Explanation {
  const ordered = posts.toSorted((a, b) => a.post.at - b.post.at);
  // Several posts may be about the same days of a project.
  const lines = ordered.flatMap(({ post: { unexplained, figures, subject } }) => {
    const changes = correctionLines(unexplained, figures, subject.projects, workspace);
    return posts.length === 1 ? changes : changes.map((line) => `${coveredText(subject.covers)}, ${line}`);
  });
  return {
    ...{ to: channel, state: 'due', at, began: at, tries: 0, thread: ordered.at(-1)?.post.ts ?? '' },
    lines: [...new Set(lines)],
    explained: Object.fromEntries(
      ordered.map(({ line, post: { unexplained, figures } }) => [
        deliveryKey(line.schedule, line.date),
        Object.fromEntries(Object.keys(unexplained).map((key) => [key, figures[key] ?? ''])),
      ]),
    ),
  };
}

/** Forgets the corrections that this reply explained. Figures corrected again while it was sent get a reply of their own. */
async function closePost(
  line: DeliveryLogLine,
  { unexplained, ...post }: CorrectedPost['post'],
  { explained }: Explanation,
  context: DeliveryContext,
): Promise<void> {
  const reported = explained[deliveryKey(line.schedule, line.date)];
  if (reported === undefined) return;
  const rest = Object.entries(unexplained).flatMap(([key, was]) =>
    reported[key] === (post.figures[key] ?? '') ? [] : [[key, reported[key] ?? was] as const],
  );
  await context.writeLog({
    ...{ schedule: line.schedule, date: line.date, before: line.json, needsLease: true },
    entry: {
      ...line.entry,
      post: { ...post, ...(rest.length > 0 && { unexplained: Object.fromEntries(rest) }) },
    },
  });
}
