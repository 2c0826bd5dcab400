import { createHash } from 'node:crypto';
import { guardRead, type RedisConnection } from '../redis.ts';
import { onceKey } from './keys.ts';

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
