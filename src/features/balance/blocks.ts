import { formatMoney, type Money } from '../../domain/money/amount.ts';
import {
  formatBalance,
  formatBonuses,
  formatRunwayBasis,
  formatRunwayLine,
} from '../../domain/money/runway-text.ts';
import { PRODUCTS } from '../../domain/product.ts';
import {
  commandButton,
  commandOption,
  nameButton,
  outputOptions,
  scheduleOption,
  shareButton,
  watchOption,
} from '../../slack/commands/command-buttons.ts';
import { actions, escapeMarkup, type Message } from '../../slack/kit/atoms.ts';
import {
  answerTitle,
  moneyFormatter,
  moreMenu,
  type ProjectAnswer,
  renderAnswer,
  sourceOf,
} from '../../slack/reply/answer-message.ts';
import type { BalanceFigures } from './figures.ts';

/** Everything an answer to `/balance` says. */
export type BalanceReport = ProjectAnswer & Omit<BalanceFigures, 'connection'>;

export function balanceMessage(report: BalanceReport): Message {
  const { target, balance, bonuses, runway, remarks, locale } = report;
  const title = answerTitle(report, formatBalance(balance, moneyFormatter(report)));
  const money = (value: Money) => formatMoney(value, locale);
  const isKnown = typeof runway !== 'string';
  return renderAnswer(report, {
    title,
    text: `${title}, ${PRODUCTS[target.product].name}`,
    lines: [isKnown ? formatRunwayLine(runway, money) : `Runway unknown: ${escapeMarkup(runway)}`],
    body: [],
    remarks,
    facts: [
      ...(isKnown ? [formatRunwayBasis(runway, money)] : []),
      formatBonuses(bonuses, money),
      ...sourceOf(report),
    ],
    notes: [],
    buttons: buttons(report),
  });
}

function buttons({ target, mayName, asked, byline }: BalanceReport) {
  const { word, product } = target;
  const text = `${word} ${PRODUCTS[product].word}`;
  return actions(
    ...commandButton('spend', 'Spend', {
      command: '/spend',
      text: `${word} last-7-days ${PRODUCTS[product].word}`,
    }),
    ...(byline === undefined ? shareButton({ command: '/balance', text }, asked) : []),
    ...(mayName ? nameButton(target) : []),
    ...moreMenu([
      commandOption('This month so far', {
        command: '/spend',
        text: `${word} this-month ${PRODUCTS[product].word}`,
      }),
      ...outputOptions({ command: '/balance', text }),
      scheduleOption(target, 'balance'),
      watchOption(target, 'balance'),
    ]),
  );
}
