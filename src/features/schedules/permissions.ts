import { isFailure, NotAllowed } from '../../domain/failure/index.ts';
import type { Request } from '../../slack/request.ts';
import type { Schedule } from '../../workspace/schedules.ts';
import { findSchedule } from '../../workspace/workspace.ts';
import { limitedProjects } from './channel-check.ts';

type Viewer = Pick<Request, 'user' | 'workspace' | 'channel'>;

/** Its owner and managers may. */
export const canEditSchedule = ({ owner }: Schedule, { user }: Viewer): boolean =>
  user.canManage || owner === user.id;

/** The user's own schedules and those of this channel; all of them for managers. Oldest first. */
export const schedulesVisibleTo = (request: Viewer): readonly Schedule[] =>
  isFull(request)
    ? request.workspace.schedules
        .filter((one) => canEditSchedule(one, request) || isOfThisChannel(one, request))
        .toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))
    : [];

/** Guests see Home and status too, but no schedules. */
const isFull = ({ user }: Viewer): boolean => user.role === 'admin' || user.role === 'member';

const isOfThisChannel = ({ channel, projects }: Schedule, { channel: here, workspace }: Viewer): boolean =>
  channel === here && limitedProjects(channel, projects, workspace).length === 0;

/** The schedule that a button names; undefined once it is deleted. @throws NotAllowed for others than its owner and managers */
export function requireOwnedSchedule(id: string, request: Request): Schedule | undefined {
  const schedule = findSchedule(request.workspace, id);
  if (schedule !== undefined && !canEditSchedule(schedule, request)) throw new NotAllowed('not-owner');
  return schedule;
}

/** Whether the owner is no longer a full member. Where Slack does not say, they still are. */
async function hasLeft({ owner }: Schedule, { slack }: Request): Promise<boolean> {
  try {
    const standing = await slack.roleOf(owner);
    return standing === 'nobody' || standing === 'stranger';
  } catch (error) {
    if (!isFailure(error)) throw error;
    return false;
  }
}

/** Once its owner has left, managers and full members of its channel may. */
export async function canAdopt(schedule: Schedule, request: Request): Promise<boolean> {
  if (schedule.owner === request.user.id || !(await hasLeft(schedule, request))) return false;
  return request.user.canManage || request.slack.channels.has(schedule.channel, request.user.id);
}

/** @returns whether the user may adopt a schedule */
export async function findOrphans(
  schedules: readonly Schedule[],
  request: Request,
): Promise<(schedule: Schedule) => boolean> {
  const open = await Promise.all(schedules.map((one) => canAdopt(one, request)));
  const ids = new Set(schedules.filter((_, at) => open[at]).map(({ id }) => id));
  return ({ id }) => ids.has(id);
}
