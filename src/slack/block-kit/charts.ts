/** Draws spend as Slack's bar charts, or as bars of text where Slack refuses a chart. */
import { type Money, toRoundedDigits } from '../../domain/money/amount.ts';
import {
  type AskedDays,
  comparedRows,
  pairDays,
  periodRows,
  type Row,
} from '../../domain/money/period-rows.ts';
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
import type { ComparisonWindow } from '../../domain/time/period.ts';
import { type Chart, clipText, SLACK_LIMITS } from './blocks.ts';

const FEWEST_BARS = 4;
const NO_DATA = 'no data';

/** A bar without a `value` is for days that billing hasn't reported. */
interface Bar {
  readonly label: string;
  readonly value: Money | undefined;
  readonly isSoFar?: boolean;
}

/** If any week or month is incomplete, bars are daily averages. @param finest the smallest unit for a bar */
export function spendChart(usage: Usage, period: AskedDays, finest?: Unit): Chart | undefined {
  const { unit, rows: all } = periodRows(usage, period, SLACK_LIMITS.chartPoints, finest);
  const isTodayAlone = ({ current }: Row) => current?.days.every((day) => day === period.today) === true;
  const rows = unit === 'day' ? all : all.filter((row) => !isTodayAlone(row));
  const days = rows.flatMap(({ current }) => current?.days ?? []);
  if (unit !== 'day' && days.length < period.days.length && days.length > 0)
    return spendChart(usage, { ...period, days }, finest);
  const isTotal = rows.every(({ current }) => current && current.reported === daysInUnit(unit, current.days));
  const isOneMonth = new Set(days.map((day) => day.slice(0, 7))).size === 1;
  const bars = rows.map((row): Bar => {
    const { current } = row;
    const amount = current?.amount && 'value' in current.amount ? current.amount.value : undefined;
    const isSoFar = isTodayAlone(row);
    const isSum = isSoFar || unit === 'day' || (isTotal && current?.reported);
    const value = isSum ? amount : current?.average;
    const label =
      isOneMonth && unit === 'day' ? row.label.replace(/^(\w{3} \d+).*$/, '$1') : withoutWeekday(row.label);
    return { label: label.replace(/ ?– .*/, '…'), value, isSoFar };
  });
  const title =
    unit === 'day' ? 'Spent per day' : isTotal ? `Spent per ${unit}` : `Average per day, by ${unit}`;
  return barChart(
    title,
    ['Spent'],
    bars.map((bar) => [bar]),
  );
}

/** Counts all days of the week or month, even if the question is about only some of them. */
function daysInUnit(unit: Unit, [first = '']: readonly Day[]): number {
  return daysBetween(startOfUnit(unit, first), endOfUnit(unit, first)) + 1;
}

/** Draws pairs of bars. Leaves out days without a counterpart in the other period: no bar would look like zero. */
export function versusChart(usage: Usage, before: Usage, window: ComparisonWindow): Chart | undefined {
  const { currentDays, days, requested } = window;
  const beginWithMonths = [currentDays, days].every(([first = '']) => startOfUnit('month', first) === first);
  // Periods of unequal length can be paired only by day of the month.
  if (currentDays.length !== days.length && !beginWithMonths) return undefined;
  const shared = pairDays({ current: currentDays, before: days }, Number.POSITIVE_INFINITY).pairs.filter(
    (pair) => pair.current.length > 0 && pair.before.length > 0,
  );
  const both = {
    currentDays: shared.flatMap(({ current }) => current),
    days: shared.flatMap((pair) => pair.before).sort(),
  };
  const { paired, rows } = comparedRows(usage, before, both, SLACK_LIMITS.chartPoints);
  const { unit, isCalendar } = paired;
  const sides = rows.map(({ current, before: past }) => [current, past]);
  const dates = sides.map((costs) => costs.map((cost) => partLabel(cost?.days ?? [], unit, isCalendar)));
  // In a period of several months, a day number can occur more than once.
  const isUnique = new Set(dates.map(String)).size === dates.length;
  const part = `${unit.charAt(0).toUpperCase()}${unit.slice(1)}`;
  const bars = sides.map((costs, at) =>
    costs.map((cost, side): Bar => {
      const label = (isUnique && dates[at]?.[side]) || `${part} ${at + 1}`;
      return { label, value: cost?.average };
    }),
  );
  const step = isCalendar || unit === 'week' ? unit : `${paired.days / 7} weeks`;
  const [first = '', second = ''] = [currentDays, days].map((side) =>
    formatRequestedDays({ first: side[0] ?? '', last: side.at(-1) ?? '', today: requested.today }),
  );
  return barChart(unit === 'day' ? 'Spent per day' : `Average per day, by ${step}`, [first, second], bars);
}

