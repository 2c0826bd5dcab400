import { balanceText, bonusesText } from '../../domain/balance-text.ts';
import type { Amount, Money } from '../../domain/money.ts';
import { PRODUCT_IDS, PRODUCTS, type ProductId } from '../../domain/product.ts';
import type { Runway } from '../../domain/runway.ts';
import { runwayText } from '../../domain/runway-text.ts';
import { actions, type Message, markup, overflow } from '../../slack/kit/atoms.ts';
import { escapeMarkup } from '../../slack/kit/escape.ts';
import { moneyOf, type Report, reportMessage } from '../../slack/report.ts';
import { nameOption, rerunButton, rerunOption, scheduleOption, shareButton } from '../../slack/rerun.ts';

/** Everything an answer to `/balance` says. */
export interface BalanceReport extends Report {
  readonly balance: Amount;
  readonly bonuses: Amount;
  /** A sentence where the week behind the runway could not be had. */
  readonly runway: Runway | string;
}

export function balanceMessage(report: BalanceReport): Message {
  const money = moneyOf(report);
  return reportMessage(report, {
    headline: balanceText(report.balance, money),
    body: [markup(`${escapeMarkup(bonusesText(report.bonuses, money))} · ${lasts(report, money)}`)],
    buttons: buttons(report),
  });
}

function lasts({ runway }: BalanceReport, money: (value: Money) => string): string {
  if (typeof runway === 'string') return `runway unknown: ${escapeMarkup(runway)}`;
  return runwayText(runway, money);
}

function buttons({ target, mayName, asked }: BalanceReport) {
  const { word, product } = target;
  const words = (as: ProductId) => `${word} ${PRODUCTS[as].word}`;
  return actions(
    ...rerunButton('spend', 'Spend, last 7 days', {
      command: '/spend',
      text: `${word} last-7-days ${PRODUCTS[product].word}`,
    }),
    ...shareButton({ command: '/balance', text: words(product) }, asked),
    overflow('rerun:more', [
      ...PRODUCT_IDS.filter((id) => id !== product).map((id) =>
        rerunOption(`As ${PRODUCTS[id].name}`, { command: '/balance', text: words(id) }),
      ),
      ...(mayName ? [nameOption(target)] : []),
      scheduleOption(target, 'balance'),
    ]),
  );
}
