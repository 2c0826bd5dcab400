/** Asks billing again about a sent post, and renders the post anew if its figures have changed. */

import { isDeepStrictEqual } from 'node:util';
import { HOUR, MINUTE, type Millis } from '../../domain/time/calendar.ts';
import { connectionsOf } from '../../workspace/projects/chosen-project.ts';
import type { Workspace } from '../../workspace/record/workspace.ts';
import type { DeliveryContext, Draft, Transition } from '../outbox/message-kind.ts';
import { makeReportNow } from '../reports/make-report.ts';
import { parseFigure, renderPost, shownProjects } from './post-message.ts';
import { dateOf, type PostAbout, type PostContent, type PostEntry, scheduleOf } from './post-record.ts';

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
 * Makes a posted report again: with the projects, days, zone and connections of the post, but with today's rights.
 * @throws Failure
 */
export async function refreshPost(
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

/** When to check a post again; undefined for never. @param shown includes the projects that didn't answer just now */
export function nextRefresh(
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
