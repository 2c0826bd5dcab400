import { describe, expect, it } from 'vitest';
import { toPlainDigits } from '../../../src/domain/money/amount.ts';
import { parseFactor, parseRunwayDays, readAmounts } from '../../../src/domain/money/watch-rule.ts';

describe('the amount typed for a watch', () => {
  it.each([
    ['50000', '50000'],
    ['50,000', '50000'],
    ['50 000', '50000'],
    ['50\u00a0000', '50000'],
    ['50’000', '50000'],
    ['50.000', '50000'],
    ['1,234', '1234'],
    ['1.234,56', '1234.56'],
    ['1,234.56', '1234.56'],
    ['1 234 567,89', '1234567.89'],
    ['1.234.567', '1234567'],
    ['1,234,567', '1234567'],
    ['50,5', '50.5'],
    ['0.123', '0.123'],
    ['0,123', '0.123'],
    ['1.2340', '1.234'],
    ['1234.567', '1234.567'],
    ['0', '0'],
    ['-0', '0'],
    ['50k', '50000'],
    ['1.55k', '1550'],
    ['1,5 K', '1500'],
    ['50€', '50'],
    ['1.5k', '1500'],
    ['€50,000', '50000'],
    ['50000 €', '50000'],
    ['1'.repeat(30), '1'.repeat(30)],
  ])('may be %s', (typed, digits) => {
    expect(readAmounts(typed).map(({ value }) => toPlainDigits(value))).toEqual([digits]);
  });

  it.each([
    ...[
      ...['lots', '', '5e4', '1,23,456', '12,34.5', '50000 USD', '50000 EUR', 'Infinity', '0x10', 'x50k'],
      ...['50kg'],
    ],
    ...[
      ...['5€0', '-lots', '-5', '-€5', '-1.234', '−50,000'],
      '1'.repeat(31),
      `${'1'.repeat(31)}k`,
      `0.${'1'.repeat(30)}`,
    ],
  ])('may not be “%s”', (typed) => expect(readAmounts(typed)).toEqual([]));

  it('has two meanings if its point may separate thousands or decimals', () => {
    const readings = readAmounts('1.234');
    expect(readings.map(({ digits }) => digits)).toEqual(['1234', '1.2340']);
    expect(readings.flatMap(({ digits }) => readAmounts(digits))).toEqual(readings);
  });
});

describe('the number of days typed for a watch', () => {
  it.each([
    ['14', 14],
    ['14 days', 14],
    ['1d', 1],
    ['2 weeks', 14],
    ['1 day', 1],
    ['3 Week', 21],
    ['2w', 14],
    ['521 weeks', 3647],
    ['522 weeks', undefined],
    ['x14', undefined],
    ['14 days ago', undefined],
    ['3650', 3650],
    ['3651', undefined],
    ['0', undefined],
    ['-1', undefined],
    ['1.5', undefined],
    ['soon', undefined],
  ])('is read from the text “%s” as %s', (typed, days) => expect(parseRunwayDays(typed)).toBe(days));
});

describe('the factor typed for a watch', () => {
  it.each([
    ['2', '2'],
    ['2x', '2'],
    ['2×', '2'],
    ['x2', '2'],
    ['x 12.25', '12.25'],
    ['x1,55', '1.55'],
    ['12.25 x', '12.25'],
    ['1.01', '1.01'],
    ['2xx', undefined],
    ['1 2', undefined],
    ['2x2', undefined],
    ['1.5x', '1.5'],
    ['1,5 x', '1.5'],
    ['1x', undefined],
    ['0.5x', undefined],
    ['-2x', undefined],
    ['x', undefined],
    ['twice', undefined],
  ])('is read from the text “%s” as %s', (typed, factor) =>
    expect(parseFactor(typed)?.toFixed()).toBe(factor),
  );
});
