/** Apart from the other tests of money, which run again in other zones: this one reads neither clock nor zone. */
import { describe, expect, it } from 'vitest';
import { accuracyOf, KINDS } from '../../bench/forecast.ts';

/** Not those of the table that `npm run bench` prints. */
const SEEDS = Array.from({ length: 12 }, (_, n) => n + 1_000);

describe('a month’s forecast, asked for on days 3 to 25', () => {
  it.each(KINDS)('for “$name” is at most a tenth worse than the best naive forecast', (kind) => {
    const { tally, naive, held, ranged } = accuracyOf(kind, SEEDS);
    expect(tally).toBeLessThanOrEqual(1.1 * Math.min(naive.soFar, naive.lastWeek, naive.lastMonth));
    expect(ranged).toBeGreaterThan(0);
    expect(held).toBeGreaterThanOrEqual(80);
  });
});