/** `16`, `1–7` or `Oct`. Empty if there is no short form. */
function partLabel(days: readonly Day[], unit: Unit, isCalendar: boolean): string {
  const [first = '', last = ''] = [days[0], days.at(-1)];
  if (unit === 'month' && isCalendar) return formatDays(first, first, first.slice(0, 4)).slice(-3);
  return unit === 'day' || unit === 'week'
    ? [...new Set([first, last])].map((day) => Number(day.slice(8))).join('–')
    : '';
}

function barChart(
  title: string,
  series: readonly string[],
  bars: readonly (readonly Bar[])[],
): Chart | undefined {
  const isDrawn = series.every((_, side) => bars.filter((group) => group[side]?.value).length > 1);
  if (!isDrawn || bars.length < FEWEST_BARS || bars.length > SLACK_LIMITS.chartPoints) return undefined;
  const labels = bars.map(labelOf);
  const valuesOf = (side: number, soFar: boolean) =>
    bars.map((group) => {
      const { value, isSoFar = false } = group[side] ?? {};
      return value === undefined || isSoFar !== soFar ? 0 : Number(toRoundedDigits(value));
    });
  const hasToday = bars.some((group) => group.some((bar) => bar.isSoFar));
  const drawn = [
    ...series.map((name, side) => ({ name, values: valuesOf(side, false) })),
    ...(hasToday ? [{ name: 'Today so far', values: valuesOf(0, true) }] : []),
  ];
  if (drawn.every(({ values }) => values.every((value) => value === 0))) return undefined;
  return {
    type: 'data_visualization',
    title: clipText(title, SLACK_LIMITS.chartTitle),
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

/** `Sat 14` or `15 no data`. With two periods, `14 / 7` or `14 / 7 no data`. */
function labelOf(bars: readonly Bar[]): string {
  const join = (parts: readonly string[]) => [...new Set(parts)].join(' / ');
  const short = withoutWeekday(join(bars.map(({ label }) => label)));
  if (bars.every(({ value }) => value === undefined)) return `${short} ${NO_DATA}`;
  if (bars.some(({ isSoFar }) => isSoFar)) return `${short}: so far`;
  return join(bars.map(({ label, value }) => (value === undefined ? NO_DATA : label)));
}

const withoutWeekday = (label: string): string => label.replace(/^\w{3} (?=\d{1,2}(?!\d))/, '');

const LEVELS = '▁▂▃▄▅▆▇█';

/** A line of text per series, such as `Sat 14 ▃▄▆▅▇ ▆ Fri 20`. A space is a day without data. */
export function barsText({ chart: { series, axis_config } }: Chart): string {
  const { categories } = axis_config;
  const most = Math.max(...series.flatMap(({ data }) => data.map(({ value }) => value)), 0);
  const barOf = (value: number, label = '') => {
    if (value === 0 && label.includes(NO_DATA)) return ' ';
    return LEVELS[most <= 0 || value <= 0 ? 0 : Math.ceil((value / most) * LEVELS.length) - 1] ?? '';
  };
  return series
    .map(({ name, data }) => {
      const bars = data.map(({ value }, at) => barOf(value, categories[at])).join('');
      return series.length === 1 ? `${categories[0]} ${bars} ${categories.at(-1)}` : `${bars} ${name}`;
    })
    .join('\n');
}
