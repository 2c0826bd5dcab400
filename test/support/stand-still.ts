/** Blocks the event loop, as a long collection of garbage or SIGSTOP does. @param ms for how long */
export const standStill = (ms: number): void =>
  void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
