import type { RateLimiter } from '../../src/slack/rate-limit.ts';

/** Tests ask faster than people do. */
export const UNLIMITED: RateLimiter = { take: () => undefined, demand: () => undefined };
