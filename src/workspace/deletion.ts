import type { Redis } from 'ioredis';
import { guardRead } from '../redis.ts';
import { keysOf, membersKey } from './keys.ts';

/** Deletes everything that Redis holds of a workspace or an organisation. @throws StoreUnavailable from each method */
export interface Deletion {
  workspace(id: string, organisation?: string): Promise<void>;
  /** With every workspace its installation served. */
  organisation(id: string): Promise<void>;
}

/** @param others what goes with a workspace beside its keys, after them @throws StoreUnavailable */
export function createDeletion(redis: Redis, others: (id: string) => Promise<void>): Deletion {
  return {
    async workspace(id, organisation) {
      const gone = redis.multi().unlink(...keysOf(id));
      if (organisation !== undefined) gone.srem(membersKey(organisation), id);
      await guardRead(() => gone.exec());
      await others(id);
    },
    async organisation(id) {
      // First what everybody joins and writes by: nobody comes in behind the list.
      await guardRead(() => redis.unlink(...keysOf(id)));
      const members = await guardRead(() => redis.smembers(membersKey(id)));
      const keys = [id, ...members].flatMap((one) => keysOf(one));
      await guardRead(() => redis.unlink(...keys));
      for (const one of [id, ...members]) await others(one);
      // Last: should Slack have to say it again, the members are still known.
      await guardRead(() => redis.unlink(membersKey(id)));
    },
  };
}
