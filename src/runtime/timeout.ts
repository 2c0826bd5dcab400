import type { Millis } from '../domain/time/calendar.ts';

/**
 * Waits for `work` no longer than `ms`. The work is not cancelled: it continues, and its result is ignored.
 *
 * @returns what the work returns, or what `onTimeout` returns once the time is up
 * @throws what either of them throws
 */
export async function withTimeout<T>(ms: Millis, work: Promise<T>, onTimeout: () => T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  }).then(onTimeout);
  // The loser of a race must not end the process by rejecting later.
  for (const racer of [work, timeout]) racer.catch(() => undefined);
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
