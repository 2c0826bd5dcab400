import type { Day } from '../time/calendar.ts';
import { type DayNamer, listDays } from '../time/day-groups.ts';
import { pluralize } from '../wording.ts';
import { divide, type Money, type MoneyFormatter, sumMoney, ZERO } from './amount.ts';
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
  const requestedDays = new Set(question.days);
  const [inside, outside, unplaced, bonuses] = [emptyTotal(), emptyTotal(), emptyTotal(), emptyTotal()];
  const [within, others, dayless] = [[] as UsageRow[], [] as UsageRow[], [] as UsageRow[]];
  for (const charge of charges) {
    const { day, amount, merged } = charge;
    const isOutside = day !== undefined && day !== question.today && !requestedDays.has(day);
    const row = { outside: isOutside, ...charge };
    add(amount, merged, day === undefined ? unplaced : isOutside ? outside : inside);
    add(charge.bonuses, merged, bonuses);
    (day === undefined ? dayless : isOutside ? others : within).push(row);
  }
  const rows = [...within.sort(byName), ...others.sort(byName), ...dayless];
  const amounts = amountsByDay(rows);
  const fullDays = [...requestedDays].filter((day) => day !== question.today).sort();
  const today = question.today && figureOn(question.today, amounts);
  return {
    fullDays: fullDays.length,
    rows,
    total: totalOf([inside, outside, unplaced]),
    bonuses,
    outside,
    unplaced,
    ...summarizeDays(fullDays, amounts, today ? inside.value.minus(today.value) : inside.value),
    ...(today && { today }),
  };
}

type RunningTotal = { -readonly [key in keyof UsageTotal]: UsageTotal[key] };

const emptyTotal = (): RunningTotal => ({ value: ZERO, incomplete: false, readable: 0, unreadable: 0 });

/** @param items how many the amount was made of */
function add(amount: RowAmount, items: number, total: RunningTotal): void {
  const readable = 'value' in amount ? amount.readable : 0;
  if ('value' in amount) total.value = total.value.plus(amount.value);
  total.readable += readable;
  total.unreadable += items - readable;
  total.incomplete = total.unreadable > 0;
}

const totalOf = (parts: readonly UsageTotal[]): UsageTotal => ({
  value: sumMoney(parts.map(({ value }) => value)),
  incomplete: parts.some(({ incomplete }) => incomplete),
  readable: parts.reduce((count, { readable }) => count + readable, 0),
  unreadable: parts.reduce((count, { unreadable }) => count + unreadable, 0),
});

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

/** @param days complete ones, ascending @param spent the sum of their amounts */
function summarizeDays(days: readonly Day[], amounts: ReadonlyMap<Day, RowAmount>, spent: Money) {
  const [reported, missing] = [[] as Day[], [] as Day[]];
  const [unreadableDays, partialDays] = [[] as Day[], [] as Day[]];
  let highest: DayFigure | undefined;
  for (const day of days) {
    const amount = amounts.get(day);
    if (amount === undefined) missing.push(day);
    else if ('unreadable' in amount) unreadableDays.push(day);
    else {
      reported.push(day);
      if (amount.incomplete) partialDays.push(day);
      if (highest === undefined || amount.value.gt(highest.value)) highest = { day, value: amount.value };
    }
  }
  const figures = highest && { average: divide(spent, reported.length), highest };
  return { reported, missing, unreadableDays, partialDays, ...figures };
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
