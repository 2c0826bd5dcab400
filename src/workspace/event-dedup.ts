import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { guardRead } from '../redis.ts';
import { recordKey, seenEventsKey } from './keys.ts';

/** Slack repeats an event at once, after one minute and after five, to any process. */
const KEPT_MS = 10 * 60_000;

/** The IDs of events that some process handled already: one key a workspace, deleted with it. */
export interface EventDedup {
  /**
   * Whether no process has seen this event in the last ten minutes. A workspace without a record may have left, so its
   * events are stored under a hash.
   * @param event Slack's `event_id`
   * @param at ms since the epoch
   * @throws StoreUnavailable
   */
  first(workspace: string, event: string, at: number): Promise<boolean>;
}

const hashedKey = (workspace: string, event: string): string =>
  `tally:event:${createHash('sha256').update(`${workspace} ${event}`).digest('base64url')}`;

const REMEMBER = `
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
      const args = [recordKey(workspace), key, hashedKey(workspace, event), at - KEPT_MS, at, event, KEPT_MS];
      return (await guardRead(() => redis.eval(REMEMBER, 3, ...args))) === 1;
    },
  };
}
