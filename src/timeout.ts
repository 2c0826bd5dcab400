import type { Millis } from './domain/time/calendar.ts';

/** Waits at most `ms` for the work. After that, `onTimeout` gives the result, and the work's own result is ignored. */
export function withTimeout<T>(ms: Millis, work: Promise<T>, onTimeout: () => T): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(Promise.resolve().then(onTimeout)), ms);
    void work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
