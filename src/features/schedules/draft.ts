import { randomUUID } from 'node:crypto';
import { isFailure, NotAllowed } from '../../domain/failure/index.ts';
import { isProductId } from '../../domain/product.ts';
import { askLocation, type Request } from '../../slack/request.ts';
import { resolveProject } from '../../workspace/resolve-project.ts';
import type { Schedule } from '../../workspace/schedules.ts';
import { findSchedule, type Workspace } from '../../workspace/workspace.ts';
import { checkChannel, joinChannel, limitedProjects } from './channel-check.ts';
import type { ChosenProject, ScheduleDraft } from './form-state.ts';
import { canEditSchedule } from './permissions.ts';
import { type CarryOverResult, carryOver, type UpcomingSendsOf } from './upcoming-sends.ts';
import type { ScheduleWords } from './words.ts';

/** The schedule that the form edits, of any owner; undefined for a new, deleted or damaged one. */
export const scheduleBefore = ({ before }: ScheduleDraft, workspace: Workspace): Schedule | undefined =>
  before === '' ? undefined : workspace.schedules.find(({ id }) => id === before);

/** The schedule that the form edits, if it still exists. @throws NotAllowed where the user may not edit it */
export function requireEditable({ before }: ScheduleDraft, request: Request): Schedule | undefined {
  const schedule = before === '' ? undefined : findSchedule(request.workspace, before);
  if (schedule !== undefined && !canEditSchedule(schedule, request)) throw new NotAllowed('not-owner');
  return schedule;
}

/** A manager may keep the channel of an existing schedule without being in it. @throws NotAllowed */
export function checkDraftChannel(draft: ScheduleDraft, request: Request) {
  const isUnchanged = requireEditable(draft, request)?.channel === draft.channel;
  return checkChannel(draft.channel, request, request.user.canManage && isUnchanged);
}

/** Joins the channel if that is wanted and needed. @returns why the draft cannot be posted, in a sentence */
export async function findDraftProblem(draft: ScheduleDraft, request: Request): Promise<string | undefined> {
  if (draft.projects.length === 0) return 'Choose a project first.';
  const { problem, canJoin } = await checkDraftChannel(draft, request);
  if (problem !== undefined) return problem;
  if (limitedProjects(draft.channel, draft.projects, request.workspace).length > 0)
    return 'That channel can’t see all these projects. Choose other projects or another channel.';
  if (!canJoin) return undefined;
  if (!draft.joins)
    return 'Tally isn’t in that channel. Let it join, or type /invite @Tally there and try again.';
  return joinChannel(draft.channel, request);
}

export const carryOverDraft = (
  draft: ScheduleDraft,
  { workspace, at }: Request,
  sends: UpcomingSendsOf,
): CarryOverResult => carryOver(draft.before, draft.timing, scheduleBefore(draft, workspace), sends, at);

/** @param since posts that are due after this instant (ms) are sent @throws NotAllowed */
export function scheduleFromDraft(draft: ScheduleDraft, request: Request, since: number): Schedule {
  const { user, at } = request;
  const before = requireEditable(draft, request);
  const { projects, report, timing, channel, skipsEmpty, correctsFrom } = draft;
  // An edit may fix the cause of Tally's own pause; a person's pause stays.
  const paused = before?.paused?.why === 'person' ? { paused: before.paused } : {};
  return {
    id: before?.id ?? randomUUID().replaceAll('-', '').slice(0, 8),
    report,
    projects: [...projects],
    timing,
    channel,
    skipsEmpty,
    correctsFrom,
    owner: before?.owner ?? user.id,
    createdBy: before?.createdBy ?? user.id,
    createdAt: before?.createdAt ?? at,
    since,
    ...paused,
  };
}

/** The project that was typed, else the channel's default. @throws NotAllowed, Failure for a project that was typed */
export function projectsFromWords(
  { project, alias, product }: ScheduleWords,
  request: Request,
): readonly ChosenProject[] {
  const named = {
    ...(project !== undefined && { project }),
    ...(alias !== undefined && { alias }),
    ...(isProductId(product) && { product }),
  };
  const isNamed = project !== undefined || alias !== undefined;
  const channelDefault =
    request.channel === undefined ? undefined : request.workspace.channelDefault(request.channel);
  if (!isNamed && channelDefault === undefined) return [];
  try {
    const target = resolveProject(named, request.workspace, askLocation(request));
    return [{ id: target.project, product: target.product }];
  } catch (error) {
    if (isNamed || !isFailure(error)) throw error;
    return [];
  }
}
