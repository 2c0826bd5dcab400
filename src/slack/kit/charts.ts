import { type Money, toRoundedDigits } from '../../domain/money/amount.ts';
import { comparedRows, periodRows, type Row } from '../../domain/money/rows.ts';
import type { Usage } from '../../domain/money/usage.ts';
import {
  type Day,
  daysBetween,
  endOfUnit,
  formatDays,
  formatRequestedDays,
  startOfUnit,
  type Unit,
} from '../../domain/time/calendar.ts';
import type { ComparisonWindow } from '../../domain/time/comparison-window.ts';
import { type PairedDays, pairDays } from '../../domain/time/day-groups.ts';
import { type Chart, clipText, SLACK_LIMITS } from './blocks.ts';

/** Fewer bars say no more than the line above them. */
const FEWEST_BARS = 4;

/** A bar: `short` is its label where there is little room, `value` undefined where nothing is reported. */
interface Bar {
  readonly label: string;
  readonly short: string;
  readonly value: Money | undefined;
  /** Part of a day. */
  readonly isSoFar?: boolean;
}

/**
 * A bar a day, or a week, month … if the period is long. What is not reported keeps its place without a bar. Weeks and the
 * like are averages a day unless each is whole and reported on every day: a part of a week is no week. Today's part is
 * labelled, a series of its own, and in no average.
 */
export function spendChart({
  usage,
  period,
}: {
  readonly usage: Usage;
  /** The days that were asked about, and today if it is one of them. */
  readonly period: {
    readonly days: readonly Day[];
    readonly today?: Day;
    readonly requested?: ComparisonWindow['requested'];
  };
}): Chart | undefined {
  const { unit, rows: all } = periodRows(usage, period, SLACK_LIMITS.chartPoints);
  const isTodayAlone = ({ current }: Row) => current?.days.every((day) => day === period.today) === true;
  const rows = unit === 'day' ? all : all.filter((row) => !isTodayAlone(row));
  const days = rows.flatMap(({ current }) => current?.days ?? []);
  // The days that have data may be few enough for smaller bars.
  if (unit !== 'day' && days.length < period.days.length && days.length > 0)
    return spendChart({ usage, period: { ...period, days } });
  const isTotal = rows.every(({ current }) => current && current.reported === daysInUnit(unit, current.days));
  const isOneMonth = new Set(days.map((day) => day.slice(0, 7))).size === 1;
  const bars = rows.map((row): Bar => {
    const { label, current } = row;
    const amount = current?.amount && 'value' in current.amount ? current.amount.value : undefined;
    const isSoFar = isTodayAlone(row);
    const value = isSoFar || (isTotal && current?.reported) ? amount : current?.average;
    const day = isOneMonth ? label.replace(/^(\w{3} \d+).*$/, '$1') : label.slice(4);
    return { ...shortened(unit === 'day' ? day : label), value, isSoFar };
  });
  const title =
    unit === 'day' ? 'Spent per day' : isTotal ? `Spent per ${unit}` : `Average a day, by ${unit}`;
  return barChart(
    title,
    ['Spent'],
    bars.map((bar) => [bar]),
  );
}

/** `14` of `Sat 14`, `28 Sep…` of a week. */
const shortened = (label: string) => ({
  label,
  short: label.replace(/^\w{3} (?=\d{1,2}(?!\d))/, '').replace(/ ?– .*/, '…'),
});

/** The calendar days of the unit that these are in, including those that were not asked about. */
function daysInUnit(unit: Unit, [first = '']: readonly Day[]): number {
  return daysBetween(startOfUnit(unit, first), endOfUnit(unit, first)) + 1;
}

/**
 * Two bars side by side, one of each period; averages a day of weeks, months … if a period is long. What only one of them
 * has is left out: it is absent, not zero.
 * @param before the usage of the days to compare with
 */
