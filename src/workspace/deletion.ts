import type { Redis } from 'ioredis';
import { guardRead } from '../redis.ts';
import { keysOf, membersKey } from './keys.ts';

/** Deletes everything that Redis holds of a workspace or an organisation. @throws StoreUnavailable from each method */
export interface Deletion {
  workspace(id: string, organisation?: string): Promise<void>;
  /** With every workspace that its installation serves. */
  organisation(id: string): Promise<void>;
}

/** @param others deletes what a workspace has elsewhere, after its keys */
export function createDeletion(redis: Redis, others: (id: string) => Promise<void>): Deletion {
  return {
    async workspace(id, organisation) {
      const gone = redis.multi().unlink(...keysOf(id));
      if (organisation !== undefined) gone.srem(membersKey(organisation), id);
      await guardRead(() => gone.exec());
      await others(id);
    },
    async organisation(id) {
      // First the organisation itself: without it no workspace can join after the list is read.
      await guardRead(() => redis.unlink(...keysOf(id)));
      const members = await guardRead(() => redis.smembers(membersKey(id)));
      const keys = [id, ...members].flatMap((one) => keysOf(one));
      await guardRead(() => redis.unlink(...keys));
      for (const one of [id, ...members]) await others(one);
      // Last, so that the members are still known if this fails and Slack repeats the event.
      await guardRead(() => redis.unlink(membersKey(id)));
    },
  };
}
