/** Corrects posts whose figures have changed: the post is edited, and a reply explains what changed. */
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { changeInPercent, formatPercent } from '../../domain/money/amount.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import { type Message, section } from '../../slack/kit/blocks.ts';
import { type Schedule, scheduleContentSchema } from '../../workspace/owned/schedule-record.ts';
import { type ChosenProject, chosenByKey, projectLabel } from '../../workspace/projects/chosen-project.ts';
import { millis, tryParseRecord } from '../../workspace/record/parse-record.ts';
import type { Workspace } from '../../workspace/record/workspace.ts';
import { type DeliveryContext, openState, type StateDocument } from '../delivery-run.ts';
import { type DeliveryLogSnapshot, deliveryKey, type LogWrite } from '../log/delivery-log.ts';
import {
  type DatedLogEntry,
  type DeliveryLogEntry,
  type PostContent,
  storedMessageSchema,
} from '../log/delivery-log-entry.ts';
import { sendMessage } from '../outbox/send-message.ts';
import { newMessage, sendsAt, splitByTime, withSendState } from '../outbox/send-state.ts';
import { updateMessage } from '../outbox/update-message.ts';
import { changedFigures, coveredText, formatFigure, parseFigure, renderPost } from './post-blocks.ts';
import { CORRECTION_DELAYS, type ScheduleLogEntry } from './post-plan.ts';
import { openDate } from './record-delivery.ts';
import { type PostContext, type ReportResult, runReport, shownProjects } from './run-report.ts';
import { connectionsOf } from './schedule-pauses.ts';

/**
 * Checks the figures of a post again. If one changed by more than the schedule's percentage, the post is edited. The log
 * then holds the new figures and those that a reply has yet to explain, so each change is reported once. The post keeps
 * its own projects, days and channel, as far as the channel may see them today.
 *
 * @throws LeaseLostError, StoreUnavailable
 */
export async function correctPost({ schedule, line }: ScheduleLogEntry, context: PostContext): Promise<void> {
  const { post, next, cause, ...entry } = line.entry;
  const { at: postedAt, tries, channel = '', ts = '', isAgain } = entry;
  if (post === undefined) return;
  const age = context.clock() - postedAt;
  const checks = CORRECTION_DELAYS.filter((pause) => pause <= age).length;
  const document = openDate(line, context);
  const write = (after: Partial<DeliveryLogEntry>, posted?: LogWrite['posted']) =>
    document.replace({ ...entry, post, ...after }, { needsLease: true, ...(posted && { posted }) });
  const close = (done: number) => write({ tries: 0, post: { ...post, checks: done } });
  let corrected: { readonly post: PostContent; readonly at: Millis } | undefined;
  await updateMessage(
    {
      kind: 'correction',
      key: deliveryKey(schedule.id, line.date),
      schedule: schedule.id,
      to: channel,
      posted: { channel, ts },
      tries,
      isAgain,
      async prepare() {
        const change = await findChange(schedule, line, context);
        if (typeof change === 'string') return change;
        const at = context.clock();
        const { result, changed } = change;
        const { without: _, ...unchanged } = post;
        const after: PostContent = {
          ...unchanged,
          figures: result.figures,
          unexplained: { ...changed, ...post.unexplained },
          ...(result.awaits !== undefined && { without: result.awaits }),
        };
        corrected = { post: after, at };
        const { projects, timing } = post.subject;
        const { correctsFrom, owner } = schedule;
        const about = { projects, timing, owner, correctsFrom, workspace: context.workspace };
        const out = { ...about, date: line.date, at: postedAt, corrected: at };
        return {
          projects: shownProjects(post.subject, result),
          render: () => renderPost(result, { ...after, ...out }),
        };
      },
      save: (outcome) =>
        outcome === 'sent' && corrected !== undefined
          ? write({ tries: 0, post: { ...corrected.post, checks } }, { channel, at: corrected.at })
          : close(outcome === 'gone' ? CORRECTION_DELAYS.length : checks),
      // After too many tries, not before the next planned check.
      retry: ({ tries, next }) => (next === undefined ? close(checks) : write({ tries, next })),
    },
    context,
  );
}

