import { bonusesText } from '../../domain/balance-text.ts';
import type { Brief, Window } from '../../domain/briefing.ts';
import { type Day, formatDays } from '../../domain/calendar.ts';
import { type Change, isWhole } from '../../domain/comparison.ts';
import { formatPercent, type Money, roundedDigits, ZERO } from '../../domain/money.ts';
import { remarkLead } from '../../domain/remark.ts';
import { runwayText } from '../../domain/runway-text.ts';
import type { Usage } from '../../domain/usage.ts';
import { coverageOfBoth, coverageText, usageNotes } from '../../domain/usage-text.ts';
import { barChart, type Chart } from '../../slack/kit/chart.ts';
import { escapeMarkup } from '../../slack/kit/escape.ts';
import { type Answered, leftText, moneyOf, shortly } from './figures.ts';

type Write = (value: Money) => string;

/** `▲ 1.9 % vs 13–19 Nov (30,114.32 a day; now 7 of 7 days reported; then 6 of 7 days reported)`; of several days their average and highest as well. */
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
    ...(bonuses.incomplete || !bonuses.value.eq(ZERO)
      ? [`bonuses ${money(bonuses.value)}${bonuses.incomplete ? ' (incomplete)' : ''}`]
      : []),
  ].join(' · ');
}

/** `Spent on Fri 20 Nov 150.00 · ▲ 1.9 % vs …`: where another figure comes first. */
export const spentLine = (one: Answered, brief: Brief): string =>
  [
    `*Spent ${shortly(brief.main.window, brief.today)}* ${totalText(one.briefing.main, moneyOf(one))}`,
    mainLine(one, brief),
  ]
    .filter(Boolean)
    .join(' · ');

/** `This month 519,871.04 (1–20 Nov, 19 of 20 days reported) · ▼ 0.2 % a day vs 1–20 Oct (20 of 20 days reported)` */
export function monthLine(one: Answered, { month, today }: Brief): string {
  const { month: usage, monthChange } = one.briefing;
  const money = moneyOf(one);
  return [
    `*${monthName(month.window, today)}* ${totalText(usage, money)} (${coveredDays(month.window, monthChange)})`,
    ...changeWords(monthChange, month.before, one, true),
  ].join(' · ');
}

/** `1–20 Nov, 19 of 20 days reported` */
export const coveredDays = ({ label }: Window, change: Change | undefined): string =>
  change === undefined || isWhole(change) ? label : `${label}, ${coverageText(change.coverage.current)}`;

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
 * @param isBrief without the amount it is compared with; the coverage of the current days is said already
 */
export function changeWords(
  change: Change | undefined,
  before: Window,
  one: Answered,
  isBrief = false,
): string[] {
  if (change === undefined) return [];
  const { figures, coverage } = change;
  const covered = isWhole(change) ? '' : isBrief ? coverageText(coverage.before) : coverageOfBoth(change);
  if (figures === undefined)
    return [`no comparison with ${before.label} (${covered || coverageOfBoth(change)})`];
  const { percent, daily } = figures;
  const isShort = isBrief && percent !== undefined;
  const amount = `${moneyOf(one)(daily.before)}${before.days.length === 1 ? '' : ' a day'}`;
  const rests = [...(isShort ? [] : [amount]), covered].filter(Boolean).join('; ');
  const against = rests === '' ? before.label : `${before.label} (${rests})`;
  if (percent === undefined) return [`before: ${against}`];
  const isSame = percent.eq(ZERO);
  return [`*${formatPercent(percent, one.locale)}*${isShort && !isSame ? ' a day' : ''} vs ${against}`];
}

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
export const notes = (one: Answered, { today }: Brief): string[] => [
  ...usageNotes(one.briefing.main, dayName(today)),
  ...(one.briefing.strays > 0
    ? [
        one.briefing.strays === 1
          ? '1 row from the billing service belongs to no day of this post and is left out.'
          : `${one.briefing.strays} rows from the billing service belong to no day of this post and are left out.`,
      ]
    : []),
  ...remarkNotes(one),
];

/** `The billing service reported a problem with the balance: “…”`: outside text, no mark-up. */
export const remarkNotes = ({ remarks }: Answered): string[] =>
  remarks.map((remark) => `${remarkLead(remark)} ${remark.messages.map((said) => `“${said}”`).join(', ')}`);

/** Names days without the year of `near`. */
const dayName =
  (near: Day) =>
  (day: Day): string =>
    formatDays(day, day, near.slice(0, 4));
