import { Failure } from '../../domain/failure/index.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import { commitInWorkspace, guardRead } from '../../redis/commands.ts';
import type { RedisConnection } from '../../redis/connect.ts';
import { auditKey, recordKey } from '../../redis/keys.ts';

/**
 * Who did what, when: a sentence that is written when it happens, so that reading it needs nothing else. Never has a
 * secret. Asking is not audited.
 */
export interface AuditEntry {
  readonly at: Millis;
  readonly who: SlackId;
  /** What was done, up to what it was done to: `replaced the token of the connection`. */
  readonly action: string;
  /** What it was done to: names that people chose, and IDs of channels and people, which are shown as their names. */
  readonly about: string;
}

/** Each method is one round trip. @throws store-unavailable */
export type Audit = ReturnType<typeof createAudit>;
export type AuditPage = Awaited<ReturnType<Audit['page']>>;

/** Enough for years of administration; older entries are dropped. */
export const MAX_AUDIT_ENTRIES = 1000;

/** In Lua: `enter(key, at, who, action, about)` appends an entry to an audit stream. */
export const LUA_AUDIT = `
local function enter(key, at, who, action, about)
  redis.call('XADD', key, 'MAXLEN', '${MAX_AUDIT_ENTRIES}', '*', 'at', at, 'who', who, 'action', action, 'about', about)
end`;

/** What `enter` takes after the key. Lua's JSON refuses half a surrogate pair, as outside text may end in one. */
export const auditArguments = ({ at, who, action, about }: AuditEntry): string[] =>
  [String(at), who, action, about].map((text) => Buffer.from(text).toString());

/** A workspace that left has neither record nor audit, and gets none again. */
const RECORD = `${LUA_AUDIT}
if redis.call('EXISTS', KEYS[1], KEYS[2]) == 0 then return 0 end
enter(KEYS[2], ARGV[1], ARGV[2], ARGV[3], ARGV[4])
return 1`;

/** As Redis makes them; it refuses longer ones. */
const ID = /^[1-9]\d{0,14}-\d{1,15}$/;

type Row = readonly [id: string, fields: readonly string[]];

export function createAudit(redis: RedisConnection) {
  return {
    /**
     * For an action that changes nothing in the workspace's record. A change brings its own entries: see `WorkspaceChange`.
     * @throws not-installed when the workspace left; nothing was written
     */
    async record(workspace: SlackId, entry: AuditEntry): Promise<void> {
      const keys = [recordKey, auditKey];
      const written = await commitInWorkspace(redis, workspace, RECORD, keys, ...auditArguments(entry));
      if (written !== 1) throw new Failure('not-installed', { reason: 'unknown' });
    },
    /** The newest entries, or those before the place that a page's `older` names. */
    async page(workspace: SlackId, most: number, before?: string) {
      // A button's value is outside text: an invalid one starts at the newest entry.
      const from = before !== undefined && ID.test(before) ? `(${before}` : '+';
      const found = await guardRead(() => redis.xrevrange(auditKey(workspace), from, '-', 'COUNT', most + 1));
      const shown = found.slice(0, most);
      return {
        /** Newest first. */
        entries: shown.map(entryOf),
        /** Where the next page begins; undefined on the last one. */
        older: found.length > most ? shown.at(-1)?.[0] : undefined,
      };
    },
  };
}

function entryOf([id, fields]: Row): AuditEntry {
  const named = new Map<string, string>();
  for (let at = 0; at < fields.length; at += 2) named.set(fields[at] ?? '', fields[at + 1] ?? '');
  const text = (name: string): string => named.get(name) ?? '';
  const at = Number(text('at'));
  return {
    // The stream's own ids are times as well: by the clock of Redis.
    at: Number.isSafeInteger(at) && at > 0 ? at : Number.parseInt(id, 10),
    who: text('who'),
    action: text('action'),
    about: text('about'),
  };
}
