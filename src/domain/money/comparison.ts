/** Compares what a period cost with other days, and explains the difference day by day. */
import { type Day, dayNamerFor, isoWeekday, listDays } from '../time/calendar.ts';
import type { ComparisonWindow } from '../time/period.ts';
import { pluralize } from '../wording.ts';
import { changeInPercent, divide, type Money, median, sumMoney, ZERO } from './amount.ts';
import { sumAmounts } from './charges.ts';
import { type Cost, comparedRows, costsOf, type Row } from './period-rows.ts';
import { sumReported, type Usage } from './usage.ts';

interface PeriodPair<T> {
  readonly current: T;
  readonly before: T;
}

interface Coverage {
  readonly reported: number;
  readonly of: number;
}

/** Two totals, or two daily averages if the periods don't have equally many reported days. */
interface UsageChangeFigures extends PeriodPair<Money> {
  readonly basis: 'total' | 'average';
  readonly daily: PeriodPair<Money>;
  readonly percent?: Money;
}

export interface UsageChange {
  readonly coverage: PeriodPair<Coverage>;
  /** Absent if fewer than 80 % of one period's days are reported. */
  readonly figures?: UsageChangeFigures;
}

const SIDES = ['current', 'before'] as const;
type Side = (typeof SIDES)[number];

const pair = <T>(of: (side: Side) => T): PeriodPair<T> => ({ current: of('current'), before: of('before') });

/** @param days each period's complete days; only the reported ones are compared */
export function compareUsage(current: Usage, before: Usage, days: PeriodPair<readonly Day[]>): UsageChange {
  const usages = { current, before };
  const spent = pair((side) => sumReported(usages[side].amounts, days[side]));
  const coverage = pair((side) => ({ reported: spent[side].reported, of: days[side].length }));
  if (shortSides(coverage).length > 0) return { coverage };
  const sums = pair((side) => spent[side].sum);
  const daily = pair((side) => divide(sums[side], spent[side].reported));
  return { coverage, figures: figuresOf(spent.current.reported === spent.before.reported, sums, daily) };
}

function figuresOf(isTotal: boolean, sums: PeriodPair<Money>, daily: PeriodPair<Money>): UsageChangeFigures {
  const values = isTotal ? sums : daily;
  const percent = changeInPercent(values.current, values.before);
  return { basis: isTotal ? 'total' : 'average', ...values, daily, ...(percent && { percent }) };
}

/**
 * Adds up projects. @returns undefined if one has no figures; for each period, `coverage` is that of the project with
 * the fewest reported days
 */
export function sumChanges(changes: readonly UsageChange[]): Required<UsageChange> | undefined {
  const figures = changes.flatMap((change) => change.figures ?? []);
  if (changes.length === 0 || figures.length < changes.length) return undefined;
  const sumOf = (pairOf: (each: UsageChangeFigures) => PeriodPair<Money>) =>
    pair((side) => sumMoney(figures.map((each) => pairOf(each)[side])));
  const coverage = pair((side) =>
    changes.map((each) => each.coverage[side]).reduce((a, b) => (b.reported < a.reported ? b : a)),
  );
  const isTotal = figures.every(({ basis }) => basis === 'total');
  const [sums, daily] = [sumOf((each) => each), sumOf((each) => each.daily)];
  return { coverage, figures: figuresOf(isTotal, sums, daily) };
}

const shortSides = (coverage: UsageChange['coverage']): readonly Side[] =>
  SIDES.filter((side) => !isWellReported(coverage[side].reported, coverage[side].of));

/** Whether at least one day and 80 % of the days are reported. With fewer, Tally shows no percentage. */
export const isWellReported = (reported: number, of: number): boolean =>
  reported > 0 && reported * 5 >= of * 4;

export function formatUncompared({ coverage }: UsageChange, labels: PeriodPair<string>): string {
  const short = shortSides(coverage);
  const [side] = short;
  if (side === undefined) return '';
  if (coverage[side].of === 1)
    return `No comparison: ${labels[side]} isn’t reported${side === 'current' ? ' yet' : ''}.`;
  const empty = short.find((each) => coverage[each].reported === 0);
  if (empty !== undefined) return `No comparison: ${labels[empty]} has no figures.`;
  const counts = short.map((each) => `${labels[each]}: ${formatCoverage(coverage[each])}`);
  const which = side === 'before' ? formatCoverage(coverage.before) : counts.join(', ');
  return `Too few days reported to compare with ${labels.before} (${which}).`;
}

export const formatCoverage = ({ reported, of }: Coverage): string =>
  of === 1
    ? reported === 0
      ? 'not reported'
      : 'reported'
    : `${reported} of ${pluralize(of, 'day')} reported`;

const spentIn = (cost: Cost | undefined): Money | undefined =>
  cost !== undefined && cost.reported > 0 && cost.amount && 'value' in cost.amount
    ? cost.amount.value
    : undefined;

