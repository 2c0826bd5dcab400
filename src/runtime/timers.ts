import type { Millis } from '../domain/time/calendar.ts';

interface Repetition {
  /** How long to wait from the end of one run to the beginning of the next. */
  readonly pause: () => Millis;
  /** How long to wait after a failure. */
  readonly retry: Millis;
  /** Not called any more once it is stopped. */
  readonly onError: (error: Error) => void;
}

/** Does the work now, and again and again; keeps no process alive. @returns what stops it */
export function repeat(
  work: (stopping: AbortSignal) => Promise<void>,
  { pause, retry, onError }: Repetition,
): () => void {
  const stopped = new AbortController();
  const { signal } = stopped;
  let timer: NodeJS.Timeout | undefined;
  const next = async (): Promise<void> => {
    const wait = await work(signal).then(pause, (error: Error) => {
      if (!signal.aborted) onError(error);
      return retry;
    });
    if (!signal.aborted) timer = setTimeout(next, wait).unref();
  };
  void next();
  return () => {
    stopped.abort();
    clearTimeout(timer);
  };
}

/**
 * Waits for `work` no longer than `ms`. The work is not canceled: it continues, and its result is ignored.
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
