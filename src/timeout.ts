import type { Millis } from './domain/time/calendar.ts';

/**
 * Calls `onTimeout` after `ms`. A process that stood still (a busy machine, SIGSTOP, a suspended one) runs its timers before
 * it reads what arrived in that time. So there are two timers of half the time each: between them it reads what has arrived,
 * and no answer that is there already is given up.
 *
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

/**
 * Waits for `work` no longer than `ms`. The work is not canceled: it continues, and its result is ignored.
 *
 * @returns what the work returns, or what `onTimeout` returns once the time is up
 * @throws what either of them throws
 */
export function withTimeout<T>(ms: Millis, work: Promise<T>, onTimeout: () => T): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = startTimeout(ms, () => resolve(Promise.resolve().then(onTimeout)));
    void work.then(resolve, reject).finally(cancel);
  });
}