export interface ExplainedRow extends Row {
  /** The side whose cost is so unusual for its weekday that it accounts for at least half of the difference. */
  readonly unusual?: Cost | undefined;
}

export interface ExplainedDays {
  /** How much more the current period cost: the sum of the rows' differences. */
  readonly value: Money;
  /** The largest absolute difference first, then the earliest. */
  readonly rows: readonly ExplainedRow[];
  /** Reported days whose counterpart isn't reported. */
  readonly uncompared: readonly Row[];
}

/** Pairs the days of both periods. One row sums up all days without a counterpart in the other period. */
export function explainDays(usage: Usage, before: Usage, window: ComparisonWindow): ExplainedDays {
  const { rows } = comparedRows(usage, before, window, Number.POSITIVE_INFINITY);
  const isKnown = (row: Row, side: Side) => spentIn(row[side]) !== undefined;
  const countOf = (side: Side) => rows.filter((row) => isKnown(row, side)).length;
  // With equally many reported days, totals are compared, and these include unpaired days.
  const isEven = countOf('current') === countOf('before');
  const usages = { current: usage, before };
  const amounts = new Map([...before.amounts, ...usage.amounts]);
  const windows = { current: window.currentDays, before: window.days };
  const costIn = (from: readonly Row[], side: Side): Cost | undefined => {
    const days = from.flatMap((row) => (isKnown(row, side) && row[side]?.days) || []).sort();
    if (days.length === 0) return undefined;
    return costsOf(usages[side])(days, listDays(days, dayNamerFor(windows[side])));
  };
  const alone = rows.filter((row) => isKnown(row, 'current') !== isKnown(row, 'before'));
  const isLeftOut = (row: Row) => !isEven && row.current !== undefined && row.before !== undefined;
  const [leftOut, lacking] = [alone.filter(isLeftOut), alone.filter((row) => !isLeftOut(row))];
  const explained = [
    ...rows.filter((row) => isKnown(row, 'current') && isKnown(row, 'before')),
    ...rowsOf(costIn(lacking, 'current'), costIn(lacking, 'before')),
  ].map((row) => {
    const value = (spentIn(row.current) ?? ZERO).minus(spentIn(row.before) ?? ZERO);
    return { ...row, value, unusual: unusualSide(row, value, amounts) };
  });
  return {
    value: sumMoney(explained.map(({ value }) => value)),
    rows: explained.sort(byDifference),
    uncompared: [...rowsOf(costIn(leftOut, 'current')), ...rowsOf(undefined, costIn(leftOut, 'before'))],
  };
}

function unusualSide(row: Row, difference: Money, amounts: ReadonlyMap<Day, Money>): Cost | undefined {
  const [most] = SIDES.flatMap((side) => {
    const { [side]: cost } = row;
    const [spent, [day, ...others] = []] = [spentIn(cost), cost?.days];
    if (spent === undefined || day === undefined || others.length > 0) return [];
    return [{ cost, excess: spent.minus(usualCost(day, amounts)).abs() }];
  }).sort((a, b) => b.excess.cmp(a.excess));
  return most?.excess.times(2).gte(difference.abs()) ? most.cost : undefined;
}

/** The median of the same weekdays; if fewer than 3 are known, of all workdays or of all weekend days. */
function usualCost(day: Day, amounts: ReadonlyMap<Day, Money>): Money {
  const alike = (of: (day: Day) => unknown) =>
    [...amounts].flatMap(([other, amount]) => (of(other) === of(day) ? [amount] : []));
  const sameWeekdays = alike(isoWeekday);
  return median(sameWeekdays.length >= 3 ? sameWeekdays : alike((other) => isoWeekday(other) > 5));
}

function rowsOf(current: Cost | undefined, before?: Cost): readonly Row[] {
  const label = [current, before].flatMap((cost) => cost?.name ?? []).join(' vs ');
  return label === '' ? [] : [{ label, current, before }];
}

export const byDifference = ({ value: a }: Pick<Row, 'value'>, { value: b }: Pick<Row, 'value'>): number =>
  a && b ? b.abs().cmp(a.abs()) : Number(a === undefined) - Number(b === undefined);

/**
 * Keeps the first `most` rows and sums up the rest in one row, `The other 4 days`, unless the rest is a single row.
 * @param rows sorted by difference, each with a value
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
      name: label,
      days: costs.flatMap(({ days }) => days),
      average: undefined,
      amount: sumAmounts(costs.flatMap(({ amount }) => amount ?? [])),
      bonuses: sumAmounts(costs.flatMap(({ bonuses }) => bonuses ?? [])),
      reported: costs.reduce((sum, { reported }) => sum + reported, 0),
    };
  };
  const value = sumMoney(rest.flatMap((row) => row.value ?? []));
  return [...rows.slice(0, shown), { label, current: sumOf('current'), before: sumOf('before'), value }];
}
