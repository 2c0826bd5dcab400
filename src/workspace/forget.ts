import type { Redis } from 'ioredis';
import { storeGuard } from '../redis.ts';
import { keysOf, membersKey } from './keys.ts';

/** Deletes everything that Redis holds of a workspace or an organisation. @throws StoreUnreachable from each method */
export interface Forget {
  workspace(id: string, organisation?: string): Promise<void>;
  /** With every workspace its installation served. */
  organisation(id: string): Promise<void>;
}

/** @param others what goes with a workspace beside its keys, after them @throws StoreUnreachable */
export function createForget(redis: Redis, others: (id: string) => Promise<void>): Forget {
  return {
    async workspace(id, organisation) {
      const gone = redis.multi().unlink(...keysOf(id));
      if (organisation !== undefined) gone.srem(membersKey(organisation), id);
      await storeGuard(() => gone.exec());
      await others(id);
    },
    async organisation(id) {
      // First what everybody joins and writes by: nobody comes in behind the list.
      await storeGuard(() => redis.unlink(...keysOf(id)));
      const members = await storeGuard(() => redis.smembers(membersKey(id)));
      const keys = [id, ...members].flatMap((one) => keysOf(one));
      await storeGuard(() => redis.unlink(...keys));
      for (const one of [id, ...members]) await others(one);
      // Last: should Slack have to say it again, the members are still known.
      await storeGuard(() => redis.unlink(membersKey(id)));
    },
  };
}
