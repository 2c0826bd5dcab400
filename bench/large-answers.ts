/**
 * Measures how long an answer of billing holds the event loop: reading it, and everything that is made of it. Billing runs
 * in a thread of its own. The honest answers are the baseline.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { startRedis } from '../sandbox/redis.ts';
import { startBenchBot } from './commands.ts';
import { startFakeSlack } from './fake-slack.ts';
import { ANSWERS } from './large-bodies.js';
import { columns } from './table.ts';

/** Projects asked about at once. */
const TOGETHER = 8;

/** How long this thread has run, in ms, so that other load of the machine does not count; elsewhere than on Linux, the time. */
function onProcessor(): number {
  try {
    return Number(readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ')[0]) / 1e6;
  } catch {
    return performance.now();
  }
}

/** @returns a table: the longest turn of the event loop, and of another person's acknowledgement meanwhile, in ms */
export async function largeAnswers(): Promise<readonly string[]> {
  const [server, slack] = await Promise.all([startRedis(), startFakeSlack()]);
  const billing = new Worker(fileURLToPath(new URL('./large-bodies.js', import.meta.url)));
  const port = await new Promise<number>((resolve) => billing.once('message', resolve));
  const { sender, stop } = await startBenchBot(server.url, slack, {
    url: `http://127.0.0.1:${port}`,
    tokens: [{ value: 'a-token-for-the-bench' }],
  });

  const measure = async (name: string, texts: readonly string[]): Promise<string[]> => {
    const before = process.cpuUsage();
    let isOver = false;
    let held = 0;
    let turnBegan = onProcessor();
    const nextTurn = () => {
      const now = onProcessor();
      held = Math.max(held, now - turnBegan);
      turnBegan = now;
      if (!isOver) setImmediate(nextTurn);
    };
    setImmediate(nextTurn);
    const asked = Promise.all(texts.map((text) => sender.send('/spend', text))).finally(() => {
      isOver = true;
    });
    let slowest = 0;
    while (!isOver) {
      const { acknowledged } = await sender.send('/billing', 'help');
      slowest = Math.max(slowest, acknowledged);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const [first] = await asked;
    const { user, system } = process.cpuUsage(before);
    const figures = [held, slowest, (user + system) / 1e3].map((ms) => ms.toFixed(0));
    return [name, ...figures, (first?.answer ?? '').slice(0, 60)];
  };

  const rows: string[][] = [];
  const honest = Object.entries(ANSWERS).filter(([, answer]) => 'isHonest' in answer);
  for (let n = 0; n < 10; n += 1)
    for (const [, { days, project }] of honest) await sender.send('/spend', `${project} ${days}d`);
  for (const [name, { days, project }] of Object.entries(ANSWERS))
    rows.push(await measure(name, [`${project} ${days}d`]));
  for (const [name, { days, project }] of Object.entries(ANSWERS)) {
    const several = Array.from({ length: TOGETHER }, (_, n) => `${project}${n} ${days}d`);
    rows.push(await measure(`${TOGETHER} at once: ${name}`, several));
  }
  await Promise.all([stop(), billing.terminate()]);
  await Promise.all([slack.close(), server.stop()]);
  return [columns([['answer', 'loop held, ms', 'slowest ack, ms', 'CPU, ms', 'said'], ...rows], 4)];
}

if (import.meta.url === `file://${process.argv[1]}`) {
  console.log((await largeAnswers()).join('\n'));
  process.exit(0);
}
