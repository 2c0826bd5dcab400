/** Lets only one process handle an event, by short-lived Redis keys. They don't contain the workspace's ID. */
import { createHash } from 'node:crypto';
import type { SlackId } from '../domain/slack-id.ts';
import { MINUTE, type Millis } from '../domain/time/calendar.ts';
import type { RedisConnection } from '../redis/connect.ts';
import { guardRead } from '../redis/guarded-commands.ts';
import { onceKey } from '../redis/keys.ts';

export interface OAuthNonces {
  /**
   * @param seconds how long to remember the nonce, at least its lifetime @returns false if it was used before @throws
   * store-unavailable
   */
  spend(nonce: string, seconds: number): Promise<boolean>;
}

/** `state`: an OAuth state; `request`: the signature of a Slack request */
export const createOAuthNonces = (
  redis: RedisConnection,
  kind: 'state' | 'request' = 'state',
): OAuthNonces => ({
  spend: (nonce, seconds) => isFirst(redis, onceKey(kind, nonce), seconds * 1_000),
});

/** Slack resends an event at once, after one minute, and after five. */
export const EVENTS_KEPT_MS = 10 * MINUTE;

/** Recognizes events that Slack sends again, and double clicks. */
export interface EventDedup {
  /**
   * @param event Slack's `event_id`, or a click's identity @param life how long to remember it @returns false if it has
   * come before @throws store-unavailable
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
