import { formatMoney, type Money } from '../../domain/money/amount.ts';
import type { Runway } from '../../domain/money/runway.ts';
import { formatBalance, formatRunwayShort, isRunningOut } from '../../domain/money/runway-text.ts';
import { PRODUCTS, type ProductId } from '../../domain/product.ts';
import {
  commandButton,
  commandOption,
  outputOptions,
  scheduleOption,
  shareButton,
} from '../../slack/commands/command-buttons.ts';
import {
  failedNotes,
  failedRows,
  type ProjectAnswers,
  productNames,
  severalTitle,
} from '../../slack/commands/several-projects.ts';
import { actions, escapeMarkup, type Message } from '../../slack/kit/atoms.ts';
import { table } from '../../slack/kit/rich-blocks.ts';
import { type AnswerDetails, moreMenu, renderAnswer } from '../../slack/reply/answer-message.ts';
import {
  listWord,
  type ResolvedProject,
  type SeveralProjects,
} from '../../workspace/projects/resolve-project.ts';
import type { BalanceFigures } from './figures.ts';

/** Everything an answer to `/balance` about several projects says. */
export interface SeveralBalances extends AnswerDetails, ProjectAnswers<BalanceFigures> {
  readonly several: SeveralProjects;
  /** As it was typed; undefined when each project has its own. */
  readonly product: ProductId | undefined;
}

/** What all have left and which runs out first, then a row a project, the soonest first; one that failed says why. */
export function severalBalancesMessage(report: SeveralBalances): Message {
  const { answered, failed, locale } = report;
  const title = severalTitle(report, leftOf, locale, { verb: 'left' });
  const { nameOf, facts } = productNames(answered);
  return renderAnswer(report, {
    title,
    text: title,
    lines: [runsOutFirst(report)],
    body: [table(rowsOf(report, nameOf))],
    remarks: answered.flatMap(({ remarks }) => remarks).slice(0, 5),
    facts: ['runway at the average of the last 7 days', ...facts],
    notes: failedNotes(failed),
    buttons: buttons(report),
  });
}

const leftOf = ({ balance }: BalanceFigures): Money | undefined =>
  'value' in balance ? balance.value : undefined;

/** In days; what has no estimate comes after what has one, and what is overdrawn first of all. */
function urgency({ runway }: BalanceFigures): number {
  if (typeof runway === 'string') return Number.MAX_SAFE_INTEGER;
  if (runway.kind === 'overdrawn') return -1;
  return runway.kind === 'estimate' ? runway.days : Number.MAX_SAFE_INTEGER - 1;
}

const sorted = ({ answered }: SeveralBalances): readonly BalanceFigures[] =>
  answered.toSorted((a, b) => urgency(a) - urgency(b));

const isEstimate = (runway: Runway | string): runway is Runway & { kind: 'estimate' } =>
  typeof runway !== 'string' && runway.kind === 'estimate';

/** The projects under 14 days with a warning, else the one that runs out first. The table has how long. */
function runsOutFirst(report: SeveralBalances): string {
  const all = sorted(report);
  const urgent = all.filter(({ runway }) => typeof runway !== 'string' && isRunningOut(runway));
  const names = (some: readonly BalanceFigures[]) =>
    escapeMarkup(some.map(({ target }) => target.label).join(', '));
  if (urgent.length > 0) return `:warning: *Under 14 days or overdrawn: ${names(urgent)}*`;
  const [first] = all.filter(({ runway }) => isEstimate(runway));
  return first === undefined || all.length < 2 ? '' : `*${names([first])}* runs out first`;
}

function rowsOf(report: SeveralBalances, nameOf: (target: ResolvedProject) => string): string[][] {
  const header = ['Project', 'Left', 'Lasts'];
  return [
    header,
    ...sorted(report).map((one) => {
      const { target, balance, runway } = one;
      const value = leftOf(one);
      const money = (amount: Money) => formatMoney(amount, report.locale, target.currency);
      return [
        nameOf(target),
        value === undefined ? formatBalance(balance, money) : money(value),
        typeof runway === 'string' ? 'unknown' : formatRunwayShort(runway),
      ];
    }),
    ...failedRows(report.failed, header),
  ];
}

function buttons({ several, product, asked, byline }: SeveralBalances) {
  const ending = product === undefined ? '' : ` ${PRODUCTS[product].word}`;
  const word = listWord(several);
  return actions(
    ...commandButton('spend', 'Spend', { command: '/spend', text: `${word} last-7-days${ending}` }),
    ...(byline === undefined ? shareButton({ command: '/balance', text: `${word}${ending}` }, asked) : []),
    ...moreMenu([
      commandOption('This month so far', { command: '/spend', text: `${word} this-month${ending}` }),
      ...outputOptions({ command: '/balance', text: `${word}${ending}` }),
      scheduleOption({ word, product }, 'balance'),
    ]),
  );
}
