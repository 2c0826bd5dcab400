import type { Millis } from '../../domain/time/calendar.ts';
import { NOT_JOINED, ownershipFields } from '../../slack/owned/form.ts';
import { requireOwned } from '../../slack/owned/owned-kind.ts';
import { checkChannel, joinChannel } from '../../slack/request/channel-check.ts';
import type { Request } from '../../slack/request/request.ts';
import type { Schedule } from '../../workspace/owned/schedules.ts';
import { limitedProjects } from '../../workspace/projects/resolve-project.ts';
import { findSchedule, type Workspace } from '../../workspace/record/workspace.ts';
import type { ScheduleDraft } from './form-state.ts';
import { type CarryOverResult, carryOver, type UpcomingSendsOf } from './upcoming-sends.ts';

/** The schedule that the form edits, of any owner; undefined for a new, deleted or damaged one. */
export const scheduleBefore = ({ before }: ScheduleDraft, workspace: Workspace): Schedule | undefined =>
  before === '' ? undefined : workspace.schedules.find(({ id }) => id === before);

/** A manager may keep the channel of an existing schedule without being in it. @throws NotAllowed */
export function checkScheduleDraftChannel(draft: ScheduleDraft, request: Request) {
  const isUnchanged = requireOwned(findSchedule, draft.before, request)?.channel === draft.channel;
  return checkChannel(draft.channel, request, request.user.canManage && isUnchanged);
}

/** Joins the channel if that is wanted and needed. @returns why the draft cannot be posted, in a sentence */
export async function findDraftProblem(draft: ScheduleDraft, request: Request): Promise<string | undefined> {
  const found = await findVisibilityProblem(draft, request);
  if (typeof found === 'string') return found;
  if (!found.canJoin) return undefined;
  return draft.joins ? joinChannel(draft.channel, request) : NOT_JOINED;
}

/** Why the user may not see there what would be posted; Tally need not be in the channel for that. */
export async function findVisibilityProblem(
  draft: ScheduleDraft,
  request: Request,
): Promise<string | { readonly canJoin: boolean }> {
  if (draft.projects.length === 0) return 'Choose a project first.';
  const { problem, canJoin } = await checkScheduleDraftChannel(draft, request);
  if (problem !== undefined) return problem;
  if (limitedProjects(draft.channel, draft.projects, request.workspace).length > 0)
    return 'That channel can’t see all these projects. Choose other projects or another channel.';
  return { canJoin };
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
