/** Timing. The measured code and its baseline alternate, so that other load on the machine affects both equally. */
import { performance } from 'node:perf_hooks';

export interface Work {
  readonly name: string;
  readonly run: () => unknown;
}

/** One line of the table; times in ms for one call. */
export interface Line {
  readonly name: string;
  readonly median: number;
  readonly p95: number;
  readonly floor?: { readonly name: string; readonly median: number };
}

/** A clock reading costs tens of nanoseconds: a sample this long, in ms, drowns it. */
const SAMPLE = 1;
const SAMPLES = 60;
const WARM_UP = 60;

/** Calls that compute: each sample repeats the call until it is long enough to be timed. */
export function compare(work: Work, floor: Work): Line {
  const sides = [work, floor].map(({ run }) => {
    const times: number[] = [];
    return { run, repeat: calibrate(run), times };
  });
  for (let i = 0; i < SAMPLES; i += 1) {
    for (const { run, repeat, times } of sides) times.push(timeOf(run, repeat) / repeat);
  }
  const [ours = [], theirs = []] = sides.map(({ times }) => times);
  return line(work.name, ours, { name: floor.name, median: quantile(theirs, 0.5) });
}

/** Calls that wait: one after the other, each timed by itself. */
export async function compareWaiting(work: Work, floor: Work, rounds: number): Promise<Line> {
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let i = 0; i < rounds; i += 1) {
    ours.push(await waitFor(work.run));
    theirs.push(await waitFor(floor.run));
  }
  return line(work.name, ours, { name: floor.name, median: quantile(theirs, 0.5) });
}

export function line(name: string, times: readonly number[], floor?: Line['floor']): Line {
  return { name, median: quantile(times, 0.5), p95: quantile(times, 0.95), ...(floor && { floor }) };
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

export async function waitFor(run: () => unknown): Promise<number> {
  const begun = performance.now();
  await run();
  return performance.now() - begun;
}

export function quantile(times: readonly number[], q: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
}
