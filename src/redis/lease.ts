import { randomBytes } from 'node:crypto';
import type { SlackId } from '../domain/slack-id.ts';
import type { Millis } from '../domain/time/calendar.ts';
import type { RedisConnection } from './connect.ts';
import { evalInWorkspace, guardRead } from './guard.ts';
import { type KeyOf, recordKey } from './keys.ts';

/** A key that one process holds at a time, until it releases it or `ms` are over. */
export interface Lease {
  readonly key: string;
  /** Random: only its holder can release the lease. */
  readonly token: string;
}

/** A workspace that left gets no key again. */
const ACQUIRE = `
if redis.call('EXISTS', KEYS[1]) == 0 then return -1 end
return redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[2], 'NX') and 1 or 0`;
const RELEASE = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`;

/**
 * @returns `taken` if another process holds it, `gone` if the workspace has no record
 * @throws store-unavailable
 */
export async function acquireLease(
  redis: RedisConnection,
  teamId: SlackId,
  key: KeyOf,
  ms: Millis,
): Promise<Lease | 'taken' | 'gone'> {
  const token = randomBytes(12).toString('base64url');
  const lease = { key: key(teamId), token };
  const granted = evalInWorkspace(redis, teamId, ACQUIRE, [recordKey, key], token, ms);
  const result = await granted.catch((error: unknown) => {
    // Redis may grant it after the timeout, and then nobody would hold it until its time is over.
    void releaseLease(redis, lease).catch(() => undefined);
    throw error;
  });
  if (result === 1) return lease;
  return result === 0 ? 'taken' : 'gone';
}

/** @returns whether it was held until now @throws store-unavailable */
export const releaseLease = async (redis: RedisConnection, { key, token }: Lease): Promise<boolean> =>
  (await guardRead(() => redis.eval(RELEASE, 1, key, token))) === 1;