interface Change {
  readonly result: ReportResult;
  /** Figures as they were posted; '' for none. */
  readonly changed: ReportResult['figures'];
}

/** @returns `gone` for a post that is never checked again @throws Failure */
async function findChange(
  { correctsFrom }: Schedule,
  { entry: { due, post, channel = '' } }: DatedLogEntry,
  context: PostContext,
): Promise<Change | 'gone' | 'retrying' | 'skipped'> {
  if (post === undefined) return 'gone';
  const { subject, figures, without } = post;
  // Another account may use the same project ID for another project.
  if (!isDeepStrictEqual(connectionsOf(subject, context.workspace), subject.connections)) return 'gone';
  const result = await runReport({ ...subject, channel }, due, context);
  if (!isDeepStrictEqual(result.covers, subject.covers)) return 'gone';
  // A project that gives no answer now has not changed.
  if (Object.keys(result.unanswered).some((key) => figures[key] !== undefined)) return 'retrying';
  // The day that the post went without is filled in, however little it changes.
  const isFilledIn = without !== undefined && result.awaits === undefined;
  const changed = changedFigures(figures, result.figures, isFilledIn ? 0 : correctsFrom);
  return Object.keys(changed).length === 0 ? 'skipped' : { result, changed };
}

/** Prefix of the fields in the log: a channel's reply about corrections, until it is sent or given up. */
const EXPLANATION_STATE = 'correction/';

const explanation = storedMessageSchema.extend({
  /** In ms: part of its name in Slack. */
  began: millis,
  /** `ts` of the post in whose thread it is. */
  thread: z.string(),
  lines: z.array(z.string()).readonly(),
  projects: scheduleContentSchema.shape.projects,
  /** Whose posts it explains: a schedule's ID for each post. */
  schedules: z.array(z.string()).readonly(),
});
type Explanation = Readonly<z.infer<typeof explanation>>;

const parseExplanation = (json: string | undefined): Explanation | undefined =>
  tryParseRecord(explanation, json);

const isRunning = (workspace: Workspace, schedule: string): boolean =>
  workspace.schedules.some(({ id, paused }) => id === schedule && paused === undefined);

const unexplainedLines = (workspace: Workspace, { entries: lines }: DeliveryLogSnapshot) =>
  lines.filter(
    ({ schedule, entry }) => entry.post?.unexplained !== undefined && isRunning(workspace, schedule),
  );

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
  const busy = new Set(correcting.map(({ line }) => line.entry.channel));
  const begun = snapshot.statesOf(EXPLANATION_STATE).map(([name]) => name.slice(EXPLANATION_STATE.length));
  const open = unexplainedLines(workspace, snapshot).flatMap(({ entry }) => entry.channel ?? []);
  const waiting = [...new Set([...begun, ...open])]
    .filter((channel) => !busy.has(channel))
    .map((channel) => {
      const stored = parseExplanation(snapshot.state(EXPLANATION_STATE + channel));
      return { what: channel, at: stored === undefined ? 0 : explainsAt(stored, workspace) };
    });
  return splitByTime(waiting, snapshot, now);
}

/** When the reply is sent, or deleted if its schedules are gone, in ms; undefined while they are paused. */
function explainsAt(stored: Explanation, workspace: Workspace): Millis | undefined {
  const { schedules } = stored;
  if (schedules.some((schedule) => isRunning(workspace, schedule))) return sendsAt(stored) ?? 0;
  return schedules.some((schedule) => workspace.scheduleIds.includes(schedule)) ? undefined : 0;
}

