import type { Briefing } from '../../domain/briefing.ts';
import { type Amount, formatMoney, type Money } from '../../domain/money.ts';
import type { Target } from '../../workspace/target.ts';

/** What is known of one project when a post goes out. */
export interface Answered {
  readonly target: Target;
  readonly briefing: Briefing;
  /** BCP 47, the workspace's: posts are for everybody. */
  readonly locale: string;
  /** A sentence where the balance could not be had. */
  readonly balance: { readonly balance: Amount; readonly bonuses: Amount } | string;
}

/** A project that could not be answered, and the failure that says why. */
export interface Unanswered {
  readonly label: string;
  readonly failure: Error;
}

/** Which figure comes first. */
export type Headline = 'spent' | 'left';

export const moneyOf =
  ({ target, locale }: Answered) =>
  (value: Money): string =>
    formatMoney(value, locale, target.currency);

/** The one number that matters; undefined where there is none. */
export function amountOf({ balance, briefing }: Answered, headline: Headline): Money | undefined {
  const { total } = briefing.main;
  if (headline === 'spent') return total.readable === 0 ? undefined : total.value;
  return typeof balance !== 'string' && 'value' in balance.balance ? balance.balance.value : undefined;
}

export function headlineOf(one: Answered, headline: Headline): string {
  if (headline === 'left') return leftText(one);
  const { total, fullDays } = one.briefing.main;
  if (total.readable === 0) return fullDays === 1 ? 'not reported yet' : 'nothing reported yet';
  return `${moneyOf(one)(total.value)} spent${total.incomplete ? ' (incomplete)' : ''}`;
}

function leftText(one: Answered): string {
  const { balance } = one;
  if (typeof balance === 'string') return 'balance unknown';
  if ('unreadable' in balance.balance) return `unreadable balance (${balance.balance.unreadable})`;
  const { value } = balance.balance;
  const money = moneyOf(one);
  return value.lt(0) ? `${money(value.abs())} overdrawn` : `${money(value)} left`;
}
