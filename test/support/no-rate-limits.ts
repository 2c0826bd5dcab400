import type { RateLimiter } from '../../src/slack/server/rate-limiter.ts';

/** Tests send requests faster than people do. */
export const UNLIMITED: RateLimiter = {
  take: () => undefined,
  demand: () => undefined,
};
