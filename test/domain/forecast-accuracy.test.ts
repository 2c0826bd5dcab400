/** Not in test/domain/money/, whose tests run again in other time zones, because this test is slow. */
import { describe, expect, it } from 'vitest';
import { accuracyOf, KINDS } from '../../bench/forecast.ts';

/** Other random seeds than those of `npm run bench`. */
const SEEDS = Array.from({ length: 12 }, (_, n) => n + 1_000);

describe('a forecast made between the 3rd and the 25th day of a month', () => {
  it.each(KINDS)('is at most 10 % worse than the best of three simple estimates: $name', (kind) => {
    const { tally, naive, held, ranged } = accuracyOf(kind, SEEDS);
    expect(tally).toBeLessThanOrEqual(1.1 * Math.min(naive.soFar, naive.lastWeek, naive.lastMonth));
    expect(ranged).toBeGreaterThan(0);
    expect(held).toBeGreaterThanOrEqual(80);
  });
});
