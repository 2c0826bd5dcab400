/**
 * The rows of an answer: the days, weeks or months of a period, alone, beside the days that they are compared with, or in the
 * order of their differences. A table, a chart and the reason for a change are drawn from the same rows.
 */

import type { Day, Unit } from '../time/calendar.ts';
import {
  type DayNamer,
  dayNamerFor,
  groupDays,
  listDays,
  type PairedDays,
  pairDays,
} from '../time/day-groups.ts';
import type { ComparisonWindow, Period } from '../time/period.ts';
import { pluralize } from '../wording.ts';
import { divide, type Money, type MoneyFormatter, sumMoney, ZERO } from './amount.ts';
import { formatTotal, type RowAmount, sumAmounts, type Usage, type UsageRow } from './usage.ts';

/** What some days cost, or a project. */
export interface Cost {
  /** `Mon 16 Nov`, `9–15 Nov`. */
  readonly name: string;
  /** Those that were asked about, reported or not. */
  readonly days: readonly Day[];
  /** Undefined where billing has no item: missing, not zero. */
  readonly amount: RowAmount | undefined;
  readonly bonuses: RowAmount | undefined;
  /** How many of the days are complete and have a readable amount, and their average. */
  readonly reported: number;
  readonly average: Money | undefined;
}

export interface Row {
  readonly label: string;
  /** Undefined: the period has no such days, as there is no 31 September. */
  readonly current?: Cost | undefined;
  /** The same of what the period is compared with. */
  readonly before?: Cost | undefined;
  /** `current` minus `before`; undefined where they are not compared. */
  readonly value?: Money | undefined;
  /** What is not as usual: `so far`, `2 items added`. */
  readonly note?: string;
}

type CostFinder = (days: readonly Day[], name: string) => Cost;

function costsOf(usage: Usage): CostFinder {
  const byDay = new Map(
    usage.rows.flatMap((row) => (row.day === undefined ? [] : [[row.day, row] as const])),
  );
  return (days, name) => {
    const rows = days.flatMap((day) => byDay.get(day) ?? []);
    const values = days.flatMap((day) => usage.amounts.get(day) ?? []);
    return {
      ...{ name, days, reported: values.length },
      amount: sumAmounts(rows.map(({ amount }) => amount)),
      bonuses: sumAmounts(rows.map(({ bonuses }) => bonuses)),
      average: values.length === 0 ? undefined : divide(sumMoney(values), values.length),
    };
  };
}

const isSilent = ({ current }: Row): boolean => current?.amount === undefined;

/** Of a year with data for one quarter, that quarter alone: empty months would look like nothing spent. */
const withoutSilentEnds = (rows: readonly Row[]): readonly Row[] =>
  rows.slice(
    rows.findIndex((row) => !isSilent(row)),
    rows.findLastIndex((row) => !isSilent(row)) + 1,
  );

/** The days that were asked about, and today if it is one of them. */
export type AskedDays = Pick<Period, 'days' | 'today'> & { readonly requested?: Period['requested'] };

/**
 * The asked days in the finest unit that makes at most `most` rows, and is not finer than `finest`. What is not reported
 * keeps its place, except weeks and the like long before and after what is.
 */
export function periodRows(
  usage: Usage,
  { days, today, requested }: AskedDays,
  most: number,
  finest: Unit = 'day',
): { readonly unit: Unit; readonly rows: readonly Row[] } {
  const costOf = costsOf(usage);
  const merged = new Map(usage.rows.map((row) => [row.day, row.merged]));
  const asked = days.filter((day) => day !== today || merged.has(day)).map((day) => ({ day }));
  const { unit, groups } = groupDays(asked, most, days, finest, requested?.today);
  const rows = groups.map(({ label, items }): Row => {
    const [{ day } = { day: '' }, ...others] = items;
    const isRunning = today !== undefined && items.some(({ day }) => day === today);
    const count = merged.get(day) ?? 0;
    const notes = [
      ...(isRunning ? [others.length > 0 ? 'today so far' : 'so far'] : []),
      ...(unit === 'day' && count > 1 ? [`${count} items added`] : []),
    ];
    return {
      label,
      current: costOf(
        items.map((item) => item.day),
        label,
      ),
      ...(notes.length > 0 && { note: notes.join(', ') }),
    };
  });
  return { unit, rows: unit === 'day' ? rows : withoutSilentEnds(rows) };
}

