import { isFailure, NotAllowed } from '../../domain/failure/index.ts';
import type { Request } from '../../slack/request.ts';
import type { Schedule } from '../../workspace/schedules.ts';
import { findSchedule } from '../../workspace/workspace.ts';
import { limitedProjects } from './channel-check.ts';

type Seen = Pick<Request, 'user' | 'workspace' | 'channel'>;

/** Whether a person may change it: its owner, and whoever manages. */
export const canEditSchedule = ({ owner }: Schedule, { user }: Seen): boolean =>
  user.canManage || owner === user.id;

/** The schedules that a person is shown here: their own, those of this channel, and all of them to whoever manages; oldest first. */
export const schedulesVisibleTo = (visit: Seen): readonly Schedule[] =>
  isFull(visit)
    ? visit.workspace.schedules
        .filter((one) => canEditSchedule(one, visit) || isOfThisChannel(one, visit))
        .toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))
    : [];

/** Home and status are for others as well. */
const isFull = ({ user }: Seen): boolean => user.role === 'admin' || user.role === 'member';

const isOfThisChannel = ({ channel, projects }: Schedule, { channel: here, workspace }: Seen): boolean =>
  channel === here && limitedProjects(channel, projects, workspace).length === 0;

/** The one that a button names, for its owner or a manager. @throws NotAllowed, undefined where it is gone */
export function requireOwnedSchedule(id: string, request: Request): Schedule | undefined {
  const schedule = findSchedule(request.workspace, id);
  if (schedule !== undefined && !canEditSchedule(schedule, request)) throw new NotAllowed('not-owner');
  return schedule;
}

/** Whether the owner is no full member here any more. Where Slack does not say, they are. */
async function hasLeft({ owner }: Schedule, { slack }: Request): Promise<boolean> {
  try {
    const standing = await slack.roleOf(owner);
    return standing === 'nobody' || standing === 'stranger';
  } catch (error) {
    if (!isFailure(error)) throw error;
    return false;
  }
}

/** Who may take it over: a manager, or a full member of its channel, and only once its owner has left. */
export async function canAdopt(schedule: Schedule, request: Request): Promise<boolean> {
  if (schedule.owner === request.user.id || !(await hasLeft(schedule, request))) return false;
  return request.user.canManage || request.slack.channels.has(schedule.channel, request.user.id);
}

/** Which of them this person may take over. */
export async function findOrphans(
  schedules: readonly Schedule[],
  request: Request,
): Promise<(schedule: Schedule) => boolean> {
  const open = await Promise.all(schedules.map((one) => canAdopt(one, request)));
  const ids = new Set(schedules.filter((_, at) => open[at]).map(({ id }) => id));
  return ({ id }) => ids.has(id);
}
