import type { SlackId } from '../domain/slack-id.ts';
import { guardRead, type RedisConnection } from './connect.ts';
import { recordKey } from './keys.ts';
import { evalInWorkspace } from './layout.ts';

const REPLACE = `
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
return 1`;

/**
 * Replaces a field of a workspace’s record at once, unless it is another one by now: what was written since must not be overwritten.
 *
 * @returns whether it was replaced
 * @throws StoreUnavailable
 */
export const replaceField = async (
  redis: RedisConnection,
  workspace: SlackId,
  field: string,
  before: string,
  after: string,
): Promise<boolean> => {
  const keys = [recordKey(workspace)];
  return (
    (await guardRead(() => evalInWorkspace(redis, workspace, REPLACE, keys, field, before, after))) === 1
  );
};