export function versusChart(usage: Usage, before: Usage, window: ComparisonWindow): Chart | undefined {
  const { currentDays, days } = window;
  const shared = pairDays({ current: currentDays, before: days }, Number.POSITIVE_INFINITY).pairs.filter(
    (pair) => pair.current.length > 0 && pair.before.length > 0,
  );
  const both = {
    currentDays: shared.flatMap(({ current }) => current),
    days: shared.flatMap((pair) => pair.before).sort(),
  };
  const { paired, rows } = comparedRows(usage, before, both, SLACK_LIMITS.chartPoints);
  const bars = rows.map(({ current, before: past }, at) =>
    [current, past].map(
      (cost): Bar => ({ ...partLabels(cost?.days ?? [], paired, at), value: cost?.average }),
    ),
  );
  const step = paired.isCalendar || paired.unit === 'week' ? paired.unit : `${paired.days / 7} weeks`;
  const title = paired.unit === 'day' ? 'Spent per day' : `Average a day, by ${step}`;
  return barChart(
    title,
    [currentDays, days].map((side) => seriesName(side, window)),
    bars,
  );
}

/** `16`, `1–7`, `Oct`, `2026`: the series have the rest of the date in their names. Else `Days 1–28`, `Quarter 1`. */
function partLabels(days: readonly Day[], { unit, isCalendar, days: step }: PairedDays, at: number) {
  const [first = '', last = ''] = [days[0], days.at(-1)];
  const dates = [...new Set([first, last])].map((day) => Number(day.slice(8))).join('–');
  const isDated = unit === 'day' || unit === 'week';
  const count = `${unit.charAt(0).toUpperCase()}${unit.slice(1)} ${at + 1}`;
  const short = isCalendar || unit === 'week' ? count : `Days ${at * step + 1}–${(at + 1) * step}`;
  const names = { year: first.slice(0, 4), month: formatDays(first, first, first.slice(0, 4)).slice(-3) };
  const name = isCalendar && (unit === 'year' || unit === 'month') ? names[unit] : short;
  return { label: isDated ? dates : name, short };
}

/** `1–30 Sep 2025`; only the months of days in two years, which are too long for Slack. */
function seriesName(days: readonly Day[], { requested: { today } }: ComparisonWindow): string {
  const [first = '', last = ''] = [days[0], days.at(-1)];
  const name = formatRequestedDays({ first, last, today });
  const monthOf = (day: Day) => formatDays(day, day).slice(6).trim();
  return name.length <= SLACK_LIMITS.chartLabel ? name : `${monthOf(first)} – ${monthOf(last)}`;
}

const NO_DATA = 'no data';
/** Replaces `no data` where there is no room for it; the title then says what it means. */
const DASH = '–';

/**
 * @param series their names, each different
 * @param bars those of each label, one for each series; for drawing only: the table has the exact figures
 * @returns undefined for fewer bars than say anything, and without a value in each series
 */
function barChart(
  title: string,
  series: readonly string[],
  bars: readonly (readonly Bar[])[],
): Chart | undefined {
  const isDrawn = series.every((_, side) => bars.filter((group) => group[side]?.value).length > 1);
  if (!isDrawn || bars.length < FEWEST_BARS || bars.length > SLACK_LIMITS.chartPoints) return undefined;
  const { labels, silent } = labelsOf(bars, series.length);
  const isSoFar = bars.some((group) => group.some((bar) => bar.isSoFar));
  const valuesOf = (side: number, soFar: boolean) =>
    bars.map((group) => {
      const { value, isSoFar = false } = group[side] ?? {};
      return value === undefined || isSoFar !== soFar ? 0 : Number(toRoundedDigits(value));
    });
  const drawn = [
    ...series.map((name, side) => ({ name, values: valuesOf(side, false) })),
    ...(isSoFar ? [{ name: 'Today so far', values: valuesOf(0, true) }] : []),
  ];
  const isDashed = silent === DASH && labels.some((label) => label.includes(DASH) && !/\d–\d/.test(label));
  return {
    type: 'data_visualization',
    title: clipText(isDashed ? `${title} (${DASH}: ${NO_DATA})` : title, SLACK_LIMITS.chartTitle),
    chart: {
      type: 'bar',
      series: drawn.map(({ name, values }) => ({
        name: clipText(name, SLACK_LIMITS.chartLabel),
        data: labels.map((label, at) => ({ label, value: values[at] ?? 0 })),
      })),
      axis_config: { categories: labels },
    },
  };
}

