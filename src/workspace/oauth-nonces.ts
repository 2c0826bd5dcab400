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
