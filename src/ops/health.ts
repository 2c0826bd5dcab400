import type { RedisConnection } from '../redis.ts';
import { withTimeout } from '../timeout.ts';

/** How long Redis may take to answer PING, in ms. */
const REDIS_TIMEOUT = 1_000;

interface HealthResponse {
  readonly status: 200 | 503;
  readonly body: { readonly ok: boolean; readonly notReady?: readonly ('redis' | 'slack')[] };
}

export interface Health {
  /** Whether the process runs. Always 200: a restart would not bring Redis back. */
  healthz(): HealthResponse;
  /** Whether this process can answer a command now: 200, or 503 with what is missing. Never throws. */
  readyz(): Promise<HealthResponse>;
}

/** @param slackUp whether Slack can reach us: the server listens, or Socket Mode is connected */
export function createHealth({ redis, slackUp }: { redis: RedisConnection; slackUp: () => boolean }): Health {
  return {
    healthz: () => ({ status: 200, body: { ok: true } }),
    async readyz() {
      const redisUp = await isAnswering(redis);
      const notReady = [...(redisUp ? [] : ['redis' as const]), ...(slackUp() ? [] : ['slack' as const])];
      return notReady.length === 0
        ? { status: 200, body: { ok: true } }
        : { status: 503, body: { ok: false, notReady } };
    },
  };
}

function isAnswering(redis: RedisConnection): Promise<boolean> {
  const pong = redis.ping().then(
    () => true,
    () => false,
  );
  return withTimeout(REDIS_TIMEOUT, pong, () => false);
}
