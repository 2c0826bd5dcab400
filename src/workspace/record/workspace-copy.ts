/** Everything that Redis holds of a workspace or an organisation, as values: what moves from one Redis to another. */
import { createHash } from 'node:crypto';
import { guardRead, type RedisConnection } from '../../redis/connect.ts';
import { copiedKey, keysOf, membersKey, recordKey } from '../../redis/keys.ts';

interface StoredKey {
  readonly key: string;
  /** The commands that write it, after the key was deleted. */
  readonly commands: readonly (readonly string[])[];
  /** Until it expires, in ms. */
  readonly expiresIn: number | undefined;
}

export interface WorkspaceCopy {
  readonly keys: readonly StoredKey[];
  /** Digest of everything that does not expire soon; '' when there is nothing. */
  readonly digest: string;
}

/** Leases are not copied: their holders use the Redis where they took them. */
const isLock = (key: string): boolean => key.endsWith('-lock');
/** Keys that expire change all the time, so they don't show whether a workspace was changed. */
const isBrief = (key: string): boolean => /:(grants|issued|threads|thread-times)$/.test(key);

/** @throws StoreUnavailable */
export async function readCopy(redis: RedisConnection, id: string): Promise<WorkspaceCopy> {
  const keys: StoredKey[] = [];
  for (const key of [...keysOf(id), membersKey(id)]) {
    if (isLock(key)) continue;
    const commands = await readKey(redis, key);
    if (commands.length === 0) continue;
    const left = await guardRead(() => redis.pttl(key));
    keys.push({ key, commands, expiresIn: left >= 0 ? left : undefined });
  }
  const lasting = keys.filter(({ key }) => !isBrief(key)).map(({ key, commands }) => [key, commands]);
  const hash = createHash('sha256').update(JSON.stringify(lasting)).digest('base64url');
  return { keys, digest: lasting.length === 0 ? '' : hash };
}

async function readKey(redis: RedisConnection, key: string): Promise<readonly (readonly string[])[]> {
  const type = await guardRead(() => redis.type(key));
  if (type === 'hash') {
    const fields = Object.entries(await guardRead(() => redis.hgetall(key)));
    return fields.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([field, value]) => ['HSET', field, value]);
  }
  if (type === 'set') {
    const members = await guardRead(() => redis.smembers(key));
    return members.toSorted().map((member) => ['SADD', member]);
  }
  if (type === 'zset') {
    const scores = await guardRead(() => redis.zrangebyscore(key, '-inf', '+inf', 'WITHSCORES'));
    return scores.flatMap((member, at) => (at % 2 === 0 ? [['ZADD', scores[at + 1] ?? '', member]] : []));
  }
  if (type === 'stream') {
    const entries = await guardRead(() => redis.xrange(key, '-', '+'));
    return entries.map(([at, fields]) => ['XADD', at, ...fields]);
  }
  return [];
}

/** Each list of ARGV follows its length. */
const WRITE = `
redis.call('DEL', KEYS[1])
local at = 2
while at <= #ARGV do
  local count = tonumber(ARGV[at])
  local words = {}
  for i = 2, count do words[#words + 1] = ARGV[at + i] end
  redis.call(ARGV[at + 1], KEYS[1], unpack(words))
  at = at + count + 1
end
if ARGV[1] ~= '' then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end`;

/** The mark's value while a copy is running. */
const UNDER_WAY = 'under way';

/**
 * Replaces everything of the workspace. The record comes last but one, and the mark says that this was a copy: so a copy
 * that was interrupted is begun again.
 *
 * @throws StoreUnavailable
 */
export async function writeCopy(
  redis: RedisConnection,
  id: string,
  { keys, digest }: WorkspaceCopy,
): Promise<void> {
  await guardRead(() => redis.set(copiedKey(id), UNDER_WAY));
  const gone = [...keysOf(id), membersKey(id)].filter(
    (key) => key !== copiedKey(id) && !isLock(key) && !keys.some((stored) => stored.key === key),
  );
  await guardRead(() => redis.unlink(...gone));
  const isRecord = ({ key }: StoredKey): boolean => key === recordKey(id);
  for (const { key, commands, expiresIn } of [
    ...keys.filter((stored) => !isRecord(stored)),
    ...keys.filter(isRecord),
  ]) {
    const args = commands.flatMap((command) => [String(command.length), ...command]);
    await guardRead(() => redis.eval(WRITE, 1, key, String(expiresIn ?? ''), ...args));
  }
  await guardRead(() => redis.set(copiedKey(id), digest));
}

/** Whether the last copy had this digest, or was interrupted. @throws StoreUnavailable */
export async function isUntouched(redis: RedisConnection, id: string, digest: string): Promise<boolean> {
  const mark = await guardRead(() => redis.get(copiedKey(id)));
  return mark === UNDER_WAY || (mark !== null && mark === digest);
}
