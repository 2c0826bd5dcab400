import type { RedisConnection } from '../redis/connect.ts';
import { LAYOUT_KEY } from '../redis/keys.ts';
import { guardRedis } from '../redis/outages.ts';
import { withTimeout } from '../timeout.ts';
import { VERSION } from './version.ts';

/** In ms. A Redis that takes longer isn't ready. */
const REDIS_TIMEOUT = 1_000;

export const NOT_READY = ['redis', 'slack'] as const;

export function createReadiness(redis: RedisConnection, slackUp: () => boolean) {
  const redisAnswers = (): Promise<boolean> => {
    const asked = guardRedis(() => redis.get(LAYOUT_KEY)).then(
      () => true,
      () => false,
    );
    return withTimeout(REDIS_TIMEOUT, asked, () => false);
  };
  const missing = async (): Promise<readonly (typeof NOT_READY)[number][]> => {
    const isUp = { redis: await redisAnswers(), slack: slackUp() };
    return NOT_READY.filter((part) => !isUp[part]);
  };
  return {
    missing,
    /** Always 200, even without Redis, because a restart wouldn't help. */
    healthz: () => ({ status: 200, body: { ok: true, version: VERSION } }),
    async readyz() {
      const notReady = await missing();
      if (notReady.length === 0) return { status: 200, body: { ok: true } };
      return { status: 503, body: { ok: false, notReady } };
    },
  };
}