/** Says in the thread of the newest post what was corrected in all of them. @throws LeaseLostError, StoreUnavailable */
export async function explainCorrections(channel: SlackId, context: DeliveryContext): Promise<void> {
  const { workspace, deliveryLog, lease } = context;
  const name = EXPLANATION_STATE + channel;
  const document = openState(name, parseExplanation, context);
  const stored = document.value() ?? (await beginExplanation(channel, document, context));
  const { began, thread, lines, projects, schedules } = stored;
  const isWanted = schedules.some((schedule) => isRunning(workspace, schedule));
  if (isWanted && sendsAt(stored) !== undefined)
    await sendMessage(
      {
        kind: 'correction',
        key: `${name}/${began}`,
        to: channel,
        stored,
        thread: { ts: thread, isBroadcast: false },
        prepare: async () => ({
          projects,
          render: () => ({ message: correctionMessage(lines, schedules.length) }),
        }),
        save: (change, step) => document.update((now) => now && withSendState(now, change(now)), step),
      },
      context,
    );
  if (!isWanted || sendsAt(document.value() ?? stored) === undefined) await deliveryLog.drop(lease, [name]);
}

/** Stores the reply and, in the same step, that the corrections of its posts are explained. */
async function beginExplanation(
  channel: SlackId,
  document: StateDocument<Explanation | undefined>,
  context: DeliveryContext,
): Promise<Explanation> {
  const { workspace, logSnapshot, clock } = context;
  const at = clock();
  const explained = unexplainedLines(workspace, logSnapshot)
    .filter(({ entry }) => entry.channel === channel)
    .toSorted((a, b) => a.entry.at - b.entry.at);
  // Several posts may be about the same days of a project.
  const lines = explained.flatMap(({ entry: { post } }) => {
    if (post?.unexplained === undefined) return [];
    const { unexplained, figures, subject } = post;
    const changes = correctionLines(unexplained, figures, subject.projects, workspace);
    return explained.length === 1
      ? changes
      : changes.map((line) => `${coveredText(subject.covers)}, ${line}`);
  });
  const begun: Explanation = {
    ...newMessage(channel, at),
    // Figures that changed back need no reply.
    ...(lines.length === 0 && { state: 'skipped' }),
    began: at,
    thread: explained.at(-1)?.entry.ts ?? '',
    lines: [...new Set(lines)],
    projects: explained.flatMap(({ entry }) => entry.post?.subject.projects ?? []),
    schedules: explained.map(({ schedule }) => schedule),
  };
  const dates = explained.map(({ schedule, date, entry, json }) => {
    const { unexplained, ...post } = entry.post ?? {};
    return { name: deliveryKey(schedule, date), before: json, value: { ...entry, post } };
  });
  await document.replace(begun, { needsLease: true, with: dates });
  return begun;
}

/** A line for each figure that differs from that in `before`: `prod: 100.00 → 110.50 (▲ 10.5 %)`. */
const correctionLines = (
  before: ReportResult['figures'],
  after: ReportResult['figures'],
  projects: readonly ChosenProject[],
  workspace: Workspace,
): string[] =>
  Object.entries(before)
    .filter(([key, was]) => key in changedFigures({ [key]: was }, { [key]: after[key] ?? '' }, 0))
    .map(([key, was]) => {
      const project = chosenByKey(key, projects);
      const change = `${formatFigure(was, project, workspace)} → ${formatFigure(after[key], project, workspace)}`;
      return `${projectLabel(project, workspace)}: ${change}${changeText(was, after[key], workspace)}`;
    });

const MAX_LINES = 30;

/** What changed, for a thread. @param posts how many posts are corrected */
function correctionMessage(lines: readonly string[], posts: number): Message {
  const text =
    posts === 1 ? 'Figures changed since this was posted:' : `Figures of ${posts} posts here changed:`;
  const more = lines.length - MAX_LINES;
  const shown = [...lines.slice(0, MAX_LINES), ...(more > 0 ? [`and ${more} more, each in its post`] : [])];
  return { text: `${text} ${lines[0]}`, blocks: [section([text, ...shown].join('\n'))] };
}

function changeText(before: string | undefined, after: string | undefined, { settings }: Workspace): string {
  const [was, is] = [parseFigure(before), parseFigure(after)];
  const change = was === undefined || is === undefined ? undefined : changeInPercent(is, was);
  return change === undefined ? '' : ` (${formatPercent(change, settings.locale)})`;
}