const MOST_STRAYS = 5;

/** What was sent besides the asked days: other days, and items without one; those beyond the first five in one row. */
export function strayRows({ rows, missing }: Usage): readonly Row[] {
  const strays = rows.filter(({ day, outside }) => outside || day === undefined);
  const nameOf = dayNamerFor([...rows.flatMap(({ day }) => day ?? []), ...missing]);
  const rest = strays.slice(MOST_STRAYS);
  return [
    ...strays.slice(0, MOST_STRAYS).map((row) => strayRow([row], row.day ? nameOf(row.day) : row.shown)),
    ...(rest.length === 0 ? [] : [strayRow(rest, `${pluralize(rest.length, 'more row')}`)]),
  ];
}

function strayRow(rows: readonly UsageRow[], name: string): Row {
  const [first] = rows;
  const notes = [
    ...(rows.length === 1 && first !== undefined && first.merged > 1 ? [`${first.merged} items added`] : []),
    ...(rows.some(({ outside }) => outside) ? ['outside this period'] : []),
  ];
  const [amount, bonuses] = [rows.map((row) => row.amount), rows.map((row) => row.bonuses)].map(sumAmounts);
  const current = { ...{ name, days: [], reported: 0, average: undefined }, amount, bonuses };
  return { label: name, current, ...(notes.length > 0 && { note: notes.join(', ') }) };
}

/** A period's days beside those that it is compared with, in pairs as {@link pairDays} makes them. */
export function comparedRows(
  usage: Usage,
  before: Usage,
  { currentDays, days }: Pick<ComparisonWindow, 'currentDays' | 'days'>,
  most: number,
  finest: Unit = 'day',
): { readonly paired: PairedDays; readonly rows: readonly Row[] } {
  const paired = pairDays({ current: currentDays, before: days }, most, finest);
  const [now, then] = [costsOf(usage), costsOf(before)];
  const [nameOf, nameBefore] = [dayNamerFor(currentDays), dayNamerFor(days)];
  const sideOf = (part: readonly Day[], cost: CostFinder, name: DayNamer) =>
    part[0] === undefined ? undefined : cost(part, name(part[0], part.at(-1)));
  const rows = paired.pairs.map((pair): Row => {
    const [current, past] = [sideOf(pair.current, now, nameOf), sideOf(pair.before, then, nameBefore)];
    const names = [current, past].flatMap((side) => side?.name ?? []);
    return { label: [...new Set(names)].join(' vs '), current, before: past };
  });
  return { paired, rows };
}

/** What is readable of the complete days; undefined if nothing is. */
const spentIn = (cost: Cost | undefined): Money | undefined =>
  cost !== undefined && cost.reported > 0 && cost.amount && 'value' in cost.amount
    ? cost.amount.value
    : undefined;

/** How much more a period cost, and the rows that make exactly that sum. */
export interface ExplainedDays {
  readonly value: Money;
  /** The largest difference first, whichever its sign; of equal ones the earliest. */
  readonly rows: readonly Row[];
  /** Reported days that don't count, as their counterpart isn't reported: missing, not zero. */
  readonly uncompared: readonly Row[];
}

/**
 * Days without a counterpart are a row: those that the shorter window lacks, and where both windows have equally many
 * reported days, so that their totals are compared, all of them.
 */
