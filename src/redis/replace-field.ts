import { guardRead, type RedisConnection } from './connect.ts';

const REPLACE = `
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
return 1`;

/**
 * Replaces a field of a hash at once, unless it is another one by now: what was written since must not be overwritten.
 *
 * @returns whether it was replaced
 * @throws StoreUnavailable
 */
export const replaceField = async (
  redis: RedisConnection,
  key: string,
  field: string,
  before: string,
  after: string,
): Promise<boolean> => (await guardRead(() => redis.eval(REPLACE, 1, key, field, before, after))) === 1;
