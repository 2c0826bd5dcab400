/** Explains what a run corrected: one reply per channel, however many posts were corrected. */

import * as z from 'zod';
import type { SlackId } from '../../domain/slack-id.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import { chosenByKey } from '../../workspace/projects/chosen-project.ts';
import { tryParseRecord } from '../../workspace/record/record-schema.ts';
import type { Workspace } from '../../workspace/record/workspaces.ts';
import { type DeliveryContext, openState } from '../context.ts';
import { type DeliveryLogLine, type DeliveryLogSnapshot, deliveryKey } from '../log/delivery-log.ts';
import type { PostedMessage } from '../log/delivery-log-entry.ts';
import { splitByTime } from '../log/due-dates.ts';
import { backOffEnd } from '../outbox/retry.ts';
import {
  type StoredMessage,
  sendStoredMessage,
  sendsAt,
  storedMessageSchema,
} from '../outbox/stored-message.ts';
import { correctionLines, correctionMessage, coveredText } from './post-blocks.ts';
import type { ScheduleLogEntry } from './post-plan.ts';

/**
 * Prefix of the states in the log: one per channel, from when its reply is due until its posts are recorded as
 * explained.
 */
const EXPLANATION_STATE = 'correction/';

const figures = z.record(z.string(), z.string());
const explanation = storedMessageSchema.extend({
  /** ms since the epoch */
  began: z.int(),
  /** `ts` of the post in whose thread it is. */
  thread: z.string(),
  lines: z.array(z.string()).readonly(),
  /** `deliveryKey` of each post → the figures that the lines explain, as they are now; '' for none. */
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
    const { unexplained } = post ?? {};
    const isOpen = running.includes(line.schedule) && post !== undefined;
    return isOpen && unexplained ? [{ line, post: { ...post, unexplained } }] : [];
  });
}

export interface ExplanationPlan {
  /** Channels that need a reply about corrections. */
  readonly due: readonly string[];
  /** When there is something to do, in ms; undefined for never. */
  readonly next: number | undefined;
}

/** @param correcting posts that are checked first: their channels get one reply about all corrections */
export function planExplanations(
  workspace: Workspace,
  snapshot: DeliveryLogSnapshot,
  correcting: readonly ScheduleLogEntry[],
  now: Millis,
): ExplanationPlan {
  const backOffUntil = backOffEnd(snapshot, now);
  const busy = new Set(correcting.map(({ line }) => line.entry.post?.channel));
  const begun = snapshot.statesOf(EXPLANATION_STATE).map(([name]) => name.slice(EXPLANATION_STATE.length));
  const open = unexplainedPosts(workspace, snapshot).map(({ post }) => post.channel);
  const waiting = [...new Set([...begun, ...open])]
    .filter((channel) => !busy.has(channel))
    .map((channel) => {
      const stored = parseExplanation(snapshot.state(EXPLANATION_STATE + channel));
      return { what: channel, at: Math.max(backOffUntil, (stored && sendsAt(stored)) ?? 0) };
    });
  return splitByTime(waiting, now);
}

/** Says in the thread of the newest post what was corrected in all of them. @throws LeaseLostError, StoreUnavailable */
export async function explainCorrections(channel: SlackId, context: DeliveryContext): Promise<void> {
  const { workspace, logSnapshot, deliveryLog, lease, clock } = context;
  const name = EXPLANATION_STATE + channel;
  const posts = unexplainedPosts(workspace, logSnapshot).filter(({ post }) => post.channel === channel);
  const document = openState(name, parseExplanation, context);
  const stored = document.value() ?? explanationOf(channel, posts, context.workspace, clock());
  await document.update(() => stored, { needsLease: true });
  const { began, thread, lines, explained } = stored;
  const projects = [
    ...posts.flatMap(({ post }) => post.subject.projects),
    // The lines may name projects of posts whose schedules are paused or gone by now.
    ...Object.values(explained).flatMap((of) => Object.keys(of).map((key) => chosenByKey(key, []))),
  ];
  const job = {
    ...({ kind: 'correction', key: `${name}/${began}`, message: stored, projects } as const),
    thread: { ts: thread, isBroadcast: false },
    content: () => correctionMessage(lines, Object.keys(explained).length),
    save: (message: StoredMessage, needsLease: boolean) =>
      document.update(() => ({ ...message, began, thread, lines, explained }), { needsLease }),
  };
  // Figures that changed back need no reply, nor do posts whose schedules are paused or gone.
  if (posts.length > 0 && lines.length > 0) {
    if (sendsAt(stored) !== undefined) await sendStoredMessage(job, context);
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
  const changes = ordered.map(({ line, post }) => ({
    key: deliveryKey(line.schedule, line.date),
    covers: coveredText(post.subject.covers),
    lines: correctionLines(post.unexplained, post.figures, post.subject.projects, workspace),
    figures: currentFigures(post),
  }));
  const isOne = changes.length === 1;
  // Several posts may be about the same days of a project.
  const lines = changes.flatMap((change) =>
    change.lines.map((line) => (isOne ? line : `${change.covers}, ${line}`)),
  );
  return {
    ...{ to: channel, state: 'due', at, began: at, tries: 0, thread: ordered.at(-1)?.post.ts ?? '' },
    lines: [...new Set(lines)],
    explained: Object.fromEntries(changes.map((change) => [change.key, change.figures])),
  };
}

const currentFigures = ({ unexplained, figures: now }: CorrectedPost['post']) =>
  Object.fromEntries(Object.keys(unexplained).map((key) => [key, now[key] ?? '']));

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
