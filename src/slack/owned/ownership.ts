import { isFailure, NotAllowed } from '../../domain/failure/index.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import type { Schedule } from '../../workspace/owned/schedules.ts';
import { channelOf, projectsOf } from '../../workspace/owned/stop-reasons.ts';
import type { Watch } from '../../workspace/owned/watches.ts';
import { type AskLocation, canAskAbout } from '../../workspace/projects/resolve-project.ts';
import type { Request } from '../request/request.ts';

/** A schedule or a watch: it has an owner, and posts or alerts. */
export type OwnedItem = Schedule | Watch;

export interface Owned {
  readonly id: string;
  readonly owner: SlackId;
}

/** @param action what a manager can be asked to do with it; without one, they get the list */
export const notOwner = (item: OwnedItem, action?: string): NotAllowed =>
  new NotAllowed('not-owner', [], {
    plural: 'rule' in item ? 'watches' : 'schedules',
    text: action === undefined ? '' : `${action} ${item.id}`,
  });

type Viewer = Pick<Request, 'user'>;
/** Who sees a list of them, and where. */
export type ListViewer = Pick<Request, 'user' | 'workspace'> & AskLocation;

/** Its owner and managers may change it. */
export const canEditOwned = ({ owner }: Owned, { user }: Viewer): boolean =>
  user.canManage || owner === user.id;

/** Whether all that it is about may be shown to the user here. Owners who may not ask see only that it is there. */
export const canReadOwned = (item: Parameters<typeof projectsOf>[0], viewer: ListViewer): boolean =>
  projectsOf(item).every((project) => canAskAbout(project, viewer.workspace, viewer));

/** Guests see Home and status too, but nothing that full members set up. */
export const isFullMember = ({ user }: Viewer): boolean => user.role === 'admin' || user.role === 'member';

/** Whether the owner is no longer a full member; false when Slack does not say. */
async function hasLeft({ owner }: Owned, { slack }: Request): Promise<boolean> {
  try {
    const role = await slack.roleOf(owner);
    return role === 'nobody' || role === 'external';
  } catch (error) {
    if (!isFailure(error)) throw error;
    return false;
  }
}

/** Once its owner has left, managers and full members of the channel that it tells may. */
export async function canAdopt(item: OwnedItem, request: Request): Promise<boolean> {
  if (item.owner === request.user.id || !(await hasLeft(item, request))) return false;
  if (request.user.canManage) return true;
  const channel = channelOf(item);
  return channel !== undefined && request.slack.channels.has(channel, request.user.id);
}

/** @returns whether the user may adopt one of them */
export async function findOrphans(
  items: readonly OwnedItem[],
  request: Request,
): Promise<(item: Owned) => boolean> {
  const adoptable = await Promise.all(items.map((item) => canAdopt(item, request)));
  const ids = new Set(items.filter((_, at) => adoptable[at]).map(({ id }) => id));
  return ({ id }) => ids.has(id);
}
