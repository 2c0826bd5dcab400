import type { Redis } from 'ioredis';
import { storeGuard } from '../redis.ts';
import { heardKey } from './keys.ts';

/** Slack sends an event again at once, after one minute and after five, to whichever process is there. */
const KEPT = 10 * 60_000;

/** Which events were taken up already, by any process. One key a workspace, so that it goes when the workspace goes. */
export interface Heard {
  /**
   * Whether this event comes for the first time, to any process, within ten minutes.
   * @param event Slack's `event_id`
   * @param at ms since the epoch
   * @throws StoreUnreachable
   */
  first(workspace: string, event: string, at: number): Promise<boolean>;
}

export function createHeard(redis: Redis): Heard {
  return {
    async first(workspace, event, at) {
      const key = heardKey(workspace);
      const replies = await storeGuard(() =>
        redis
          .multi()
          .zremrangebyscore(key, '-inf', at - KEPT)
          .zadd(key, 'NX', at, event)
          .pexpire(key, KEPT)
          .exec(),
      );
      return replies?.[1]?.[1] === 1;
    },
  };
}
