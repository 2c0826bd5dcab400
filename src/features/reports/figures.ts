import { balanceText } from '../../domain/balance-text.ts';
import type { Brief, Briefing, Window } from '../../domain/briefing.ts';
import { formatDays } from '../../domain/calendar.ts';
import { type Amount, formatMoney, type Money } from '../../domain/money.ts';
import type { Remark } from '../../domain/remark.ts';
import type { Target } from '../../workspace/target.ts';

/** What is known of one project when a post goes out. */
export interface Answered {
  readonly target: Target;
  readonly briefing: Briefing;
  /** BCP 47, the workspace's: posts are for everybody. */
  readonly locale: string;
  /** A sentence where the balance could not be had. */
  readonly balance: { readonly balance: Amount; readonly bonuses: Amount } | string;
  /** What the service said beside its figures. */
  readonly remarks: readonly Remark[];
}

/** A project that could not be answered, and the failure that says why. */
export interface Unanswered {
  /** `<project id>:<product>` */
  readonly project: string;
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

/** `30,677.33 spent on Fri 20 Nov`: a post that is late, or read later, still says which day it means. */
export function headlineOf(one: Answered, headline: Headline, brief: Brief): string {
  if (headline === 'left') return leftText(one);
  const { total } = one.briefing.main;
  if (total.readable === 0) return `nothing reported for ${shortly(brief.main.window, brief.today)} yet`;
  return `${moneyOf(one)(total.value)} spent ${whenOf(brief)}${total.incomplete ? ' (incomplete)' : ''}`;
}

export function leftText(one: Answered): string {
  const { balance } = one;
  return typeof balance === 'string' ? 'balance unknown' : balanceText(balance.balance, moneyOf(one));
}

/** `on Fri 20 Nov`, `9–15 Nov` */
export const whenOf = ({ main, today }: Brief): string =>
  `${main.window.days.length === 1 ? 'on ' : ''}${shortly(main.window, today)}`;

/** The days without a year that goes without saying. */
export function shortly({ days, label }: Window, today: string): string {
  const [first, last] = [days[0], days.at(-1)];
  return first === undefined || last === undefined ? label : formatDays(first, last, today.slice(0, 4));
}

/** Whether a post is about the month anyway, which then needs no line of its own. */
export const isOfMonth = ({ main, month }: Brief): boolean =>
  main.window.days.length === month.window.days.length && main.window.days[0] === month.window.days[0];
