/** Kills the master during deliveries, and lets Sentinels promote a replica. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connectRedis, waitUntilReady } from '../../src/redis/connect.ts';
import { guardRedis } from '../../src/redis/outages.ts';
import { createDeliveryParts, finding } from '../support/delivery.ts';
import { describeUnless } from '../support/describe-unless.ts';
import { saveManySchedules } from '../support/many-schedules.ts';
import { startMinimalSlack } from '../support/minimal-slack.ts';
import { NO_SERVER, type RedisSentinels, startSentinels } from '../support/redis-servers.ts';
import { waitUntil } from '../support/wait-until.ts';

/** Posts to one channel are a second apart, so the master dies between two of them. */
const MANY = { workspaces: 8, each: 8, channels: 2 };

describeUnless(NO_SERVER, 'with Sentinels', () => {
  let sentinels: RedisSentinels;
  beforeAll(async () => {
    sentinels = await startSentinels();
  }, 30_000);
  afterAll(() => sentinels.stop());

  it('the bot delivers each post once, even when Sentinels replace the Redis master', async () => {
    const slack = await startMinimalSlack();
    slack.slow = 50;
    const redis = connectRedis(sentinels.url);
    await waitUntilReady(redis, 5_000);
    const first = await sentinels.master();
    const due = Math.floor(Date.now() / 60_000) * 60_000;
    await saveManySchedules(first.client, { ...MANY, due, since: due - 60_000 });
    const parts = createDeliveryParts({
      redis,
      redisUrl: sentinels.url,
      slackUrl: slack.url,
      report: () => finding('100'),
    });
    parts.planner.start();
    const all = MANY.workspaces * MANY.each;
    const distinct = () => new Set(slack.posts.map(({ workspace, key }) => `${workspace} ${key}`)).size;
    await waitUntil(async () => distinct() >= all / 4);
    expect(distinct()).toBeLessThan(all);
    await first.kill();
    const failure = await guardRedis(() => redis.set('tally:a-test', '1')).catch((error: unknown) => error);
    expect(failure).toMatchObject({ kind: 'store-unavailable' });
    await waitUntil(async () => distinct() === all, 60_000);
    expect(await sentinels.master()).not.toBe(first);
    expect(slack.posts).toHaveLength(all);
    await parts.close();
    redis.disconnect();
    await slack.close();
  }, 90_000);
});
