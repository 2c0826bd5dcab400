import { isFailure } from '../domain/failure/index.ts';
import type { Request } from './request.ts';

/** A schedule or a watch: it belongs to a person, and tells a channel or people something. */
export interface Owned {
  readonly id: string;
  /** Slack ID */
  readonly owner: string;
}

type Viewer = Pick<Request, 'user'>;

/** Its owner and managers may change it. */
export const canEditOwned = ({ owner }: Owned, { user }: Viewer): boolean =>
  user.canManage || owner === user.id;

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

/**
 * Once its owner has left, managers and full members of its channel may.
 * @param channel undefined when it tells people
 */
export async function canAdopt(
  owned: Owned,
  channel: string | undefined,
  request: Request,
): Promise<boolean> {
  if (owned.owner === request.user.id || !(await hasLeft(owned, request))) return false;
  if (request.user.canManage) return true;
  return channel !== undefined && request.slack.channels.has(channel, request.user.id);
}

/** @returns whether the user may adopt one of them */
export async function findOrphans<T extends Owned>(
  all: readonly T[],
  channelOf: (owned: T) => string | undefined,
  request: Request,
): Promise<(owned: Owned) => boolean> {
  const open = await Promise.all(all.map((one) => canAdopt(one, channelOf(one), request)));
  const ids = new Set(all.filter((_, at) => open[at]).map(({ id }) => id));
  return ({ id }) => ids.has(id);
}
