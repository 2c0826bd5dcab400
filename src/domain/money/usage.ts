/** What a period cost: its days, its sums, and how much that differs from the window before it. */
import type { Day } from '../time/calendar.ts';
import { type DayNamer, listDays } from '../time/day-groups.ts';
import { pluralize } from '../wording.ts';
import { changeInPercent, divide, type Money, type MoneyFormatter, sumMoney } from './amount.ts';
import type { DayCharges, RowAmount } from './charges.ts';

export interface UsageRow extends DayCharges {
  /** The day was not requested. False when there is no day. */
  readonly outside: boolean;
}

/** `readable` and `unreadable` count items. Without a readable one, `value` is zero but means nothing. */
export interface UsageTotal {
  readonly value: Money;
  readonly incomplete: boolean;
  readonly readable: number;
  readonly unreadable: number;
}

/** @returns what was spent; undefined if no item is readable */
export const readableTotal = ({ total }: Pick<Usage, 'total'>): Money | undefined =>
  total.readable === 0 ? undefined : total.value;

export interface DayFigure {
  readonly day: Day;
  readonly value: Money;
}

export interface Usage {
  /** Requested days that have an item, ascending; then other days; then items without a day, as they were sent. */
  readonly rows: readonly UsageRow[];
  /** Everything the service sent, with today and other days. */
  readonly total: UsageTotal;
  readonly bonuses: UsageTotal;
  /** How many complete days were requested: `reported`, `missing` and `unreadableDays` together. */
  readonly fullDays: number;
  /** Complete requested days with a readable amount. */
  readonly reported: readonly Day[];
  /** Complete requested days without an item: missing, not zero. */
  readonly missing: readonly Day[];
  /** Complete requested days without a readable amount. */
  readonly unreadableDays: readonly Day[];
  /** The days of `reported` that have an unreadable item too. */
  readonly partialDays: readonly Day[];
  /** The items of days that were not requested; the readable ones are in `total`. */
  readonly outside: UsageTotal;
  /** The items without a day; the readable ones are in `total`. */
  readonly unplaced: UsageTotal;
  /** The average of the days in `reported`. */
  readonly average?: Money;
  /** The most expensive day among `reported`; of equal days the earliest. */
  readonly highest?: DayFigure;
  /** Today so far, if it was requested and has a readable amount. */
  readonly today?: DayFigure;
}

/**
 * `today` is set if the period includes it, whether `days` does or not: it counts toward the total only, because it is
 * not over.
 */
export interface UsageQuestion {
  readonly days: readonly Day[];
  readonly today?: Day;
}

/** @param charges in any order, each day once. Never throws. */
export function computeUsage(charges: readonly DayCharges[], question: UsageQuestion): Usage {
  const requested = new Set(question.days);
  const isOutside = ({ day }: DayCharges) =>
    day !== undefined && day !== question.today && !requested.has(day);
  const all = charges.map((charge): UsageRow => ({ outside: isOutside(charge), ...charge }));
  const outside = all.filter((row) => row.outside).sort(byName);
  const unplaced = all.filter(({ day }) => day === undefined);
  const inside = all.filter((row) => !row.outside && row.day !== undefined).sort(byName);
  const rows = [...inside, ...outside, ...unplaced];
  const amounts = amountsByDay(rows);
  const fullDays = [...requested].filter((day) => day !== question.today).sort();
  const today = question.today && figureOn(question.today, amounts);
  return {
    fullDays: fullDays.length,
    rows,
    total: totalOf(rows, 'amount'),
    bonuses: totalOf(rows, 'bonuses'),
    outside: totalOf(outside, 'amount'),
    unplaced: totalOf(unplaced, 'amount'),
    ...summarizeDays(fullDays, amounts),
    ...(today && { today }),
  };
}

function totalOf(charges: readonly DayCharges[], what: 'amount' | 'bonuses'): UsageTotal {
  const known = charges.flatMap(({ [what]: amount }) => ('value' in amount ? [amount] : []));
  const items = charges.reduce((count, { merged }) => count + merged, 0);
  const readable = known.reduce((count, amount) => count + amount.readable, 0);
  const unreadable = items - readable;
  return {
    value: sumMoney(known.map(({ value }) => value)),
    incomplete: unreadable > 0,
    readable,
    unreadable,
  };
}

const byName = (a: UsageRow, b: UsageRow): number => (a.shown < b.shown ? -1 : 1);

function amountsByDay(rows: readonly UsageRow[]): ReadonlyMap<Day, RowAmount> {
  const amounts = new Map<Day, RowAmount>();
  for (const { day, amount } of rows) if (day !== undefined) amounts.set(day, amount);
  return amounts;
}

