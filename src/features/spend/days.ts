import { type Money, moneyFormatter, sumMoney } from '../../domain/money/amount.ts';
import type { RowAmount } from '../../domain/money/charges.ts';
import { formatTotal, reportedAmounts, type Usage, type UsageRow } from '../../domain/money/usage.ts';
import { type Day, formatDays, type Unit } from '../../domain/time/calendar.ts';
import { type DayNamer, dayNamerFor, groupDays, pairDays } from '../../domain/time/day-groups.ts';
import { pluralize } from '../../domain/wording.ts';
import { type Block, escapeMarkup } from '../../slack/kit/blocks.ts';
import { collapsedTable, fitsTable } from '../../slack/kit/tables.ts';
import type { SpendReport } from './figures.ts';

/** Tables of more days are grouped by week; the CSV has every day. */
const MOST_DAYS = 31;
/** The most rows of a grouped table: a year has so many weeks. */
const MOST_GROUPS = 54;

/** A collapsed table with a row per day, including missing ones; by week, month or longer when days do not fit. */
export function daysTable(report: SpendReport): Block | undefined {
  const { usage, shape } = report;
  const [first, ...others] = usage.rows;
  // The title has the amount of a single row.
  if (first === undefined || (others.length + usage.missing.length === 0 && first.merged === 1))
    return undefined;
  const unit = shape?.unit;
  const isShort =
    unit === 'day' || (unit === undefined && usage.rows.length + usage.missing.length <= MOST_DAYS);
  const tables = [
    ...(isShort ? [() => rowsByDay(report, usage.missing)] : []),
    ...[MOST_GROUPS, 20, 5].map((most) => () => groupRows(report, most)),
  ];
  for (const draw of tables) {
    const { unit, rows } = draw();
    if (fitsTable(rows))
      return collapsedTable(`Each ${unit} (${rows.length - 1})`, withoutEmptyBonuses(rows, usage));
  }
  return undefined;
}

/** The complete days, the largest or smallest amounts first; of equal ones the earlier. */
function rankedDays({ usage, shape }: SpendReport): readonly (readonly [Day, Money])[] {
  if (!shape?.isOfDays) return [];
  const sign = shape.isLowest ? 1 : -1;
  return [...reportedAmounts(usage)].sort(([, a], [, b]) => sign * a.cmp(b)).slice(0, shape.top ?? MOST_DAYS);
}

const MOST_NAMED = 3;

/** `*Lowest:* Sun 15 Nov, 12.00 · Sat 14 Nov, 13.00` */
export function rankedDaysLine(report: SpendReport): string {
  const { shape, period, locale } = report;
  const nameOf = dayNamerFor(period.days);
  const days = rankedDays(report).slice(0, MOST_NAMED);
  const named = days.map(([day, amount]) => `${nameOf(day)}, ${moneyFormatter(locale)(amount)}`);
  return named.length === 0
    ? ''
    : `*${shape?.isLowest ? 'Lowest' : 'Highest'}:* ${escapeMarkup(named.join(' · '))}`;
}

/** A collapsed table of the ranked days; undefined where no days are ranked. */
export function rankedDaysTable(report: SpendReport): Block | undefined {
  const days = rankedDays(report);
  if (days.length < 2) return undefined;
  const nameOf = dayNamerFor(report.period.days);
  const rows = days.map(([day, amount]) => [nameOf(day), moneyFormatter(report.locale)(amount)]);
  const order = report.shape?.isLowest ? 'lowest' : 'highest';
  return collapsedTable(`By amount, ${order} first (${rows.length})`, [['Day', 'Amount'], ...rows]);
}

interface Drawn {
  readonly unit: Unit;
  readonly rows: readonly (readonly string[])[];
}

const BONUSES = 2;

/** A column of zeros says nothing. */
const withoutEmptyBonuses = (rows: Drawn['rows'], { bonuses }: Usage): Drawn['rows'] =>
  bonuses.value.eq(0) && !bonuses.incomplete
    ? rows.map((row) => row.filter((_, at) => at !== BONUSES))
    : rows;

function rowsByDay(report: SpendReport, missing: readonly string[]): Drawn {
  const { rows } = report.usage;
  const nameOf = dayNamerFor([...rows.flatMap(({ day }) => day ?? []), ...missing]);
  const isAsked = ({ day, outside }: UsageRow) => day !== undefined && !outside;
  const asked = [
    ...rows.filter(isAsked).map((row) => ({ day: row.day ?? '', cells: dailyRow(row, report, nameOf) })),
    ...missing.map((day) => ({ day, cells: [nameOf(day), 'no data', ''] })),
  ].sort((a, b) => (a.day < b.day ? -1 : 1));
  return {
    unit: 'day',
    rows: [
      ['Day', 'Amount', 'Bonuses'],
      ...asked.map(({ cells }) => cells),
      ...rows.filter((row) => !isAsked(row)).map((row) => dailyRow(row, report, nameOf)),
    ],
  };
}

/** The name of its day, the amount, the bonuses. */
function dailyRow(
  { day, shown, outside, merged, amount, bonuses }: UsageRow,
  { period, locale }: SpendReport,
  nameOf: DayNamer,
): string[] {
  const marks = [
    ...(day !== undefined && day === period.today ? ['so far'] : []),
    ...(merged > 1 ? [`${merged} items added`] : []),
    ...(outside ? ['outside this period'] : []),
  ];
  const name = day === undefined ? shown : nameOf(day);
  return [withMarks(name, marks), formatFigure(amount, locale), formatFigure(bonuses, locale)];
}

