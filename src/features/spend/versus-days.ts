import { pluralize } from '../../domain/language/text.ts';
import type { Usage, UsageRow } from '../../domain/money/usage.ts';
import { type Day, formatDays } from '../../domain/time/calendar.ts';
import { dayNamerFor } from '../../domain/time/day-groups.ts';
import { pairDays } from '../../domain/time/day-pairs.ts';
import type { Block } from '../../slack/kit/atoms.ts';
import { collapsedTable, fitsTable } from '../../slack/kit/rich-blocks.ts';
import { added, dailyRow, MOST_DAYS, MOST_GROUPS } from './days.ts';
import type { SpendReport } from './figures.ts';

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
    return [name, `${added(amounts, locale)}${gaps}`];
  };
}
