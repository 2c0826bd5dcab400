import { Big } from 'big.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byLargest } from '../../../src/domain/money/amount.ts';
import { bySoonestEnd, type Outlook } from '../../../src/domain/money/runway.ts';

const outlook = (left: string | undefined, days?: number): Outlook => ({
  overdrawn: left?.startsWith('-') ?? false,
  left: left === undefined ? undefined : new Big(left),
  days,
});

const money = fc.option(
  fc.integer({ min: -9, max: 9 }).map((value) => new Big(value)),
  { nil: undefined },
);
const outlooks = fc.record({
  overdrawn: fc.boolean(),
  left: money,
  days: fc.constantFrom(undefined, 0, 1, 2, 3, Number.POSITIVE_INFINITY),
});

it('sorting projects by spend puts the largest first and unknown amounts last', () => {
  const amounts = ['3', undefined, '-1', '20', '0'].map((text) => text && new Big(text));
  const sorted = amounts.map((amount) => amount || undefined).sort(byLargest);
  expect(sorted.map((amount) => amount?.toFixed())).toEqual(['20', '3', '0', '-1', undefined]);
});

it('sorting projects by runway puts overdrawn ones first and unknown ones last', () => {
  const sorted = [
    outlook(undefined),
    outlook('5'),
    outlook('1000', 3),
    outlook('-1'),
    outlook('2'),
    outlook('10', 40),
    outlook('-7'),
    outlook('900', 3),
    outlook('0', 0),
    outlook('1', Number.POSITIVE_INFINITY),
  ].toSorted(bySoonestEnd);
  expect(sorted.map(({ left, days }) => [left?.toFixed(), days])).toEqual([
    ['-7', undefined],
    ['-1', undefined],
    ['0', 0],
    ['900', 3],
    ['1000', 3],
    ['10', 40],
    ['1', Number.POSITIVE_INFINITY],
    ['2', undefined],
    ['5', undefined],
    [undefined, undefined],
  ]);
});

describe.each([
  ['amounts', money, byLargest],
  ['outlooks', outlooks, bySoonestEnd],
] as const)('sorting %s', (_, arbitrary, order) => {
  const compare = order as (a: unknown, b: unknown) => number;

  it('gives one order for any input, and keeps the order of equal elements', () => {
    fc.assert(
      fc.property(fc.array(arbitrary as fc.Arbitrary<unknown>, { maxLength: 12 }), (list) => {
        const numbered = list.map((value, at) => ({ value, at }));
        const sorted = numbered.toSorted((a, b) => compare(a.value, b.value));
        for (const [at, next] of sorted.slice(1).entries()) {
          const { value, at: before } = sorted[at] ?? next;
          const order = compare(value, next.value);
          expect(order <= 0).toBe(true);
          if (order === 0) expect(before).toBeLessThan(next.at);
          expect(Math.sign(compare(next.value, value)) + Math.sign(order)).toBe(0);
        }
        const reversed = list.toReversed().sort(compare);
        expect(reversed.every((value, at) => compare(value, sorted[at]?.value) === 0)).toBe(true);
      }),
    );
  });
});
