import { schedulesOf } from '../../delivery/plan.ts';
import { isFailure, NotAllowed } from '../../domain/failure/index.ts';
import type { Visit } from '../../slack/visit.ts';
import type { Schedule } from '../../workspace/schedules.ts';
import { limitedProjects } from './channel-check.ts';

type Seen = Pick<Visit, 'asker' | 'record' | 'channel'>;

/** Whether a person may change it: its owner, and whoever manages. */
export const canEditSchedule = ({ owner }: Schedule, { asker }: Seen): boolean =>
  asker.manage || owner === asker.person;

/** The schedules that a person is shown here: their own, those of this channel, and all of them to whoever manages; oldest first. */
export const schedulesVisibleTo = (visit: Seen): readonly Schedule[] =>
  isFull(visit)
    ? schedulesOf(visit.record)
        .filter((one) => canEditSchedule(one, visit) || isOfThisChannel(one, visit))
        .toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))
    : [];

/** Home and status are for others as well. */
const isFull = ({ asker }: Seen): boolean => asker.standing === 'admin' || asker.standing === 'member';

const isOfThisChannel = ({ channel, projects }: Schedule, { channel: here, record }: Seen): boolean =>
  channel === here && limitedProjects(channel, projects, record).length === 0;

/** The one that a button names, for its owner or a manager. @throws NotAllowed, undefined where it is gone */
export function requireOwnedSchedule(id: string, visit: Visit): Schedule | undefined {
  const schedule = visit.record.schedule(id);
  if (schedule !== undefined && !canEditSchedule(schedule, visit)) throw new NotAllowed('not-owner');
  return schedule;
}

/** Whether the owner is no full member here any more. Where Slack does not say, they are. */
async function hasLeft({ owner }: Schedule, { standingOf }: Visit): Promise<boolean> {
  try {
    const standing = await standingOf(owner);
    return standing === 'nobody' || standing === 'stranger';
  } catch (error) {
    if (!isFailure(error)) throw error;
    return false;
  }
}

/** Who may take it over: a manager, or a full member of its channel, and only once its owner has left. */
export async function canAdopt(schedule: Schedule, visit: Visit): Promise<boolean> {
  if (schedule.owner === visit.asker.person || !(await hasLeft(schedule, visit))) return false;
  return visit.asker.manage || visit.channels.has(schedule.channel, visit.asker.person);
}

/** Which of them this person may take over. */
export async function findOrphans(
  schedules: readonly Schedule[],
  visit: Visit,
): Promise<(schedule: Schedule) => boolean> {
  const open = await Promise.all(schedules.map((one) => canAdopt(one, visit)));
  const ids = new Set(schedules.filter((_, at) => open[at]).map(({ id }) => id));
  return ({ id }) => ids.has(id);
}
