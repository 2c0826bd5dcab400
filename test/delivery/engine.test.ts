import { afterEach, beforeEach, expect, it } from 'vitest';
import { createDeletion } from '../../src/workspace/deletion.ts';
import { createDeliveryParts, finding, save, schedule } from '../support/delivery.ts';
import { type OutsideSlack, startOutsideSlack } from '../support/outside-slack.ts';
import { type TestRedis, testRedis } from '../support/redis.ts';

const TEAM = 'T0TEAM0001';
const HOUR = 3_600_000;

let redis: TestRedis;
let slack: OutsideSlack;
let parts: ReturnType<typeof createDeliveryParts>;
let ahead: number;

beforeEach(async () => {
  redis = await testRedis();
  slack = await startOutsideSlack();
  ahead = 0;
  slack.now = () => Date.now() + ahead;
  parts = createDeliveryParts({
    redis: redis.client,
    redisUrl: redis.url,
    slackUrl: slack.url,
    clock: () => Date.now() + ahead,
  });
});

afterEach(async () => {
  await parts.close();
  await Promise.all([slack.close(), redis.close()]);
});

/** Due a minute ago, and each day again. */
const due = () => ({
  cadence: { kind: 'daily' as const },
  time: new Date(Date.now() - 60_000).toISOString().slice(11, 16),
  zone: 'UTC',
});
const given = (since = Date.now() - 2 * HOUR) => save(redis.client, TEAM, schedule({ timing: due(), since }));
const posted = async (count: number) => {
  while (slack.posts.length < count) await new Promise((resolve) => setTimeout(resolve, 10));
};

it('posts at its start what fell due before, and sets the alarm for what comes', async () => {
  await given();
  parts.engine.start();
  await posted(1);
  expect(await parts.scheduler.workspaces()).toEqual([TEAM]);
});

it('posts what is due once the alarm goes off, with no other word from anybody', async () => {
  await given(Date.now());
  await parts.engine.changed(TEAM);
  await parts.close();
  ahead = 25 * HOUR;
  parts = createDeliveryParts({
    redis: redis.client,
    redisUrl: redis.url,
    slackUrl: slack.url,
    clock: () => Date.now() + ahead,
  });
  parts.engine.start();
  await posted(1);
});

it('wakes at once for a schedule that was changed and is due', async () => {
  parts.engine.start();
  await given();
  await parts.engine.changed(TEAM);
  await posted(1);
});

it('takes away the alarms of workspaces that have no schedules any more', async () => {
  await given(Date.now());
  await parts.engine.changed(TEAM);
  await redis.client.del(`tally:workspace:${TEAM}`);
  await parts.engine.repair();
  expect(await parts.scheduler.workspaces()).toEqual([]);
});

it('wakes nobody for a schedule that somebody paused', async () => {
  await save(
    redis.client,
    TEAM,
    schedule({ timing: due(), since: 0, paused: { why: 'person', at: 0, by: 'U0OWNER001' } }),
  );
  await parts.engine.changed(TEAM);
  expect(await parts.scheduler.workspaces()).toEqual([]);
  expect(await redis.client.keys(`*${TEAM}*`)).toEqual([`tally:workspace:${TEAM}`]);
});

it('leaves nothing that names a workspace which leaves while its posts are delivered', async () => {
  await parts.close();
  let gone = false;
  parts = createDeliveryParts({
    redis: redis.client,
    redisUrl: redis.url,
    slackUrl: slack.url,
    async report() {
      await createDeletion(redis.client, parts.scheduler.forget).workspace(TEAM);
      gone = true;
      return finding('100');
    },
  });
  await given();
  parts.engine.start();
  while (!gone) await new Promise((resolve) => setTimeout(resolve, 10));
  const named = async () => {
    const keys = (await redis.client.keys('*')).join(' ');
    const events = JSON.stringify(await redis.client.xrange('tally:jobs:deliver:events', '-', '+'));
    const jobs = await redis.client.zrange('tally:jobs:deliver:delayed', '0', '-1');
    return `${keys} ${events} ${jobs}`.includes(TEAM);
  };
  // The run ends some moments later, well before it would be woken again.
  for (let left = 300; left > 0 && (await named()); left -= 1)
    await new Promise((resolve) => setTimeout(resolve, 10));
  expect(await named()).toBe(false);
  expect(slack.posts).toEqual([]);
});