const withMarks = (name: string, marks: readonly string[]): string =>
  marks.length === 0 ? name : `${name} (${marks.join(', ')})`;

function formatFigure(amount: RowAmount, locale: string): string {
  if ('unreadable' in amount) return `unreadable: ${amount.unreadable}`;
  return formatTotal(amount, moneyFormatter(locale));
}

/** Groups the days. Items without a day get their own rows at the end, with one row for those beyond `most`. */
function groupRows(report: SpendReport, most: number): Drawn {
  const { usage, period, locale, shape } = report;
  const finest = shape?.unit === undefined || shape.unit === 'day' ? 'week' : shape.unit;
  const reported = new Set(usage.reported);
  const placed = usage.rows.flatMap((row) => (row.day === undefined ? [] : [{ ...row, day: row.day }]));
  const unplaced = usage.rows.filter(({ day }) => day === undefined);
  const rest = unplaced.slice(most);
  const { unit, groups } = groupDays(placed, most, period.days, finest, period.requested.today);
  const figures = (rows: readonly UsageRow[]) =>
    (['amount', 'bonuses'] as const).map((column) =>
      formatSum(
        rows.map((row) => row[column]),
        locale,
      ),
    );
  const rows = [
    [`By ${unit}`, 'Amount', 'Bonuses', 'Days reported'],
    ...groups.map(({ label, items }) => {
      const outside = items.filter((row) => row.outside).length;
      const marks = [
        ...(items.some(({ day }) => day === period.today) ? ['today so far'] : []),
        ...(outside > 0 ? [`${pluralize(outside, 'day')} outside this period`] : []),
      ];
      const count = items.filter(({ day }) => reported.has(day)).length;
      return [withMarks(label, marks), ...figures(items), String(count)];
    }),
    ...unplaced.slice(0, most).map((row) => [...dailyRow(row, report, dayNamerFor([])), '–']),
    ...(rest.length === 0
      ? []
      : [[`${rest.length} more ${rest.length === 1 ? 'row' : 'rows'} without a day`, ...figures(rest), '–']]),
  ];
  return { unit, rows };
}

function formatSum(figures: readonly RowAmount[], locale: string): string {
  const readable = figures.filter((figure) => 'value' in figure);
  if (readable.length === 0) return 'unreadable';
  const incomplete = readable.length < figures.length || readable.some((figure) => figure.incomplete);
  return formatTotal(
    { value: sumMoney(readable.map((amount) => amount.value)), incomplete },
    moneyFormatter(locale),
  );
}

/**
 * A collapsed table of both periods side by side, day 1 beside day 1, where the comparison was named; by week or longer
 * when the days do not fit. What is not compared, as today, comes last.
 */
export function versusDaysTable(report: SpendReport): Block | undefined {
  const { usage, before, period, locale } = report;
  const { versus, comparison } = period;
  if (versus === undefined || before === undefined || comparison === undefined) return undefined;
  const { currentDays, days } = comparison;
  const isShort = Math.max(currentDays.length, days.length) <= MOST_DAYS;
  const sides = { current: currentDays, before: days };
  const { unit, isCalendar, pairs, ...step } = isShort
    ? pairDays(sides, MOST_DAYS)
    : pairDays(sides, MOST_GROUPS, 'week');
  const compared = new Set(currentDays);
  // The line says as much of two single days.
  if (pairs.length === 1 && usage.rows.length === 1) return undefined;
  const others = usage.rows.filter(({ day }) => day === undefined || !compared.has(day));
  const [cells, cellsBefore] = [cellsOf(usage, currentDays, locale), cellsOf(before, days, locale)];
  const nameOf = dayNamerFor([...currentDays, ...others.flatMap(({ day }) => day ?? [])]);
  const rows = [
    [isShort ? 'Day' : 'Days', 'Amount', `vs ${comparison.label}`, 'Amount'],
    ...pairs.map((pair) => [...cells(pair.current), ...cellsBefore(pair.before)]),
    ...others.map((row) => [...dailyRow(row, report, nameOf).slice(0, 2), '', '']),
  ];
  const each = isCalendar ? `Each ${unit}` : `Every ${step.days} days`;
  return fitsTable(rows) ? collapsedTable(`${each} (${rows.length - 1})`, rows) : undefined;
}

/** The name of some days of a period, and what they cost. */
function cellsOf({ rows, reported }: Usage, all: readonly Day[], locale: string) {
  const byDay = new Map<Day | undefined, UsageRow>(rows.map((row) => [row.day, row]));
  const reportedDays = new Set(reported);
  const years = new Set(all.map((day) => day.slice(0, 4)));
  return (days: readonly Day[]): readonly [string, string] => {
    const [first, last] = [days[0], days.at(-1)];
    if (first === undefined || last === undefined) return ['', ''];
    const name = formatDays(first, last, years.size === 1 ? first.slice(0, 4) : undefined);
    const amounts = days.flatMap((day) => byDay.get(day)?.amount ?? []);
    if (amounts.length === 0) return [name, 'no data'];
    const count = days.filter((day) => reportedDays.has(day)).length;
    const gaps =
      count < days.length && days.length > 1 ? ` (${count} of ${pluralize(days.length, 'day')})` : '';
    return [name, `${formatSum(amounts, locale)}${gaps}`];
  };
}
