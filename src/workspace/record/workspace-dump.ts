/** Everything that Redis holds of a workspace or an organization, as values: what moves to another Redis, or to a file. */
import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { RedisConnection } from '../../redis/connect.ts';
import { commitInWorkspace, guardRead } from '../../redis/guard.ts';
import { copiedKey, isSlackId, membersKey, WORKSPACE_KEYS } from '../../redis/keys.ts';

const command = z.tuple([z.enum(['HSET', 'SADD', 'ZADD', 'XADD'])], z.string());
const schema = z
  .object({
    id: z.string().refine(isSlackId),
    keys: z.array(
      z.object({
        key: z.string(),
        /** The commands that write the key, without its name, always in the same order. */
        commands: z.array(command),
        /** When it expires, in ms since the epoch. */
        expiresAt: z.number().exactOptional(),
      }),
    ),
  })
  .refine(({ id, keys }) => keys.every(({ key }) => copiedKeysOf(id).includes(key)));

export type WorkspaceDump = z.infer<typeof schema>;

/** @returns undefined for anything else, such as another command or the key of another workspace */
export const parseDump = (value: unknown): WorkspaceDump | undefined => schema.safeParse(value).data;

/** Leases are not copied: their holders use the Redis where they took them. The mark belongs to its Redis, too. */
const COPIED_KEYS = [...WORKSPACE_KEYS, membersKey].filter((key) => !/-lock$|:copied$/.test(key('T')));
const copiedKeysOf = (id: string): readonly string[] => COPIED_KEYS.map((key) => key(id));
/** Keys that expire change all the time, so they don't show whether a workspace was changed. */
const isShortLived = (key: string): boolean => /:(grants|issued|threads|thread-times)$/.test(key);

/** Each key with the commands that write it, and when it expires by the clock of Redis. */
const READ = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local readers = {
  hash = function(key, add)
    local all = redis.call('HGETALL', key)
    for i = 1, #all, 2 do add({'HSET', all[i], all[i + 1]}) end
  end,
  set = function(key, add)
    for _, member in ipairs(redis.call('SMEMBERS', key)) do add({'SADD', member}) end
  end,
  zset = function(key, add)
    local all = redis.call('ZRANGE', key, 0, -1, 'WITHSCORES')
    for i = 1, #all, 2 do add({'ZADD', all[i + 1], all[i]}) end
  end,
  stream = function(key, add)
    for _, entry in ipairs(redis.call('XRANGE', key, '-', '+')) do add({'XADD', entry[1], unpack(entry[2])}) end
  end,
}
local found = {}
for _, key in ipairs(KEYS) do
  local read = readers[redis.call('TYPE', key).ok]
  if read then
    local commands = {}
    read(key, function(command) commands[#commands + 1] = command end)
    local left = redis.call('PTTL', key)
    found[#found + 1] = {key, commands, left < 0 and '' or string.format('%.0f', now + left)}
  end
end
return found`;

type FoundKey = readonly [key: string, commands: z.infer<typeof command>[], expiresAt: string];

/** Reads all keys of the workspace in one atomic step and one round trip. @throws StoreUnavailable */
export async function dumpWorkspace(redis: RedisConnection, id: string): Promise<WorkspaceDump> {
  const keys = copiedKeysOf(id);
  const found = (await guardRead(() => redis.eval(READ, keys.length, ...keys))) as readonly FoundKey[];
  return {
    id,
    keys: found.map(([key, commands, expiresAt]) => ({
      key,
      // Streams and sorted sets have an order; hashes and sets don't.
      commands: commands.some(([name]) => name === 'HSET' || name === 'SADD')
        ? commands.toSorted(([, a = ''], [, b = '']) => (a < b ? -1 : 1))
        : commands,
      ...(expiresAt !== '' && { expiresAt: Number(expiresAt) }),
    })),
  };
}

/** A digest of everything that does not expire soon; '' if there is nothing. */
export function digestOf({ keys }: WorkspaceDump): string {
  const lasting = keys.filter(({ key }) => !isShortLived(key)).map(({ key, commands }) => [key, commands]);
  if (lasting.length === 0) return '';
  return createHash('sha256').update(JSON.stringify(lasting)).digest('base64url');
}

/** The mark comes first. Then each key by its place in KEYS, when it expires, and its commands, each after its length. */
const WRITE = `
redis.call('DEL', unpack(KEYS))
redis.call('SET', KEYS[1], ARGV[1])
local at = 1
local function take() at = at + 1; return ARGV[at] end
while at < #ARGV do
  local key, expires = KEYS[tonumber(take())], take()
  for _ = 1, tonumber(take()) do
    local count, name, words = tonumber(take()), take(), {}
    for i = 2, count do words[#words + 1] = take() end
    redis.call(name, key, unpack(words))
  end
  if expires ~= '' then redis.call('PEXPIREAT', key, expires) end
end
return 1`;

/** Replaces everything of the workspace at once, and leaves a mark that says what the copy was. @throws StoreUnavailable */
export async function writeDump(redis: RedisConnection, copy: WorkspaceDump): Promise<void> {
  const { id } = copy;
  const keys = [copiedKey, ...COPIED_KEYS];
  const names = keys.map((key) => key(id));
  const args = copy.keys.flatMap(({ key, commands, expiresAt }) => [
    ...[names.indexOf(key) + 1, expiresAt ?? '', commands.length],
    ...commands.flatMap((words) => [words.length, ...words]),
  ]);
  await commitInWorkspace(redis, id, WRITE, keys, digestOf(copy), ...args);
}

/** Whether the last copy had this digest. @throws StoreUnavailable */
export const isUntouched = async (redis: RedisConnection, id: string, digest: string): Promise<boolean> =>
  (await guardRead(() => redis.get(copiedKey(id)))) === digest;
