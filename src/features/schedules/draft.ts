import type { Millis } from '../../domain/time/calendar.ts';
import { checkItemChannel, joinIfWanted, ownershipFields } from '../../slack/owned/form.ts';
import { requireOwned } from '../../slack/owned/owned-kind.ts';
import type { ChannelCheck } from '../../slack/request/channel-check.ts';
import type { Request } from '../../slack/request/request.ts';
import type { Schedule } from '../../workspace/owned/schedules.ts';
import { limitedProjects } from '../../workspace/projects/resolve-project.ts';
import { findSchedule, type Workspace } from '../../workspace/record/workspace.ts';
import type { ScheduleDraft } from './form-state.ts';
import { type CarryOverResult, carryOver, type UpcomingSendsOf } from './upcoming-sends.ts';

/** The schedule that the form edits, of any owner; undefined for a new, deleted or damaged one. */
export const scheduleBefore = ({ before }: ScheduleDraft, workspace: Workspace): Schedule | undefined =>
  before === '' ? undefined : workspace.schedules.find(({ id }) => id === before);

/** @throws NotAllowed when the user may not edit it */
export const checkScheduleDraftChannel = (draft: ScheduleDraft, request: Request): Promise<ChannelCheck> =>
  checkItemChannel(draft.channel, requireOwned(findSchedule, draft.before, request), request);

/** Joins the channel if that is wanted and needed. @returns why the draft cannot be posted, in a sentence */
export async function findDraftProblem(draft: ScheduleDraft, request: Request): Promise<string | undefined> {
  const found = await findVisibilityProblem(draft, request);
  return typeof found === 'string' ? found : joinIfWanted(draft.channel, found, draft.joins, request);
}

/** Why the user may not see there what would be posted; Tally need not be in the channel for that. */
export async function findVisibilityProblem(
  draft: ScheduleDraft,
  request: Request,
): Promise<string | ChannelCheck> {
  if (draft.projects.length === 0) return 'Choose a project first.';
  const channelCheck = await checkScheduleDraftChannel(draft, request);
  if (channelCheck.problem !== undefined) return channelCheck.problem;
  if (limitedProjects(draft.channel, draft.projects, request.workspace).length > 0)
    return 'That channel can’t see all these projects. Choose other projects or another channel.';
  return channelCheck;
}

export const carryOverDraft = (
  draft: ScheduleDraft,
  { workspace, at }: Request,
  sends: UpcomingSendsOf,
): CarryOverResult => carryOver(draft.before, draft.timing, scheduleBefore(draft, workspace), sends, at);

/** @param since posts that are due after this instant are sent */
export function scheduleFromDraft(
  draft: ScheduleDraft,
  before: Schedule | undefined,
  request: Request,
  since: Millis,
): Schedule {
  const { projects, report, timing, channel, skipsEmpty, correctsFrom, waitHours } = draft;
  // An edit may fix the cause of Tally's own pause; a person's pause stays.
  const paused = before?.paused?.why === 'person' ? { paused: before.paused } : {};
  return {
    ...ownershipFields(before, request),
    report,
    projects: [...projects],
    timing,
    channel,
    skipsEmpty,
    correctsFrom,
    waitHours,
    since,
    ...paused,
  };
}
