import { NotAllowed } from '../../domain/failure/index.ts';
import { canEditOwned, isFullMember } from '../../slack/ownership.ts';
import { askLocation, type Request } from '../../slack/request.ts';
import { limitedProjects } from '../../workspace/chosen-project.ts';
import { canAskAbout } from '../../workspace/resolve-project.ts';
import type { Schedule } from '../../workspace/schedules.ts';
import { findSchedule } from '../../workspace/workspace.ts';

/** Who sees a list of schedules, and where. */
export type ScheduleViewer = Pick<Request, 'user' | 'workspace' | 'channel' | 'audience'>;

/** Whether all that a schedule is about may be shown to the user here. */
export const canReadSchedule = ({ projects }: Schedule, viewer: ScheduleViewer): boolean =>
  projects.every((project) => canAskAbout(project, viewer.workspace, askLocation(viewer)));

/** The user's own schedules and those of this channel; all of them for managers. Oldest first. */
export const schedulesVisibleTo = (request: ScheduleViewer): readonly Schedule[] =>
  isFullMember(request)
    ? request.workspace.schedules
        .filter((one) => canEditOwned(one, request) || isOfThisChannel(one, request))
        .toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))
    : [];

const isOfThisChannel = (
  { channel, projects }: Schedule,
  { channel: here, workspace }: ScheduleViewer,
): boolean => channel === here && limitedProjects(channel, projects, workspace).length === 0;

/** The schedule that a button names; undefined once it is deleted. @throws NotAllowed for others than its owner and managers */
export function requireOwnedSchedule(id: string, request: Request): Schedule | undefined {
  const schedule = findSchedule(request.workspace, id);
  if (schedule !== undefined && !canEditOwned(schedule, request)) throw new NotAllowed('not-owner');
  return schedule;
}
