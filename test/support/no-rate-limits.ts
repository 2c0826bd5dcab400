import type { RateLimiter } from '../../src/slack/server/rate-limiter.ts';

/** No rate limits, because tests send requests faster than people do. */
export const UNLIMITED: RateLimiter = {
  take: () => undefined,
  demand: () => undefined,
};
