/**
 * Ten thousand schedules of five hundred workspaces due in one minute, with two processes. One is killed when a third is
 * out, and Redis when two thirds are. What an outside Slack has got is counted.
 *
 *     npx tsx bench/deliveries.ts [workspaces] [schedules each] [channels each]
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { end, startDeliverer, startLastingRedis } from '../test/support/delivery-processes.ts';
import { saveMany } from '../test/support/many-schedules.ts';
import { startOutsideSlack } from '../test/support/outside-slack.ts';

const [workspaces = 500, each = 20, channels = 5] = process.argv.slice(2).map(Number);
const PATIENCE = 300_000;

const redis = await startLastingRedis();
const slack = await startOutsideSlack();
// As Slack is.
slack.slow = 150;
// The due minute is the next one that leaves time to start.
const due = Math.ceil((Date.now() + 15_000) / 60_000) * 60_000;
const client = new Redis(redis.url.replace('unix://', ''));
client.on('error', () => undefined);
await saveMany(client, { workspaces, each, channels, due, since: Date.now() });
const [first, second] = await Promise.all([
  startDeliverer(redis.url, slack.url),
  startDeliverer(redis.url, slack.url),
]);
const all = workspaces * each;
console.log(`${all} schedules of ${workspaces} workspaces are due at ${new Date(due).toISOString()}`);
const until = async (count: number) => {
  while (new Set(slack.posts.map(keyOf)).size < count && Date.now() < due + PATIENCE) await delay(50);
};
const keyOf = ({ workspace, key }: { workspace: string; key: string | undefined }) => `${workspace} ${key}`;
const since = () => `${((Date.now() - due) / 1000).toFixed(1)} s`;

await until(all / 3);
await end(first, 'SIGKILL');
console.log(`a process was killed at ${since()}, with ${slack.posts.length} posts out`);
await until((all * 2) / 3);
await redis.restart();
console.log(`Redis was killed and started again at ${since()}, with ${slack.posts.length} posts out`);
await until(all);
const distinct = new Set(slack.posts.map(keyOf)).size;
const times = slack.posts.map(({ at }) => (at - due) / 1000).sort((a, b) => a - b);
const share = (part: number) => times[Math.floor((times.length - 1) * part)]?.toFixed(1);
console.log(
  [
    `posts ${slack.posts.length}, duplicates ${slack.posts.length - distinct}, lost ${all - distinct}`,
    `seconds after due: half ${share(0.5)}, 90 % ${share(0.9)}, 99 % ${share(0.99)}, all ${share(1)}`,
    `said that it may be there twice: ${slack.posts.filter(({ blocks }) => blocks.includes('here twice')).length}`,
    `asked the history: ${slack.calls.filter(({ method }) => method === 'conversations.history').length}`,
  ].join('\n'),
);
client.disconnect();
await end(second);
await Promise.all([slack.close(), redis.stop()]);
