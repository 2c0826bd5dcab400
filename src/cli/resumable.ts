import { StoreUnavailable } from '../domain/failure/index.ts';
import type { Millis } from '../domain/time/calendar.ts';
import { newerRecordsFinding } from '../ops/newer-records.ts';
import { connectRedis, guardRead, type RedisConnection, waitUntilReady } from '../redis/connect.ts';
import { findNewerLayout, type LayoutMark } from '../redis/layout.ts';

/** How long a start waits for Redis. */
const REDIS_TIMEOUT: Millis = 5_000;

export const printLine = (line: string): void => void process.stdout.write(`${line}\n`);

/** A newer version of Tally has worked on this Redis. */
class OutdatedTool extends Error {
  override readonly name = 'OutdatedTool';
  constructor(mark: LayoutMark) {
    const { says, todo } = newerRecordsFinding(mark);
    super(`The records ${says}. ${todo}`);
  }
}

/**
 * Runs a task that can be interrupted at any step, and run again to continue.
 *
 * @param task gets what opens a Redis; returns whether everything is done
 * @returns the exit code
 */
export async function runResumable(
  task: (connect: (url: string) => Promise<RedisConnection>) => Promise<boolean>,
  print = printLine,
): Promise<0 | 1> {
  const open: RedisConnection[] = [];
  const connect = async (url: string): Promise<RedisConnection> => {
    const redis = connectRedis(url);
    open.push(redis);
    await waitUntilReady(redis, REDIS_TIMEOUT);
    const newer = await findNewerLayout(redis);
    if (newer !== undefined) throw new OutdatedTool(newer);
    return redis;
  };
  try {
    return (await guardRead(() => task(connect))) ? 0 : 1;
  } catch (error) {
    if (error instanceof OutdatedTool) {
      print(error.message);
      return 1;
    }
    if (!(error instanceof StoreUnavailable)) throw error;
    print(`${error.message} Nothing is lost. Run this again to continue.`);
    return 1;
  } finally {
    for (const redis of open) redis.disconnect();
  }
}
