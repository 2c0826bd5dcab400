import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sumMoney, toPlainDigits } from '../../../src/domain/money/amount.ts';
import { compareUsage, explainDays, foldSmallest } from '../../../src/domain/money/comparison.ts';
import type { Usage } from '../../../src/domain/money/usage.ts';
import type { ComparisonWindow } from '../../../src/domain/time/period.ts';
import { daysFrom, itemsOf, usageOfItems } from '../../support/usage.ts';

/** A day for each amount; undefined: nothing is reported; null: its amount is unreadable. */
type Amounts = readonly (string | null | undefined)[];

function usageOf(
  first: string,
  amounts: Amounts,
): { readonly days: readonly string[]; readonly usage: Usage } {
  const days = daysFrom(first, amounts.length);
  const items = itemsOf(days, (_, at) => amounts[at]);
  return { days, usage: usageOfItems(items, { days, zone: 'UTC' }) };
}

function sides(current: Amounts, before: Amounts) {
  const [now, then] = [usageOf('2026-10-01', current), usageOf('2026-09-01', before)];
  const window = { currentDays: now.days, days: then.days } as ComparisonWindow;
  return {
    explained: explainDays(now.usage, then.usage, window),
    change: compareUsage(now.usage, then.usage, { current: now.days, before: then.days }),
  };
}

const explainedDays = (current: Amounts, before: Amounts) => {
  const { value, rows, uncompared } = sides(current, before).explained;
  return {
    value: toPlainDigits(value),
    rows: rows.map(({ label, value }) => `${label}: ${value && toPlainDigits(value)}`),
    uncompared: uncompared.map(({ label }) => label),
  };
};

describe('the days of two windows', () => {
  it('without a counterpart are one row, those that the shorter window lacks among them', () => {
    expect(explainedDays(['1', undefined, undefined, '2'], [undefined, '3', '4'])).toEqual({
      value: '-4',
      rows: ['Thu 1 Oct and Sun 4 Oct vs Wed 2 Sep and Thu 3 Sep: -4'],
      uncompared: [],
    });
  });

  it('are compared place by place, the largest difference first, of equal ones the earliest', () => {
    expect(explainedDays(['1.10', '5', '3', '4'], ['1', '7', '5', '4'])).toEqual({
      value: '-3.9',
      rows: [
        ...['Fri 2 Oct vs Wed 2 Sep: -2', 'Sat 3 Oct vs Thu 3 Sep: -2'],
        ...['Thu 1 Oct vs Tue 1 Sep: 0.1', 'Sun 4 Oct vs Fri 4 Sep: 0'],
      ],
      uncompared: [],
    });
  });

  it('count a day without a counterpart in the shorter window', () => {
    expect(explainedDays(['1', '1', '9'], ['1', '1'])).toMatchObject({
      value: '9',
      rows: ['Sat 3 Oct: 9', 'Thu 1 Oct vs Tue 1 Sep: 0', 'Fri 2 Oct vs Wed 2 Sep: 0'],
    });
    expect(explainedDays(['1', '1'], ['1', '1', '9'])).toMatchObject({ value: '-9' });
  });

  it('leave out a day whose counterpart is not reported, if the counts would differ', () => {
    expect(explainedDays(['1', undefined, '4'], ['1', '7', '3'])).toEqual({
      value: '1',
      rows: ['Sat 3 Oct vs Thu 3 Sep: 1', 'Thu 1 Oct vs Tue 1 Sep: 0'],
      uncompared: ['Wed 2 Sep'],
    });
    expect(explainedDays(['1', '8', '4'], ['1', null, '3'])).toMatchObject({
      value: '1',
      uncompared: ['Fri 2 Oct'],
    });
  });

  it('count equally many days without a counterpart on both sides, as the totals do', () => {
    expect(explainedDays(['1', undefined, '4', '10'], ['1', '7', '3', undefined])).toEqual({
      value: '4',
      rows: ['Sun 4 Oct vs Wed 2 Sep: 3', 'Sat 3 Oct vs Thu 3 Sep: 1', 'Thu 1 Oct vs Tue 1 Sep: 0'],
      uncompared: [],
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
const valuesOf = (rows: readonly { readonly value?: ReturnType<typeof sumMoney> | undefined }[]) =>
  sumMoney(rows.map(({ value }) => value ?? sumMoney([])));

describe('whatever is reported, the differences of days', () => {
  it('sum to exactly the difference', () => {
    fc.assert(
      fc.property(window, window, (current, before) => {
        const { value, rows } = sides(current, before).explained;
        expect(toPlainDigits(valuesOf(rows))).toBe(toPlainDigits(value));
      }),
    );
  });

  it('sum to the difference of the totals where totals are compared', () => {
    fc.assert(
      fc.property(window, window, (current, before) => {
        const { explained, change } = sides(current, before);
        if (change.figures?.basis !== 'total') return;
        const { figures } = change;
        expect(toPlainDigits(explained.value)).toBe(toPlainDigits(figures.current.minus(figures.before)));
      }),
    );
  });

  it('have each reported day once, and no other', () => {
    fc.assert(
      fc.property(window, window, (current, before) => {
        const { rows, uncompared } = sides(current, before).explained;
        for (const [side, amounts, first] of [
          ['current', current, '2026-10-01'],
          ['before', before, '2026-09-01'],
        ] as const) {
          const days = [...rows, ...uncompared].flatMap((row) => row[side]?.days ?? []);
          expect(days.sort()).toEqual([...usageOf(first, amounts).usage.reported]);
        }
      }),
    );
  });

  it('have the opposite sign when the windows are swapped', () => {
    fc.assert(
      fc.property(window, window, (current, before) => {
        const [there, back] = [sides(current, before), sides(before, current)];
        // A month of 31 days and one of 30 pair other days when they change places.
        if (current.length > 30 || before.length > 30) return;
        expect(there.explained.value.plus(back.explained.value).eq(0)).toBe(true);
      }),
    );
  });

  it('are folded so that the largest come first and nothing is lost', () => {
    fc.assert(
      fc.property(window, window, fc.integer({ min: 1, max: 5 }), (current, before, most) => {
        const { rows, value } = sides(current, before).explained;
        const folded = foldSmallest(rows, most, 'day');
        expect(folded.length).toBeLessThanOrEqual(most + 1);
        expect(toPlainDigits(valuesOf(folded))).toBe(toPlainDigits(value));
        const sizes = rows.map((row) => (row.value ?? value).abs());
        expect(sizes.every((size, at) => at === 0 || size.lte(sizes[at - 1] ?? size))).toBe(true);
        for (const side of ['current', 'before'] as const)
          expect(folded.flatMap((row) => row[side]?.days ?? []).sort()).toEqual(
            rows.flatMap((row) => row[side]?.days ?? []).sort(),
          );
      }),
    );
  });
});
