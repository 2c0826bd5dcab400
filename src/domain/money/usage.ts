import type { Day } from '../time/calendar.ts';
import {
  type Amount,
  divide,
  type Money,
  parseAmount,
  sumMoney,
  toPlainDigits,
  type WireScalar,
} from './amount.ts';
import { type BillingDay, parseBillingDay } from './billing-day.ts';

/** One item of the service's report, as it came. */
export interface WireCharge {
  readonly day: WireScalar;
  readonly totalAmount: WireScalar;
  readonly totalBonuses: WireScalar;
}

/** One item, read. Amount and bonuses are never mixed: whether the one contains the other is not shown. */
export interface Charge {
  readonly day: BillingDay;
  readonly amount: Amount;
  readonly bonuses: Amount;
}

/**
 * What a row shows in a column. `raw`: the digits as they came, or of the sum when several items are in it;
 * `incomplete`: one of those could not be read and is not in `value`.
 */
export type RowAmount =
  | { readonly value: Money; readonly raw: string; readonly incomplete: boolean }
  | { readonly unreadable: string };

export interface UsageRow {
  /** Absent when the service named its day in a way that has no date. */
  readonly day?: Day;
  /** The day, or what came in its place. */
  readonly shown: string;
  readonly amount: RowAmount;
  readonly bonuses: RowAmount;
  /** How many items of the service are added in this row; 1 is the rule. */
  readonly merged: number;
  /** The service put it into the answer although that day was not asked about. Never so without a day. */
  readonly outside: boolean;
}

/** `readable` and `unreadable` count items. Nothing readable makes `value` zero without anything being zero. */
export interface UsageTotal {
  readonly value: Money;
  readonly incomplete: boolean;
  readonly readable: number;
  readonly unreadable: number;
}

export interface DayFigure {
  readonly day: Day;
  readonly value: Money;
}

export interface Usage {
  /** The asked days that have an item, ascending; then days that were not asked about; then what has no day, as it came. */
  readonly rows: readonly UsageRow[];
  /** Everything the service sent, today and days outside included. */
  readonly total: UsageTotal;
  readonly bonuses: UsageTotal;
  /** How many complete days were asked about: `reported`, `missing` and `unreadableDays` together. */
  readonly fullDays: number;
  /** Complete asked days with a readable amount. */
  readonly reported: readonly Day[];
  /** Complete asked days without an item: missing, not zero. */
  readonly missing: readonly Day[];
  /** Complete asked days whose items have no readable amount. */
  readonly unreadableDays: readonly Day[];
  /** Those of `reported` whose amount lacks an unreadable item. */
  readonly partialDays: readonly Day[];
  /** The items for days that were not asked about: those of them that are readable are in `total`. */
  readonly outside: UsageTotal;
  /** The items without a day, likewise. */
  readonly unplaced: UsageTotal;
  /** Rows with several items of one day. */
  readonly mergedDays: number;
  /** A day, over `reported`. */
  readonly average?: Money;
  /** Among `reported`; the earliest of equals. */
  readonly highest?: DayFigure;
  /** Today's part of a day, where today was asked about and has a readable amount. */
  readonly today?: DayFigure;
}

/**
 * `today` is given when the period includes it, in `dayBlocks` or not: its part of a day is shown and counted in the total, and
 * nothing else. `zone` is the IANA name of the reporting zone.
 */
export interface UsageQuestion {
  readonly days: readonly Day[];
  readonly today?: Day;
  readonly zone: string;
}

/** Every item lands in exactly one row, whatever it holds. */
export function computeUsage(items: readonly WireCharge[], asked: UsageQuestion): Usage {
  const charges = items.map((item) => readCharge(item, asked.zone));
  const askedDays = new Set(asked.days);
  const wasAsked = (day: Day): boolean => askedDays.has(day) || day === asked.today;
  const rows = rowsOf(charges, wasAsked);
  const fullDays = [...askedDays].filter((day) => day !== asked.today).sort();
  const seen = new Set(rows.map(({ day }) => day));
  const amounts = readableAmounts(rows);
  const figures = fullDays.flatMap((day) => amounts.get(day) ?? []);
  const today = asked.today === undefined ? undefined : amounts.get(asked.today);
  return {
    rows,
    total: totalOf(charges.map(({ amount }) => amount)),
    bonuses: totalOf(charges.map(({ bonuses }) => bonuses)),
    fullDays: fullDays.length,
    reported: figures.map(({ day }) => day),
    missing: fullDays.filter((day) => !seen.has(day)),
    unreadableDays: fullDays.filter((day) => seen.has(day) && !amounts.has(day)),
    partialDays: figures.filter(({ incomplete }) => incomplete).map(({ day }) => day),
    outside: totalOf(
      charges.flatMap(({ day, amount }) => ('day' in day && !wasAsked(day.day) ? amount : [])),
    ),
    unplaced: totalOf(charges.flatMap(({ day, amount }) => ('unplaced' in day ? amount : []))),
    mergedDays: rows.filter(({ merged }) => merged > 1).length,
    ...extremes(figures),
    ...(today && { today: { day: today.day, value: today.value } }),
  };
}

