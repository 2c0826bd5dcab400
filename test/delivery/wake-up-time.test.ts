import { describe, expect, it } from 'vitest';
import { wakeUpTime } from '../../src/delivery/run-planner.ts';

const NINE = Date.UTC(2026, 10, 20, 9);

describe('the wake-up for a date', () => {
  const delayOf = (teamId: string) => (wakeUpTime(teamId, { nextDue: NINE }, NINE - 1) ?? 0) - NINE;

  it('comes up to twenty seconds later, spread evenly over the workspaces', () => {
    const delays = Array.from({ length: 500 }, (_, n) => delayOf(`T${n}`));
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...delays)).toBeLessThan(20_000);
    expect(new Set(delays.map((ms) => Math.floor(ms / 1_000))).size).toBe(20);
  });

  it('is the same in every process and every version', () => {
    expect(['T1', 'T0SANDBOX1'].map(delayOf)).toEqual([7_158, 13_627]);
  });
});

describe('the wake-up for anything else', () => {
  const wake = (next: number, now: number) => wakeUpTime('T1', { next }, now);

  it('is rounded up to a second, and to a minute if it is over ten minutes off', () => {
    expect(wake(NINE + 1, NINE)).toBe(NINE + 1_000);
    expect(wake(NINE + 600_000, NINE)).toBe(NINE + 600_000);
    expect(wake(NINE + 600_002, NINE + 1)).toBe(NINE + 660_000);
    expect(wake(NINE + 601_000, NINE)).toBe(NINE + 660_000);
  });

  it('is not in the past', () => {
    expect(wake(NINE - 1, NINE + 300)).toBe(NINE + 1_000);
  });
});

it('is the earlier of both, and none where nothing is ahead', () => {
  expect(wakeUpTime('T1', { next: NINE, nextDue: NINE }, NINE)).toBe(NINE);
  expect(wakeUpTime('T1', { next: NINE + 30_000, nextDue: NINE }, NINE)).toBe(NINE + 7_158);
  expect(wakeUpTime('T1', {}, NINE)).toBeUndefined();
});
