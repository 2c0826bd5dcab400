import { describe, expect, it } from 'vitest';
import {
  parseFactor,
  parseRunwayDays,
  parseThreshold,
  thresholdDigits,
} from '../../../src/domain/money/watch-measurement.ts';

describe('an amount', () => {
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
  ])('reads %s', (typed, digits) => {
    const amount = parseThreshold(typed);
    expect(amount).toHaveProperty('value');
    expect('value' in amount && thresholdDigits(amount.value)).toBe(digits);
  });

  it.each([
    ['', 'no-amount'],
    ['lots', 'no-amount'],
    ['5e4', 'no-amount'],
    ['1,23,456', 'no-amount'],
    ['12,34.5', 'no-amount'],
    ['50000 USD', 'no-amount'],
    ['50000 EUR', 'no-amount'],
    ['Infinity', 'no-amount'],
    ['0x10', 'no-amount'],
    ['x50k', 'no-amount'],
    ['50kg', 'no-amount'],
    ['5€0', 'no-amount'],
    ['-lots', 'no-amount'],
    [`about ${'1'.repeat(31)}`, 'no-amount'],
    [`${'1'.repeat(31)} or so`, 'no-amount'],
    [`${'1'.repeat(31)}k`, 'too-long'],
    ['-5', 'below-zero'],
    ['-€5', 'below-zero'],
    ['-1.234', 'below-zero'],
    [`-${'1'.repeat(31)}`, 'too-long'],
    ['−50,000', 'below-zero'],
    ['1'.repeat(31), 'too-long'],
    [`0.${'1'.repeat(30)}`, 'too-long'],
  ])('does not read %s: %s', (typed, problem) => expect(parseThreshold(typed)).toEqual({ problem }));

  it('that may be thousands or a fraction is refused, with what to type for each', () => {
    const amount = parseThreshold('1.234');
    expect(amount).toEqual({ problem: 'ambiguous', readings: ['1234', '1.2340'] });
    const readings = 'readings' in amount ? (amount.readings ?? []) : [];
    const read = readings.map((one) => parseThreshold(one));
    expect(read.map((one) => 'value' in one && thresholdDigits(one.value))).toEqual(['1234', '1.234']);
  });
});

describe('days', () => {
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
  ])('%s: %s', (typed, days) => expect(parseRunwayDays(typed)).toBe(days));
});

describe('a factor', () => {
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
  ])('%s: %s', (typed, factor) => expect(parseFactor(typed)?.toFixed()).toBe(factor));
});