export function explainDays(usage: Usage, before: Usage, window: ComparisonWindow): ExplainedDays {
  const { rows } = comparedRows(usage, before, window, Number.POSITIVE_INFINITY);
  const known = rows.map((row) => ({
    row,
    current: spentIn(row.current) !== undefined,
    before: spentIn(row.before) !== undefined,
  }));
  const countOf = (side: Side) => known.filter((each) => each[side]).length;
  const isEven = countOf('current') === countOf('before');
  const lone = known.filter(({ current, before }) => current !== before);
  const isAlone = ({ row }: { readonly row: Row }) => isEven || !row.current || !row.before;
  const usages = { current: usage, before };
  const windows = { current: window.currentDays, before: window.days };
  const rowOf = (from: typeof known, sides: readonly Side[]): Row => {
    const costs = sides.map((side): Cost | undefined => {
      const days = from.flatMap((each) => (each[side] && each.row[side]?.days) || []).sort();
      if (days.length === 0) return undefined;
      return costsOf(usages[side])(days, listDays(days, dayNamerFor(windows[side])));
    });
    const [a, b] = [costs[sides.indexOf('current')], costs[sides.indexOf('before')]];
    return { label: [a, b].flatMap((cost) => cost?.name ?? []).join(' vs '), current: a, before: b };
  };
  const alone = rowOf(lone.filter(isAlone), SIDES);
  const pairs = known.flatMap(({ row, current, before }) => (current && before ? [row] : []));
  const explained = [...pairs, ...(alone.label === '' ? [] : [alone])].map(withValue);
  const leftOut = lone.filter((each) => !isAlone(each));
  return {
    value: sumMoney(explained.map(({ value }) => value)),
    rows: explained.sort(byDifference),
    uncompared: SIDES.map((side) => rowOf(leftOut, [side])).filter(({ label }) => label !== ''),
  };
}

const SIDES = ['current', 'before'] as const;
type Side = (typeof SIDES)[number];

const withValue = (row: Row) => ({
  ...row,
  value: (spentIn(row.current) ?? ZERO).minus(spentIn(row.before) ?? ZERO),
});

/** Sorts the largest difference first, whichever its sign; equal ones stay in their order, what is not compared comes last. */
export const byDifference = ({ value: a }: Pick<Row, 'value'>, { value: b }: Pick<Row, 'value'>): number =>
  a && b ? b.abs().cmp(a.abs()) : Number(a === undefined) - Number(b === undefined);

/**
 * At most `most` rows that are not zero, and the others as one, `The other 4 days`; all, if that leaves one.
 * @param rows sorted by difference, each with a value
 * @param noun what they are: `day`, `project`
 */
export function foldSmallest(rows: readonly Row[], most: number, noun: string): readonly Row[] {
  const changed = rows.findIndex(({ value }) => value?.eq(0));
  const shown = Math.min(most, changed < 0 ? rows.length : changed);
  const rest = rows.slice(shown);
  if (rest.length < 2) return rows;
  const sizeOf = ({ current, before }: Row) =>
    noun === 'day' ? Math.max(current?.days.length ?? 0, before?.days.length ?? 0) : 1;
  const count = rest.reduce((sum, row) => sum + sizeOf(row), 0);
  const label = `${shown === 0 ? 'All' : 'The other'} ${pluralize(count, noun)}`;
  const sumOf = (side: 'current' | 'before'): Cost | undefined => {
    const costs = rest.flatMap((row) => row[side] ?? []);
    if (costs.length === 0) return undefined;
    return {
      ...{ name: label, days: costs.flatMap(({ days }) => days), average: undefined },
      amount: sumAmounts(costs.flatMap(({ amount }) => amount ?? [])),
      bonuses: sumAmounts(costs.flatMap(({ bonuses }) => bonuses ?? [])),
      reported: costs.reduce((sum, { reported }) => sum + reported, 0),
    };
  };
  const value = sumMoney(rest.flatMap((row) => row.value ?? []));
  return [...rows.slice(0, shown), { label, current: sumOf('current'), before: sumOf('before'), value }];
}

/** `Mon 16 Nov (2 items added)` */
export const formatLabel = ({ label, note }: Pick<Row, 'label' | 'note'>): string =>
  note === undefined ? label : `${label} (${note})`;

/** `1,234.00`, `6.00 (6 of 7 days)`, `no data`, `unreadable: n/a`; a dash where there are no such days. */
export function formatCost(cost: Cost | undefined, money: MoneyFormatter): string {
  if (cost === undefined) return '–';
  const { amount, days, reported } = cost;
  if (amount === undefined) return 'no data';
  if ('unreadable' in amount) return ['unreadable', amount.unreadable].filter(Boolean).join(': ');
  const gaps =
    days.length > 1 && reported < days.length ? ` (${reported} of ${pluralize(days.length, 'day')})` : '';
  return `${formatTotal(amount, money)}${gaps}`;
}
