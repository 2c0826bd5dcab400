import { guardRead, type RedisConnection } from '../redis.ts';
import { keysOf, membersKey } from './keys.ts';
import { createWorkspaceIndex } from './workspace-index.ts';

/** Deletes everything that Redis holds of a workspace or an organisation. @throws StoreUnavailable from each method */
export interface Deletion {
  workspace(id: string, organisation?: string): Promise<void>;
  /** With every workspace that its installation serves. */
  organisation(id: string): Promise<void>;
}

/**
 * Each step is one slot's. Slack repeats an event until every step is done, and whatever is deleted already is not missed.
 *
 * @param others deletes what a workspace has elsewhere, after its keys
 */
export function createDeletion(redis: RedisConnection, others: (id: string) => Promise<void>): Deletion {
  const index = createWorkspaceIndex(redis);
  const unlinkKeys = (id: string) => guardRead(() => redis.unlink(...keysOf(id)));
  const forgetRest = async (id: string): Promise<void> => {
    await others(id);
    // Last: if this ends early and Slack gives up, the check of the index finds no record, and goes on from here.
    await index.forget(id);
  };

  return {
    async workspace(id, organisation) {
      await unlinkKeys(id);
      if (organisation !== undefined) await guardRead(() => redis.srem(membersKey(organisation), id));
      await forgetRest(id);
    },
    async organisation(id) {
      // First the organisation itself: without it no workspace can join after the list is read.
      await unlinkKeys(id);
      for (const member of await guardRead(() => redis.smembers(membersKey(id)))) {
        await unlinkKeys(member);
        await forgetRest(member);
      }
      await forgetRest(id);
      // Last, so that the members are still known if this fails and Slack repeats the event.
      await guardRead(() => redis.unlink(membersKey(id)));
    },
  };
}
