/** A post is looked at again after it went out: it is edited where its figures have changed, or a project has answered since. */
import { isDeepStrictEqual } from 'node:util';
import { connectionsOf } from '../../workspace/projects/chosen-project.ts';
import type { Workspace } from '../../workspace/record/workspace.ts';
import type { Draft, Step } from '../outbox/message-kind.ts';
import { type PostContext, runReport, shownProjects } from '../reports/reports.ts';
import { haveChanged, renderPost } from './post-blocks.ts';
import {
  dateOf,
  nextLook,
  type PostAbout,
  type PostContent,
  type PostMessage,
  scheduleOf,
} from './post-record.ts';

/** By how many percent a total has to change. */
const CORRECTED_FROM = 5;

/**
 * Runs the report of a post again: with its own projects, days, zone and connections, and with the channel's rights of
 * now. A project that gives no answer has not changed: the report keeps what the post shows of it. @throws Failure
 */
export async function lookAgain(
  message: PostMessage,
  context: PostContext,
): Promise<Draft<PostAbout> | Step<PostAbout>> {
  const { workspace, clock } = context;
  const { next: _, cause: __, ...rest } = message;
  const { due, post } = message.about;
  const schedule = workspace.schedules.find(({ id }) => id === scheduleOf(message));
  const never: Step<PostAbout> = { outcome: 'skipped', message: rest };
  // Another account may use the same project ID for another project.
  if (post === undefined || schedule === undefined || hasOtherConnections(post, workspace)) return never;
  const { subject, figures: posted, without } = post;
  const { channel = message.to } = message;
  const result = await runReport({ ...subject, channel, posted }, due, context);
  if (!isDeepStrictEqual(result.covers, subject.covers)) return never;
  const { unanswered, awaits, figures } = result;
  // Nothing can be drawn of a project whose figure the report doesn't keep: it is asked for again.
  const isLost = Object.keys(posted).some(
    (key) => !(key in figures) && !['not-allowed', undefined].includes(unanswered[key]?.kind),
  );
  // The day that the post went without is filled in, however little it changes.
  const isFilledIn = without !== undefined && awaits === undefined;
  const isChanged = haveChanged(posted, figures, isFilledIn ? 0 : CORRECTED_FROM);
  const now = clock();
  if (isLost || !isChanged) {
    const next = nextLook(message, result, now);
    return { outcome: 'skipped', message: { ...rest, tries: 0, ...(next && { next }) } };
  }
  const { without: ___, ...before } = post;
  const corrected: PostContent = {
    ...{ ...before, figures, unanswered, corrected: now },
    ...(awaits !== undefined && { without: awaits }),
  };
  const { projects, timing } = subject;
  const details = {
    ...{ projects, timing, workspace },
    ...{ owner: schedule.owner, date: dateOf(message), at: message.at },
  };
  return {
    projects: shownProjects(subject, corrected),
    about: { due, post: corrected },
    render: () => renderPost(result, { ...details, ...corrected }),
  };
}

const hasOtherConnections = ({ subject }: PostContent, workspace: Workspace): boolean =>
  !isDeepStrictEqual(connectionsOf(subject, workspace), subject.connections);
