import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { guardRead } from '../redis.ts';
import { recordKey, seenEventsKey } from './keys.ts';

/** Slack sends an event again at once, after one minute and after five, to whichever process is there. */
const KEPT = 10 * 60_000;

/** Which events were taken up already, by any process. One key a workspace, so that it goes when the workspace goes. */
export interface EventDedup {
  /**
   * Whether this event comes for the first time, to any process, within ten minutes. Where nothing is known of the
   * workspace, it may be one that left: what is kept then names nobody.
   * @param event Slack's `event_id`
   * @param at ms since the epoch
   * @throws StoreUnavailable
   */
  first(workspace: string, event: string, at: number): Promise<boolean>;
}

const namelessKey = (workspace: string, event: string): string =>
  `tally:event:${createHash('sha256').update(`${workspace} ${event}`).digest('base64url')}`;

const HEAR = `
if redis.call('EXISTS', KEYS[1]) == 0 then
  return redis.call('SET', KEYS[3], '1', 'PX', ARGV[4], 'NX') and 1 or 0
end
if redis.call('EXISTS', KEYS[3]) == 1 then return 0 end
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', ARGV[1])
local new = redis.call('ZADD', KEYS[2], 'NX', ARGV[2], ARGV[3])
redis.call('PEXPIRE', KEYS[2], ARGV[4])
return new`;

export function createEventDedup(redis: Redis): EventDedup {
  return {
    async first(workspace, event, at) {
      const key = seenEventsKey(workspace);
      const args = [recordKey(workspace), key, namelessKey(workspace, event), at - KEPT, at, event, KEPT];
      return (await guardRead(() => redis.eval(HEAR, 3, ...args))) === 1;
    },
  };
}
