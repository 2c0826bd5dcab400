import type { Millis } from '../../domain/time/calendar.ts';
import { guardRead, type RedisConnection } from '../../redis/connect.ts';
import { queueListKey, shardsOf } from '../../redis/keys.ts';

/** Of one shard: what is looked at of the runs that come first. A run that failed is planned again, a few seconds ahead. */
const FIRST = 100;
const FAILED_AHEAD = 10_000;
/** BullMQ orders delayed jobs by their instant in ms times this. */
const SCORE_PER_MS = 0x1000;

/**
 * Reads a few entries of each shard, however many workspaces there are: runs whose time has come and that no process has
 * taken, and runs that have not ended.
 *
 * @param clock ms since the epoch
 * @returns for how many ms the oldest of them has been due, 0 if none is @throws StoreUnavailable
 */
export async function readOldestOverdue(redis: RedisConnection, clock: () => Millis): Promise<number> {
  const until = (Date.now() + FAILED_AHEAD) * SCORE_PER_MS;
  const overdueOf = async (shard: number): Promise<number> => {
    const [delayed, waiting, running] = await guardRead(() =>
      Promise.all([
        redis.zrangebyscore(queueListKey(shard, 'delayed'), '-inf', until, 'LIMIT', 0, FIRST),
        redis.lrange(queueListKey(shard, 'wait'), -FIRST, -1),
        redis.lrange(queueListKey(shard, 'active'), -FIRST, -1),
      ]),
    );
    const due = [...delayed, ...waiting, ...running].map(dueAt);
    const now = clock();
    return now - Math.min(now, ...due);
  };
  return Math.max(...(await Promise.all(shardsOf(redis).map(overdueOf))));
}

/** By its ID, as `runAt` names it: `T1.<ms>`. */
const dueAt = (job: string): Millis => Number(job.slice(job.indexOf('.') + 1));
