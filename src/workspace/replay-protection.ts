import { createHash } from 'node:crypto';
import { guardRead, type RedisConnection } from '../redis.ts';
import { onceKey } from './keys.ts';

/** Nonces that can be used once, across all processes. Their keys name no workspace. */
export interface OAuthNonces {
  /**
   * Whether this is its first use. Only used nonces are stored, so issuing them takes no memory.
   * @param seconds for how long the use is remembered: at least as long as the nonce is valid
   * @throws StoreUnavailable
   */
  spend(nonce: string, seconds: number): Promise<boolean>;
}

/** @param kind `state` of an OAuth installation, or `request` for the signatures of Slack's requests */
export function createOAuthNonces(redis: RedisConnection, kind: 'state' | 'request' = 'state'): OAuthNonces {
  return {
    spend: async (nonce, seconds) =>
      (await guardRead(() => redis.set(onceKey(kind, nonce), '1', 'EX', seconds, 'NX'))) !== null,
  };
}

/** Slack repeats an event at once, after one minute and after five, to any process. */
const KEPT_MS = 10 * 60_000;

/** The IDs of events that some process handled already. */
export interface EventDedup {
  /**
   * Whether no process has seen this event in the last ten minutes. Only a hash is stored, so that nothing names a
   * workspace that leaves meanwhile.
   * @param event Slack's `event_id`
   * @throws StoreUnavailable
   */
  first(workspace: string, event: string): Promise<boolean>;
}

export function createEventDedup(redis: RedisConnection): EventDedup {
  return {
    async first(workspace, event) {
      const hash = createHash('sha256').update(`${workspace} ${event}`).digest('base64url');
      const isFirst = await guardRead(() => redis.set(onceKey('event', hash), '1', 'PX', KEPT_MS, 'NX'));
      return isFirst !== null;
    },
  };
}
