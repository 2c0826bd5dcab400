/** Stores a workspace's record in one Redis hash, so that one HGETALL reads all of it. Also deletes workspaces. */
import type { SlackId } from '../../domain/slack-id.ts';
import { MINUTE, type Millis } from '../../domain/time/calendar.ts';
import type { RedisConnection } from '../../redis/connect.ts';
import { auditKey, FIELDS, INDEX_KEY, type KeyOf, keysOf, membersKey, recordKey } from '../../redis/keys.ts';
import { evalInWorkspace, guardRedis } from '../../redis/outages.ts';

export type RecordFields = Readonly<Record<string, string>>;

/** An entry of the audit log. Its text is complete, so that showing it needs no other data. It has no secrets. */
export interface AuditEntry {
  readonly at: Millis;
  readonly who: SlackId;
  /** What the person did, without the name of the thing: `replaced the token of the connection`. */
  readonly action: string;
  /** The thing's name, or the ID of a channel or user, which is shown as a name. */
  readonly about: string;
}

/** Changes to a record that are written all together or not at all. */
export interface RecordWrite {
  /** Values that fields must have; undefined if the field must not exist. If one differs, nothing is written. */
  readonly seen?: Readonly<Record<string, string | undefined>>;
  readonly remove?: readonly string[];
  readonly set?: RecordFields;
  /**
   * Whether the write may create the record. Otherwise, a missing record means that the workspace was removed: nothing
   * is written.
   */
  readonly first?: boolean;
  readonly entries?: readonly AuditEntry[];
}

/** @throws store-unavailable from every method */
export interface WorkspaceStore {
  load(workspace: SlackId): Promise<RecordFields>;
  write(workspace: SlackId, write: RecordWrite): Promise<boolean>;
  forget(workspace: SlackId): Promise<void>;
}

export const MAX_AUDIT_ENTRIES = 10_000;

/**
 * Lua: a request that runs during an uninstall must not bring back deleted data, so nothing is written if there is
 * neither record nor audit log. An installed workspace has a record from OAuth, or audit entries from its changes.
 * Redis can't undo a script's writes, so the audit entry, the only write that can fail, comes first.
 */
const WRITE = `
local write, record, audit, hash = cjson.decode(ARGV[1]), KEYS[1], KEYS[2], KEYS[3]
if not write.first and redis.call('EXISTS', record, audit) == 0 then return 0 end
for _, each in ipairs(write.seen) do
  if redis.call('HGET', hash, each.field) ~= (each.value or false) then return 0 end
end
for _, entry in ipairs(write.entries) do
  redis.call('XADD', audit, 'MAXLEN', '${MAX_AUDIT_ENTRIES}', '*', unpack(entry))
end
for _, field in ipairs(write.remove) do redis.call('HDEL', hash, field) end
for field, value in pairs(write.set) do redis.call('HSET', hash, field, value) end
if write.lifetime then redis.call('PEXPIRE', hash, write.lifetime) end
return 1`;

/** @param hash the hash to write, by default the record @param lifetime after which Redis deletes the hash */
export async function writeHash(
  redis: RedisConnection,
  workspace: SlackId,
  { seen = {}, remove = [], set = {}, first = false, entries = [] }: RecordWrite,
  hash: KeyOf = recordKey,
  lifetime?: Millis,
): Promise<boolean> {
  const write = {
    first,
    remove,
    set,
    lifetime,
    seen: Object.entries(seen).map(([field, value]) => ({ field, value })),
    entries: entries.map(streamFields),
  };
  const keys = [recordKey, auditKey, hash];
  return (await evalInWorkspace(redis, workspace, WRITE, keys, JSON.stringify(write))) === 1;
}

/** Lua's JSON library rejects lone surrogates, so they are replaced. */
const streamFields = ({ at, who, action, about }: AuditEntry): string[] =>
  Object.entries({ at: String(at), who, action, about })
    .flat()
    .map((text) => Buffer.from(text).toString());

export function createWorkspaceStore(redis: RedisConnection): WorkspaceStore {
  const index = createWorkspaceIndex(redis);
  return {
    load: (workspace) => guardRedis(() => redis.hgetall(recordKey(workspace))),
    async write(workspace, write) {
      if (write.first === true) await index.touch(workspace);
      return writeHash(redis, workspace, write);
    },
    async forget(workspace) {
      await guardRedis(() => redis.unlink(...keysOf(workspace)));
      await index.forget(workspace);
    },
  };
}

