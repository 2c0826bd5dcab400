import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sumMoney, toPlainDigits } from '../../../src/domain/money/amount.ts';
import type { WireCharge } from '../../../src/domain/money/charges.ts';
import {
  compareUsage,
  explainDays,
  foldSmallest,
  formatUncompared,
  isWellReported,
  sumChanges,
} from '../../../src/domain/money/comparison.ts';
import type { Usage } from '../../../src/domain/money/usage.ts';
import type { ComparisonWindow } from '../../../src/domain/time/period.ts';
import { daysFrom, item, itemsOf, usageOfItems } from '../../support/usage.ts';

const each = (days: readonly string[], amount: string | null) => days.map((day) => item(day, amount));
const figures = (change: ReturnType<typeof compareUsage> | undefined) => {
  const { current, before, percent } = change?.figures ?? {};
  return [current, before, percent].map((value) => value && toPlainDigits(value));
};

describe('the comparison of two periods', () => {
  const NOW = daysFrom('2026-11-14', 7);
  const THEN = daysFrom('2026-11-07', 7);
  const days = { current: NOW, before: THEN };
  const usageOf = (items: readonly WireCharge[], asked: readonly string[], today?: string) =>
    usageOfItems(items, { days: asked, zone: 'UTC', ...(today && { today }) });
  const change = (now: number, then: number, amounts: readonly [string, string] = ['12', '10']) =>
    compareUsage(
      usageOf(each(NOW.slice(0, now), amounts[0]), NOW),
      usageOf(each(THEN.slice(0, then), amounts[1]), THEN),
      days,
    );

  it('compares totals if equally many days are reported', () => {
    expect(change(7, 7).figures).toMatchObject({ basis: 'total' });
    expect(figures(change(7, 7))).toEqual(['84', '70', '20']);
  });

  it('compares daily averages if the numbers of reported days differ', () => {
    expect(change(6, 7).figures).toMatchObject({ basis: 'average' });
    expect(figures(change(6, 7))).toEqual(['12', '10', '20']);
    expect(figures(change(7, 6))).toEqual(['12', '10', '20']);
  });

  it('says how many days of each period are reported', () => {
    expect(change(6, 7).coverage).toEqual({
      current: { reported: 6, of: 7 },
      before: { reported: 7, of: 7 },
    });
  });

  it.each([
    [6, 6, '20'],
    [5, 7, undefined],
    [7, 5, undefined],
    [1, 1, undefined],
  ])(
    'has a percentage only if each period has at least 6 of 7 days reported: %i and %i',
    (now, then, percent) => {
      expect(figures(change(now, then))[2]).toBe(percent);
      expect(change(now, then).figures === undefined).toBe(percent === undefined);
    },
  );

  it.each<[number, number, number, number, string]>([
    // 24 of 30 days are exactly 80 %, 22 of 31 are fewer.
    [22, 31, 24, 30, 'Too few days reported to compare with 1–30 Sep (1–31 Oct: 22 of 31 days reported).'],
    [25, 31, 23, 30, 'Too few days reported to compare with 1–30 Sep (23 of 30 days reported).'],
    [
      22,
      31,
      23,
      30,
      'Too few days reported to compare with 1–30 Sep (1–31 Oct: 22 of 31 days reported, 1–30 Sep: 23 of 30 days reported).',
    ],
    [22, 31, 0, 30, 'No comparison: 1–30 Sep has no figures.'],
    [0, 31, 24, 30, 'No comparison: 1–31 Oct has no figures.'],
  ])('names the period with too few reported days: %i of %i vs %i of %i', (now, of, then, ofThen, text) => {
    const [current, before] = [daysFrom('2026-10-01', of), daysFrom('2026-09-01', ofThen)];
    const change = compareUsage(
      usageOf(each(current.slice(0, now), '12'), current),
      usageOf(each(before.slice(0, then), '10'), before),
      { current, before },
    );
    expect(formatUncompared(change, { current: '1–31 Oct', before: '1–30 Sep' })).toBe(text);
  });

  it.each([
    ['12', null, 'No comparison: Fri 13 Nov isn’t reported.'],
    [null, '10', 'No comparison: Fri 20 Nov isn’t reported yet.'],
    ['12', '10', ''],
  ])('says which of two single days isn’t reported: %s vs %s', (now, then, text) => {
    const sideOf = (day: string, amount: string | null) => ({
      days: [day],
      items: amount === null ? [] : [item(day, amount)],
    });
    const [current, before] = [sideOf('2026-11-20', now), sideOf('2026-11-13', then)];
    const change = compareUsage(usageOf(current.items, current.days), usageOf(before.items, before.days), {
      current: current.days,
      before: before.days,
    });
    expect(formatUncompared(change, { current: 'Fri 20 Nov', before: 'Fri 13 Nov' })).toBe(text);
  });

  it('ignores today and days outside the periods', () => {
    const now = [
      ...each(NOW, '12'),
      item('2026-11-21', '500'),
      item('2026-11-01', '500'),
      item('rubbish', '500'),
    ];
    const some = compareUsage(
      usageOf(now, [...NOW, '2026-11-21'], '2026-11-21'),
      usageOf([...each(THEN, '10'), item('2026-11-14', '500')], THEN),
      { current: NOW.slice(5), before: THEN.slice(5) },
    );
    expect(some.coverage.current).toEqual({ reported: 2, of: 2 });
    expect(figures(some)).toEqual(['24', '20', '20']);
  });

  it('has no percentage if the earlier period’s total is zero or negative', () => {
    for (const amount of ['0', '-1']) {
      expect(change(7, 7, ['12', amount]).figures).toMatchObject({ basis: 'total' });
      expect(figures(change(7, 7, ['12', amount]))[2]).toBeUndefined();
    }
  });

  it('has a percentage of zero if nothing changed', () => {
    expect(figures(change(7, 7, ['1', '1.0']))[2]).toBe('0');
  });

  it('has no totals or averages if one period has no reported day', () => {
    expect(change(7, 0)).toEqual({
      coverage: { current: { reported: 7, of: 7 }, before: { reported: 0, of: 7 } },
    });
    expect(change(0, 7)).not.toHaveProperty('figures');
    const unreadable = compareUsage(usageOf(each(NOW, '1'), NOW), usageOf(each(THEN, 'x'), THEN), days);
    expect(unreadable).not.toHaveProperty('figures');
  });

  it('adds up several projects only if all of them can be compared', () => {
    expect(figures(sumChanges([change(7, 7), change(6, 7, ['24', '20'])]))).toEqual(['36', '30', '20']);
    expect(figures(sumChanges([change(7, 7), change(6, 6)]))).toEqual(['156', '130', '20']);
    expect(sumChanges([change(7, 7), change(5, 7)])).toBeUndefined();
    expect(sumChanges([change(7, 7), change(7, 0)])).toBeUndefined();
    expect(sumChanges([])).toBeUndefined();
  });

  it('of several projects counts only as many reported days as the project with the fewest has', () => {
    const [whole, thin] = [change(7, 7), change(6, 7)];
    for (const all of [
      [whole, thin],
      [thin, whole],
      [whole, thin, whole],
    ]) {
      const sum = sumChanges(all);
      expect(sum?.coverage).toEqual(thin.coverage);
      expect(sum?.figures?.basis).toBe('average');
    }
  });

  it('needs at least 80 % of the days to be reported, and at least one day', () => {
    const cases: readonly (readonly [number, number])[] = [
      [0, 0],
      [0, 1],
      [1, 1],
      [3, 4],
      [4, 5],
      [7, 9],
      [8, 10],
    ];
    expect(cases.filter(([reported, of]) => isWellReported(reported, of))).toEqual([
      [1, 1],
      [4, 5],
      [8, 10],
    ]);
  });
});

