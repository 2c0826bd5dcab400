import type { SlackId } from '../../domain/slack-id.ts';
import type { RedisConnection } from '../../redis/connect.ts';
import { evalInWorkspace, guardRead } from '../../redis/guard.ts';
import { FIELDS, keysOf, membersKey, recordKey } from '../../redis/keys.ts';
import type { RecordFields } from './workspace-store.ts';
import { createWorkspaceIndex } from './workspace-store.ts';

export type Deletion = ReturnType<typeof createDeletion>;

/**
 * Deletes everything that Redis holds of a workspace or an organization. Each step touches one slot of the Cluster. Slack
 * repeats the event until every step is done, so steps can be done twice.
 *
 * @throws store-unavailable from each method
 */
export function createDeletion({
  redis,
  others = async () => undefined,
  isInstalled = async () => false,
}: {
  readonly redis: RedisConnection;
  /** Deletes what a workspace has elsewhere, after its keys; default is nothing. */
  readonly others?: (id: string) => Promise<void>;
  /** Whether the workspace has an installation of its own that Slack accepts; default is none. */
  readonly isInstalled?: (id: string) => Promise<boolean>;
}) {
  const index = createWorkspaceIndex(redis);
  const unlinkKeys = (id: string) => guardRead(() => redis.unlink(...keysOf(id)));
  const removeMember = (organization: string, id: string) =>
    guardRead(() => redis.srem(membersKey(organization), id));
  const forgetRest = async (id: string): Promise<void> => {
    await others(id);
    // Last: if this ends early and Slack gives up, the hourly sweep finds it without a record.
    await index.forget(id);
  };
  const leave = async (id: string, organization?: string): Promise<boolean> => {
    const note = await guardRead(() => redis.hget(recordKey(id), FIELDS.organization));
    const isElsewhere = note !== null && organization !== undefined && note !== organization;
    if (isElsewhere || (await isInstalled(id))) {
      if (!isElsewhere) await guardRead(() => redis.hdel(recordKey(id), FIELDS.organization));
      return false;
    }
    await unlinkKeys(id);
    await forgetRest(id);
    return true;
  };

  return {
    async workspace(id: string, organization?: string): Promise<void> {
      await unlinkKeys(id);
      if (organization !== undefined) await removeMember(organization, id);
      await forgetRest(id);
    },
    /**
     * Deletes a workspace that its organization's installation no longer serves.
     * @returns false if it stays through another installation
     */
    async member(id: string, organization?: string): Promise<boolean> {
      if (organization !== undefined) await removeMember(organization, id);
      return leave(id, organization);
    },
    /** Deletes an organization, with every workspace that only its installation serves. */
    async organization(id: string): Promise<void> {
      // First the organization itself: without it no workspace can join after the list is read.
      await unlinkKeys(id);
      for (const member of await guardRead(() => redis.smembers(membersKey(id)))) await leave(member, id);
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
 * A process that dies while it joins a workspace to an organization that leaves may write its note after everything was
 * deleted. Deletes such a note if there is nothing else in the record.
 *
 * @returns whether nothing of the workspace is left
 * @throws store-unavailable
 */
export async function deleteOrphan(
  redis: RedisConnection,
  workspace: SlackId,
  fields: RecordFields,
): Promise<boolean> {
  const organization = fields[FIELDS.organization];
  if (organization === undefined || Object.keys(fields).length > 1) return false;
  const isMember = await guardRead(() => redis.sismember(membersKey(organization), workspace));
  if (isMember === 1) return false;
  const note = [FIELDS.organization, organization];
  return (await evalInWorkspace(redis, workspace, DELETE_NOTE, [recordKey], ...note)) === 1;
}
