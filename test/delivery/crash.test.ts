/** Real processes are killed while they send. The test counts what a fake Slack received. */
import type { ChildProcess } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { beforeEach, expect, it } from 'vitest';
import {
  endProcess,
  type PersistentRedis,
  startDeliveryProcess,
  startPersistentRedis,
} from '../support/delivery-processes.ts';
import { saveManySchedules, saveManyWatches, workspaceId } from '../support/many-schedules.ts';
import { type MinimalSlack, type SlackPost, startMinimalSlack } from '../support/minimal-slack.ts';
import { NO_SERVER } from '../support/redis-servers.ts';

const MANY = { workspaces: 20, each: 10, channels: 5 };
const ALL = MANY.workspaces * MANY.each;
/** A killed process keeps its lease for 12 s, and its jobs are noticed within 9 s. The limit is generous. */
const PATIENCE = 100_000;

interface Stage {
  readonly redis: PersistentRedis;
  readonly client: Redis;
  readonly slack: MinimalSlack;
  start(): Promise<ChildProcess>;
}

/** The processes' clocks go four times as fast, so that the test needn't wait for their pauses. */
async function onStage(play: (stage: Stage) => Promise<void>): Promise<void> {
  const [redis, slack] = await Promise.all([startPersistentRedis(), startMinimalSlack()]);
  const client = new Redis(redis.url.replace('unix://', ''));
  client.on('error', () => undefined);
  const children: ChildProcess[] = [];
  const fast = { since: Date.now(), speed: 4 };
  slack.now = () => fast.since + (Date.now() - fast.since) * fast.speed;
  const start = async () => {
    const child = await startDeliveryProcess(redis.url, slack.url, fast);
    children.push(child);
    return child;
  };
  try {
    await play({ redis, client, slack, start });
  } finally {
    client.disconnect();
    await Promise.all(children.map((child) => endProcess(child)));
    await Promise.all([slack.close(), redis.stop()]);
  }
}

// The embedded Redis loses everything when its process ends.
beforeEach(({ skip }) => skip(NO_SERVER !== undefined, NO_SERVER));

const keyOf = ({ workspace, key }: SlackPost): string => `${workspace}/${key}`;
const out = ({ slack }: Stage): number => new Set(slack.posts.map(keyOf)).size;
const until = async (count: number, stage: Stage) => {
  const last = Date.now() + PATIENCE;
  while (out(stage) < count && Date.now() < last) await delay(20);
};

it.concurrent(
  'each of 200 posts is sent once even if a process and Redis are killed',
  () =>
    onStage(async (stage) => {
      const { redis, client, slack, start } = stage;
      slack.slow = 100;
      const now = Date.now();
      const due = Math.floor(now / 60_000) * 60_000;
      await saveManySchedules(client, { ...MANY, due, since: due - 60_000 });
      const [first] = await Promise.all([start(), start()]);
      await until(ALL / 8, stage);
      await endProcess(first!, 'SIGKILL');
      await until(ALL / 2, stage);
      await redis.restart();
      await until(ALL, stage);
      expect(out(stage)).toBe(ALL);
      expect(slack.posts).toHaveLength(ALL);
      const states = async () =>
        Object.entries(await client.hgetall(`tally:{${workspaceId(0)}}:delivery-log`)).flatMap(
          ([field, json]) => (field.startsWith('post/') ? [JSON.parse(json).state as string] : []),
        );
      // Slack has the last post a moment before the delivery log says so.
      while ((await states()).includes('sending')) await delay(20);
      expect(await states()).toEqual(Array.from({ length: MANY.each }, () => 'posted'));
    }),
  PATIENCE + 20_000,
);

it.concurrent(
  'when told to stop, a process finishes the message it is sending and leaves the others to the next process',
  () =>
    onStage(async (stage) => {
      const { client, slack, start } = stage;
      slack.slow = 100;
      const due = Math.floor(Date.now() / 60_000) * 60_000;
      await saveManySchedules(client, { workspaces: 2, each: 6, channels: 2, due, since: due - 60_000 });
      const first = await start();
      await until(3, stage);
      await endProcess(first);
      expect(first.signalCode).toBeNull();
      const before = out(stage);
      expect(before).toBeLessThan(12);
      await start();
      await until(12, stage);
      expect(slack.posts).toHaveLength(12);
      expect(slack.calls.filter(({ method }) => method === 'conversations.history')).toEqual([]);
    }),
  PATIENCE,
);

it.concurrent(
  'each of 100 alerts is sent once even if a process and Redis are killed',
  () =>
    onStage(async (stage) => {
      const { redis, client, slack, start } = stage;
      slack.slow = 100;
      await saveManyWatches(client, { workspaces: 10, each: 10, since: Date.now() - 60_000 });
      const [first] = await Promise.all([start(), start()]);
      await until(12, stage);
      await endProcess(first!, 'SIGKILL');
      await until(50, stage);
      await redis.restart();
      await until(100, stage);
      expect(out(stage)).toBe(100);
      // For so long it can be unclear whether Slack has a message.
      await delay(6_000);
      expect(slack.posts).toHaveLength(100);
      expect(slack.posts.every(({ text }) => text.includes('10.00 left, below 100.00'))).toBe(true);
    }),
  PATIENCE + 20_000,
);
