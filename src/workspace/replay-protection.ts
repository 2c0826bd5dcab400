import { createHash } from 'node:crypto';
import type { SlackId } from '../domain/slack-id.ts';
import { MINUTE, type Millis } from '../domain/time/calendar.ts';
import type { RedisConnection } from '../redis/connect.ts';
import { guardRead } from '../redis/guard.ts';
import { onceKey } from '../redis/keys.ts';

/** Nonces, each usable once across all processes. Their keys name no workspace. */
export type OAuthNonces = ReturnType<typeof createOAuthNonces>;

/** @param kind `state` of an OAuth installation, or `request` for the signatures of Slack's requests */
export function createOAuthNonces(redis: RedisConnection, kind: 'state' | 'request' = 'state') {
  return {
    /**
     * Whether this is its first use. Only used nonces are stored, so issuing them takes no memory.
     * @param seconds for how long the use is remembered: at least as long as the nonce is valid
     * @throws store-unavailable
     */
    spend: async (nonce: string, seconds: number): Promise<boolean> =>
      (await guardRead(() => redis.set(onceKey(kind, nonce), '1', 'EX', seconds, 'NX'))) !== null,
  };
}

/** Slack repeats an event at once, after one minute and after five, to any process. */
export const EVENTS_KEPT_MS = 10 * MINUTE;

/** The IDs of events, and the clicks on **Share**, that some process handled already. */
export type EventDedup = ReturnType<typeof createEventDedup>;

export function createEventDedup(redis: RedisConnection) {
  return {
    /**
     * Whether no process has seen this event before. Only a hash is stored, so that nothing names a workspace that is
     * deleted in the meantime.
     * @param event Slack's `event_id`, or what tells a click from others
     * @param kept for how long it is remembered, in ms
     * @throws store-unavailable
     */
    async first(workspace: SlackId, event: string, kept: Millis = EVENTS_KEPT_MS): Promise<boolean> {
      const hash = createHash('sha256').update(`${workspace} ${event}`).digest('base64url');
      const isFirst = await guardRead(() => redis.set(onceKey('event', hash), '1', 'PX', kept, 'NX'));
      return isFirst !== null;
    },
  };
}
