import type { RedisConnection } from './connect.ts';
import { LAYOUT_KEY } from './keys.ts';
import { guardRead } from './outage.ts';

/** The layout of everything that Redis holds. A change that other versions would misread or destroy gets another number; a further field or record doesn't need that. */
const LAYOUT = 4;

/** Another version of Tally has worked on this Redis. */
export class OtherLayout extends Error {
  constructor(found: string) {
    super(
      `Redis has records of another version of Tally: their layout is “${found.slice(0, 40)}”, and this version’s is ${LAYOUT}. Start the version that wrote them, or give this one a database of its own: REDIS_URL.`,
    );
  }
}

/** For a command of an operator. @throws OtherLayout, store-unavailable */
export async function requireLayout(redis: RedisConnection): Promise<void> {
  const found = await guardRead(() => redis.get(LAYOUT_KEY));
  if (found !== null && found !== String(LAYOUT)) throw new OtherLayout(found);
}

/** For a bot: from then on no other layout may start there. @throws OtherLayout, store-unavailable */
export async function claimLayout(redis: RedisConnection): Promise<void> {
  await requireLayout(redis);
  // A Redis that takes no writes now can still be read.
  await guardRead(() => redis.set(LAYOUT_KEY, LAYOUT, 'NX')).catch(() => undefined);
}
