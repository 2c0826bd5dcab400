import type { SlackId } from '../../domain/slack-id.ts';
import { MINUTE, type Millis } from '../../domain/time/calendar.ts';
import { commitInWorkspace, evalInWorkspace, guardRead } from '../../redis/commands.ts';
import type { RedisConnection } from '../../redis/connect.ts';
import { auditKey, FIELDS, INDEX_KEY, keysOf, membersKey, recordKey } from '../../redis/keys.ts';
import { type AuditEntry, auditArguments, LUA_AUDIT } from './audit.ts';

/** field → value, as Redis holds them */
export type RecordFields = Readonly<Record<string, string>>;

/** A write that is made as a whole or not at all. */
export interface RecordWrite {
  /** What the fields must hold for anything to be written: this text, `ANY_VALUE`, or nothing if undefined. */
  readonly seen?: Readonly<Record<string, string | typeof ANY_VALUE | undefined>>;
  readonly remove?: readonly string[];
  readonly set?: RecordFields;
  /** Whether this may create the record. Otherwise a workspace without one has left, and nothing is written. */
  readonly first?: boolean;
  readonly entries?: readonly AuditEntry[];
}

export const ANY_VALUE = Symbol('any');

/**
 * One Redis hash holds all that a workspace told us, so that one HGETALL reads what a command needs and one UNLINK
 * forgets the workspace without a list of keys to keep. Every method is one round trip, the first write of a workspace two.
 *
 * @throws store-unavailable from each method
 */
export type WorkspaceStore = ReturnType<typeof createWorkspaceStore>;

/**
 * Requests that are still running when a workspace leaves find neither record nor audit and write nothing, so nothing
 * comes back after everything was deleted. An installation by OAuth creates a record, and every change leaves an audit
 * entry, even one that empties the record.
 *
 * Redis runs a script alone and does not roll back. So after the comparisons the audit entries come first, which a
 * stream may refuse; the rest cannot fail.
 */
const WRITE = `${LUA_AUDIT}
local write = cjson.decode(ARGV[1])
if not write.first and redis.call('EXISTS', KEYS[1], KEYS[2]) == 0 then return 0 end
for _, each in ipairs(write.seen) do
  local now = redis.call('HGET', KEYS[1], each.field)
  if each.any and not now then return 0 end
  if not each.any and now ~= (each.value or false) then return 0 end
end
for _, entry in ipairs(write.entries) do enter(KEYS[2], unpack(entry)) end
for _, field in ipairs(write.remove) do redis.call('HDEL', KEYS[1], field) end
for field, value in pairs(write.set) do redis.call('HSET', KEYS[1], field, value) end
return 1`;

export function createWorkspaceStore(redis: RedisConnection) {
  const index = createWorkspaceIndex(redis);
  return {
    load: (workspace: SlackId): Promise<RecordFields> => guardRead(() => redis.hgetall(recordKey(workspace))),
    /** @returns false, with nothing written, if a field differs from `seen` or the workspace left */
    async write(
      workspace: SlackId,
      { seen = {}, remove = [], set = {}, first = false, entries = [] }: RecordWrite,
    ): Promise<boolean> {
      const write = {
        ...{ first, remove, set },
        seen: Object.entries(seen).map(([field, value]) =>
          value === ANY_VALUE ? { field, any: true } : { field, value },
        ),
        entries: entries.map(auditArguments),
      };
      const keys = [recordKey, auditKey];
      if (first) await index.touch(workspace);
      return (await commitInWorkspace(redis, workspace, WRITE, keys, JSON.stringify(write))) === 1;
    },
    /** Deletes every key of the workspace: see `keysOf`. */
    async forget(workspace: SlackId): Promise<void> {
      await guardRead(() => redis.unlink(...keysOf(workspace)));
      await index.forget(workspace);
    },
  };
}

/** How long after it was touched a workspace may still be without a record: longer than any command takes. */
const ARRIVING: Millis = MINUTE;

/** Entries of one ZSCAN. */
const PAGE = 500;

/** A workspace that was touched since `ARGV[2]` stays: its record may be about to be written. */
const REMOVE = `
if tonumber(redis.call('ZSCORE', KEYS[1], ARGV[1]) or 0) > tonumber(ARGV[2]) then return 0 end
return redis.call('ZREM', KEYS[1], ARGV[1])`;

/**
 * Every workspace that has a record. It is added before its record is written, and removed after its record is gone, so
 * an entry without a record is possible and harmless.
 *
 * @throws store-unavailable from each method
 */
export const createWorkspaceIndex = (redis: RedisConnection) => ({
  /** Adds the workspace. Call it before its record is created. */
  async touch(workspace: SlackId): Promise<void> {
    await guardRead(() => redis.zadd(INDEX_KEY, Date.now(), workspace));
  },
  async forget(workspace: SlackId): Promise<void> {
    await guardRead(() => redis.zrem(INDEX_KEY, workspace));
  },
  /** Removes a workspace without a record, unless it is about to get one. */
  async removeAbsent(workspace: SlackId): Promise<void> {
    await guardRead(() => redis.eval(REMOVE, 1, INDEX_KEY, workspace, Date.now() - ARRIVING));
  },
  /** The IDs of all workspaces; those added or removed at the same time may be missing or included. */
  async *list(): AsyncGenerator<SlackId, void> {
    const seen = new Set<SlackId>();
    let cursor = '0';
    do {
      const [next, found] = await guardRead(() => redis.zscan(INDEX_KEY, cursor, 'COUNT', PAGE));
      // Each ID is followed by its score.
      for (const workspace of found.filter((_, at) => at % 2 === 0)) {
        if (!seen.has(workspace)) yield workspace;
        seen.add(workspace);
      }
      cursor = next;
    } while (cursor !== '0');
  },
});

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
