import type { Redis } from 'ioredis';
import { storeGuard } from '../redis.ts';

/**
 * One Redis hash holds all that a workspace told us, so that one HMGET reads what a command needs and one UNLINK
 * forgets the workspace without a list of keys to keep. Every method is one round trip.
 *
 * @throws StoreUnreachable from each method
 */
export interface WorkspaceStore {
  read(workspace: string, ...fields: string[]): Promise<(string | null)[]>;
  write(workspace: string, field: string, value: string): Promise<void>;
  /** Whether there was something to remove. */
  remove(workspace: string, field: string): Promise<boolean>;
  forget(workspace: string): Promise<void>;
}

export function createWorkspaceStore(redis: Redis): WorkspaceStore {
  return {
    read: (workspace, ...fields) => storeGuard(() => redis.hmget(keyOf(workspace), ...fields)),
    async write(workspace, field, value) {
      await storeGuard(() => redis.hset(keyOf(workspace), field, value));
    },
    async remove(workspace, field) {
      return (await storeGuard(() => redis.hdel(keyOf(workspace), field))) > 0;
    },
    async forget(workspace) {
      await storeGuard(() => redis.unlink(keyOf(workspace)));
    },
  };
}

/** Slack's ids of teams and organisations are capitals and digits: anything else would name another key. */
function keyOf(workspace: string): string {
  if (!/^[A-Z0-9]{1,64}$/.test(workspace)) throw new RangeError('Not the id of a Slack workspace.');
  return `tally:workspace:${workspace}`;
}