/** The longest labels that fit beside each other and differ. */
function labelsOf(bars: readonly (readonly Bar[])[], series: number) {
  const isSilent = bars.some((group) => group.some(({ value }) => value === undefined));
  const forms = (['label', 'short'] as const).flatMap((form) =>
    (isSilent ? [NO_DATA, DASH] : ['']).map((silent) => ({
      silent,
      labels: bars.map((group) => labelOf(group, form, silent)),
    })),
  );
  const [last = { silent: '', labels: [] }] = forms.slice(-1);
  return forms.find(({ labels }) => fitSideBySide(labels, series)) ?? last;
}

/** `Sat 14`, `15 no data`, `21: so far`; of two periods `14 / 7`, `14 / no data`, `14 / 7 no data`. */
function labelOf(group: readonly Bar[], form: 'label' | 'short', silent: string): string {
  const join = (parts: readonly string[]) => [...new Set(parts)].join(' / ');
  if (group.every(({ value }) => value === undefined)) {
    const name = join(group.map((bar) => (group.length > 1 ? bar[form] : bar.short)));
    return `${name} ${silent}`;
  }
  if (group.some(({ isSoFar }) => isSoFar)) return `${join(group.map(({ short }) => short))}: so far`;
  return join(group.map((bar) => (bar.value === undefined ? silent : bar[form])));
}

/** Characters of all labels that are shown side by side. Slack documents no size; the sandbox draws as many. */
const LABEL_ROOM = 80;
/** Of the width: a chart with a legend is drawn smaller, to be as high as one without. */
const LEGEND_LEAVES = 0.9;
/** Characters between two labels, so that they don't touch. */
const LABEL_GAP = 1;

/** Whether they differ, are short enough for Slack and don't touch. Where not each is shown, which ones are is Slack's choice. */
function fitSideBySide(labels: readonly string[], series: number): boolean {
  const count = labels.length;
  const shown = Math.ceil(count / (count < 8 ? 1 : count < 15 ? 2 : 3));
  const room = ((series > 1 ? LEGEND_LEAVES : 1) * LABEL_ROOM) / shown;
  const all = labels.map(({ length }) => length);
  const lengths = shown < count ? all.toSorted((a, b) => b - a).slice(0, 2) : all;
  return (
    new Set(labels).size === count &&
    all.every((length) => length <= SLACK_LIMITS.chartLabel) &&
    lengths.every((length, at) => (length + (lengths[at + 1] ?? 0)) / 2 + LABEL_GAP <= room)
  );
}

const LEVELS = '▁▂▃▄▅▆▇█';

/** `Sat 14 ▃▄▆▅▇ ▆ Fri 20`, where Slack draws no charts; a space for what is not reported. A line for each series. */
export function barsText({ chart: { series, axis_config } }: Chart): string {
  const { categories } = axis_config;
  const all = series.flatMap(({ data }) => data.map(({ value }) => value));
  const most = Math.max(...all, 0);
  const barOf = (value: number, label = '') => {
    if (value === 0 && new RegExp(`${NO_DATA}|(^| )${DASH}`).test(label)) return ' ';
    return LEVELS[most <= 0 || value <= 0 ? 0 : Math.ceil((value / most) * LEVELS.length) - 1] ?? '';
  };
  return series
    .map(({ name, data }) => {
      const bars = data.map(({ value }, at) => barOf(value, categories[at])).join('');
      return series.length === 1 ? `${categories[0]} ${bars} ${categories.at(-1)}` : `${bars} ${name}`;
    })
    .join('\n');
}
