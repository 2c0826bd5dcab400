import type { Brief, Compared } from '../../domain/briefing.ts';
import { type Day, formatDays } from '../../domain/calendar.ts';
import { formatPercent, type Money, ZERO } from '../../domain/money.ts';
import { runwayText } from '../../domain/runway-text.ts';
import type { Change, Usage } from '../../domain/usage.ts';
import { barChart, type Chart } from '../../slack/kit/chart.ts';
import { escapeMarkup } from '../../slack/kit/escape.ts';
import { type Answered, headlineOf, moneyOf } from './figures.ts';

type Write = (value: Money) => string;

/** `▲ 12.4 % on the average of 13–19 Nov, 26,574.00 a day (6 of 7 days reported)` */
export function mainLine(one: Answered, { main }: Brief, isBeside = false): string {
  const { main: usage, change } = one.briefing;
  const money = moneyOf(one);
  const spent = isBeside ? [`*Spent ${main.window.label}* ${totalText(usage, money)}`] : [];
  const bonuses =
    usage.bonuses.readable > 0 && !usage.bonuses.value.eq(ZERO)
      ? [`bonuses ${money(usage.bonuses.value)}`]
      : [];
  return [...spent, ...changeText(change, main, one), ...bonuses].join(' · ');
}

/** `This month so far 512,000.00 · 1–20 Nov · ▼ 3.1 % on 1–20 Oct` */
export function monthLine(one: Answered, { month, today }: Brief): string {
  const { month: usage, monthChange } = one.briefing;
  const money = moneyOf(one);
  const isOver = month.window.days.at(-1)?.slice(0, 7) !== today.slice(0, 7);
  const name = isOver ? 'Last month' : 'This month so far';
  return [
    `*${name}* ${totalText(usage, money)}`,
    month.window.label,
    ...changeText(monthChange, month, one),
  ].join(' · ');
}

export function balanceLine(one: Answered): string {
  const { balance, briefing } = one;
  const money = moneyOf(one);
  if (typeof balance === 'string') return `*Balance unknown*: ${escapeMarkup(balance)}`;
  const bonuses = 'value' in balance.bonuses ? [`bonuses ${money(balance.bonuses.value)}`] : [];
  const lasts = briefing.runway === undefined ? [] : [runwayText(briefing.runway, money)];
  return [`*${escapeMarkup(headlineOf(one, 'left'))}*`, ...bonuses, ...lasts].join(' · ');
}

function totalText({ total }: Usage, money: Write): string {
  return total.readable === 0
    ? 'nothing reported yet'
    : `${money(total.value)}${total.incomplete ? ' (incomplete)' : ''}`;
}

/** Averages stand beside averages and totals beside totals; where the days are not all there, it says how many are. */
function changeText(change: Change | undefined, { window, before }: Compared, one: Answered): string[] {
  if (change === undefined)
    return before.days.length === 0 ? [] : [`nothing to compare with in ${before.label}`];
  const { percent, basis, reported, of } = change;
  const isAverage =
    basis === 'average' || (before.days.length > window.days.length && window.days.length === 1);
  const against = `${isAverage ? 'the average of ' : ''}${before.label}, ${moneyOf(one)(change.before)}${isAverage ? ' a day' : ''}`;
  const parts = [
    ...(reported.current < of.current ? [`${reported.current} of ${of.current} days`] : []),
    ...(reported.before < of.before ? [`${reported.before} of ${of.before} days before`] : []),
  ];
  const rests = parts.length === 0 ? '' : ` (${parts.join(' and ')} reported)`;
  if (percent === undefined) return [`${against}${rests}`];
  return [`*${formatPercent(percent, one.locale)}* ${percent.eq(ZERO) ? 'from' : 'on'} ${against}${rests}`];
}

/** A bar for each reported day; a missing one leaves its place out. Drawn from rounded figures. */
export function chart({ briefing: { charted } }: Answered): Chart | undefined {
  const bars = charted.rows.flatMap(({ day, amount }) =>
    day !== undefined && 'value' in amount
      ? [{ label: formatDays(day, day, day.slice(0, 4)), value: Number(amount.value.toFixed(2)) }]
      : [],
  );
  return bars.length < 2 ? undefined : barChart('Spent per day', 'Spent', bars);
}

/** What a reader must know to trust the figures. */
export function notes({ briefing: { main, strays } }: Answered, { main: { window } }: Brief): string[] {
  const { missing, unreadableDays, total, fullDays, reported } = main;
  return [
    ...(missing.length > 0
      ? [
          `${reported.length} of ${fullDays} ${fullDays === 1 ? 'day' : 'days'} reported: nothing for ${list(missing, window.label)} yet (not counted as zero).`,
        ]
      : []),
    ...(unreadableDays.length > 0 ? [`No readable amount for ${list(unreadableDays, window.label)}.`] : []),
    ...(total.incomplete ? ['The total is incomplete: not every amount could be read.'] : []),
    ...(strays > 0
      ? [
          `${strays} ${strays === 1 ? 'row' : 'rows'} of the service for no day asked about: in none of these figures.`,
        ]
      : []),
  ];
}

const SHOWN = 5;

function list(days: readonly Day[], whole: string): string {
  if (days.length === 1 && days[0] !== undefined) return formatDays(days[0], days[0], whole.slice(-4));
  const names = days.slice(0, SHOWN).map((day) => formatDays(day, day, day.slice(0, 4)));
  const more = days.length - names.length;
  return more > 0 ? `${names.join(', ')} and ${more} more` : names.join(', ');
}
