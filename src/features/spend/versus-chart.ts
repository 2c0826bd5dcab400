import { divide, type Money, sumMoney } from '../../domain/money/amount.ts';
import { reportedAmounts, type Usage } from '../../domain/money/usage.ts';
import { type Day, formatDays, formatRequestedDays } from '../../domain/time/calendar.ts';
import type { ComparisonWindow } from '../../domain/time/comparison-window.ts';
import { type PairedDays, pairDays } from '../../domain/time/day-groups.ts';
import { type Chart, SLACK_LIMITS } from '../../slack/kit/blocks.ts';
import { chart, chartValue, labelRoom, NO_DATA } from '../../slack/kit/charts.ts';

/** Some days of one period; none where it is the shorter one. */
interface Bar {
  readonly days: readonly Day[];
  readonly average: Money | undefined;
}

type BarPair = readonly [Bar, Bar];

/**
 * Two bars side by side, day 1 with day 1; averages a day of weeks, months … if a period is long. What is not reported
 * keeps its place without a bar, and its label says so.
 * @param before the usage of the days to compare with
 * @returns undefined if one of them has no reported day, or both are a single day
 */
export function versusChart(
  usage: Usage,
  before: Usage,
  { currentDays, days, requested }: ComparisonWindow,
): Chart | undefined {
  const paired = pairDays({ current: currentDays, before: days }, SLACK_LIMITS.chartPoints);
  const [amounts, amountsBefore] = [reportedAmounts(usage), reportedAmounts(before)];
  const pairs = paired.pairs.map(
    (pair): BarPair => [barOf(pair.current, amounts), barOf(pair.before, amountsBefore)],
  );
  const hasBar = (side: 0 | 1) => pairs.some((pair) => pair[side].average !== undefined);
  if (pairs.length < 2 || !hasBar(0) || !hasBar(1)) return undefined;
  const { labels, noData } = labelsOf(pairs, paired);
  const title = paired.unit === 'day' ? 'Spent per day' : `Average day, ${stepOf(paired)}`;
  const seriesOf = (side: 0 | 1, all: readonly Day[]) => ({
    name: nameOf(all, requested.today),
    values: pairs.map((pair) => (pair[side].average === undefined ? 0 : chartValue(pair[side].average))),
  });
  return chart('bar', noData === DASH ? `${title} (${DASH}: ${NO_DATA})` : title, labels, [
    seriesOf(0, currentDays),
    seriesOf(1, days),
  ]);
}

function barOf(days: readonly Day[], amounts: ReadonlyMap<Day, Money>): Bar {
  const values = days.flatMap((day) => amounts.get(day) ?? []);
  return { days, average: values.length === 0 ? undefined : divide(sumMoney(values), values.length) };
}

const stepOf = ({ unit, isCalendar, days }: PairedDays): string =>
  isCalendar || unit === 'week' ? `by ${unit}` : `by ${days / 7} weeks`;

/** `1–30 Sep 2025`; only the months of days in two years, which are too long for Slack. */
function nameOf(days: readonly Day[], today: Day | undefined): string {
  const [first = '', last = ''] = [days[0], days.at(-1)];
  const name = formatRequestedDays({ first, last, today });
  const monthOf = (day: Day) => formatDays(day, day).slice(6).trim();
  return name.length <= SLACK_LIMITS.chartLabel ? name : `${monthOf(first)} – ${monthOf(last)}`;
}

/** Replaces `no data` where there is no room for it; the title then says what it means. */
const DASH = '–';

/** The longest labels that fit and differ from each other. */
function labelsOf(pairs: readonly BarPair[], paired: PairedDays) {
  const isSilent = pairs.some((pair) => pair.some((bar) => bar.days.length > 0 && bar.average === undefined));
  const forms = [...(hasDates(paired) ? [dateOf] : []), ordinalOf].flatMap((label) =>
    (isSilent ? [NO_DATA, DASH] : ['']).map((noData) => ({
      noData,
      labels: pairs.map((pair, at) => labelOf(pair, (bar) => label(bar, paired, at), noData)),
    })),
  );
  const [shortest = { noData: '', labels: [] }] = forms.slice(-1);
  return forms.find(({ labels }) => hasRoom(labels)) ?? shortest;
}

/** Of the width: a chart with a legend is drawn smaller, to be as high as one without. */
const LEGEND_LEAVES = 0.9;

function hasRoom(labels: readonly string[]): boolean {
  const [longest = 0, next = 0] = labels.map(({ length }) => length).sort((a, b) => b - a);
  return (
    new Set(labels).size === labels.length &&
    longest <= SLACK_LIMITS.chartLabel &&
    (longest + next) / 2 <= LEGEND_LEAVES * labelRoom(labels.length)
  );
}

/** `1` of two months, `14 / 7`, `14 / no data`, `14 / 7: no data`; `31` where only one of the periods has such a day. */
function labelOf(pair: BarPair, label: (bar: Bar) => string, noData: string): string {
  const bars = pair.filter(({ days }) => days.length > 0);
  const join = (parts: readonly string[]) => [...new Set(parts)].join(' / ');
  if (bars.every(({ average }) => average === undefined))
    return `${join(bars.map(label))}${noData === DASH ? ' ' : ': '}${noData}`;
  return join(bars.map((bar) => (bar.average === undefined ? noData : label(bar))));
}

const hasDates = ({ unit, isCalendar }: PairedDays): boolean =>
  unit === 'day' || unit === 'week' || (isCalendar && unit !== 'quarter');

/** `1`, `1–7`, `Oct`, `2026`: the series have the rest of the date in their names. */
function dateOf({ days }: Bar, { unit }: PairedDays): string {
  const [first = '', last = ''] = [days[0], days.at(-1)];
  if (unit === 'year') return first.slice(0, 4);
  if (unit === 'month') return formatDays(first, first, first.slice(0, 4)).slice(-3);
  return [...new Set([first, last])].map((day) => Number(day.slice(8))).join('–');
}

function ordinalOf(_: Bar, { unit, isCalendar, days }: PairedDays, at: number): string {
  if (!isCalendar && unit !== 'week') return `Days ${at * days + 1}–${(at + 1) * days}`;
  return `${unit.charAt(0).toUpperCase()}${unit.slice(1)} ${at + 1}`;
}
