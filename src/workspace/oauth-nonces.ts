import type { Redis } from 'ioredis';
import { guardRead } from '../redis.ts';

/** Words that work once, on any process. They name nobody. */
export interface OAuthNonces {
  /**
   * Whether nobody spent it before. Only what is spent is kept, so that asking for words fills nothing.
   * @param seconds until it lapses of itself
   * @throws StoreUnavailable
   */
  spend(word: string, seconds: number): Promise<boolean>;
}

/** @param kind of what: of installing, or the signature of a request */
export function createOAuthNonces(redis: Redis, kind: 'state' | 'request' = 'state'): OAuthNonces {
  return {
    spend: async (word, seconds) =>
      (await guardRead(() => redis.set(`tally:${kind}:${word}`, '1', 'EX', seconds, 'NX'))) !== null,
  };
}
