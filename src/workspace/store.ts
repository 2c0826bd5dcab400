import type { Redis } from 'ioredis';
import { storeGuard } from '../redis.ts';
import { keysOf, recordKey } from './keys.ts';

/** field → value, as Redis holds them */
export type Fields = Readonly<Record<string, string>>;

/**
 * One Redis hash holds all that a workspace told us, so that one HGETALL reads what a command needs and one UNLINK
 * forgets the workspace without a list of keys to keep. Every method is one round trip.
 *
 * @throws StoreUnreachable from each method
 */
export interface WorkspaceStore {
  read(workspace: string): Promise<Fields>;
  /** Sets and removes fields, all or nothing. */
  write(workspace: string, set: Fields, remove?: readonly string[]): Promise<void>;
  /** The same, unless the field `absent` is there already: then nothing is changed and the answer is false. */
  writeNew(workspace: string, absent: string, set: Fields, remove?: readonly string[]): Promise<boolean>;
  /** Sets fields if the field `present` is there: what comes late cannot bring back what was forgotten meanwhile. */
  writeBeside(workspace: string, present: string, set: Fields): Promise<void>;
  /** Its audit as well, and the events heard of it. */
  forget(workspace: string): Promise<void>;
}

/** Redis runs a script alone, so nobody can take the name between the look and the write. */
const WRITE_NEW = `
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then return 0 end
local removals = tonumber(ARGV[2])
for i = 3, 2 + removals do redis.call('HDEL', KEYS[1], ARGV[i]) end
for i = 3 + removals, #ARGV, 2 do redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1]) end
return 1`;

const WRITE_BESIDE = `
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return 0 end
for i = 2, #ARGV, 2 do redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1]) end
return 1`;

export function createWorkspaceStore(redis: Redis): WorkspaceStore {
  return {
    read: (workspace) => storeGuard(() => redis.hgetall(recordKey(workspace))),
    async write(workspace, set, remove = []) {
      const key = recordKey(workspace);
      await storeGuard(async () => {
        const transaction = redis.multi();
        if (remove.length > 0) transaction.hdel(key, ...remove);
        if (Object.keys(set).length > 0) transaction.hset(key, set);
        await transaction.exec();
      });
    },
    async writeNew(workspace, absent, set, remove = []) {
      const args = [absent, String(remove.length), ...remove, ...Object.entries(set).flat()];
      return (await storeGuard(() => redis.eval(WRITE_NEW, 1, recordKey(workspace), ...args))) === 1;
    },
    async writeBeside(workspace, present, set) {
      const args = [present, ...Object.entries(set).flat()];
      await storeGuard(() => redis.eval(WRITE_BESIDE, 1, recordKey(workspace), ...args));
    },
    async forget(workspace) {
      await storeGuard(() => redis.unlink(...keysOf(workspace)));
    },
  };
}
