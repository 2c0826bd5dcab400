import type { Redis } from 'ioredis';
import { guardRead, guardWrite } from '../redis.ts';
import type { AuditEntry } from './audit.ts';
import { auditKey, keysOf, recordKey } from './keys.ts';

/** field → value, as Redis holds them */
export type RecordFields = Readonly<Record<string, string>>;

/** What is done in one step, or not at all. */
export interface RecordWrite {
  /** What has to stand there still: this text, `ANY_VALUE`, or nothing where undefined. */
  readonly seen?: Readonly<Record<string, string | typeof ANY_VALUE | undefined>>;
  readonly remove?: readonly string[];
  readonly set?: RecordFields;
  /** Whether it may be the first that is known of the workspace: otherwise that is taken for one that left. */
  readonly first?: boolean;
  /** For the audit. */
  readonly entries?: readonly AuditEntry[];
}

export const ANY_VALUE = Symbol('any');

/**
 * One Redis hash holds all that a workspace told us, so that one HGETALL reads what a command needs and one UNLINK
 * forgets the workspace without a list of keys to keep. Every method is one round trip.
 *
 * @throws StoreUnavailable from each method
 */
export interface WorkspaceStore {
  read(workspace: string): Promise<RecordFields>;
  /** False, and nothing is written, where something else stands there than was `seen`, or all was forgotten. */
  write(workspace: string, writing: RecordWrite): Promise<boolean>;
  /** Its audit as well, and the events heard of it. */
  forget(workspace: string): Promise<void>;
}

/** Enough for years of administration; older entries go. */
export const MAX_AUDIT_ENTRIES = 1000;
/** The stream is capped by entries, so an entry is capped too. */
const LONGEST_ABOUT = 500;

/** In Lua: `enter(key, at, who, deed, about)` writes into an audit. */
export const LUA_AUDIT = `
local function enter(key, at, who, deed, about)
  redis.call('XADD', key, 'MAXLEN', '${MAX_AUDIT_ENTRIES}', '*', 'at', at, 'who', who, 'deed', deed, 'about', about)
end`;

/** What `enter` takes behind the key. */
export const auditArguments = ({ at, who, deed, about }: AuditEntry): string[] => [
  String(at),
  who,
  deed,
  about.slice(0, LONGEST_ABOUT),
];

/**
 * Whatever is still under way when a workspace leaves finds nothing of it and writes nothing, so nothing comes back
 * after everything was deleted. From an installation by OAuth on there is a record, and every change leaves an entry,
 * also one that empties the record.
 *
 * Redis runs a script alone, and takes nothing of it back: so after the looks the entries come first, which a stream
 * may refuse, and nothing else can fail. Each list comes behind its length.
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
  local moment, who, deed, about = take(), take(), take(), take()
  enter(KEYS[2], moment, who, deed, about)
end
for _ = 1, tonumber(take()) do redis.call('HDEL', KEYS[1], take()) end
for _ = 1, tonumber(take()) do
  local field, value = take(), take()
  redis.call('HSET', KEYS[1], field, value)
end
return 1`;

export function createWorkspaceStore(redis: Redis): WorkspaceStore {
  return {
    read: (workspace) => guardRead(() => redis.hgetall(recordKey(workspace))),
    async write(workspace, { seen = {}, remove = [], set = {}, first = false, entries = [] }) {
      const lists = [
        Object.entries(seen).map(([field, value]) => [field, mark(value)]),
        entries.map(auditArguments),
        remove.map((field) => [field]),
        Object.entries(set),
      ];
      const args = [first ? '1' : '0', ...lists.flatMap((list) => [String(list.length), ...list.flat()])];
      const keys = [recordKey(workspace), auditKey(workspace)];
      return (await guardWrite(() => redis.eval(WRITE, keys.length, ...keys, ...args))) === 1;
    },
    async forget(workspace) {
      await guardRead(() => redis.unlink(...keysOf(workspace)));
    },
  };
}

/** Told apart from any text by its first character. */
function mark(seen: string | typeof ANY_VALUE | undefined): string {
  if (seen === ANY_VALUE) return '*';
  return seen === undefined ? '' : `=${seen}`;
}
