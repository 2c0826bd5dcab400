import { type Money, moneyFormatter } from '../../domain/money/amount.ts';
import {
  bySoonestEnd,
  daysLeft,
  formatBalance,
  formatBonuses,
  formatRunwayBasis,
  formatRunwayLine,
  formatRunwayShort,
  isRunningOut,
  type Outlook,
} from '../../domain/money/runway.ts';
import { PRODUCTS } from '../../domain/product.ts';
import { commandButton, commandOption } from '../../slack/commands/command-buttons.ts';
import { askedText } from '../../slack/commands/project-answers.ts';
import { runningOutLine, severalTitle } from '../../slack/commands/project-table.ts';
import { escapeMarkup, type Message } from '../../slack/kit/blocks.ts';
import {
  type AnswerView,
  answerActions,
  renderAnswer,
  renderListAnswer,
  sourceOf,
} from '../../slack/reply/render-answer.ts';
import type { BalanceFigures } from './figures.ts';

type BalanceView = AnswerView<BalanceFigures>;

/** What projects have left and how long it lasts. */
export function balanceMessage(view: BalanceView): Message {
  const [only] = view.answered;
  return view.projects.isList || only === undefined ? listMessage(view) : projectMessage(only, view);
}

function projectMessage(figures: BalanceFigures, view: BalanceView): Message {
  const { target, balance, bonuses, runway, remarks } = figures;
  const left = formatBalance(balance, moneyFormatter(view.locale, target.currency));
  const title = `${target.label} · ${left}`;
  const money = moneyFormatter(view.locale);
  const isKnown = typeof runway !== 'string';
  return renderAnswer(view, {
    title,
    text: `${title}, ${PRODUCTS[target.product].name}`,
    lines: [isKnown ? formatRunwayLine(runway, money) : `Runway unknown: ${escapeMarkup(runway)}`],
    body: [],
    remarks,
    facts: [
      ...(isKnown ? [formatRunwayBasis(runway, money)] : []),
      formatBonuses(bonuses, money),
      ...sourceOf(figures),
    ],
    notes: [],
    buttons: buttons(view),
  });
}

/** What all have left and which runs out first, then a row a project, the soonest first. */
function listMessage(view: BalanceView): Message {
  const { answered, locale } = view;
  const title = severalTitle(view, leftOf, locale, { verb: 'left' });
  const sorted = answered.toSorted((a, b) => bySoonestEnd(outlookOf(a), outlookOf(b)));
  return renderListAnswer(view, {
    title,
    text: title,
    sorted,
    lines: [runsOutFirst(sorted)],
    columns: [
      {
        title: 'Left',
        cell: (figures) => {
          const money = moneyFormatter(locale, figures.target.currency);
          const left = leftOf(figures);
          return left === undefined ? formatBalance(figures.balance, money) : money(left);
        },
      },
      {
        title: 'Lasts',
        cell: ({ runway }) => (typeof runway === 'string' ? 'unknown' : formatRunwayShort(runway)),
      },
    ],
    facts: answered.length === 0 ? [] : ['runway at the average of the last 7 days'],
    buttons: buttons(view),
  });
}

const leftOf = ({ balance }: BalanceFigures): Money | undefined =>
  'value' in balance ? balance.value : undefined;

function outlookOf(figures: BalanceFigures): Outlook {
  const left = leftOf(figures);
  const { runway } = figures;
  if (typeof runway === 'string') return { overdrawn: false, left, days: undefined };
  return { overdrawn: runway.kind === 'overdrawn', left, days: daysLeft(runway) };
}
/** A warning about projects that last less than 14 days, else the project that runs out first. The table says how long. */
function runsOutFirst(sorted: readonly BalanceFigures[]): string {
  const soon = sorted.filter(({ runway }) => typeof runway !== 'string' && isRunningOut(runway));
  if (soon.length > 0) return runningOutLine(soon);
  const first = sorted.find(({ runway }) => typeof runway !== 'string' && runway.kind === 'estimate');
  return first === undefined || sorted.length < 2
    ? ''
    : `*${escapeMarkup(first.target.label)}* runs out first`;
}

function buttons(view: BalanceView) {
  const { projects } = view;
  const spent = (phrase: string) => ({ command: '/spend', text: askedText(projects, phrase) }) as const;
  return answerActions(view, {
    link: { command: '/balance', text: askedText(projects) },
    before: commandButton('spend', 'Spend', spent('last-7-days')),
    more: [commandOption('This month so far', spent('this-month'))],
    report: 'balance',
    watch: 'balance',
  });
}
