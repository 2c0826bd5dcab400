import { divide, type Money, sumMoney, toRoundedDigits } from '../../domain/money/amount.ts';
import { reportedAmounts, type Usage } from '../../domain/money/usage.ts';
import { type Day, daysBetween, endOfUnit, startOfUnit, type Unit } from '../../domain/time/calendar.ts';
import { type DayGroup, groupDays } from '../../domain/time/day-groups.ts';
import { type Chart, clipText, SLACK_LIMITS } from './blocks.ts';

/**
 * A line for each series, or bars side by side, one of each.
 * @param labels each different
 * @param series with a value for each label, for drawing only: the table has the exact figures
 * @returns undefined without points, or with more than Slack accepts
 */
export function chart(
  type: Chart['chart']['type'],
  title: string,
  labels: readonly string[],
  series: readonly { readonly name: string; readonly values: readonly number[] }[],
): Chart | undefined {
  if (labels.length === 0 || labels.length > SLACK_LIMITS.chartPoints) return undefined;
  const categories = labels.map((label) => clipText(label, SLACK_LIMITS.chartLabel));
  return {
    type: 'data_visualization',
    title: clipText(title, SLACK_LIMITS.chartTitle),
    chart: {
      type,
      series: series.map(({ name, values }) => ({
        name: clipText(name, SLACK_LIMITS.chartLabel),
        data: categories.map((label, at) => ({ label, value: values[at] ?? 0 })),
      })),
      axis_config: { categories },
    },
  };
}

type Group = DayGroup<{ readonly day: Day }>;

/**
 * A bar a day, or a week, month … if the period is long. What is not reported keeps its place without a bar, except long
 * before and after what is. Weeks and the like are averages a day unless each is whole and reported on every day: a part of a week is no week.
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
    readonly requested?: { readonly today?: Day | undefined };
  };
}): Chart | undefined {
  const amounts = reportedAmounts(usage);
  if (amounts.size + (usage.today === undefined ? 0 : 1) < 2) return undefined;
  const asked = period.days.map((day) => ({ day }));
  const { unit, groups: all } = groupDays(
    asked,
    SLACK_LIMITS.chartPoints,
    period.days,
    'day',
    period.requested?.today,
  );
  const valuesIn = (group: Group) => group.items.flatMap(({ day }) => amounts.get(day) ?? []);
  const isSoFar = ({ items }: Group) =>
    usage.today !== undefined && items.every(({ day }) => day === period.today);
  const isSilent = (group: Group) => valuesIn(group).length === 0 && !isSoFar(group);
  const groups = unit === 'day' ? all : withoutSilentEnds(all, isSilent);
  const [only] = groups;
  if (groups.length === 1 && only !== undefined && all.length > 1)
    return spendChart({ usage, period: { ...period, days: only.items.map(({ day }) => day) } });
  const isOneMonth = new Set(period.days.map((day) => day.slice(0, 7))).size === 1;
  const nameOf = (label: string) => (isOneMonth ? label.replace(/^(\w{3} \d+).*$/, '$1') : label.slice(4));
  const isTotal = groups.every((group) => valuesIn(group).length === daysOf(unit, group));
  const labelOf = ({ label }: Group) => (unit === 'day' ? nameOf(label) : label);
  const silent = groups.filter(isSilent);
  const bareLabelOf = (group: Group) =>
    unit === 'day' ? labelOf(group).replace(/^(\d+) \w{3}$/, '$1') : labelOf(group);
  const silentLabelOf = [
    (group: Group) => withSuffix(labelOf(group), NO_DATA),
    (group: Group) => withSuffix(labelOf(group), NO_DATA, ' '),
    (group: Group) => withSuffix(bareLabelOf(group), NO_DATA, ' '),
  ].find((silentLabel) =>
    fitSideBySide(groups.map((group) => (isSilent(group) ? silentLabel : labelOf)(group))),
  );
  const pointOf = (group: Group) => {
    const values = valuesIn(group);
    const label = labelOf(group);
    if (isSoFar(group) && usage.today !== undefined)
      return { label: withSuffix(label, 'so far'), value: chartValue(usage.today.value) };
    if (silent.includes(group))
      return {
        label: silentLabelOf?.(group) ?? `${label.replace(/ – .*/, '…')} –`,
        value: 0,
      };
    const sum = sumMoney(values);
    return { label, value: chartValue(isTotal ? sum : divide(sum, values.length)) };
  };
  const title =
    unit === 'day' ? 'Spent per day' : isTotal ? `Spent per ${unit}` : `Average a day, by ${unit}`;
  const points = groups.map(pointOf);
  return chart(
    'bar',
    silentLabelOf || silent.length === 0 ? title : `${title} (–: ${NO_DATA})`,
    points.map(({ label }) => label),
    [{ name: 'Spent', values: points.map(({ value }) => value) }],
  );
}

/** A year that billing knows a quarter of is a chart of that quarter: no data looks like nothing spent. */
function withoutSilentEnds(groups: readonly Group[], isSilent: (group: Group) => boolean): readonly Group[] {
  const hasData = (group: Group) => !isSilent(group);
  return groups.slice(groups.findIndex(hasData), groups.findLastIndex(hasData) + 1);
}

/** @returns rounded as in the table */
export const chartValue = (value: Money): number => Number(toRoundedDigits(value));

/** The calendar days of the group, including those that were not asked about. */
function daysOf(unit: Unit, { items }: Group): number {
  const [first] = items;
  return first === undefined ? 0 : daysBetween(startOfUnit(unit, first.day), endOfUnit(unit, first.day)) + 1;
}

export const NO_DATA = 'no data';

/** Characters of all labels that are shown side by side. Slack documents no size; the sandbox draws as many. */
const LABEL_ROOM = 80;

/** How many of so many labels are shown under the bars: each, or one in two or three. */
const shownOf = (labels: number): number => Math.ceil(labels / (labels < 8 ? 1 : labels < 15 ? 2 : 3));

/** @returns how many characters each of so many labels has room for */
export const labelRoom = (labels: number): number => LABEL_ROOM / shownOf(labels);

/** Characters between two labels, so that they don't touch. */
const LABEL_GAP = 1;

/** Whether no two labels touch. Where not each is shown, which ones are is Slack's choice. */
function fitSideBySide(labels: readonly string[]): boolean {
  const lengths = labels.map(({ length }) => length);
  const shown =
    shownOf(labels.length) < labels.length ? lengths.toSorted((a, b) => b - a).slice(0, 2) : lengths;
  return shown.every(
    (length, at) => (length + (shown[at + 1] ?? 0)) / 2 + LABEL_GAP <= labelRoom(labels.length),
  );
}

/** Slack takes 20 characters, and a bar is narrow: the weekday is dropped first, then the spaces between two days. */
function withSuffix(label: string, suffix: string, mark = ': '): string {
  const short = label.replace(/^\w{3} (?=\d{1,2}(?!\d))/, '');
  const tight = label.replace(' – ', '–');
  const [begin = label] = label.split(/ ?– ?/);
  return (
    [`${short}${mark}${suffix}`, `${tight} ${suffix}`].find(
      (text) => text.length <= SLACK_LIMITS.chartLabel,
    ) ?? `${begin}…: ${suffix}`
  );
}
