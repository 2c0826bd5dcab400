import type { RedisConnection } from '../../src/redis/connect.ts';
import { recordKey } from '../../src/redis/keys.ts';
import { createWorkspaceIndex } from '../../src/workspace/record/workspace-store.ts';
import { schedule } from './delivery.ts';

export interface ScheduleCounts {
  readonly workspaces: number;
  readonly each: number;
  readonly channels: number;
  /** ms since the epoch, a full minute */
  readonly due: number;
  readonly since: number;
}

export const workspaceId = (n: number): string => `T${String(n).padStart(9, '0')}`;

/** Saves schedules that are all due daily at the minute of `due`. */
export async function saveManySchedules(
  redis: RedisConnection,
  { workspaces, each, channels, due, since }: ScheduleCounts,
): Promise<void> {
  const index = createWorkspaceIndex(redis);
  const time = new Date(due).toISOString().slice(11, 16);
  for (let n = 0; n < workspaces; n += 1) {
    const fields = Array.from({ length: each }, (_, at) => {
      const id = `s${String(at).padStart(7, '0')}`;
      const timing = { cadence: { kind: 'daily' as const }, time, zone: 'UTC' };
      const channel = `C${String(n).padStart(5, '0')}${String(at % channels).padStart(4, '0')}`;
      return [`schedule:${id}`, JSON.stringify(schedule({ id, timing, channel, since, createdAt: at }))];
    });
    await index.touch(workspaceId(n));
    await redis.hset(recordKey(workspaceId(n)), Object.fromEntries(fields));
  }
}
