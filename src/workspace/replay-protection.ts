/** What counts once, across all processes: each is a key in Redis for a while, which names no workspace. */
import { createHash } from 'node:crypto';
import type { SlackId } from '../domain/slack-id.ts';
import { MINUTE, type Millis } from '../domain/time/calendar.ts';
import { guardRead } from '../redis/commands.ts';
import type { RedisConnection } from '../redis/connect.ts';
import { onceKey } from '../redis/keys.ts';

/** Nonces, each usable once. Only those that were used are stored, so issuing them takes no memory. */
export interface OAuthNonces {
  /**
   * Whether this is its first use.
   * @param seconds for how long the use is remembered: at least as long as the nonce is valid
   * @throws store-unavailable
   */
  spend(nonce: string, seconds: number): Promise<boolean>;
}

/** @param kind `state` of an OAuth installation, or `request` for the signatures of Slack's requests */
export const createOAuthNonces = (
  redis: RedisConnection,
  kind: 'state' | 'request' = 'state',
): OAuthNonces => ({
  spend: (nonce, seconds) => isFirst(redis, onceKey(kind, nonce), seconds * 1_000),
});

/** Slack repeats an event at once, after one minute and after five, to any process. */
export const EVENTS_KEPT_MS = 10 * MINUTE;

/** The IDs of events, and the clicks that count once. */
export interface EventDedup {
  /**
   * Whether no process has seen this event before. @param event Slack's `event_id`, or what tells a click from others
   * @param life for how long it is remembered, in ms @throws store-unavailable
   */
  first(workspace: SlackId, event: string, life?: Millis): Promise<boolean>;
}

export const createEventDedup = (redis: RedisConnection): EventDedup => ({
  first(workspace, event, life = EVENTS_KEPT_MS) {
    const hash = createHash('sha256').update(`${workspace} ${event}`).digest('base64url');
    return isFirst(redis, onceKey('event', hash), life);
  },
});

const isFirst = async (redis: RedisConnection, key: string, life: Millis): Promise<boolean> =>
  (await guardRead(() => redis.set(key, '1', 'PX', Math.ceil(life), 'NX'))) !== null;
