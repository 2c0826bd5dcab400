import { bonusesText } from '../../domain/balance-text.ts';
import type { Brief, Window } from '../../domain/briefing.ts';
import { type Day, formatDays } from '../../domain/calendar.ts';
import { formatPercent, type Money, roundedDigits, ZERO } from '../../domain/money.ts';
import { runwayText } from '../../domain/runway-text.ts';
import { counted } from '../../domain/text.ts';
import type { Change, Usage } from '../../domain/usage.ts';
import { usageNotes } from '../../domain/usage-text.ts';
import { barChart, type Chart } from '../../slack/kit/chart.ts';
import { escapeMarkup } from '../../slack/kit/escape.ts';
import { type Answered, leftText, moneyOf, shortly } from './figures.ts';

type Write = (value: Money) => string;

/** `▲ 1.9 % on 13–19 Nov (30,114.32 a day, 6 of 7 days reported)`; of several days their average and highest as well. */
export function mainLine(one: Answered, { main, today }: Brief): string {
  const { main: usage, change } = one.briefing;
  const money = moneyOf(one);
  const { average, highest, bonuses } = usage;
  const isOneDay = main.window.days.length === 1;
  return [
    ...(isOneDay || average === undefined ? [] : [`*${money(average)}* a day`]),
    ...changeWords(change, main.before, one),
    ...(isOneDay || highest === undefined || usage.reported.length < 2
      ? []
      : [`highest ${dayName(today)(highest.day)}, ${money(highest.value)}`]),
    ...(bonuses.readable > 0 && !bonuses.value.eq(ZERO) ? [`bonuses ${money(bonuses.value)}`] : []),
  ].join(' · ');
}

/** `Spent on Fri 20 Nov 150.00 · ▲ 1.9 % on …`: where another figure comes first. */
export const spentLine = (one: Answered, brief: Brief): string =>
  [
    `*Spent ${shortly(brief.main.window, brief.today)}* ${totalText(one.briefing.main, moneyOf(one))}`,
    mainLine(one, brief),
  ]
    .filter(Boolean)
    .join(' · ');

/** `This month 519,871.04 (1–20 Nov, 19 of 20 days reported) · ▼ 0.2 % a day on 1–20 Oct` */
export function monthLine(one: Answered, { month, today }: Brief): string {
  const { month: usage, monthChange } = one.briefing;
  const money = moneyOf(one);
  const covers = [month.window.label, ...coverage(usage.reported.length, usage.fullDays)];
  return [
    `*${monthName(month.window, today)}* ${totalText(usage, money)} (${covers.join(', ')})`,
    ...changeWords(monthChange, month.before, one, true),
  ].join(' · ');
}

/** On a month's first day the month that is over. */
export const monthName = ({ days }: Window, today: Day): string =>
  days.at(-1)?.slice(0, 7) === today.slice(0, 7) ? 'This month' : 'Last month';

/** `1,234.00 left · bonuses 12.00 · about 41 days …` @param isHeadline what is left stands above already */
export function balanceLine(one: Answered, isHeadline = false): string {
  const { balance, briefing } = one;
  const money = moneyOf(one);
  if (typeof balance === 'string') return `*Balance unknown*: ${escapeMarkup(balance)}`;
  const bonuses = escapeMarkup(bonusesText(balance.bonuses, money));
  const hasBonuses = !('value' in balance.bonuses && balance.bonuses.value.eq(ZERO));
  return [
    ...(isHeadline ? [bonuses] : [`*${escapeMarkup(leftText(one))}*`]),
    ...(isHeadline || !hasBonuses ? [] : [`b${bonuses.slice(1)}`]),
    ...(briefing.runway === undefined ? [] : [runwayText(briefing.runway, money)]),
  ].join(' · ');
}

function totalText({ total }: Usage, money: Write): string {
  return total.readable === 0
    ? 'nothing reported yet'
    : `${money(total.value)}${total.incomplete ? ' (incomplete)' : ''}`;
}

/**
 * By the day, so that one day stands beside a week and 31 days beside 30.
 * @param isBrief without the amount it is compared with
 */
export function changeWords(
  change: Change | undefined,
  before: Window,
  one: Answered,
  isBrief = false,
): string[] {
  if (change === undefined)
    return before.days.length === 0 ? [] : [`nothing to compare with in ${before.label}`];
  const { percent, daily, reported, of } = change;
  const isShort = isBrief && percent !== undefined;
  const rests = [
    ...(isShort ? [] : [`${moneyOf(one)(daily.before)} a day`]),
    ...coverage(reported.before, of.before),
  ];
  const against = rests.length === 0 ? before.label : `${before.label} (${rests.join(', ')})`;
  if (percent === undefined) return [`before: ${against}`];
  if (percent.eq(ZERO)) return [`*unchanged* from ${against}`];
  return [`*${formatPercent(percent, one.locale)}*${isShort ? ' a day' : ''} on ${against}`];
}

/** Said only where days are missing. */
const coverage = (reported: number, of: number): string[] =>
  reported < of ? [`${reported} of ${counted(of, 'day')} reported`] : [];

/** A bar for each reported day; a missing one leaves its place out. Drawn from rounded figures. */
export function chart({ briefing: { charted } }: Answered): Chart | undefined {
  const bars = charted.rows.flatMap(({ day, amount }) =>
    day !== undefined && 'value' in amount
      ? [{ label: dayName(day)(day), value: Number(roundedDigits(amount.value)) }]
      : [],
  );
  return bars.length < 2 ? undefined : barChart('Spent per day', 'Spent', bars);
}

/** What a reader must know to trust the figures. */
export const notes = ({ briefing: { main, strays } }: Answered, { today }: Brief): string[] => [
  ...usageNotes(main, dayName(today)),
  ...(strays > 0
    ? [
        `${counted(strays, 'row')} from the billing service ${strays === 1 ? 'belongs to no day of this post and is' : 'belong to no day of this post and are'} left out.`,
      ]
    : []),
];

/** Names days without the year of `near`. */
const dayName =
  (near: Day) =>
  (day: Day): string =>
    formatDays(day, day, near.slice(0, 4));
