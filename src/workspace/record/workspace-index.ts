import type { SlackId } from '../../domain/slack-id.ts';
import { MINUTE, type Millis } from '../../domain/time/calendar.ts';
import type { RedisConnection } from '../../redis/connect.ts';
import { guardRead } from '../../redis/guard.ts';
import { auditKey, INDEX_KEY } from '../../redis/keys.ts';

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
  /** Whether the index or an audit still names a workspace that has no record. */
  async knows(workspace: SlackId): Promise<boolean> {
    const [score, audits] = await guardRead(() =>
      Promise.all([redis.zscore(INDEX_KEY, workspace), redis.exists(auditKey(workspace))]),
    );
    return score !== null || audits === 1;
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
