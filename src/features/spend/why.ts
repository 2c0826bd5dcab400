import { listNames } from '../../domain/language/text.ts';
import { formatDifference, type Money, type MoneyFormatter } from '../../domain/money/amount.ts';
import type { Usage } from '../../domain/money/usage.ts';
import { compareDays, type Difference, type UsageDifference } from '../../domain/money/usage-change.ts';
import { PRODUCT_IDS, PRODUCTS, type ProductId } from '../../domain/product.ts';
import { formatAskedDays } from '../../domain/time/calendar.ts';
import type { ComparisonWindow } from '../../domain/time/comparison-window.ts';
import { commandButton } from '../../slack/commands/command-buttons.ts';
import { answerActions } from '../../slack/reply/answer-message.ts';
import { type ComparableChange, comparable } from './comparison.ts';
import type { SpendFigures, SpendView } from './figures.ts';
import { reportOf, spendCommand } from './words.ts';

/** A project's change, and the days that made it. */
export interface ExplainedChange {
  readonly difference: UsageDifference;
  readonly change: ComparableChange;
  readonly window: ComparisonWindow;
  /** Of the days of `window`. */
  readonly before: Usage;
}

/** @returns undefined if there is nothing to compare with, or too few days are reported */
export function explainChange(
  figures: SpendFigures,
  { comparison: window }: SpendView['period'],
): ExplainedChange | undefined {
  const { usage, before } = figures;
  const change = comparable(figures);
  if (window === undefined || before === undefined || change === undefined) return undefined;
  const days = { current: window.currentDays, before: window.days };
  return { difference: compareDays(usage, before, days), change, window, before };
}

/** `3,120.00 EUR more than`, `70.00 EUR more and 20.00 USD less than`, `unchanged vs`: what the days before follow. */
export function formatMoreOrLess(
  ...differences: readonly (Difference & { readonly money: MoneyFormatter })[]
): string {
  const changes = differences
    .filter(({ value }) => !value.eq(0))
    .map(({ value, money }) => `${money(value.abs())} ${value.gt(0) ? 'more' : 'less'}`);
  return changes.length === 0 ? 'unchanged vs' : `${listNames(changes)} than`;
}

/** The cells of a row: the difference, what was spent, and what was spent before; '' for what a side does not have. */
export const differenceCells = (
  amounts: {
    readonly value: Money | undefined;
    readonly current: Money | undefined;
    readonly before: Money | undefined;
  },
  money: MoneyFormatter,
): readonly string[] => [
  amounts.value === undefined ? 'not compared' : formatDifference(amounts.value, money),
  ...[amounts.current, amounts.before].map((amount) => (amount === undefined ? '' : money(amount))),
];

/** Whether some reported days are not in the difference. */
export const leavesDaysOut = ({ uncompared }: UsageDifference): boolean =>
  uncompared.current.length + uncompared.before.length > 0;

/** Whether a part of a day's amount could not be read. */
export const hasPartialDays = ({ partialDays }: Usage, { before }: ExplainedChange): boolean =>
  partialDays.length + before.partialDays.length > 0;

export const LEFT_OUT = 'Days whose counterpart has no data are left out: missing is not zero.';
export const NO_COMPLETE_DAY = 'Only complete days are compared, and this period has none.';
export const ROUNDED = 'Rounded amounts may not add up to the last cent.';

/** The complete days that are compared, named as the window before is: `14–20 Nov`. */
export const comparedDates = ({ asked }: SpendView['period'], { currentDays }: ComparisonWindow): string =>
  formatAskedDays({
    ...asked,
    first: currentDays[0] ?? asked.first,
    last: currentDays.at(-1) ?? asked.last,
  });

/** The figures behind the explanation, the same question about other products or about one project, and the menu. */
export function whyButtons(view: SpendView, largest?: SpendFigures) {
  const { projects, answered, period } = view;
  const [only] = answered;
  const others = projects.isList ? [] : PRODUCT_IDS.filter((product) => product !== only?.target.product);
  const whyOf = (word: string, product: ProductId) =>
    spendCommand({ projects: { ...projects, word, product }, period }, { output: 'why' });
  const figures = spendCommand(view);
  return answerActions(view, {
    link: spendCommand(view, { output: 'why' }),
    figures,
    before: commandButton('spend', 'Spend', figures),
    after: [
      ...others.flatMap((product) =>
        commandButton(`why-${product}`, `Same for ${PRODUCTS[product].name}`, whyOf(projects.word, product)),
      ),
      ...(largest === undefined
        ? []
        : commandButton(
            'why',
            `What changed in ${largest.target.label}`,
            whyOf(largest.target.word, largest.target.product),
          )),
    ],
    more: [],
    report: reportOf(view),
  });
}
