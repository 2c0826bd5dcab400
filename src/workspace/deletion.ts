import { guardRead, type RedisConnection } from '../redis.ts';
import { FIELDS, keysOf, membersKey, recordKey } from './keys.ts';
import { createWorkspaceIndex } from './workspace-index.ts';
import type { RecordFields } from './workspace-store.ts';

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

const DELETE_NOTE = `
if redis.call('HLEN', KEYS[1]) ~= 1 or redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
return redis.call('UNLINK', KEYS[1])`;

/**
 * A process that dies while it joins a workspace to an organisation that leaves may write its note after everything was
 * deleted. Deletes such a note if there is nothing else in the record.
 *
 * @returns whether nothing of the workspace is left
 * @throws StoreUnavailable
 */
export async function deleteOrphan(
  redis: RedisConnection,
  workspace: string,
  fields: RecordFields,
): Promise<boolean> {
  const organisation = fields[FIELDS.organisation];
  if (organisation === undefined || Object.keys(fields).length > 1) return false;
  const isMember = await guardRead(() => redis.sismember(membersKey(organisation), workspace));
  if (isMember === 1) return false;
  const note = [FIELDS.organisation, organisation];
  return (await guardRead(() => redis.eval(DELETE_NOTE, 1, recordKey(workspace), ...note))) === 1;
}
