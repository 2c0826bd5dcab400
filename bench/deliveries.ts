/**
 * Measures how fast two processes deliver scheduled posts that are all due, each to its own channel of a fake
 * Slack. The baseline is as many empty BullMQ jobs.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import {
  endProcess,
  startDeliveryProcess,
  startPersistentRedis,
} from '../test/support/delivery-processes.ts';
import { saveManySchedules } from '../test/support/many-schedules.ts';
import { startMinimalSlack } from '../test/support/minimal-slack.ts';

const MINUTE = 60_000;
const TIMEOUT = 300_000;

export async function deliveries({
  workspaces,
  each,
}: {
  workspaces: number;
  each: number;
}): Promise<string> {
  const redis = await startPersistentRedis();
  const slack = await startMinimalSlack();
  const client = new Redis(redis.url.replace('unix://', ''));
  // A first process bundles the program and creates the queue, so that neither is measured.
  await endProcess(await startDeliveryProcess(redis.url, slack.url));
  const due = Math.floor(Date.now() / MINUTE) * MINUTE;
  await saveManySchedules(client, { workspaces, each, channels: each, due, since: due - 1 });
  const from = Date.now();
  const processes = await Promise.all([1, 2].map(() => startDeliveryProcess(redis.url, slack.url)));
  const all = workspaces * each;
  while (slack.posts.length < all && Date.now() < from + TIMEOUT) await delay(50);
  const seconds = ((Date.now() - from) / 1_000).toFixed(1);
  await Promise.all(processes.map((child) => endProcess(child)));
  const distinct = new Set(slack.posts.map(({ workspace, key }) => `${workspace} ${key}`)).size;
  client.disconnect();
  await Promise.all([slack.close(), redis.stop()]);
  return `${all} posts: ${seconds} s, ${all - distinct} lost, ${slack.posts.length - distinct} twice`;
}

export async function emptyJobs(count: number): Promise<string> {
  const redis = await startPersistentRedis();
  const socket = redis.url.replace('unix://', '');
  const client = new Redis(socket, { maxRetriesPerRequest: null });
  const queue = new Queue('empty', { connection: client });
  const job = { name: 'empty', data: {}, opts: { removeOnComplete: true } };
  await queue.addBulk(Array.from({ length: count }, () => job));
  const script = fileURLToPath(new URL('empty-jobs.js', import.meta.url));
  const workers = [1, 2].map(() => fork(script, [socket]));
  await Promise.all(workers.map((worker) => once(worker, 'message')));
  const from = performance.now();
  for (const worker of workers) worker.send('start');
  while ((await queue.getJobCountByTypes('wait', 'active')) > 0) await delay(20);
  const seconds = ((performance.now() - from) / 1_000).toFixed(1);
  await Promise.all(workers.map((worker) => endProcess(worker)));
  await queue.close();
  client.disconnect();
  await redis.stop();
  return `${count} empty jobs of BullMQ: ${seconds} s`;
}
