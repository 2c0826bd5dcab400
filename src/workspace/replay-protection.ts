/** “Only once” checks across processes, by short-lived Redis keys that don't reveal the workspace. */
import { createHash } from 'node:crypto';
import type { SlackId } from '../domain/slack-id.ts';
import { MINUTE, type Millis } from '../domain/time/calendar.ts';
import { guardRead } from '../redis/commands.ts';
import type { RedisConnection } from '../redis/connect.ts';
import { onceKey } from '../redis/keys.ts';

/** One-time nonces. Only used ones are stored. */
export interface OAuthNonces {
  /**
   * Whether this is the first use. @param seconds how long to remember it, at least the nonce's lifetime @throws
   * store-unavailable
   */
  spend(nonce: string, seconds: number): Promise<boolean>;
}

/** @param kind `state`: an OAuth state; `request`: the signature of a Slack request */
export const createOAuthNonces = (
  redis: RedisConnection,
  kind: 'state' | 'request' = 'state',
): OAuthNonces => ({
  spend: (nonce, seconds) => isFirst(redis, onceKey(kind, nonce), seconds * 1_000),
});

/** Slack resends an event at once, after one minute, and after five. */
export const EVENTS_KEPT_MS = 10 * MINUTE;

/** Event IDs and double clicks. */
export interface EventDedup {
  /**
   * Whether this is new. @param event Slack's `event_id`, or a click's identity @param life how long to remember it @throws
   * store-unavailable
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
