import { isFailure } from '../../domain/failure/index.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { callSlack, type WebClient } from '../web-client.ts';

/** A channel as Slack shows it to Tally. */
export interface Channel {
  /** Without the #. A direct message has none. */
  readonly name: string | undefined;
  readonly isPrivate: boolean;
  readonly isArchived: boolean;
  /** Shared with another organisation, or an invitation is pending. */
  readonly isShared: boolean;
  /** Tally is a member. */
  readonly isJoined: boolean;
}

/** What is asked of Slack about channels. @throws SlackFailed: `missing_scope` without channels:read and groups:read */
export type Channels = ReturnType<typeof channelsOf>;

/** Pages of a thousand members: more are not read, and who is not among them counts as not there. */
const MOST_PAGES = 20;

export function channelsOf(client: WebClient) {
  return {
    /** Undefined for one that Tally cannot see: a private one that it is not in, or none at all. */
    async find(channel: SlackId): Promise<Channel | undefined> {
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
        if (isFailure(error) && error.kind === 'slack-failed' && error.code === 'channel_not_found')
          return undefined;
        throw error;
      }
    },
    async has(channel: SlackId, person: SlackId): Promise<boolean> {
      let cursor = '';
      for (let page = 0; page < MOST_PAGES; page++) {
        const found = await callSlack('conversations.members', () =>
          client.conversations.members({ channel, limit: 1000, ...(cursor !== '' && { cursor }) }),
        );
        if (found.members?.includes(person)) return true;
        cursor = found.response_metadata?.next_cursor ?? '';
        if (cursor === '') return false;
      }
      return false;
    },
    /** Joins a public channel. @throws SlackFailed `missing_scope` without the optional scope channels:join */
    async join(channel: SlackId): Promise<void> {
      await callSlack('conversations.join', () => client.conversations.join({ channel }));
    },
  };
}