function readCharge(item: WireCharge, zone: string): Charge {
  return {
    day: parseBillingDay(item.day, zone),
    amount: parseAmount(item.totalAmount),
    bonuses: parseAmount(item.totalBonuses),
  };
}

function rowsOf(charges: readonly Charge[], wasAsked: (day: Day) => boolean): UsageRow[] {
  const byDay = new Map<Day, Charge[]>();
  const unplaced: UsageRow[] = [];
  for (const charge of charges) {
    if ('unplaced' in charge.day) {
      unplaced.push(rowOf([charge], charge.day.unplaced));
      continue;
    }
    const { day } = charge.day;
    const those = byDay.get(day);
    if (those) those.push(charge);
    else byDay.set(day, [charge]);
  }
  const placed = [...byDay]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([day, those]) => ({ ...rowOf(those, day), day, outside: !wasAsked(day) }));
  const [within, outside] = [placed.filter((row) => !row.outside), placed.filter((row) => row.outside)];
  return [...within, ...outside, ...unplaced];
}

function rowOf(charges: readonly Charge[], shown: string): UsageRow {
  return {
    shown,
    amount: figureOf(charges.map(({ amount }) => amount)),
    bonuses: figureOf(charges.map(({ bonuses }) => bonuses)),
    merged: charges.length,
    outside: false,
  };
}

function figureOf(amounts: readonly Amount[]): RowAmount {
  const readable = amounts.filter((amount) => 'value' in amount);
  const [first, second] = readable;
  if (first === undefined) return { unreadable: unreadableText(amounts) };
  const value = sumMoney(readable.map((amount) => amount.value));
  const raw = second ? toPlainDigits(value) : first.raw;
  return { value, raw, incomplete: readable.length < amounts.length };
}

/** Three different pieces of rubbish say as much as three thousand. */
function unreadableText(amounts: readonly Amount[]): string {
  const texts = new Set(amounts.flatMap((amount) => ('unreadable' in amount ? amount.unreadable : [])));
  return [...texts].slice(0, 3).join(', ') + (texts.size > 3 ? ', …' : '');
}

function totalOf(amounts: readonly Amount[]): UsageTotal {
  const readable = amounts.filter((amount) => 'value' in amount);
  const unreadable = amounts.length - readable.length;
  const value = sumMoney(readable.map((amount) => amount.value));
  return { value, incomplete: unreadable > 0, readable: readable.length, unreadable };
}

function readableAmounts(rows: readonly UsageRow[]): Map<Day, DayFigure & { incomplete: boolean }> {
  const amounts = new Map<Day, DayFigure & { incomplete: boolean }>();
  for (const { day, amount } of rows) {
    if (day !== undefined && 'value' in amount) amounts.set(day, { ...amount, day });
  }
  return amounts;
}

function extremes(figures: readonly DayFigure[]): { average?: Money; highest?: DayFigure } {
  if (figures.length === 0) return {};
  const { day, value } = figures.reduce((top, next) => (next.value.gt(top.value) ? next : top));
  const spent = sumMoney(figures.map((figure) => figure.value));
  return { average: divide(spent, figures.length), highest: { day, value } };
}

/** What each reported day cost: complete days with a readable amount. */
export function reportedAmounts(usage: Usage): ReadonlyMap<Day, Money> {
  const amounts = readableAmounts(usage.rows);
  return new Map(
    usage.reported.flatMap((day) => amounts.get(day) ?? []).map(({ day, value }) => [day, value]),
  );
}

/** What was spent on those of `dayBlocks` that `usage` reports. */
export function sumSpentOn(usage: Usage, days: readonly Day[]): { sum: Money; reported: number } {
  const amounts = reportedAmounts(usage);
  const values = [...new Set(days)].flatMap((day) => amounts.get(day) ?? []);
  return { sum: sumMoney(values), reported: values.length };
}
