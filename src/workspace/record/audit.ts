/** The audit log: who changed what and when. Questions about spend aren't recorded. */
import { Failure } from '../../domain/failure/index.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import type { RedisConnection } from '../../redis/connect.ts';
import { auditKey } from '../../redis/keys.ts';
import { guardRedis } from '../../redis/outages.ts';
import { type AuditEntry, writeHash } from './workspace-store.ts';

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
  /** The `before` of the next page; undefined on the last page. */
  readonly older: string | undefined;
}

/** The ID of an entry in a Redis stream. Redis refuses IDs with too many digits. */
const ID = /^[1-9]\d{0,14}-\d{1,15}$/;

export const createAudit = (redis: RedisConnection): Audit => ({
  async record(workspace, entry) {
    const isWritten = await writeHash(redis, workspace, { entries: [entry] });
    if (!isWritten) throw new Failure('not-installed', { reason: 'unknown' });
  },
  async page(workspace, most, before) {
    // `before` comes from a button, so it isn't trusted. For an invalid ID, show the newest page.
    const from = before !== undefined && ID.test(before) ? `(${before}` : '+';
    const found = await guardRedis(() => redis.xrevrange(auditKey(workspace), from, '-', 'COUNT', most + 1));
    const shown = found.slice(0, most);
    return { entries: shown.map(entryOf), older: found.length > most ? shown.at(-1)?.[0] : undefined };
  },
});

/** Redis returns an entry's fields as names and values in turn. */
function entryOf([, fields]: readonly [id: string, fields: readonly string[]]): AuditEntry {
  const [, at, , who = '', , action = '', , about = ''] = fields;
  return { at: Number(at), who, action, about };
}
