import { Big } from 'big.js';
import { expect, it } from 'vitest';
import { byLargest } from '../../../src/domain/money/amount.ts';
import { bySoonestEnd, type Outlook } from '../../../src/domain/money/balance-and-runway.ts';

const outlook = (left: string | undefined, days?: number): Outlook => ({
  overdrawn: left?.startsWith('-') ?? false,
  left: left === undefined ? undefined : new Big(left),
  days,
});

it('sorting projects by spend puts the largest first and unknown amounts last', () => {
  const amounts = ['3', undefined, '-1', '20', '0'].map((text) => text && new Big(text));
  const sorted = amounts.map((amount) => amount || undefined).sort(byLargest);
  expect(sorted.map((amount) => amount?.toFixed())).toEqual(['20', '3', '0', '-1', undefined]);
});

it('sorting projects by runway puts overdrawn projects first and unknown runways last', () => {
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
