import type { Redis } from 'ioredis';
import { storeGuard } from '../redis.ts';
import { keysOf, membersKey } from './keys.ts';

/** Deletes everything that Redis holds of a workspace or an organisation. @throws StoreUnreachable from each method */
export interface Forget {
  workspace(id: string, organisation?: string): Promise<void>;
  /** With every workspace its installation served. */
  organisation(id: string): Promise<void>;
}

export function createForget(redis: Redis): Forget {
  return {
    async workspace(id, organisation) {
      const gone = redis.multi().unlink(...keysOf(id));
      if (organisation !== undefined) gone.srem(membersKey(organisation), id);
      await storeGuard(() => gone.exec());
    },
    async organisation(id) {
      // First what everybody joins and writes by: nobody comes in behind the list.
      await storeGuard(() => redis.unlink(...keysOf(id)));
      const members = await storeGuard(() => redis.smembers(membersKey(id)));
      const keys = members.flatMap((one) => keysOf(one));
      await storeGuard(() => redis.unlink(...keys, membersKey(id)));
    },
  };
}
