import { formatDifference, type Money, type MoneyFormatter } from '../../domain/money/amount.ts';
import type { Usage } from '../../domain/money/usage.ts';
import { compareDays, type Difference, type UsageDifference } from '../../domain/money/usage-change.ts';
import { PRODUCT_IDS, PRODUCTS, type ProductId } from '../../domain/product.ts';
import { formatRequestedDays } from '../../domain/time/calendar.ts';
import type { ComparisonWindow } from '../../domain/time/comparison-window.ts';
import { listNames } from '../../domain/wording.ts';
import { commandButton } from '../../slack/commands/command-buttons.ts';
import { answerActions } from '../../slack/reply/render-answer.ts';
import { type ComparableChange, comparable } from './comparison-wording.ts';
import { reportOf, type SpendFigures, type SpendView, spendCommand } from './figures.ts';

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

/** The cells of a row; '' for what a side does not have. */
export const differenceCells = (
  amounts: Readonly<Record<'value' | 'current' | 'before', Money | undefined>>,
  money: MoneyFormatter,
): Readonly<Record<'difference' | 'current' | 'before', string>> => ({
  difference: amounts.value === undefined ? 'not compared' : formatDifference(amounts.value, money),
  current: amounts.current === undefined ? '' : money(amounts.current),
  before: amounts.before === undefined ? '' : money(amounts.before),
});

/** Whether some reported days are not in the difference. */
export const leavesDaysOut = ({ uncompared }: UsageDifference): boolean =>
  uncompared.current.length + uncompared.before.length > 0;

/** Whether a part of a day's amount could not be read. */
export const hasPartialDays = ({ partialDays }: Usage, { before }: ExplainedChange): boolean =>
  partialDays.length + before.partialDays.length > 0;

export const LEFT_OUT_NOTE = 'Days whose counterpart has no data are left out.';

export const NO_COMPLETE_DAY_NOTE = 'Only complete days are compared, and this period has none.';

export const ROUNDED_NOTE = 'Rounded amounts may not add up to the last cent.';

/** The complete days that are compared, named as the window before is: `14–20 Nov`. */
export const comparedDates = (
  { requested }: SpendView['period'],
  { currentDays }: ComparisonWindow,
): string =>
  formatRequestedDays({
    ...requested,
    first: currentDays[0] ?? requested.first,
    last: currentDays.at(-1) ?? requested.last,
  });

/** The figures behind the explanation, the same question about other products or about one project, and the menu. */
export function whyButtons(view: SpendView, largest?: SpendFigures) {
  const { projects, answered, period } = view;
  const [only] = answered;
  // A project that has a name has its product with it: another one could give a wrong answer.
  const others =
    projects.isList || only?.target.alias !== undefined
      ? []
      : PRODUCT_IDS.filter((product) => product !== only?.target.product);
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
