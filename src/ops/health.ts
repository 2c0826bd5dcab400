import { createHash } from 'node:crypto';
import { MINUTE, type Millis } from '../domain/time/calendar.ts';
import type { RedisConnection } from '../redis/connect.ts';
import { guardWrite } from '../redis/guard.ts';
import { probeKey, shardsOf } from '../redis/keys.ts';
import { withTimeout } from '../runtime/timers.ts';
import { VERSION } from './version.ts';

/** How long Redis may take to store something, in ms. */
const REDIS_TIMEOUT = 1_000;
/** How often /readyz writes to Redis at most, however often it is asked; in ms. */
const PROBE_INTERVAL = 1_000;
/** How long a probe's result is used, in ms. */
const PROBE_LIFETIME = MINUTE;

/** What keeps a process from answering. */
export const NOT_READY = ['redis', 'slack'] as const;
type NotReady = (typeof NOT_READY)[number];

/**
 * @param slackUp whether Slack can reach us: the server listens, or Socket Mode is connected
 * @param onChange called when Redis stops taking writes, with the reason, and when it takes them again
 */
export function createHealth(
  redis: RedisConnection,
  slackUp: () => boolean,
  onChange: (refusal?: unknown) => void = () => undefined,
) {
  let wasWritable = true;
  const probe = async (): Promise<readonly NotReady[]> => {
    const refusal = await withTimeout(
      REDIS_TIMEOUT,
      tryWrite(redis).then(
        () => undefined,
        (error: unknown) => error,
      ),
      () => new Error('Timed out.'),
    );
    if ((refusal === undefined) !== wasWritable) onChange(refusal);
    wasWritable = refusal === undefined;
    return wasWritable ? [] : ['redis'];
  };
  let last: { readonly at: Millis; readonly notReady: Promise<readonly NotReady[]> } | undefined;
  const probeStore = (): Promise<readonly NotReady[]> => {
    const now = performance.now();
    if (last === undefined || now - last.at >= PROBE_INTERVAL) last = { at: now, notReady: probe() };
    return last.notReady;
  };
  return {
    /** Whether the process runs, and which version. Always 200: a restart would not bring Redis back. */
    healthz: () => ({ status: 200, body: { ok: true, version: VERSION } }),
    /** Whether this process can answer a command now: 200, or 503 with what is missing. Never throws. */
    async readyz() {
      const notReady = [...(await probeStore()), ...(slackUp() ? [] : ['slack' as const])];
      if (notReady.length === 0) return { status: 200, body: { ok: true } };
      return { status: 503, body: { ok: false, notReady } };
    },
  };
}

const WRITE = "return redis.call('SET', KEYS[1], '1', 'PX', ARGV[1])";
const WRITE_SHA = createHash('sha1').update(WRITE).digest('hex');

/**
 * A Redis that is full, lost its replicas or can't write to its disk answers and refuses writes; in a Cluster any of its masters.
 * So does one that refuses scripts, by which Tally (EVAL) and its queue (EVALSHA) make every change.
 *
 * @throws StoreUnavailable
 */
async function tryWrite(redis: RedisConnection): Promise<void> {
  const write = async (shard: number) => {
    const args = [1, probeKey(shard), PROBE_LIFETIME] as const;
    await guardWrite(() => redis.eval(WRITE, ...args));
    // Runs after EVAL, because a node knows a script by its SHA only after running it once.
    await guardWrite(() => redis.evalsha(WRITE_SHA, ...args));
  };
  await Promise.all(shardsOf(redis).map(write));
}
