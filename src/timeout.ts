import type { Millis } from './domain/time/calendar.ts';

/**
 * A timeout that survives a paused process (busy machine, SIGSTOP): Node runs expired timers before it reads pending
 * input. Two timers of half the time give it a chance to read in between.
 * @returns cancels it
 */
export function startTimeout(ms: Millis, onTimeout: () => void): () => void {
  let immediate: NodeJS.Immediate | undefined;
  let timer = setTimeout(() => {
    timer = setTimeout(() => {
      immediate = setImmediate(onTimeout);
    }, ms / 2);
  }, ms / 2);
  return () => {
    clearTimeout(timer);
    clearImmediate(immediate);
  };
}

/** Waits at most `ms`. The work isn't canceled; its late result is ignored. */
export function withTimeout<T>(ms: Millis, work: Promise<T>, onTimeout: () => T): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = startTimeout(ms, () => resolve(Promise.resolve().then(onTimeout)));
    void work.then(resolve, reject).finally(cancel);
  });
}
