/**
 * Layout 1, of Tally before hash tags: its names, and how a workspace moves from it. Only one server ever had it, so a
 * script may touch a workspace's old and new names together. Nothing else in Tally knows these names.
 */
import { guardRead, type RedisConnection } from '../../redis/connect.ts';
import {
  auditKey,
  deliveryLockKey,
  deliveryLogKey,
  grantsKey,
  indexKey,
  issuedKey,
  membersKey,
  recordKey,
  tokenLockKey,
} from '../../redis/keys.ts';

/** The prefix of the old name, before the ID → the new name. */
const RENAMED: readonly (readonly [prefix: string, key: (id: string) => string])[] = [
  ['tally:workspace:', recordKey],
  ['tally:audit:', auditKey],
  ['tally:ledger:', deliveryLogKey],
  ['tally:org:', membersKey],
  ['tally:handles:', grantsKey],
  ['tally:issued:', issuedKey],
  // A lease keeps its holder under its new name.
  ['tally:lock:deliver:', deliveryLockKey],
  ['tally:lock:refresh:', tokenLockKey],
];
/** Events seen in the last ten minutes: they are not needed in the new form. */
const DROPPED = 'tally:heard:';
/** BullMQ's keys, which are derived from the schedules again. */
const QUEUE = 'tally:jobs:';
const OLD_NAME =
  /^tally:(?:workspace|audit|ledger|org|handles|issued|heard|lock:deliver|lock:refresh):([A-Z0-9]{1,64})$/;
const NEW_NAME = /^tally:\{([A-Z0-9]{1,64})\}:/;

/** The workspace or organisation that a key of today's layout belongs to. */
export const ownerOfKey = (key: string): string | undefined => NEW_NAME.exec(key)?.[1];

/** Today's names of a workspace's keys → the old ones. */
export const oldNames = (id: string): ReadonlyMap<string, string> =>
  new Map(RENAMED.map(([prefix, key]) => [key(id), prefix + id]));

/**
 * Moves every key of a workspace at once, and adds it to the index, to be checked at once. Where both names exist, a bot of the earlier version has written after the move:
 * what it wrote is newer, and replaces fields of the same name.
 */
const MOVE = `
local half = (#KEYS - 2) / 2
local moved = redis.call('DEL', KEYS[#KEYS])
for i = 1, half do
  local from, to = KEYS[i], KEYS[half + i]
  local kind = redis.call('TYPE', from).ok
  if kind ~= 'none' then
    moved = moved + 1
    if redis.call('EXISTS', to) == 0 then
      redis.call('RENAME', from, to)
    else
      if kind == 'hash' then
        local fields = redis.call('HGETALL', from)
        for j = 1, #fields, 2 do redis.call('HSET', to, fields[j], fields[j + 1]) end
      elseif kind == 'set' then
        redis.call('SUNIONSTORE', to, to, from)
      elseif kind == 'stream' then
        for _, entry in ipairs(redis.call('XRANGE', from, '-', '+')) do
          redis.call('XADD', to, '*', unpack(entry[2]))
        end
      end
      redis.call('DEL', from)
    end
  end
end
if moved > 0 then redis.call('ZADD', KEYS[#KEYS - 1], 'NX', 0, ARGV[1]) end
return moved`;

/** @param shard that it belongs to @returns how many keys were moved or merged: 0 if it has moved already @throws StoreUnavailable */
export async function moveWorkspace(redis: RedisConnection, id: string, shard: number): Promise<number> {
  const from = RENAMED.map(([prefix]) => prefix + id);
  const keys = [...from, ...RENAMED.map(([, key]) => key(id)), indexKey(shard), DROPPED + id];
  return Number(await guardRead(() => redis.eval(MOVE, keys.length, ...keys, id)));
}

const PAGE = 1_000;

/** Names that match, as SCAN gives them: some twice. @throws StoreUnavailable */
async function* scan(redis: RedisConnection, match: string): AsyncGenerator<readonly string[], void> {
  let cursor = '0';
  do {
    const [next, keys] = await guardRead(() => redis.scan(cursor, 'MATCH', match, 'COUNT', PAGE));
    yield keys;
    cursor = next;
  } while (cursor !== '0');
}

/** The IDs that keys of the old layout name, some twice. @throws StoreUnavailable */
export async function* listOldIds(redis: RedisConnection): AsyncGenerator<string, void> {
  for await (const keys of scan(redis, 'tally:*'))
    for (const key of keys) {
      const id = OLD_NAME.exec(key)?.[1];
      if (id !== undefined) yield id;
    }
}

/** @throws StoreUnavailable */
export async function hasOldKeys(redis: RedisConnection): Promise<boolean> {
  for await (const _ of listOldIds(redis)) return true;
  return false;
}

/** @returns how many keys of the old queue were deleted @throws StoreUnavailable */
export async function deleteOldQueue(redis: RedisConnection): Promise<number> {
  let deleted = 0;
  for await (const keys of scan(redis, `${QUEUE}*`))
    if (keys.length > 0) deleted += await guardRead(() => redis.unlink(...keys));
  return deleted;
}
