/** Looks up channels in Slack, and checks whether Tally can post in them. */
import type { webApi } from '@slack/bolt';
import { isFailure } from '../../domain/failure/index.ts';
import { isChannel, type SlackId } from '../../domain/slack-id.ts';
import type { Workspace } from '../../workspace/record/workspace.ts';
import { callSlack, type WebClient } from '../web-client.ts';
import type { User } from './users.ts';

export interface Channel {
  readonly name: string | undefined;
  readonly isPrivate: boolean;
  readonly isArchived: boolean;
  readonly isShared: boolean;
  readonly isJoined: boolean;
}

/** Each method throws slack-failed. */
export interface Channels {
  find(channel: SlackId): Promise<Channel | undefined>;
  has(channel: SlackId, person: SlackId): Promise<boolean>;
  /** Fails with `missing_scope` if the optional scope channels:join was declined. */
  join(channel: SlackId): Promise<void>;
}

/** A page has 1,000 members. People beyond these pages count as not in the channel. */
const MOST_PAGES = 20;

export function channelsOf(client: WebClient): Channels {
  return {
    async find(channel) {
      try {
        const { channel: found = {} } = await callSlack('conversations.info', () =>
          client.conversations.info({ channel }),
        );
        return {
          name: found.name,
          isPrivate: found.is_private === true,
          isArchived: found.is_archived === true,
          isShared: found.is_ext_shared === true || found.is_pending_ext_shared === true,
          isJoined: found.is_member === true,
        };
      } catch (error) {
        if (isFailure(error, 'slack-failed') && error.data.code === 'channel_not_found') return undefined;
        throw error;
      }
    },
    has: (channel, person) =>
      callSlack('conversations.members', async () => {
        let pages = 0;
        for await (const page of client.paginate('conversations.members', { channel, limit: 1000 })) {
          if ((page as webApi.ConversationsMembersResponse).members?.includes(person)) return true;
          pages += 1;
          if (pages === MOST_PAGES) break;
        }
        return false;
      }),
    async join(channel) {
      await callSlack('conversations.join', () => client.conversations.join({ channel }));
    },
  };
}

export interface ChannelCheck {
  readonly problem: string | undefined;
  readonly canJoin: boolean;
  readonly warnings: readonly string[];
}

interface Poster {
  readonly slack: { readonly channels: Channels };
  readonly user: Pick<User, 'id' | 'canManage'>;
  readonly workspace: Pick<Workspace, 'settings'>;
}

const refusal = (problem: string): ChannelCheck => ({ problem, canJoin: false, warnings: [] });

const UNSEEN =
  'Tally can’t see that channel. If it’s private, type /invite @Tally there, then choose it again.';
const NO_SCOPE =
  'Tally can’t see channels: it needs the scopes channels:read and groups:read. Ask an admin to add them and install Tally again.';
const SHARED = 'External people in this shared channel will see the posts';

/** @param known true if the channel already gets posts; the user then needn't be in the channel */
export async function checkChannel(channel: SlackId, request: Poster, known = false): Promise<ChannelCheck> {
  if (!isChannel(channel)) return refusal('Choose a channel.');
  const { slack, user, workspace } = request;
  try {
    const found = await slack.channels.find(channel);
    if (found === undefined) return refusal(UNSEEN);
    const isOpenTo = known || (!found.isPrivate && user.canManage);
    // Someone who isn't in a private channel must not learn that it exists.
    if (!isOpenTo && !(await slack.channels.has(channel, user.id)))
      return refusal(found.isPrivate ? UNSEEN : 'You aren’t in that channel. Join it first.');
    if (found.isArchived) return refusal('That channel is archived. Choose another.');
    const { externals } = workspace.settings;
    const shared = `${SHARED}${externals ? '' : ', although they can’t ask Tally themselves'}.`;
    return { problem: undefined, canJoin: !found.isJoined, warnings: found.isShared ? [shared] : [] };
  } catch (error) {
    if (!isFailure(error, 'slack-failed')) throw error;
    if (error.data.code === 'missing_scope') return refusal(NO_SCOPE);
    return refusal(`Slack couldn’t confirm that Tally can post there (${error.data.code}). Try again.`);
  }
}

export async function joinChannel(
  channel: SlackId,
  { slack }: Pick<Poster, 'slack'>,
): Promise<string | undefined> {
  try {
    await slack.channels.join(channel);
    return undefined;
  } catch (error) {
    if (!isFailure(error, 'slack-failed')) throw error;
    const why =
      error.data.code === 'missing_scope'
        ? 'Tally isn’t allowed to join channels.'
        : `Slack returned an error (${error.data.code}).`;
    return `${why} Type /invite @Tally in that channel and try again.`;
  }
}

const MOST_TOLD = 3;

/** The first channels that the person may know about: public ones, and those that the person is in. Never rejects. */
export async function knownChannels(
  channels: readonly SlackId[],
  { slack, user: { id, role } }: Pick<Poster, 'slack'> & { readonly user: Pick<User, 'id' | 'role'> },
): Promise<readonly SlackId[]> {
  const isKnown = async (channel: SlackId): Promise<boolean> => {
    const found = await slack.channels.find(channel);
    if (found === undefined || found.isArchived) return false;
    const seesPublic = role === 'admin' || role === 'member';
    return (seesPublic && !found.isPrivate) || slack.channels.has(channel, id);
  };
  const few = channels.slice(0, MOST_TOLD);
  const known = await Promise.all(few.map((channel) => isKnown(channel).catch(() => false)));
  return few.filter((_, at) => known[at]);
}
