/** Time that passes only when a test says so: global timers, and what `performance` measures. */
import { mock } from 'node:test';

export interface VirtualTime {
  /** ms since it began */
  now(): number;
  /** Lets this many ms pass, and everything happen that is due in them. */
  pass(ms: number): Promise<void>;
  end(): void;
}

interface Timer {
  readonly at: number;
  /** Of an interval, in ms. */
  readonly every: number | undefined;
  readonly run: () => void;
}

/** What has no timer of its own to wait for has happened. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

export function startVirtualTime(): VirtualTime {
  let now = 0;
  const timers = new Map<object, Timer>();
  const begin = (repeats: boolean) => (run: () => void, ms: number) => {
    const handle = { ref: () => handle, unref: () => handle };
    timers.set(handle, { at: now + ms, every: repeats ? ms : undefined, run });
    return handle;
  };
  const clear = (handle: object) => void timers.delete(handle);
  mock.method(globalThis, 'setTimeout', begin(false) as never);
  mock.method(globalThis, 'setInterval', begin(true) as never);
  mock.method(globalThis, 'clearTimeout', clear as never);
  mock.method(globalThis, 'clearInterval', clear as never);
  mock.method(performance, 'now', () => now);

  const runNext = (until: number): boolean => {
    const [next] = [...timers].sort(([, a], [, b]) => a.at - b.at);
    if (next === undefined || next[1].at > until) return false;
    const [handle, { at, every, run }] = next;
    now = at;
    if (every === undefined) timers.delete(handle);
    else timers.set(handle, { at: at + every, every, run });
    run();
    return true;
  };

  return {
    now: () => now,
    async pass(ms) {
      const until = now + ms;
      do await settled();
      while (runNext(until));
      now = until;
    },
    end: () => mock.restoreAll(),
  };
}