function figureOn(day: Day, amounts: ReadonlyMap<Day, RowAmount>): DayFigure | undefined {
  const amount = amounts.get(day);
  return amount && 'value' in amount ? { day, value: amount.value } : undefined;
}

/** @param days complete ones, ascending */
function summarizeDays(days: readonly Day[], amounts: ReadonlyMap<Day, RowAmount>) {
  const reported = days.flatMap((day) => figureOn(day, amounts) ?? []);
  const spent = sumMoney(reported.map(({ value }) => value));
  const highest = reported.reduce<DayFigure | undefined>(
    (most, figure) => (most === undefined || figure.value.gt(most.value) ? figure : most),
    undefined,
  );
  const daysWith = (is: (amount: RowAmount) => boolean) =>
    days.filter((day) => {
      const amount = amounts.get(day);
      return amount !== undefined && is(amount);
    });
  return {
    reported: reported.map(({ day }) => day),
    missing: days.filter((day) => !amounts.has(day)),
    unreadableDays: daysWith((amount) => 'unreadable' in amount),
    partialDays: daysWith((amount) => 'value' in amount && amount.incomplete),
    ...(highest && { average: divide(spent, reported.length), highest }),
  };
}

/** @returns the amount of each complete day with a readable one */
export function reportedAmounts({ rows, reported }: Usage): ReadonlyMap<Day, Money> {
  const amounts = amountsByDay(rows);
  const figures = reported.flatMap((day) => figureOn(day, amounts) ?? []);
  return new Map(figures.map(({ day, value }) => [day, value]));
}

/** @returns the sum of those of `days` that are reported, and how many they are */
export function sumReported(amounts: ReadonlyMap<Day, Money>, days: readonly Day[]) {
  const values = [...new Set(days)].flatMap((day) => amounts.get(day) ?? []);
  return { sum: sumMoney(values), reported: values.length };
}

/** Like `sumReported`, with the reported amounts of `usage`. */
export const sumSpentOn = (usage: Usage, days: readonly Day[]) => sumReported(reportedAmounts(usage), days);

/** `1,234.00`, `1,234.00 (incomplete)` */
export const formatTotal = (
  { value, incomplete }: Pick<UsageTotal, 'value' | 'incomplete'>,
  money: MoneyFormatter,
): string => `${money(value)}${incompleteMark(incomplete)}`;

export const incompleteMark = (isIncomplete: boolean): string => (isIncomplete ? ' (incomplete)' : '');

/** `bonuses 12.00`; '' if they are zero. */
export const formatBonusTotal = (bonuses: UsageTotal, money: MoneyFormatter): string =>
  bonuses.value.eq(0) && !bonuses.incomplete ? '' : `bonuses ${formatTotal(bonuses, money)}`;

/** `6 of 7 days reported, no data for Mon 16 Nov`; of a single day nothing when it is reported. */
export function formatReportedDays({ missing, reported, fullDays }: Usage, nameOf: DayNamer): string {
  if (fullDays === 0) return '';
  if (fullDays === 1) return missing.length > 0 ? 'no data yet' : '';
  const gaps = formatMissingDays({ missing }, nameOf);
  return `${reported.length} of ${fullDays} days reported${gaps && `, ${gaps}`}`;
}

/** `no data for Mon 16 Nov`; '' if every day has some. */
export const formatMissingDays = ({ missing }: Pick<Usage, 'missing'>, nameOf: DayNamer): string =>
  missing.length === 0 ? '' : `no data for ${listDays(missing, nameOf)}`;

/** What could not be read in these figures, a sentence each. Missing days are {@link formatReportedDays}'s. */
export function describeUnreadable(usage: Usage, nameOf: DayNamer): string[] {
  const { unreadableDays, partialDays, total, bonuses } = usage;
  const lost = bonuses.readable === 0 ? 'none could' : `${pluralize(bonuses.unreadable, 'amount')} couldn’t`;
  return [
    unreadableDays.length > 0 &&
      `No readable amount for ${listDays(unreadableDays, nameOf)}: not in the total or the average.`,
    partialDays.length > 0 && `Part of the amount for ${listDays(partialDays, nameOf)} couldn’t be read.`,
    total.incomplete && `The total is incomplete: ${pluralize(total.unreadable, 'amount')} couldn’t be read.`,
    bonuses.incomplete && `The bonuses are incomplete: ${lost} be read.`,
  ].filter((sentence) => sentence !== false);
}

/** A value for the period, and one for the window before it. */
export interface PeriodPair<T> {
  readonly current: T;
  readonly before: T;
}

/** How many of some complete days are reported; of the `partial` ones, an item is unreadable. */
export interface Coverage {
  readonly reported: number;
  readonly of: number;
  readonly partial: number;
}

