import type { Amount, Money } from '../../domain/money/amount.ts';
import { formatBalance, formatBonuses } from '../../domain/money/balance-text.ts';
import type { Runway } from '../../domain/money/runway.ts';
import { formatRunway } from '../../domain/money/runway-text.ts';
import { PRODUCT_IDS, PRODUCTS, type ProductId } from '../../domain/product.ts';
import { type AnswerDetails, moneyFormatter, renderAnswer } from '../../slack/answer-message.ts';
import {
  commandButton,
  commandOption,
  nameOption,
  scheduleOption,
  shareButton,
} from '../../slack/command-buttons.ts';
import { actions, type Message, markup, overflow } from '../../slack/kit/atoms.ts';
import { escapeMarkup } from '../../slack/kit/escape.ts';

/** Everything an answer to `/balance` says. */
export interface BalanceReport extends AnswerDetails {
  readonly balance: Amount;
  readonly bonuses: Amount;
  /** A sentence where the week behind the runway could not be had. */
  readonly runway: Runway | string;
}

export function balanceMessage(report: BalanceReport): Message {
  const money = moneyFormatter(report);
  return renderAnswer(report, {
    headline: formatBalance(report.balance, money),
    body: [markup(`${escapeMarkup(formatBonuses(report.bonuses, money))} · ${lasts(report, money)}`)],
    buttons: buttons(report),
  });
}

function lasts({ runway }: BalanceReport, money: (value: Money) => string): string {
  if (typeof runway === 'string') return `runway unknown: ${escapeMarkup(runway)}`;
  return formatRunway(runway, money);
}

function buttons({ target, mayName, asked }: BalanceReport) {
  const { word, product } = target;
  const words = (as: ProductId) => `${word} ${PRODUCTS[as].word}`;
  return actions(
    ...commandButton('spend', 'Spend, last 7 days', {
      command: '/spend',
      text: `${word} last-7-days ${PRODUCTS[product].word}`,
    }),
    ...shareButton({ command: '/balance', text: words(product) }, asked),
    overflow('rerun:more', [
      ...PRODUCT_IDS.filter((id) => id !== product).map((id) =>
        commandOption(`As ${PRODUCTS[id].name}`, { command: '/balance', text: words(id) }),
      ),
      ...(mayName ? [nameOption(target)] : []),
      scheduleOption(target, 'balance'),
    ]),
  );
}
