import { guardRead } from '../redis/commands.ts';
import type { RedisConnection } from '../redis/connect.ts';
import { LAYOUT_KEY } from '../redis/keys.ts';
import { withTimeout } from '../timeout.ts';
import { VERSION } from './version.ts';

/** How long Redis may take to answer before it counts as missing, in ms. */
const REDIS_TIMEOUT = 1_000;
/** The shortest time between two tests of Redis, in ms. */
const PROBE_INTERVAL = 1_000;

/** What Tally needs to be ready; the list in `/readyz` names what is missing. */
export const NOT_READY = ['redis', 'slack'] as const;

export type Readiness = ReturnType<typeof createReadiness>;

/** @param slackUp whether Slack can reach Tally and accepts its token */
export function createReadiness(redis: RedisConnection, slackUp: () => boolean) {
  let last: { readonly at: number; readonly answers: Promise<boolean> } | undefined;
  const redisAnswers = (): Promise<boolean> => {
    const now = performance.now();
    if (last === undefined || now - last.at >= PROBE_INTERVAL) {
      const asked = guardRead(() => redis.get(LAYOUT_KEY)).then(
        () => true,
        () => false,
      );
      last = { at: now, answers: withTimeout(REDIS_TIMEOUT, asked, () => false) };
    }
    return last.answers;
  };
  /** Never rejects. */
  const missing = async (): Promise<readonly (typeof NOT_READY)[number][]> => {
    const isUp = { redis: await redisAnswers(), slack: slackUp() };
    return NOT_READY.filter((part) => !isUp[part]);
  };
  return {
    missing,
    /** Says that the process runs, and its version. Always 200: without Redis too, as a restart wouldn't help. */
    healthz: () => ({ status: 200, body: { ok: true, version: VERSION } }),
    /** Whether Tally can serve requests: 200, or 503 with what is missing. */
    async readyz() {
      const notReady = await missing();
      if (notReady.length === 0) return { status: 200, body: { ok: true } };
      return { status: 503, body: { ok: false, notReady } };
    },
  };
}