/** A workspace may be in the index this long before its record is written. No command takes longer. */
const ARRIVING: Millis = MINUTE;

const PAGE = 500;

/** Lua: removes a workspace from the index, unless it was added after ARGV[2] and its record may follow. */
const REMOVE = `
if tonumber(redis.call('ZSCORE', KEYS[1], ARGV[1]) or 0) > tonumber(ARGV[2]) then return 0 end
return redis.call('ZREM', KEYS[1], ARGV[1])`;

/**
 * The index of all workspaces with a record. A workspace is added before its record is written and removed after its
 * record is deleted, so an entry without a record is possible, and harmless. @throws store-unavailable from every
 * method
 */
export const createWorkspaceIndex = (redis: RedisConnection) => ({
  async touch(workspace: SlackId): Promise<void> {
    await guardRedis(() => redis.zadd(INDEX_KEY, Date.now(), workspace));
  },
  async forget(workspace: SlackId): Promise<void> {
    await guardRedis(() => redis.zrem(INDEX_KEY, workspace));
  },
  async removeAbsent(workspace: SlackId): Promise<void> {
    await guardRedis(() => redis.eval(REMOVE, 1, INDEX_KEY, workspace, Date.now() - ARRIVING));
  },
  /** A workspace that is added or removed meanwhile may or may not be listed. */
  async *list(): AsyncGenerator<SlackId, void> {
    const seen = new Set<SlackId>();
    let cursor = '0';
    do {
      const [next, found] = await guardRedis(() => redis.zscan(INDEX_KEY, cursor, 'COUNT', PAGE));
      // ZSCAN returns IDs and scores in turn.
      for (const workspace of found.filter((_, at) => at % 2 === 0)) {
        if (!seen.has(workspace)) yield workspace;
        seen.add(workspace);
      }
      cursor = next;
    } while (cursor !== '0');
  },
});

/**
 * Deletes everything about a workspace or organization, one Cluster slot at a time. If a step fails, Slack resends the
 * event, so every step can be repeated. @throws store-unavailable from every method
 */
export interface WorkspaceDeleter {
  workspace(id: SlackId, organization?: SlackId): Promise<void>;
  /** Deletes a workspace that used its organization's installation. @returns false if it has another installation */
  member(id: SlackId, organization?: SlackId): Promise<boolean>;
  organization(id: SlackId): Promise<void>;
}

export function createWorkspaceDeleter({
  redis,
  others = async () => undefined,
  isInstalled = async () => false,
}: {
  readonly redis: RedisConnection;
  readonly others?: (id: SlackId) => Promise<void>;
  readonly isInstalled?: (id: SlackId) => Promise<boolean>;
}): WorkspaceDeleter {
  const index = createWorkspaceIndex(redis);
  const unlinkKeys = (id: string) => guardRedis(() => redis.unlink(...keysOf(id)));
  const removeMember = (organization: string, id: string) =>
    guardRedis(() => redis.srem(membersKey(organization), id));
  const forgetRest = async (id: string): Promise<void> => {
    await others(id);
    // Last, so that the hourly sweep finds a workspace whose deletion was interrupted.
    await index.forget(id);
  };
  const leave = async (id: string, organization?: string): Promise<boolean> => {
    const note = await guardRedis(() => redis.hget(recordKey(id), FIELDS.organization));
    const isElsewhere = note !== null && organization !== undefined && note !== organization;
    if (isElsewhere || (await isInstalled(id))) {
      if (!isElsewhere) await guardRedis(() => redis.hdel(recordKey(id), FIELDS.organization));
      return false;
    }
    await unlinkKeys(id);
    await forgetRest(id);
    return true;
  };

  return {
    async workspace(id, organization) {
      await unlinkKeys(id);
      if (organization !== undefined) await removeMember(organization, id);
      await forgetRest(id);
    },
    async member(id, organization) {
      if (organization !== undefined) await removeMember(organization, id);
      return leave(id, organization);
    },
    async organization(id) {
      // First, so that no workspace can join the organization after its members are read.
      await unlinkKeys(id);
      for (const member of await guardRedis(() => redis.smembers(membersKey(id)))) await leave(member, id);
      await forgetRest(id);
      // Last, so that a resent event still finds the members.
      await guardRedis(() => redis.unlink(membersKey(id)));
    },
  };
}
