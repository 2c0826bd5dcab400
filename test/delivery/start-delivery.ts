/** Redis, Slack and a delivery worker for the tests of one file. */
import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeEach } from 'vitest';
import { recordKey } from '../../src/redis/keys.ts';
import { createKeyring } from '../../src/vault/keyring.ts';
import type { RecordFields } from '../../src/workspace/record/workspace-store.ts';
import { createDeliveryParts, type DeliveryOptions } from '../support/delivery.ts';
import { startMinimalSlack } from '../support/minimal-slack.ts';
import { fieldsOf, type RecordParts } from '../support/records.ts';
import { testRedis } from '../support/redis.ts';
import { note } from '../support/test-run.ts';

const HOUR = 3_600_000;

export const TEAM = 'T0TEAM0001';

/**
 * Before each test, Redis is empty, Slack is reset and the worker is new.
 * @param begin the time at which each test begins
 * @param options read whenever a worker starts
 */
export async function startDelivery(begin: number, options: () => Partial<DeliveryOptions> = () => ({})) {
  const [redis, slack] = await Promise.all([testRedis(), startMinimalSlack()]);
  const keyring = createKeyring([{ id: 'test', key: randomBytes(32) }]);
  const key = recordKey(TEAM);
  let parts: ReturnType<typeof createDeliveryParts>;
  const delivery = {
    redis: redis.client,
    url: redis.url,
    slack,
    keyring,
    now: begin,
    get parts() {
      return parts;
    },
    /** A second worker, like that of another process. */
    another: (given: Partial<DeliveryOptions> = {}) =>
      createDeliveryParts({
        redis: redis.client,
        redisUrl: redis.url,
        slackUrl: slack.url,
        keyring,
        clock: () => delivery.now,
        ...options(),
        ...given,
      }),
    async restart(given?: Partial<DeliveryOptions>): Promise<void> {
      await parts.close();
      parts = delivery.another(given);
    },
    load: () => parts.workspaces.load(TEAM),
    set: (fields: RecordFields) => redis.client.hset(key, fields),
    remove: (field: string) => redis.client.hdel(key, field),
    save: ({ connections = [], ...given }: RecordParts) =>
      redis.client.hset(key, fieldsOf({ connections, ...given }, keyring, TEAM)),
    run() {
      note(`a run at ${new Date(delivery.now).toISOString()}`);
      return parts.runner.run(TEAM);
    },
    /** Runs whenever the worker asks to be woken, until `end`. */
    async until(end: number): Promise<void> {
      const { run } = delivery;
      for (let next = await run(); next !== undefined && next <= end; next = await run())
        delivery.now = Math.max(delivery.now, next);
      delivery.now = end;
      await run();
    },
    forHours: (hours: number) => delivery.until(delivery.now + hours * HOUR),
  };
  beforeEach(async () => {
    await redis.client.flushdb();
    slack.restore();
    slack.now = () => delivery.now;
    delivery.now = begin;
    parts = delivery.another();
  });
  afterEach(() => parts.close());
  afterAll(() => Promise.all([slack.close(), redis.close()]));
  return delivery;
}
