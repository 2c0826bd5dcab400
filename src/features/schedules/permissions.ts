import { NotAllowed } from '../../domain/failure/index.ts';
import { canEditOwned, isFullMember } from '../../slack/ownership.ts';
import type { Request } from '../../slack/request.ts';
import { limitedProjects } from '../../workspace/chosen-project.ts';
import type { Schedule } from '../../workspace/schedules.ts';
import { findSchedule } from '../../workspace/workspace.ts';

type Viewer = Pick<Request, 'user' | 'workspace' | 'channel'>;

/** The user's own schedules and those of this channel; all of them for managers. Oldest first. */
export const schedulesVisibleTo = (request: Viewer): readonly Schedule[] =>
  isFullMember(request)
    ? request.workspace.schedules
        .filter((one) => canEditOwned(one, request) || isOfThisChannel(one, request))
        .toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))
    : [];

const isOfThisChannel = ({ channel, projects }: Schedule, { channel: here, workspace }: Viewer): boolean =>
  channel === here && limitedProjects(channel, projects, workspace).length === 0;

/** The schedule that a button names; undefined once it is deleted. @throws NotAllowed for others than its owner and managers */
export function requireOwnedSchedule(id: string, request: Request): Schedule | undefined {
  const schedule = findSchedule(request.workspace, id);
  if (schedule !== undefined && !canEditOwned(schedule, request)) throw new NotAllowed('not-owner');
  return schedule;
}
