import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sumMoney, toPlainDigits } from '../../../src/domain/money/amount.ts';
import type { WireCharge } from '../../../src/domain/money/charges.ts';
import type { Usage } from '../../../src/domain/money/usage.ts';
import { compareDays, compareUsage, splitLargest } from '../../../src/domain/money/usage-change.ts';
import { addDays } from '../../../src/domain/time/calendar.ts';
import { usageOfItems } from '../../support/usage.ts';

const daysFrom = (first: string, count: number) => Array.from({ length: count }, (_, n) => addDays(first, n));

/** A day for each amount; undefined: nothing is reported; null: its amount is unreadable. */
type Amounts = readonly (string | null | undefined)[];

function usageOf(
  first: string,
  amounts: Amounts,
): { readonly days: readonly string[]; readonly usage: Usage } {
  const days = daysFrom(first, amounts.length);
  const items = amounts.flatMap((amount, at): WireCharge[] =>
    amount === undefined
      ? []
      : [
          {
            day: { text: days[at] ?? '' },
            totalAmount: amount === null ? { missing: true } : { text: amount },
            totalBonuses: { text: '0' },
          },
        ],
  );
  return { days, usage: usageOfItems(items, { days, zone: 'UTC' }) };
}

function sides(current: Amounts, before: Amounts) {
  const [now, then] = [usageOf('2026-10-01', current), usageOf('2026-09-01', before)];
  const days = { current: now.days, before: then.days };
  return {
    difference: compareDays(now.usage, then.usage, days),
    change: compareUsage(now.usage, then.usage, days),
  };
}

const describeDays = (current: Amounts, before: Amounts) => {
  const { value, pairs, unpaired, uncompared } = sides(current, before).difference;
  const figures = (of: typeof unpaired) =>
    [of.current, of.before].map((side) =>
      side.map(({ day, value }) => `${day.slice(5)} ${toPlainDigits(value)}`),
    );
  return {
    value: toPlainDigits(value),
    pairs: pairs.map(
      (pair) => `${pair.current.day.slice(5)}/${pair.before.day.slice(5)} ${toPlainDigits(pair.value)}`,
    ),
    unpaired: figures(unpaired),
    uncompared: figures(uncompared),
  };
};

describe('the days of two windows', () => {
  it('without a counterpart are in order, those that the shorter window lacks among them', () => {
    expect(describeDays(['1', undefined, undefined, '2'], [undefined, '3', '4'])).toEqual({
      value: '-4',
      pairs: [],
      unpaired: [
        ['10-01 1', '10-04 2'],
        ['09-02 3', '09-03 4'],
      ],
      uncompared: [[], []],
    });
  });

  it('are compared place by place, the largest difference first, of equal ones the earliest', () => {
    expect(describeDays(['1.10', '5', '3', '4'], ['1', '7', '5', '4'])).toEqual({
      value: '-3.9',
      pairs: ['10-02/09-02 -2', '10-03/09-03 -2', '10-01/09-01 0.1', '10-04/09-04 0'],
      unpaired: [[], []],
      uncompared: [[], []],
    });
  });

  it('count a day without a counterpart in the shorter window', () => {
    expect(describeDays(['1', '1', '9'], ['1', '1'])).toMatchObject({
      value: '9',
      unpaired: [['10-03 9'], []],
    });
    expect(describeDays(['1', '1'], ['1', '1', '9'])).toMatchObject({
      value: '-9',
      unpaired: [[], ['09-03 9']],
    });
  });

  it('leave out a day whose counterpart is not reported, if the counts would differ', () => {
    expect(describeDays(['1', undefined, '4'], ['1', '7', '3'])).toEqual({
      value: '1',
      pairs: ['10-03/09-03 1', '10-01/09-01 0'],
      unpaired: [[], []],
      uncompared: [[], ['09-02 7']],
    });
    expect(describeDays(['1', '8', '4'], ['1', null, '3'])).toMatchObject({
      value: '1',
      uncompared: [['10-02 8'], []],
    });
  });

  it('count equally many days without a counterpart on both sides, as the totals do', () => {
    expect(describeDays(['1', undefined, '4', '10'], ['1', '7', '3', undefined])).toMatchObject({
      value: '4',
      unpaired: [['10-04 10'], ['09-02 7']],
      uncompared: [[], []],
    });
  });
});