/** Sums; averages a day if the two do not have the same number of reported days. */
export interface UsageChangeFigures extends PeriodPair<Money> {
  readonly basis: 'total' | 'average';
  /** Averages per day, whatever is compared. */
  readonly daily: PeriodPair<Money>;
  /** Absent when it would mislead: too few reported days, nothing spent before, or a credit. */
  readonly percent?: Money;
}

export interface UsageChange {
  readonly coverage: PeriodPair<Coverage>;
  /** Absent if either has no reported day. */
  readonly figures?: UsageChangeFigures;
}

const SIDES = ['current', 'before'] as const;
type Side = (typeof SIDES)[number];

const pair = <T>(of: (side: Side) => T): PeriodPair<T> => ({ current: of('current'), before: of('before') });

/** Compares complete reported days only. @param days the complete days that each usage should cover */
export function compareUsage(current: Usage, before: Usage, days: PeriodPair<readonly Day[]>): UsageChange {
  const usages = { current, before };
  const spent = pair((side) => sumSpentOn(usages[side], days[side]));
  const coverage = pair((side): Coverage => {
    const covered = new Set(days[side]);
    const partial = usages[side].partialDays.filter((day) => covered.has(day)).length;
    return { reported: spent[side].reported, of: days[side].length, partial };
  });
  if (spent.current.reported === 0 || spent.before.reported === 0) return { coverage };
  const daily = pair((side) => divide(spent[side].sum, spent[side].reported));
  const basis = spent.current.reported === spent.before.reported ? 'total' : 'average';
  const values = basis === 'total' ? pair((side) => spent[side].sum) : daily;
  return { coverage, figures: figuresOf(basis, values, daily, coverage) };
}

function figuresOf(
  basis: UsageChangeFigures['basis'],
  values: PeriodPair<Money>,
  daily: PeriodPair<Money>,
  coverage: PeriodPair<Coverage>,
): UsageChangeFigures {
  const percent = isPoorlyReported({ coverage }) ? undefined : changeInPercent(values.current, values.before);
  return { basis, ...values, daily, ...(percent && { percent }) };
}

/**
 * Adds up several projects' changes over the same days: the sum of their averages a day, with the coverage of the one
 * that is reported worst.
 *
 * @returns undefined unless all of them have figures
 */
export function sumChanges(changes: readonly UsageChange[]): UsageChange | undefined {
  const figures = changes.flatMap((change) => change.figures ?? []);
  if (changes.length === 0 || figures.length < changes.length) return undefined;
  const daily = pair((side) => sumMoney(figures.map((each) => each.daily[side])));
  const coverage = pair((side) =>
    changes.map((each) => each.coverage[side]).reduce((a, b) => (wholeDays(b) < wholeDays(a) ? b : a)),
  );
  return { coverage, figures: figuresOf('average', daily, daily, coverage) };
}

const wholeDays = ({ reported, partial }: Coverage): number => reported - partial;

/** Whether fewer than four fifths of either's days are reported: too few for a percentage. */
export const isPoorlyReported = (change: Pick<UsageChange, 'coverage'>): boolean =>
  shortSides(change).length > 0;

const shortSides = ({ coverage }: Pick<UsageChange, 'coverage'>): readonly Side[] =>
  SIDES.filter((side) => !isWellReported(wholeDays(coverage[side]), coverage[side].of));

/** Whether at least one day and at least four fifths of all days are reported. */
export const isWellReported = (reported: number, of: number): boolean =>
  reported > 0 && reported * 5 >= of * 4;

/**
 * Why two sides can't be compared, by the side that falls short; '' if they can: `No comparison: Thu 25 Feb isn’t reported
 * yet.`, `Too few days reported to compare with 1–30 Sep (1–31 Oct: 22 of 31 days reported).`
 */
export function formatUncompared(change: UsageChange, labels: PeriodPair<string>): string {
  const { coverage } = change;
  const short = shortSides(change);
  const [side] = short;
  if (side === undefined) return '';
  if (coverage[side].of === 1) {
    const missing = side === 'current' ? 'isn’t reported yet' : 'isn’t reported';
    return `No comparison: ${labels[side]} ${coverage[side].reported > 0 ? 'is reported only in part' : missing}.`;
  }
  const counts = short.map((each) => `${labels[each]}: ${formatCoverage(coverage[each])}`);
  const said = side === 'before' ? formatCoverage(coverage.before) : counts.join(', ');
  return `Too few days reported to compare with ${labels.before} (${said}).`;
}

/** `6 of 7 days reported`, `7 of 7 days reported, 1 only in part`; of a single day `not reported` */
export function formatCoverage({ reported, of, partial }: Coverage): string {
  if (of === 1) return reported === 0 ? 'not reported' : partial > 0 ? 'reported only in part' : 'reported';
  return `${reported} of ${pluralize(of, 'day')} reported${partial > 0 ? `, ${partial} only in part` : ''}`;
}
