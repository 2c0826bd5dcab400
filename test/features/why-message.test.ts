import { Big } from 'big.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ZERO } from '../../src/domain/money/amount.ts';
import { compareUsage } from '../../src/domain/money/comparison.ts';
import type { SpendFigures, SpendView } from '../../src/features/spend/figures.ts';
import { whyAnswer } from '../../src/features/spend/why-answer.ts';
import type { Answer } from '../../src/slack/reply/render-answer.ts';
import { resolvePeriodText } from '../support/read-words.ts';
import { answerView, itemsOf, usageOfItems } from '../support/usage.ts';

const NOW = Date.UTC(2026, 10, 21, 10, 15, 30, 123);

/** The costs of days in cents; undefined, which is rare, for an unreported day. */
const cents = fc.array(
  fc.oneof({ weight: 30, arbitrary: fc.integer({ min: -99, max: 9_999_999 }) }, fc.constant(undefined)),
  {
    minLength: 40,
    maxLength: 40,
  },
);

const centsOf = (days: readonly string[], amounts: readonly (number | undefined)[] = []) =>
  itemsOf(days, (_, at) => {
    const amount = amounts[at];
    return amount === undefined ? undefined : new Big(amount).div(100).toFixed();
  });

function figuresOf(
  label: string,
  period: SpendView['period'],
  [now, then]: readonly (readonly (number | undefined)[])[],
): SpendFigures {
  const window = period.comparison;
  const usage = usageOfItems(centsOf(period.days, now), period);
  const days = window?.days ?? [];
  const before = usageOfItems(centsOf(days, then), { days, zone: 'UTC' });
  return {
    target: {
      project: '1',
      product: 1,
      label,
      word: label,
      alias: label,
      isOwnProduct: true,
      currency: '',
      connection: undefined,
    },
    connection: 'main',
    usage,
    before,
    forecast: undefined,
    remarks: [],
    change: window && compareUsage(usage, before, { current: window.currentDays, before: window.days }),
  };
}

/** The header's difference, and the sum of the rows; undefined if there are no rows. */
function sumsOf({
  title,
  rows,
}: Answer): { readonly header: string; readonly rows: string | undefined } | undefined {
  const { amount = '0', sign = 'more' } =
    / · (?:unchanged|(?<amount>[\d,.]+) (?<sign>more|less) than)/.exec(title)?.groups ?? {};
  if (!/ (?:than|vs) /.test(title)) return undefined;
  const values = rows?.cells
    .slice(1)
    .map(([, cell = '']) => cell)
    .filter((cell) => /\d/.test(cell))
    .map((cell) => new Big(cell.replace('−', '-').replace(/[+ ,]/g, '')));
  const value = new Big(amount.replaceAll(',', ''));
  return {
    header: (sign === 'less' ? value.neg() : value).toFixed(2),
    rows: values?.reduce((sum, next) => sum.plus(next), ZERO).toFixed(2),
  };
}

const phrase = fc.constantFrom('last-7-days', 'last-month', '2026-03', 'mtd', 'last-week', 'yesterday');

describe('the differences in the answer to /spend with “why”', () => {
  it('add up to the difference in the header if the rows are days', () => {
    fc.assert(
      fc.property(phrase, cents, cents, (words, now, then) => {
        const period = resolvePeriodText(words, NOW, 'UTC');
        const figures = figuresOf('prod', period, [now, then]);
        const { header, rows } = sumsOf(whyAnswer({ ...answerView(figures, NOW), period, shape: {} })) ?? {};
        if (rows !== undefined) expect(rows).toBe(header);
      }),
    );
  });

  it('add up to the difference in the header if the rows are projects', () => {
    fc.assert(
      fc.property(
        phrase,
        fc.array(fc.tuple(cents, cents), { minLength: 1, maxLength: 9 }),
        (words, amounts) => {
          const period = resolvePeriodText(words, NOW, 'UTC');
          const all = amounts.map((sides, at) => figuresOf(`p${at}`, period, sides));
          const [first] = all;
          if (first === undefined) return;
          const view = answerView(first, NOW);
          const projects = { ...view.projects, isList: true };
          const { header, rows } =
            sumsOf(whyAnswer({ ...view, projects, answered: all, period, shape: {} })) ?? {};
          if (rows !== undefined) expect(rows).toBe(header);
        },
      ),
    );
  });
});
