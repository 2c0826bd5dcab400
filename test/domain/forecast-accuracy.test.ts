/** Apart from the other tests of money, which run again in other zones: this one reads neither clock nor zone. */
import { describe, expect, it } from 'vitest';
import { accuracyOf, irregularYear, steadyYear } from '../../bench/forecast.ts';

describe('over a year, made on each of its days', () => {
  it.each([
    ['a steady project', steadyYear, 1],
    ['a steady project', steadyYear, 2],
    ['an awkward one', irregularYear, 1],
    ['an awkward one', irregularYear, 2],
  ] as const)('the forecast of %s is nearer than two that take no thought', (_, make, seed) => {
    const { points, forecast, monthToDate, lastMonth } = accuracyOf(make(seed));
    expect(points).toBeGreaterThan(340);
    expect(forecast).toBeLessThanOrEqual(monthToDate);
    expect(forecast).toBeLessThanOrEqual(lastMonth);
  });
});
