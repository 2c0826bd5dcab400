import { pluralize } from '../../domain/language/text.ts';
import { formatMoney, sumMoney, toRoundedDigits } from '../../domain/money/amount.ts';
import type { RowAmount, UsageRow } from '../../domain/money/usage.ts';
import { barChart, type Chart } from '../../slack/kit/chart.ts';
import { SLACK_LIMITS } from '../../slack/kit/limits.ts';
import { fitsTable, type Table, table } from '../../slack/kit/table.ts';
import type { SpendReport } from './blocks.ts';
import { type DayNamer, dayNamerFor, groupDays } from './granularity.ts';

/** A bar for each complete reported day, put together where the period is long. Drawn from rounded figures. */
export function spendChart({ usage, period }: SpendReport): Chart | undefined {
  const bars = usage.rows.flatMap(({ day, outside, amount }) =>
    day !== undefined && day !== period.today && !outside && 'value' in amount
      ? [{ day, value: amount.value }]
      : [],
  );
  if (bars.length < 2) return undefined;
  const { unit, groups } = groupDays(bars, SLACK_LIMITS.chartPoints, period.days);
  const points = groups.map(({ label, items }) => ({
    label,
    value: Number(toRoundedDigits(sumMoney(items.map((bar) => bar.value)))),
  }));
  return barChart(`Spent per ${unit}`, 'Spent', points);
}

/** Rows in a conversation of others, who read along: longer tables are for whoever asks alone. */
const FOR_ALL = 10;

/** A row a day, the missing ones among them while there is room; weeks, months or more where days do not fit. */
export function dayBlocks(report: SpendReport): Table | undefined {
  const { usage } = report;
  if (usage.rows.length === 0) return undefined;
  const isForAll = report.byline?.how === 'asked' && usage.rows.length > FOR_ALL;
  const tables = [
    ...(isForAll ? [] : [() => daily(report, usage.missing), () => daily(report, [])]),
    ...[isForAll ? FOR_ALL : 40, 20, 5].map((most) => () => grouped(report, most)),
  ];
  for (const draw of tables) {
    const rows = draw();
    if (fitsTable(rows)) return table(rows);
  }
  return undefined;
}

function daily(report: SpendReport, missing: readonly string[]): string[][] {
  const { rows } = report.usage;
  const nameOf = dayNamerFor([...rows.flatMap(({ day }) => day ?? []), ...missing]);
  const isAsked = ({ day, outside }: UsageRow) => day !== undefined && !outside;
  const asked = [
    ...rows.filter(isAsked).map((row) => ({ day: row.day ?? '', cells: dailyRow(row, report, nameOf) })),
    ...missing.map((day) => ({ day, cells: [nameOf(day), 'not reported', ''] })),
  ].sort((a, b) => (a.day < b.day ? -1 : 1));
  return [
    ['Day', 'Amount', 'Bonuses'],
    ...asked.map(({ cells }) => cells),
    ...rows.filter((row) => !isAsked(row)).map((row) => dailyRow(row, report, nameOf)),
  ];
}

function dailyRow(
  { day, shown, outside, merged, amount, bonuses }: UsageRow,
  { period, locale }: SpendReport,
  nameOf: DayNamer,
): string[] {
  const marks = [
    ...(day !== undefined && day === period.today ? ['so far'] : []),
    ...(merged > 1 ? [`${merged} items added`] : []),
    ...(outside ? ['not asked about'] : []),
  ];
  const name = day === undefined ? shown : nameOf(day);
  return [marked(name, marks), figure(amount, locale), figure(bonuses, locale)];
}

const marked = (name: string, marks: readonly string[]): string =>
  marks.length === 0 ? name : `${name} (${marks.join(', ')})`;

function figure(amount: RowAmount, locale: string): string {
  if ('unreadable' in amount) return `unreadable: ${amount.unreadable}`;
  return `${formatMoney(amount.value, locale)}${amount.incomplete ? ' (incomplete)' : ''}`;
}

/** The days in groups; what has no day keeps rows of its own at the end, those beyond `most` in one together. */
function grouped(report: SpendReport, most: number): string[][] {
  const { usage, period, locale } = report;
  const reported = new Set(usage.reported);
  const placed = usage.rows.flatMap((row) => (row.day === undefined ? [] : [{ ...row, day: row.day }]));
  const unplaced = usage.rows.filter(({ day }) => day === undefined);
  const rest = unplaced.slice(most);
  const { unit, groups } = groupDays(placed, most, period.days);
  const figures = (rows: readonly UsageRow[]) => [
    added(
      rows.map(({ amount }) => amount),
      locale,
    ),
    added(
      rows.map(({ bonuses }) => bonuses),
      locale,
    ),
  ];
  return [
    [`By ${unit}`, 'Amount', 'Bonuses', 'Days reported'],
    ...groups.map(({ label, items }) => {
      const outside = items.filter((row) => row.outside).length;
      const marks = [
        ...(items.some(({ day }) => day === period.today) ? ['today so far'] : []),
        ...(outside > 0 ? [`${pluralize(outside, 'day')} not asked about`] : []),
      ];
      const count = items.filter(({ day }) => reported.has(day)).length;
      return [marked(label, marks), ...figures(items), String(count)];
    }),
    ...unplaced.slice(0, most).map((row) => [...dailyRow(row, report, dayNamerFor([])), '–']),
    ...(rest.length === 0
      ? []
      : [[`${rest.length} more ${rest.length === 1 ? 'row' : 'rows'} without a day`, ...figures(rest), '–']]),
  ];
}

function added(figures: readonly RowAmount[], locale: string): string {
  const readable = figures.flatMap((each) => ('value' in each ? [each] : []));
  if (readable.length === 0) return 'unreadable';
  const incomplete = readable.length < figures.length || readable.some((each) => each.incomplete);
  return `${formatMoney(sumMoney(readable.map(({ value }) => value)), locale)}${incomplete ? ' (incomplete)' : ''}`;
}
