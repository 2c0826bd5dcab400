import type { Redis } from 'ioredis';
import { storeGuard } from '../redis.ts';

/** Words that work once, for a while, on any process. They name nobody. @throws StoreUnreachable from each method */
export interface States {
  /** @param seconds how long it may be spent */
  issue(word: string, seconds: number): Promise<void>;
  /** Whether it was issued, has not lapsed, and nobody spent it before. */
  spend(word: string): Promise<boolean>;
}

const keyOf = (word: string): string => `tally:state:${word}`;

export function createStates(redis: Redis): States {
  return {
    async issue(word, seconds) {
      await storeGuard(() => redis.set(keyOf(word), '1', 'EX', seconds, 'NX'));
    },
    // Redis tells only one of two who delete the same key that it was there.
    spend: async (word) => (await storeGuard(() => redis.del(keyOf(word)))) === 1,
  };
}
