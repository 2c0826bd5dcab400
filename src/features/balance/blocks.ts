import type { Amount } from '../../domain/money.ts';
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
  return reportMessage(report, {
    headline: headline(report),
    body: [markup(`${bonuses(report)} · ${lasting(report)}`)],
    buttons: buttons(report),
  });
}

function headline(report: BalanceReport): string {
  const { balance } = report;
  const money = moneyOf(report);
  if ('unreadable' in balance) return `unreadable balance (${balance.unreadable})`;
  return balance.value.lt(0) ? `${money(balance.value.abs())} overdrawn` : `${money(balance.value)} left`;
}

function bonuses(report: BalanceReport): string {
  const { bonuses: credit } = report;
  if ('unreadable' in credit) return `Bonuses not readable (${escapeMarkup(credit.unreadable)})`;
  return `Bonuses ${moneyOf(report)(credit.value)}`;
}

function lasting(report: BalanceReport): string {
  const { runway } = report;
  if (typeof runway === 'string')
    return `runway unknown, because the last 7 days could not be read: ${escapeMarkup(runway)}`;
  return runwayText(runway, moneyOf(report));
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
