import type { RedisConnection } from '../redis/connect.ts';
import { probeKeys } from '../redis/keys.ts';
import { guardRead, guardWrite } from '../redis/outage.ts';
import { withTimeout } from '../timeout.ts';
import { VERSION } from './version.ts';

/** How long Redis may take, in ms. */
const REDIS_TIMEOUT = 1_000;
/** How often Redis is asked at most, however often /readyz is; in ms. */
const PROBE_INTERVAL = 1_000;
/** How long a probe stays in Redis, in ms. */
const PROBE_LIFETIME = 60_000;

/**
 * What may be missing. A Redis that answers and takes no writes is reported, and keeps no process from Slack: another
 * process would do no better, and people read why.
 */
export const NOT_READY = ['redis', 'redis-writes', 'slack'] as const;
type NotReady = (typeof NOT_READY)[number];

/**
 * @param slackUp whether Slack can reach us and accepts the token
 * @param onWrites called when Redis stops taking writes, with the reason, and when it takes them again
 */
export function createHealth(
  redis: RedisConnection,
  slackUp: () => boolean,
  onWrites: (refusal?: unknown) => void = () => undefined,
) {
  let wasWritable = true;
  const ask = async (): Promise<readonly NotReady[]> => {
    const keys = probeKeys(redis.isCluster);
    const [read, write] = await withTimeout<readonly PromiseSettledResult<unknown>[]>(
      REDIS_TIMEOUT,
      Promise.allSettled([
        guardRead(() => Promise.all(keys.map((key) => redis.get(key)))),
        guardWrite(() => Promise.all(keys.map((key) => redis.set(key, '1', 'PX', PROBE_LIFETIME)))),
      ]),
      () => [],
    );
    if (read?.status !== 'fulfilled') return ['redis'];
    const isWritable = write?.status === 'fulfilled';
    if (isWritable !== wasWritable) onWrites(write?.status === 'rejected' ? write.reason : undefined);
    wasWritable = isWritable;
    return isWritable ? [] : ['redis-writes'];
  };
  let last: { readonly at: number; readonly missing: Promise<readonly NotReady[]> } | undefined;
  /** Never rejects. */
  const missing = async (): Promise<readonly NotReady[]> => {
    const now = performance.now();
    if (last === undefined || now - last.at >= PROBE_INTERVAL) last = { at: now, missing: ask() };
    return [...(await last.missing), ...(slackUp() ? [] : ['slack' as const])];
  };
  return {
    missing,
    /** Whether the process runs, and which version. Always 200: a restart would not bring Redis back. */
    healthz: () => ({ status: 200, body: { ok: true, version: VERSION } }),
    /** Whether this process can answer a command now: 200, or 503 with what is missing. Never throws. */
    async readyz() {
      const notReady = (await missing()).filter((part) => part !== 'redis-writes');
      if (notReady.length === 0) return { status: 200, body: { ok: true } };
      return { status: 503, body: { ok: false, notReady } };
    },
  };
}
