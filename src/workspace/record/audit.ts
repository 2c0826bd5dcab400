/** The audit log: who changed what and when. Questions about spend aren't recorded. */
import { Failure } from '../../domain/failure/index.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import type { RedisConnection } from '../../redis/connect.ts';
import { evalInWorkspace, guardRead } from '../../redis/guarded-commands.ts';
import { auditKey, recordKey } from '../../redis/keys.ts';

/** The text is complete, so that showing it needs no other data. It contains no secrets. */
export interface AuditEntry {
  readonly at: Millis;
  readonly who: SlackId;
  /** What the person did, without the name of the thing: `replaced the token of the connection`. */
  readonly action: string;
  /** The thing's name, or the ID of a channel or user, which is shown as a name. */
  readonly about: string;
}

/** @throws store-unavailable from every method */
export interface Audit {
  /**
   * Records an action that changes nothing in the workspace's record. @throws not-installed if the workspace was
   * removed
   */
  record(workspace: SlackId, entry: AuditEntry): Promise<void>;
  /** The newest entries, or those older than the entry `before`. */
  page(workspace: SlackId, most: number, before?: string): Promise<AuditPage>;
}

export interface AuditPage {
  readonly entries: readonly AuditEntry[];
  /** The `before` of the next page; undefined on the last. */
  readonly older: string | undefined;
}

export const MAX_AUDIT_ENTRIES = 1000;

/** Lua: `enter(key, at, who, action, about)` appends an audit entry. */
export const LUA_AUDIT = `
local function enter(key, at, who, action, about)
  redis.call('XADD', key, 'MAXLEN', '${MAX_AUDIT_ENTRIES}', '*', 'at', at, 'who', who, 'action', action, 'about', about)
end`;

/** The arguments of `enter`. Lua's JSON library rejects lone surrogates, so they are replaced. */
export const auditArguments = ({ at, who, action, about }: AuditEntry): string[] =>
  [String(at), who, action, about].map((text) => Buffer.from(text).toString());

/** Lua: records an entry, unless the workspace was removed. */
const RECORD = `${LUA_AUDIT}
if redis.call('EXISTS', KEYS[1], KEYS[2]) == 0 then return 0 end
enter(KEYS[2], ARGV[1], ARGV[2], ARGV[3], ARGV[4])
return 1`;

/** The ID of an entry in a Redis stream. Redis refuses IDs with too many digits. */
const ID = /^[1-9]\d{0,14}-\d{1,15}$/;

export const createAudit = (redis: RedisConnection): Audit => ({
  async record(workspace, entry) {
    const keys = [recordKey, auditKey];
    const written = await evalInWorkspace(redis, workspace, RECORD, keys, ...auditArguments(entry));
    if (written !== 1) throw new Failure('not-installed', { reason: 'unknown' });
  },
  async page(workspace, most, before) {
    // `before` comes from a button, so it isn't trusted. For an invalid ID, show the newest page.
    const from = before !== undefined && ID.test(before) ? `(${before}` : '+';
    const found = await guardRead(() => redis.xrevrange(auditKey(workspace), from, '-', 'COUNT', most + 1));
    const shown = found.slice(0, most);
    return { entries: shown.map(entryOf), older: found.length > most ? shown.at(-1)?.[0] : undefined };
  },
});

/** Redis returns an entry's fields as names and values in turn. */
function entryOf([, fields]: readonly [id: string, fields: readonly string[]]): AuditEntry {
  const [, at, , who = '', , action = '', , about = ''] = fields;
  return { at: Number(at), who, action, about };
}
