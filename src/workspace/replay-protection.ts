/** Lets only one process handle an event, by short-lived Redis keys. They don't contain the workspace's ID. */
import { createHash } from 'node:crypto';
import type { SlackId } from '../domain/slack-id.ts';
import { MINUTE, type Millis } from '../domain/time/calendar.ts';
import type { RedisConnection } from '../redis/connect.ts';
import { onceKey } from '../redis/keys.ts';
import { guardRedis } from '../redis/outages.ts';

export interface OAuthNonces {
  /**
   * @param seconds how long to remember the nonce, at least its lifetime @returns false if it was used before @throws
   * store-unavailable
   */
  spend(nonce: string, seconds: number): Promise<boolean>;
}

export const createOAuthNonces = (redis: RedisConnection): OAuthNonces => ({
  spend: (nonce, seconds) => isFirst(redis, onceKey('state', nonce), seconds * 1_000),
});

/** Slack resends an event at once, after one minute, and after five. Tally accepts a signature for ten minutes. */
export const EVENTS_KEPT_MS = 10 * MINUTE;

/** Recognizes payloads that Slack or somebody else sends again, and double clicks. */
export interface EventDedup {
  /**
   * @param event Slack's `event_id` or `trigger_id`, or a click's identity @param life how long to remember it
   * @returns false if it has come before. While Redis is down, everything counts as new
   */
  first(workspace: SlackId, event: string, life?: Millis): Promise<boolean>;
}

export const createEventDedup = (redis: RedisConnection): EventDedup => ({
  first(workspace, event, life = EVENTS_KEPT_MS) {
    const hash = createHash('sha256').update(`${workspace} ${event}`).digest('base64url');
    return isFirst(redis, onceKey('event', hash), life).catch(() => true);
  },
});

const isFirst = async (redis: RedisConnection, key: string, life: Millis): Promise<boolean> =>
  (await guardRedis(() => redis.set(key, '1', 'PX', Math.ceil(life), 'NX'))) !== null;
