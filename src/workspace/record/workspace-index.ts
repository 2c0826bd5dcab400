import type { SlackId } from '../../domain/slack-id.ts';
import { MINUTE, type Millis } from '../../domain/time/calendar.ts';
import type { RedisConnection } from '../../redis/connect.ts';
import { guardRead } from '../../redis/guard.ts';
import { auditKey, checkLockKey, indexKey, shardOf, shardsOf, zonesKey } from '../../redis/keys.ts';

/**
 * Every workspace that has a record, each with the instant when its scheduled runs are checked: so a lost run is noticed
 * without reading all records. A workspace is added before its record is written, and removed after its record is gone;
 * an entry without a record is harmless and is removed by the check.
 *
 * @throws store-unavailable from each method
 */
export type WorkspaceIndex = ReturnType<typeof createWorkspaceIndex>;

export interface IndexEntry {
  readonly workspace: SlackId;
  readonly at: Millis;
}

/** How soon a workspace is checked that was touched and not checked since: longer than any command takes. */
const TOUCHED: Millis = MINUTE;

/** By the clock of Redis, which is one for all processes; entries of one millisecond are a microsecond apart. */
const TOUCH = `
local now = redis.call('TIME')
local at = now[1] * 1000 + now[2] / 1000 + ARGV[2]
local last = tonumber(redis.call('ZSCORE', KEYS[1], ARGV[1]) or 0)
if last >= at and last < at + 1 then at = last + 0.001 end
at = string.format('%.3f', at)
redis.call('ZADD', KEYS[1], at, ARGV[1])
return at`;

const MOVE = `
if tonumber(redis.call('ZSCORE', KEYS[1], ARGV[1]) or -1) ~= tonumber(ARGV[2]) then return 0 end
redis.call('ZADD', KEYS[1], ARGV[3], ARGV[1])
return 1`;

const REMOVE = `
if tonumber(redis.call('ZSCORE', KEYS[1], ARGV[1]) or -1) ~= tonumber(ARGV[2]) then return 0 end
return redis.call('ZREM', KEYS[1], ARGV[1])`;

/** Rules of time zones that changed make every check due: runs were derived from the old ones. */
const CLAIM = `
local owner = redis.call('GET', KEYS[1])
if owner and owner ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
local zones = redis.call('GET', KEYS[2])
if zones ~= ARGV[3] then
  if zones then redis.call('ZUNIONSTORE', KEYS[3], 1, KEYS[3], 'WEIGHTS', 0) end
  redis.call('SET', KEYS[2], ARGV[3])
end
return 1`;

/** Entries of one ZSCAN. */
const PAGE = 500;

/** @param zones the version of the time zones' rules */
export function createWorkspaceIndex(redis: RedisConnection, zones: string = process.versions.tz ?? '') {
  const shards = shardsOf(redis);
  const keyFor = (workspace: SlackId): string => indexKey(shardOf(redis, workspace));
  const run = (script: string, keys: readonly string[], ...args: readonly (string | number)[]) =>
    guardRead(() => redis.eval(script, keys.length, ...keys, ...args));
  const compare = async (script: string, { workspace, at }: IndexEntry, ...more: number[]) =>
    (await run(script, [keyFor(workspace)], workspace, at, ...more)) === 1;

  return {
    /** All shards: each has an index of its own. */
    shards,
    /**
     * Schedules a check in a minute, and adds the workspace if it is missing. Call it before creating the record and
     * before deriving runs: then a process that dies in between leaves a check behind.
     *
     * @returns the entry, different from every other
     */
    async touch(workspace: SlackId): Promise<IndexEntry> {
      return { workspace, at: Number(await run(TOUCH, [keyFor(workspace)], workspace, TOUCHED)) };
    },
    /** Sets when the workspace is checked next, and adds it if it is missing. @param at ms since the epoch */
    async setCheck(workspace: SlackId, at: Millis): Promise<void> {
      await guardRead(() => redis.zadd(keyFor(workspace), at, workspace));
    },
    /** Moves the next check, unless it was set since. @returns whether it did */
    moveCheck: (entry: IndexEntry, at: Millis) => compare(MOVE, entry, at),
    /** Removes it, unless its check was set since. @returns whether it did */
    remove: (entry: IndexEntry) => compare(REMOVE, entry),
    async forget(workspace: SlackId): Promise<void> {
      await guardRead(() => redis.zrem(keyFor(workspace), workspace));
    },
    /** Takes the checks of a shard for `ms`, or keeps them; for one process at a time. @returns false if another has them */
    async claimChecks(shard: number, owner: string, ms: Millis): Promise<boolean> {
      const keys = [checkLockKey(shard), zonesKey(shard), indexKey(shard)];
      return (await run(CLAIM, keys, owner, ms, zones)) === 1;
    },
    /** Entries of a shard whose check is due by `now`, those that are due longest first. */
    async due(shard: number, now: Millis, most: number): Promise<readonly IndexEntry[]> {
      const found = await guardRead(() =>
        redis.zrangebyscore(indexKey(shard), '-inf', now, 'WITHSCORES', 'LIMIT', 0, most),
      );
      return pairs(found).map(([workspace, at]) => ({ workspace, at: Number(at) }));
    },
    /** Whether the index or an audit still names a workspace that has no record. */
    async knows(workspace: SlackId): Promise<boolean> {
      const [score, audits] = await guardRead(() =>
        Promise.all([redis.zscore(keyFor(workspace), workspace), redis.exists(auditKey(workspace))]),
      );
      return score !== null || audits === 1;
    },
    /** The IDs of all workspaces; those added or removed at the same time may be missing or included. */
    async *list(): AsyncGenerator<string, void> {
      const seen = new Set<string>();
      for (const shard of shards) {
        let cursor = '0';
        do {
          const [next, found] = await guardRead(() => redis.zscan(indexKey(shard), cursor, 'COUNT', PAGE));
          for (const [workspace] of pairs(found)) {
            if (!seen.has(workspace)) yield workspace;
            seen.add(workspace);
          }
          cursor = next;
        } while (cursor !== '0');
      }
    },
  };
}

const pairs = (flat: readonly string[]): readonly (readonly [string, string])[] =>
  flat.flatMap((member, at) => (at % 2 === 0 ? [[member, flat[at + 1] ?? ''] as const] : []));
