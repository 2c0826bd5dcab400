/**
 * Scheduled posts that are due in one minute, delivered by two processes, as an outside Slack counts them. By itself:
 * ten thousand of five hundred workspaces, and one process is killed when a third is out, Redis when two thirds are.
 *
 *     npx tsx bench/deliveries.ts [workspaces] [schedules each] [channels each]
 */
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { end, startDeliverer, startLastingRedis } from '../test/support/delivery-processes.ts';
import { saveMany } from '../test/support/many-schedules.ts';
import { type OutsidePost, startOutsideSlack } from '../test/support/outside-slack.ts';

const MINUTE = 60_000;
const PATIENCE = 300_000;

interface Size {
  readonly workspaces: number;
  readonly each: number;
  readonly channels: number;
}

/**
 * What came of it, a line each.
 *
 * @param breaks whether a process and Redis are killed; without, all are overdue when the processes start
 */
export async function deliveries({ workspaces, each, channels }: Size, breaks: boolean): Promise<string[]> {
  const redis = await startLastingRedis();
  const slack = await startOutsideSlack();
  // As Slack is.
  slack.slow = 150;
  const client = new Redis(redis.url.replace('unix://', ''));
  client.on('error', () => undefined);
  // The next minute that leaves time to start.
  const next = Math.ceil((Date.now() + 15_000) / MINUTE) * MINUTE;
  const due = breaks ? next : Math.floor(Date.now() / MINUTE) * MINUTE;
  await saveMany(client, { workspaces, each, channels, due, since: Math.min(Date.now(), due - 1) });
  const start = () => startDeliverer(redis.url, slack.url);
  const [first, second] = await Promise.all([start(), start()]);
  const from = breaks ? due : Date.now();
  const all = workspaces * each;
  const keyOf = ({ workspace, key }: OutsidePost): string => `${workspace} ${key}`;
  const distinct = (): number => new Set(slack.posts.map(keyOf)).size;
  const until = async (count: number) => {
    while (distinct() < count && Date.now() < from + PATIENCE) await delay(50);
  };
  const told: string[] = [];
  const tell = (what: string) =>
    told.push(
      `${what} at ${((Date.now() - from) / 1000).toFixed(1)} s, with ${slack.posts.length} posts out`,
    );
  if (breaks) {
    await until(all / 3);
    await end(first, 'SIGKILL');
    tell('a process was killed');
    await until((all * 2) / 3);
    await redis.restart();
    tell('Redis was killed and started again');
  }
  await until(all);
  const times = slack.posts.map(({ at }) => (at - from) / 1000).sort((a, b) => a - b);
  const share = (part: number) => times[Math.floor((times.length - 1) * part)]?.toFixed(1);
  client.disconnect();
  await Promise.all([end(first), end(second)]);
  await Promise.all([slack.close(), redis.stop()]);
  return [
    `${all} scheduled posts of ${workspaces} workspaces, ${channels} channels each, by two processes:`,
    ...told,
    `posts ${slack.posts.length}, duplicates ${slack.posts.length - distinct()}, lost ${all - distinct()}`,
    `seconds: half ${share(0.5)}, 90 % ${share(0.9)}, 99 % ${share(0.99)}, all ${share(1)}`,
    `said that it may be there twice: ${slack.posts.filter(({ blocks }) => blocks.includes('here twice')).length}`,
    `asked the history: ${slack.calls.filter(({ method }) => method === 'conversations.history').length}`,
  ];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [workspaces = 500, each = 20, channels = 5] = process.argv.slice(2).map(Number);
  console.log((await deliveries({ workspaces, each, channels }, true)).join('\n'));
}
