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

const keyOf = (word: string): string => `tally:state:${word}`;

export function createStates(redis: Redis): States {
  return {
    spend: async (word, seconds) =>
      (await storeGuard(() => redis.set(keyOf(word), '1', 'EX', seconds, 'NX'))) !== null,
  };
}
