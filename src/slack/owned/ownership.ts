import { isFailure, NotAllowed } from '../../domain/failure/index.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { isPerson } from '../../workspace/record/record-schema.ts';
import { channelLink, escapeMarkup, type Message, mention } from '../kit/atoms.ts';
import type { Request } from '../request/request.ts';

/** A schedule or a watch: it belongs to a person, and tells a channel or people something. */
export interface Owned {
  readonly id: string;
  readonly owner: SlackId;
}

/** Tells a channel or a person what somebody set up or changed. */
export interface Announcement {
  /** A channel, or a person other than the user. */
  readonly to: string;
  readonly message: Message;
}

/**
 * After saving, so that nothing is announced that is not stored.
 * @returns who could not be told, and why: mrkdwn sentences
 */
export async function announce(
  announcements: readonly Announcement[],
  { reply }: Request,
): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const { to, message } of announcements)
    try {
      await reply.public(to, message);
    } catch (error) {
      if (!isFailure(error)) throw error;
      const where = isPerson(to) ? mention(to) : channelLink(to);
      problems.push(`Tally couldn’t announce this to ${where}: ${escapeMarkup(error.message)}`);
    }
  return problems;
}

type Viewer = Pick<Request, 'user'>;
/** Who sees a list of them, and where. */
export type ListViewer = Pick<Request, 'user' | 'workspace' | 'channel' | 'audience'>;

/** Its owner and managers may change it. */
export const canEditOwned = ({ owner }: Owned, { user }: Viewer): boolean =>
  user.canManage || owner === user.id;

/** @param owned what a button names; undefined once it is deleted @throws NotAllowed for others than its owner and managers */
export function requireOwned<T extends Owned>(owned: T | undefined, viewer: Viewer): T | undefined {
  if (owned !== undefined && !canEditOwned(owned, viewer)) throw new NotAllowed('not-owner');
  return owned;
}

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
  channel: SlackId | undefined,
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
