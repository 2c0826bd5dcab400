import { isFailure } from '../../domain/failure/index.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import type { MessageMetadata } from '../../slack/reply/message-calls.ts';
import { callSlack, type WebClient } from '../../slack/web-client.ts';

/** Marks a scheduled post, so that it can be found again. */
const DELIVERY_EVENT_TYPE = 'tally_delivery';

/** Metadata that Slack stores with the post. @param key of the message in the delivery log */
export const deliveryMetadata = (key: string): MessageMetadata => ({
  event_type: DELIVERY_EVENT_TYPE,
  event_payload: { key },
});

/** Slack's clock and ours may differ by this much, in ms. */
const CLOCK_SKEW = 300_000;
const PAGE = 100;
const MAX_PAGES = 5;

/** Slack's codes when Tally can't read the channel: an optional scope is missing, or Tally isn't a member. */
const NOT_READABLE: readonly string[] = [
  'missing_scope',
  'not_allowed_token_type',
  'no_permission',
  'access_denied',
  'not_in_channel',
  'channel_not_found',
  'method_not_supported_for_channel_type',
];

/**
 * Looks for a post in its channel.
 *
 * @returns its `ts`; `absent`; `unknown` if Tally can't read the channel or would have to read too much
 * @param at when the post was sent, in ms
 * @throws slack-failed if Slack does not answer
 */
export async function findPost(
  client: WebClient,
  channel: SlackId,
  key: string,
  at: Millis,
): Promise<{ readonly ts: string } | 'absent' | 'unknown'> {
  let cursor = '';
  try {
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const range = {
        channel,
        include_all_metadata: true,
        limit: PAGE,
        oldest: seconds(at - CLOCK_SKEW),
        latest: seconds(at + CLOCK_SKEW),
        ...(cursor !== '' && { cursor }),
      };
      const { messages = [], response_metadata: more } = await callSlack('conversations.history', () =>
        client.conversations.history(range),
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
    if (isFailure(error) && error.kind === 'slack-failed' && NOT_READABLE.includes(error.data.code))
      return 'unknown';
    throw error;
  }
}

const seconds = (ms: Millis): string => (ms / 1000).toFixed(3);
