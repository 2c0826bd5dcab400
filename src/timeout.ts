import type { Millis } from './domain/time/calendar.ts';

/**
 * If the process was paused (busy machine, SIGSTOP), Node runs due timers before it reads an answer that has arrived.
 * With two timers of half the time, Node reads the answer in between. @returns a function that cancels the timeout
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

/** Waits at most `ms` for the work. After that, `onTimeout` gives the result, and the work's own result is ignored. */
export function withTimeout<T>(ms: Millis, work: Promise<T>, onTimeout: () => T): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = startTimeout(ms, () => resolve(Promise.resolve().then(onTimeout)));
    void work.then(resolve, reject).finally(cancel);
  });
}
