/** Adds up what days cost, and puts the result into words. */
import { type Day, type DayNamer, listDays } from '../time/calendar.ts';
import { pluralize } from '../wording.ts';
import { divide, type Money, type MoneyFormatter, sumMoney } from './amount.ts';
import type { DayCharges } from './charges.ts';

export interface UsageRow extends DayCharges {
  readonly outside: boolean;
}

/** A sum, and how many items it includes or leaves out as unreadable. Without readable items, `value` means nothing. */
export interface UsageTotal {
  readonly value: Money;
  readonly incomplete: boolean;
  readonly readable: number;
  readonly unreadable: number;
}

export const readableTotal = ({ total }: Pick<Usage, 'total'>): Money | undefined =>
  total.readable === 0 ? undefined : total.value;

export interface DayFigure {
  readonly day: Day;
  readonly value: Money;
}

export interface Usage {
  readonly rows: readonly UsageRow[];
  /** The sum of all items: also items of today, of days not asked about, and without a readable day. */
  readonly total: UsageTotal;
  readonly bonuses: UsageTotal;
  /** How many of the requested days are over. */
  readonly fullDays: number;
  /** The requested days that are over and whose items are all readable. `amounts` has their costs. */
  readonly reported: readonly Day[];
  readonly amounts: ReadonlyMap<Day, Money>;
  /** The requested days that are over and have no item. Their amount is unknown, not zero. */
  readonly missing: readonly Day[];
  readonly unreadableDays: readonly Day[];
  readonly outside: UsageTotal;
  readonly unplaced: UsageTotal;
  readonly average?: Money;
  readonly highest?: DayFigure;
  readonly today?: DayFigure;
}

/** `today` is set if `days` includes it. It counts in the total but not in the average, because it isn't over. */
export interface UsageQuestion {
  readonly days: readonly Day[];
  readonly today?: Day;
}

/** @param charges in any order, at most one for each day */
export function computeUsage(charges: readonly DayCharges[], question: UsageQuestion): Usage {
  const requested = new Set(question.days);
  const isOutside = ({ day }: DayCharges) =>
    day !== undefined && day !== question.today && !requested.has(day);
  const all = charges.map((charge): UsageRow => ({ outside: isOutside(charge), ...charge }));
  const outside = all.filter((row) => row.outside).sort(byName);
  const unplaced = all.filter(({ day }) => day === undefined);
  const inside = all.filter((row) => !row.outside && row.day !== undefined).sort(byName);
  const rows = [...inside, ...outside, ...unplaced];
  const byDay = new Map(inside.map(({ day, amount }) => [day, amount]));
  const fullDays = [...requested].filter((day) => day !== question.today).sort();
  const figures = fullDays.flatMap((day): DayFigure[] => {
    const amount = byDay.get(day);
    return amount && 'value' in amount && !amount.incomplete ? [{ day, value: amount.value }] : [];
  });
  const amounts = new Map(figures.map(({ day, value }) => [day, value]));
  const [highest] = figures.toSorted((a, b) => b.value.cmp(a.value));
  const today = byDay.get(question.today);
  return {
    fullDays: fullDays.length,
    rows,
    total: totalOf(rows, 'amount'),
    bonuses: totalOf(rows, 'bonuses'),
    outside: totalOf(outside, 'amount'),
    unplaced: totalOf(unplaced, 'amount'),
    reported: [...amounts.keys()],
    amounts,
    missing: fullDays.filter((day) => !byDay.has(day)),
    unreadableDays: fullDays.filter((day) => byDay.has(day) && !amounts.has(day)),
    ...(highest && { average: divide(sumMoney([...amounts.values()]), amounts.size), highest }),
    ...(question.today &&
      today &&
      'value' in today && { today: { day: question.today, value: today.value } }),
  };
}

/** Leaves out charges for other days, and charges without a readable day. */
export function usageOn(question: UsageQuestion, charges: readonly DayCharges[]): Usage {
  const requested = new Set(question.days);
  return computeUsage(
    charges.filter(({ day }) => day !== undefined && requested.has(day)),
    question,
  );
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

export function sumReported(amounts: ReadonlyMap<Day, Money>, days: readonly Day[]) {
  const values = [...new Set(days)].flatMap((day) => amounts.get(day) ?? []);
  return { sum: sumMoney(values), reported: values.length };
}

export const formatTotal = (
  { value, incomplete }: Pick<UsageTotal, 'value' | 'incomplete'>,
  money: MoneyFormatter,
): string => `${money(value)}${incompleteMark(incomplete)}`;

export const incompleteMark = (isIncomplete: boolean): string => (isIncomplete ? ' (incomplete)' : '');

export const formatBonusTotal = (bonuses: UsageTotal, money: MoneyFormatter): string =>
  bonuses.value.eq(0) && !bonuses.incomplete ? '' : `bonuses ${formatTotal(bonuses, money)}`;

/** `6 of 7 days reported, no data for Mon 16 Nov`; for a single day, `no data yet`, or '' if there is data */
export function formatReportedDays({ missing, reported, fullDays }: Usage, nameOf: DayNamer): string {
  if (fullDays === 0) return '';
  if (fullDays === 1) return missing.length > 0 ? 'no data yet' : '';
  const gaps = formatMissingDays({ missing }, nameOf);
  return `${reported.length} of ${fullDays} days reported${gaps && `, ${gaps}`}`;
}

export const formatMissingDays = ({ missing }: Pick<Usage, 'missing'>, nameOf: DayNamer): string =>
  missing.length === 0 ? '' : `no data for ${listDays(missing, nameOf)}`;

export function describeUnreadable(usage: Usage, nameOf: DayNamer): string[] {
  const { unreadableDays, total, bonuses } = usage;
  const lost = bonuses.readable === 0 ? 'none could' : `${pluralize(bonuses.unreadable, 'amount')} couldn’t`;
  return [
    unreadableDays.length > 0 &&
      `The amount for ${listDays(unreadableDays, nameOf)} couldn’t be read in full, so it isn’t in the average.`,
    total.incomplete && `The total is incomplete: ${pluralize(total.unreadable, 'amount')} couldn’t be read.`,
    bonuses.incomplete && `The bonuses are incomplete: ${lost} be read.`,
  ].filter((sentence) => sentence !== false);
}
