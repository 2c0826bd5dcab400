/** Real processes, killed in the middle: what an outside Slack has got is counted. */
import type { ChildProcess } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { end, type LastingRedis, startDeliverer, startLastingRedis } from '../support/delivery-processes.ts';
import { saveMany, workspaceId } from '../support/many-schedules.ts';
import { type OutsidePost, type OutsideSlack, startOutsideSlack } from '../support/outside-slack.ts';

const MANY = { workspaces: 20, each: 10, channels: 5 };
const ALL = MANY.workspaces * MANY.each;
/** A killed process's calls are given 20 s to end before Slack is asked, and its jobs are noticed within 25 s. */
const PATIENCE = 100_000;

let redis: LastingRedis;
let client: Redis;
let slack: OutsideSlack;
let children: ChildProcess[];

beforeEach(async () => {
  [redis, slack] = await Promise.all([startLastingRedis(), startOutsideSlack()]);
  client = new Redis(redis.url.replace('unix://', ''));
  client.on('error', () => undefined);
  children = [];
});

afterEach(async () => {
  client.disconnect();
  await Promise.all(children.map((child) => end(child)));
  await Promise.all([slack.close(), redis.stop()]);
});

const start = async () => {
  const child = await startDeliverer(redis.url, slack.url);
  children.push(child);
  return child;
};
const keyOf = ({ workspace, key }: OutsidePost): string => `${workspace}/${key}`;
const out = (): number => new Set(slack.posts.map(keyOf)).size;
const until = async (count: number) => {
  const last = Date.now() + PATIENCE;
  while (out() < count && Date.now() < last) await delay(20);
};

it(
  'posts every one of 200 exactly once, with a process and Redis killed in the middle',
  async () => {
    slack.slow = 100;
    const now = Date.now();
    const due = Math.floor(now / 60_000) * 60_000;
    await saveMany(client, { ...MANY, due, since: due - 60_000 });
    const [first] = await Promise.all([start(), start()]);
    await until(ALL / 4);
    await end(first!, 'SIGKILL');
    await until(ALL / 2);
    await redis.restart();
    await until(ALL);
    expect(out()).toBe(ALL);
    expect(slack.posts).toHaveLength(ALL);
    const lines = await client.hgetall(`tally:ledger:${workspaceId(0)}`);
    const states = Object.entries(lines).flatMap(([field, json]) =>
      field.startsWith('s') ? [JSON.parse(json).state as string] : [],
    );
    expect(states).toEqual(Array.from({ length: MANY.each }, () => 'posted'));
  },
  PATIENCE + 20_000,
);

it(
  'lets what is under way go out when it is told to end, and another process does the rest',
  async () => {
    slack.slow = 100;
    const due = Math.floor(Date.now() / 60_000) * 60_000;
    await saveMany(client, { workspaces: 2, each: 6, channels: 2, due, since: due - 60_000 });
    const first = await start();
    await until(3);
    await end(first);
    expect(first.signalCode).toBeNull();
    const before = out();
    expect(before).toBeLessThan(12);
    await start();
    await until(12);
    expect(slack.posts).toHaveLength(12);
    expect(slack.calls.filter(({ method }) => method === 'conversations.history')).toEqual([]);
  },
  PATIENCE,
);
