import type { SlackId } from '../../domain/slack-id.ts';
import type { RedisConnection } from '../../redis/connect.ts';
import { commitInWorkspace, guardRead } from '../../redis/guard.ts';
import { auditKey, keysOf, recordKey } from '../../redis/keys.ts';
import { type AuditEntry, auditArguments, LUA_AUDIT } from './audit.ts';
import { createWorkspaceIndex } from './workspace-index.ts';

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
 * stream may refuse; the rest cannot fail. Each list in ARGV follows its length.
 */
const WRITE = `${LUA_AUDIT}
local at = 0
local function take() at = at + 1; return ARGV[at] end
if take() == '0' and redis.call('EXISTS', KEYS[1], KEYS[2]) == 0 then return 0 end
for _ = 1, tonumber(take()) do
  local field, seen = take(), take()
  local now = redis.call('HGET', KEYS[1], field)
  if seen == '*' then
    if not now then return 0 end
  elseif (now and '=' .. now or '') ~= seen then return 0 end
end
for _ = 1, tonumber(take()) do
  local moment, who, action, about = take(), take(), take(), take()
  enter(KEYS[2], moment, who, action, about)
end
for _ = 1, tonumber(take()) do redis.call('HDEL', KEYS[1], take()) end
for _ = 1, tonumber(take()) do
  local field, value = take(), take()
  redis.call('HSET', KEYS[1], field, value)
end
return 1`;

export function createWorkspaceStore(redis: RedisConnection) {
  const index = createWorkspaceIndex(redis);
  return {
    load: (workspace: SlackId): Promise<RecordFields> => guardRead(() => redis.hgetall(recordKey(workspace))),
    exists: async (workspace: SlackId): Promise<boolean> =>
      (await guardRead(() => redis.exists(recordKey(workspace)))) === 1,
    /** @returns false, with nothing written, if a field differs from `seen` or the workspace left */
    async write(
      workspace: SlackId,
      { seen = {}, remove = [], set = {}, first = false, entries = [] }: RecordWrite,
    ): Promise<boolean> {
      const lists = [
        // The first character distinguishes the three cases.
        Object.entries(seen).map(([field, value]) =>
          value === ANY_VALUE ? [field, '*'] : [field, value === undefined ? '' : `=${value}`],
        ),
        entries.map(auditArguments),
        remove.map((field) => [field]),
        Object.entries(set),
      ];
      const args = [first ? '1' : '0', ...lists.flatMap((list) => [String(list.length), ...list.flat()])];
      const keys = [recordKey, auditKey];
      if (first) await index.touch(workspace);
      return (await commitInWorkspace(redis, workspace, WRITE, keys, ...args)) === 1;
    },
    /** Deletes every key of the workspace: see `keysOf`. */
    async forget(workspace: SlackId): Promise<void> {
      await guardRead(() => redis.unlink(...keysOf(workspace)));
      await index.forget(workspace);
    },
  };
}