/** One day for each amount; undefined for an unreported day, null for an unreadable amount. */
type Amounts = readonly (string | null | undefined)[];

function usageIn(
  first: string,
  amounts: Amounts,
): { readonly days: readonly string[]; readonly usage: Usage } {
  const days = daysFrom(first, amounts.length);
  const items = itemsOf(days, (_, at) => amounts[at]);
  return { days, usage: usageOfItems(items, { days, zone: 'UTC' }) };
}

function sides(current: Amounts, before: Amounts) {
  const [now, then] = [usageIn('2026-10-01', current), usageIn('2026-09-01', before)];
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

describe('the days that explain a difference between two periods', () => {
  it('are combined in one row if no reported day has a reported counterpart in the other period', () => {
    expect(explainedDays(['1', undefined, undefined, '2'], [undefined, '3', '4'])).toEqual({
      value: '-4',
      rows: ['Thu 1 Oct and Sun 4 Oct vs Wed 2 Sep and Thu 3 Sep: -4'],
      uncompared: [],
    });
  });

  it('are sorted by difference, the largest first, then by date', () => {
    expect(explainedDays(['1.10', '5', '3', '4'], ['1', '7', '5', '4'])).toEqual({
      value: '-3.9',
      rows: [
        ...['Fri 2 Oct vs Wed 2 Sep: -2', 'Sat 3 Oct vs Thu 3 Sep: -2'],
        ...['Thu 1 Oct vs Tue 1 Sep: 0.1', 'Sun 4 Oct vs Fri 4 Sep: 0'],
      ],
      uncompared: [],
    });
  });

  it('include a day that the shorter period lacks', () => {
    expect(explainedDays(['1', '1', '9'], ['1', '1'])).toMatchObject({
      value: '9',
      rows: ['Sat 3 Oct: 9', 'Thu 1 Oct vs Tue 1 Sep: 0', 'Fri 2 Oct vs Wed 2 Sep: 0'],
    });
    expect(explainedDays(['1', '1'], ['1', '1', '9'])).toMatchObject({ value: '-9' });
  });

  it('leave out a day whose counterpart is unreported, if daily averages are compared', () => {
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

  it('include days without a counterpart, if totals are compared', () => {
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

describe('the daily differences of two random periods', () => {
  it('add up exactly to the difference that they explain', () => {
    fc.assert(
      fc.property(window, window, (current, before) => {
        const { value, rows } = sides(current, before).explained;
        expect(toPlainDigits(valuesOf(rows))).toBe(toPlainDigits(value));
      }),
    );
  });

  it('add up to the difference of the totals, if totals are compared', () => {
    fc.assert(
      fc.property(window, window, (current, before) => {
        const { explained, change } = sides(current, before);
        if (change.figures?.basis !== 'total') return;
        const { figures } = change;
        expect(toPlainDigits(explained.value)).toBe(toPlainDigits(figures.current.minus(figures.before)));
      }),
    );
  });

  it('include each reported day exactly once', () => {
    fc.assert(
      fc.property(window, window, (current, before) => {
        const { rows, uncompared } = sides(current, before).explained;
        for (const [side, amounts, first] of [
          ['current', current, '2026-10-01'],
          ['before', before, '2026-09-01'],
        ] as const) {
          const days = [...rows, ...uncompared].flatMap((row) => row[side]?.days ?? []);
          expect(days.sort()).toEqual([...usageIn(first, amounts).usage.reported]);
        }
      }),
    );
  });

  it('keep their sum when the smallest differences are combined', () => {
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
