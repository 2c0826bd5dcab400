/** Sends `/balance` to a bot in a child process and reads its CPU time and memory. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { projectAt } from './commands.ts';
import type { CommandSender } from './fake-slack.ts';

/** @returns the time until the answer, in ms; rejects when the answer has no balance */
export async function sendBalance(sender: CommandSender, project: number): Promise<number> {
  const { answer, answered } = await sender.send('/balance', projectAt(project));
  if (!/ left\b/.test(answer)) throw new Error(`Unexpected answer to /balance: ${answer}`);
  return answered;
}

/** Sends each command at its scheduled time; a late one counts from that time. @returns ms each */
export function sendSteadily(sender: CommandSender, count: number, perSecond: number): Promise<number[]> {
  const startedAt = performance.now();
  return Promise.all(
    Array.from({ length: count }, async (_, i) => {
      const due = startedAt + (i * 1_000) / perSecond;
      await delay(Math.max(0, due - performance.now()));
      await sendBalance(sender, i);
      return performance.now() - due;
    }),
  );
}

/** CPU time in µs and memory in bytes, from a process that has loaded `usage-report.js`. */
export async function usageOf(child: ChildProcess): Promise<{ cpu: number; memory: number }> {
  child.send('usage');
  const [usage] = await once(child, 'message');
  return usage;
}
