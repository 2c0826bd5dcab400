import type { Redis } from 'ioredis';
import { storeGuard } from '../redis.ts';

/** Words that work once, on any process. They name nobody. */
export interface States {
  /**
   * Whether nobody spent it before. Only what is spent is kept, so that asking for words fills nothing.
   * @param seconds until it lapses of itself
   * @throws StoreUnreachable
   */
  spend(word: string, seconds: number): Promise<boolean>;
}

/** @param kind of what: of installing, or the signature of a request */
export function createStates(redis: Redis, kind: 'state' | 'request' = 'state'): States {
  return {
    spend: async (word, seconds) =>
      (await storeGuard(() => redis.set(`tally:${kind}:${word}`, '1', 'EX', seconds, 'NX'))) !== null,
  };
}
