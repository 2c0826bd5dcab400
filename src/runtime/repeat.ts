import type { Millis } from '../domain/time/calendar.ts';

interface Repetition {
  /** From the end of the work until it is done again. */
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
