import { canEditOwned, isFullMember, type ListViewer, requireOwned } from '../../slack/owned/ownership.ts';
import { askLocation, type Request } from '../../slack/request/request.ts';
import type { Schedule } from '../../workspace/owned/schedules.ts';
import { limitedProjects } from '../../workspace/projects/chosen-project.ts';
import { canAskAbout } from '../../workspace/projects/resolve-project.ts';
import { findSchedule } from '../../workspace/record/workspace.ts';

/** Whether all that a schedule is about may be shown to the user here. */
export const canReadSchedule = ({ projects }: Schedule, viewer: ListViewer): boolean =>
  projects.every((project) => canAskAbout(project, viewer.workspace, askLocation(viewer)));

/** The user's own schedules and those of this channel; all of them for managers. Oldest first. */
export const schedulesVisibleTo = (request: ListViewer): readonly Schedule[] =>
  isFullMember(request)
    ? request.workspace.schedules
        .filter((one) => canEditOwned(one, request) || isOfThisChannel(one, request))
        .toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))
    : [];

const isOfThisChannel = (
  { channel, projects }: Schedule,
  { channel: here, workspace }: ListViewer,
): boolean => channel === here && limitedProjects(channel, projects, workspace).length === 0;

/** The schedule that a button names; undefined once it is deleted. @throws NotAllowed for others than its owner and managers */
export const requireOwnedSchedule = (id: string, request: Request): Schedule | undefined =>
  requireOwned(findSchedule(request.workspace, id), request);
