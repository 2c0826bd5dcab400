/** Asks billing again about a sent post, and renders the post anew if its figures have changed. */
import { isDeepStrictEqual } from 'node:util';
import { connectionsOf } from '../../workspace/projects/chosen-project.ts';
import type { Workspace } from '../../workspace/record/workspace.ts';
import type { DeliveryContext, Draft, Transition } from '../outbox/message-kind.ts';
import { makeReportNow } from '../reports/make-report.ts';
import { nextRefresh } from './post-dates.ts';
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
  const result = await makeReportNow({ ...subject, channel, posted }, due, context);
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
