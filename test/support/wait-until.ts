import { setTimeout as delay } from 'node:timers/promises';

/** Waits for effects on the other side of a socket. Rejects after `timeout` ms. */
export async function waitUntil(condition: () => unknown, timeout = 15_000): Promise<void> {
  const end = Date.now() + timeout;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`Not true within ${timeout} ms: ${condition}`);
    await delay(10);
  }
}
