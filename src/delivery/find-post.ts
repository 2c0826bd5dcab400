import { isFailure } from '../domain/failure/index.ts';
import { callSlack, type WebClient } from '../slack/web-client.ts';

/** What a scheduled post carries, so that it is found again. */
export const DELIVERY_EVENT_TYPE = 'tally_delivery';

/** The names of one due date of one schedule, the same in every process. */
export const deliveryKey = (schedule: string, date: string): string => `${schedule}/${date}`;

/** Two clocks may differ by this, in ms. */
const SLACK_TIME = 300_000;
const PAGE = 100;
const MOST_PAGES = 5;

/** Slack does not let Tally look: the optional scopes were left out, or it is not in the channel. */
const CLOSED: readonly string[] = [
  'missing_scope',
  'not_allowed_token_type',
  'no_permission',
  'access_denied',
  'not_in_channel',
  'channel_not_found',
  'method_not_supported_for_channel_type',
];

/**
 * Whether Slack has taken a post: its `ts`; `absent`; `unknown` where Tally may not look or would have to look too far.
 *
 * @param at when the post was sent, in ms
 * @throws SlackFailed where Slack does not answer
 */
export async function findPost(
  client: WebClient,
  channel: string,
  key: string,
  at: number,
): Promise<{ readonly ts: string } | 'absent' | 'unknown'> {
  let cursor = '';
  try {
    for (let page = 0; page < MOST_PAGES; page += 1) {
      const { messages = [], response_metadata: more } = await callSlack('conversations.history', () =>
        client.conversations.history({
          channel,
          include_all_metadata: true,
          oldest: seconds(at - SLACK_TIME),
          latest: seconds(at + SLACK_TIME),
          limit: PAGE,
          ...(cursor !== '' && { cursor }),
        }),
      );
      const found = messages.find(
        ({ metadata }) =>
          metadata?.event_type === DELIVERY_EVENT_TYPE &&
          (metadata.event_payload as { key?: unknown } | undefined)?.key === key,
      );
      if (found?.ts !== undefined) return { ts: found.ts };
      cursor = more?.next_cursor ?? '';
      if (cursor === '') return 'absent';
    }
    return 'unknown';
  } catch (error) {
    if (isFailure(error) && error.kind === 'slack-failed' && CLOSED.includes(error.code)) return 'unknown';
    throw error;
  }
}

const seconds = (ms: number): string => (ms / 1000).toFixed(3);
