/**
 * Shows whether memory and latency grow over time: sends `/balance` at a steady rate to one process of the bundled bot,
 * and prints a line for each tenth of the time.
 *
 *     npx tsx bench/load.ts [seconds (default 30)] [commands a second (default 100)]
 *     npx tsx bench/load.ts 600
 */
import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { Redis } from 'ioredis';
import { bundle } from '../build.js';
import { startBilling } from '../sandbox/billing.ts';
import { freePort } from '../sandbox/bot-process.ts';
import { ROOT, SANDBOX_FOLDER } from '../sandbox/build.ts';
import { startRedis } from '../sandbox/redis.ts';
import { parseConfig } from '../src/config/config.ts';
import { sendSteadily, usageOf } from './balance-load.ts';
import { saveConnection, setUpProjects } from './commands.ts';
import { createCommandSender, startFakeSlack } from './fake-slack.ts';
import { quantile } from './measure.ts';
import { columns } from './table.ts';

const [seconds = 30, perSecond = 100] = process.argv.slice(2).map(Number);
const PARTS = 10;
const SECRET = 'a-signing-secret-for-the-bench';
const BUNDLE = join(SANDBOX_FOLDER, 'bench-load');

await bundle(['bench/unlimited-bot.ts'], BUNDLE);
const [redis, billing, slack] = await Promise.all([startRedis(), startBilling(), startFakeSlack()]);
const port = await freePort();
const env = {
  PATH: process.env.PATH ?? '',
  PORT: String(port),
  SLACK_BOT_TOKEN: 'xoxb-for-the-bench',
  SLACK_SIGNING_SECRET: SECRET,
  SLACK_API_URL: `${slack.url}/api/`,
  REDIS_URL: redis.url,
  ENCRYPTION_KEYS: `bench:${randomBytes(32).toString('base64')}`,
  TRUSTED_API_HOSTS: '127.0.0.1',
  LOG_LEVEL: 'error',
};
const client = new Redis(redis.url.replace(/^unix:\/\//, ''));
await saveConnection(client, parseConfig(env), billing);
setUpProjects(billing);
const bot = fork(join(BUNDLE, 'unlimited-bot.js'), {
  env,
  execArgv: ['--import', pathToFileURL(join(ROOT, 'bench', 'usage-report.js')).href],
  stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
});
const sender = createCommandSender(slack, `http://127.0.0.1:${port}`, SECRET);

while (!(await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined))?.ok) await delay(20);
await sendSteadily(sender, perSecond * 5, perSecond);
const rows = [['after', 'p50', 'p99', 'CPU a command', 'memory']];
for (let part = 1; part <= PARTS; part += 1) {
  const before = await usageOf(bot);
  const times = await sendSteadily(sender, Math.round((perSecond * seconds) / PARTS), perSecond);
  const { cpu, memory } = await usageOf(bot);
  rows.push([
    `${Math.round((seconds * part) / PARTS)} s`,
    `${quantile(times, 0.5).toFixed(1)} ms`,
    `${quantile(times, 0.99).toFixed(1)} ms`,
    `${((cpu - before.cpu) / 1_000 / times.length).toFixed(2)} ms`,
    `${(memory / 2 ** 20).toFixed(0)} MB`,
  ]);
}
console.log(
  `/balance at ${perSecond} a second, after 5 s to warm up; Redis: ${redis.kind}.\n${columns(rows)}`,
);
bot.kill('SIGTERM');
await once(bot, 'exit');
await sender.close();
client.disconnect();
await Promise.all([slack.close(), billing.close(), redis.stop()]);
