/** Measures time. The measured code and its baseline alternate, so that other load affects both equally. */
import { performance } from 'node:perf_hooks';

export interface Work {
  readonly name: string;
  readonly run: () => unknown;
}

/** A line of the table; times in ms per call. */
export interface Line {
  readonly name: string;
  readonly median: number;
  readonly p95: number;
  readonly baseline?: { readonly name: string; readonly median: number };
}

/** In ms; long enough to make the cost of reading the clock negligible. */
const SAMPLE = 1;
const SAMPLES = 60;
const WARM_UP = 60;

/** Compares synchronous calls. Each sample repeats the call until it is long enough to measure. */
export function compare(work: Work, baseline: Work): Line {
  const both = [work, baseline].map(({ run }) => {
    const times: number[] = [];
    return { run, repeat: calibrate(run), times };
  });
  for (let i = 0; i < SAMPLES; i += 1) {
    for (const { run, repeat, times } of both) times.push(timeOf(run, repeat) / repeat);
  }
  const [ours = [], theirs = []] = both.map(({ times }) => times);
  return line(work.name, ours, { name: baseline.name, median: quantile(theirs, 0.5) });
}

/** Compares asynchronous calls, each timed by itself. */
export async function compareWaiting(work: Work, baseline: Work, runs: number): Promise<Line> {
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let i = 0; i < runs; i += 1) {
    ours.push(await waitFor(work.run));
    theirs.push(await waitFor(baseline.run));
  }
  return line(work.name, ours, { name: baseline.name, median: quantile(theirs, 0.5) });
}

export function line(name: string, times: readonly number[], baseline?: Line['baseline']): Line {
  return {
    name,
    median: quantile(times, 0.5),
    p95: quantile(times, 0.95),
    ...(baseline && { baseline: baseline }),
  };
}

function calibrate(run: () => unknown): number {
  const end = performance.now() + WARM_UP;
  let calls = 0;
  while (performance.now() < end) {
    run();
    calls += 1;
  }
  return Math.max(1, Math.ceil((calls / WARM_UP) * SAMPLE));
}

function timeOf(run: () => unknown, repeat: number): number {
  const begun = performance.now();
  for (let i = 0; i < repeat; i += 1) run();
  return performance.now() - begun;
}

/** @returns how long the call took, in ms */
export async function waitFor(run: () => unknown): Promise<number> {
  const begun = performance.now();
  await run();
  return performance.now() - begun;
}

export function quantile(times: readonly number[], q: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
}
