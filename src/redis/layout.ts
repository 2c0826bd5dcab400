/** Notices data of another version of Tally in Redis, which this version would misread or destroy. */
import type { RedisConnection } from './connect.ts';
import { LAYOUT_KEY } from './keys.ts';
import { guardRedis } from './outages.ts';

/** The version of the data in Redis. Increase it only if other versions would misread or destroy data. */
const LAYOUT = 5;

export class OtherLayout extends Error {
  constructor(found: string) {
    super(
      `Redis holds data of another version of Tally (layout “${found.slice(0, 40)}”, this version uses ${LAYOUT}). Start that version, or set REDIS_URL to an empty database.`,
    );
  }
}

export async function requireLayout(redis: RedisConnection): Promise<void> {
  const found = await guardRedis(() => redis.get(LAYOUT_KEY));
  if (found !== null && found !== String(LAYOUT)) throw new OtherLayout(found);
}

/** Stores the layout, so that no version with another layout starts. @throws OtherLayout, store-unavailable */
export async function claimLayout(redis: RedisConnection): Promise<void> {
  await requireLayout(redis);
  // A read-only Redis can't store the layout.
  await guardRedis(() => redis.set(LAYOUT_KEY, LAYOUT, 'NX')).catch(() => undefined);
}