const amount = fc.oneof(
  { arbitrary: fc.constant(undefined), weight: 1 },
  { arbitrary: fc.constant(null), weight: 1 },
  {
    arbitrary: fc
      .tuple(fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n }), fc.integer({ min: -20, max: 2 }))
      .map(([digits, exponent]) => `${digits}e${exponent}`),
    weight: 8,
  },
);
const window = fc.array(amount, { minLength: 1, maxLength: 35 });
const valuesOf = (figures: readonly { readonly value: ReturnType<typeof sumMoney> }[]) =>
  sumMoney(figures.map(({ value }) => value));

describe('whatever is reported, the differences of days', () => {
  it('sum to exactly the difference', () => {
    fc.assert(
      fc.property(window, window, (current, before) => {
        const { value, pairs, unpaired } = sides(current, before).difference;
        const parts = valuesOf(pairs).plus(valuesOf(unpaired.current)).minus(valuesOf(unpaired.before));
        expect(toPlainDigits(parts)).toBe(toPlainDigits(value));
      }),
    );
  });

  it('sum to the difference of the totals where totals are compared', () => {
    fc.assert(
      fc.property(window, window, (current, before) => {
        const { difference, change } = sides(current, before);
        if (change.figures?.basis !== 'total') return;
        const { figures } = change;
        expect(toPlainDigits(difference.value)).toBe(toPlainDigits(figures.current.minus(figures.before)));
      }),
    );
  });

  it('have each reported day once, and no other', () => {
    fc.assert(
      fc.property(window, window, (current, before) => {
        const { pairs, unpaired, uncompared } = sides(current, before).difference;
        for (const [side, amounts, first] of [
          ['current', current, '2026-10-01'],
          ['before', before, '2026-09-01'],
        ] as const) {
          const days = [...pairs.map((pair) => pair[side]), ...unpaired[side], ...uncompared[side]];
          expect(days.map(({ day }) => day).sort()).toEqual([...usageOf(first, amounts).usage.reported]);
        }
      }),
    );
  });

  it('count days without a counterpart only in equal numbers, or past the end of the other window', () => {
    fc.assert(
      fc.property(window, window, (current, before) => {
        const { unpaired } = sides(current, before).difference;
        const past = (first: string, count: number) => (figure: { readonly day: string }) =>
          figure.day >= addDays(first, count);
        expect(
          unpaired.current.length === unpaired.before.length ||
            (unpaired.current.every(past('2026-10-01', before.length)) &&
              unpaired.before.every(past('2026-09-01', current.length))),
        ).toBe(true);
      }),
    );
  });

  it('have the opposite sign when the windows are swapped', () => {
    fc.assert(
      fc.property(window, window, (current, before) => {
        const [there, back] = [sides(current, before), sides(before, current)];
        expect(there.difference.value.plus(back.difference.value).eq(0)).toBe(true);
      }),
    );
  });

  it('are split so that the largest come first and nothing is lost', () => {
    fc.assert(
      fc.property(window, window, fc.integer({ min: 1, max: 5 }), (current, before, most) => {
        const { pairs } = sides(current, before).difference;
        const { largest, rest, label } = splitLargest(pairs, most, 'days');
        expect([...largest, ...rest]).toEqual(pairs);
        expect(label).toBe(
          rest.length === 0 ? '' : `${largest.length === 0 ? 'All' : 'The other'} ${rest.length} days`,
        );
        const alone = rest.length === 0 ? 1 : 0;
        expect(rest.length).not.toBe(1);
        expect(largest.length).toBeLessThanOrEqual(most + alone);
        expect(largest.filter(({ value }) => value.eq(0)).length).toBeLessThanOrEqual(alone);
        const sizes = pairs.map(({ value }) => value.abs());
        expect(sizes.every((size, at) => at === 0 || size.lte(sizes[at - 1] ?? size))).toBe(true);
      }),
    );
  });
});
