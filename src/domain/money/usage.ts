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

/** One item of the service's report, as it was sent. */
export interface WireCharge {
  readonly day: WireScalar;
  readonly totalAmount: WireScalar;
  readonly totalBonuses: WireScalar;
}

/** A parsed item. Amount and bonuses are never added: the API does not say whether one contains the other. */
export interface Charge {
  readonly day: BillingDay;
  readonly amount: Amount;
  readonly bonuses: Amount;
}

/**
 * An amount in a row. `raw`: the digits as they were sent, or those of the sum of several items; `incomplete`: one of the
 * items is unreadable and not in `value`.
 */
export type RowAmount =
  | { readonly value: Money; readonly raw: string; readonly incomplete: boolean }
  | { readonly unreadable: string };

export interface UsageRow {
  /** Absent when the service sent no readable day. */
  readonly day?: Day;
  /** The day, or what the service sent in its place. */
  readonly shown: string;
  readonly amount: RowAmount;
  readonly bonuses: RowAmount;
  /** How many items are added up in this row; usually 1. */
  readonly merged: number;
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
  /** Those of `reported` with an unreadable item. */
  readonly partialDays: readonly Day[];
  /** The items of days that were not requested; the readable ones are in `total`. */
  readonly outside: UsageTotal;
  /** The items without a day; the readable ones are in `total`. */
  readonly unplaced: UsageTotal;
  /** How many rows have several items. */
  readonly mergedDays: number;
  /** Per day, over `reported`. */
  readonly average?: Money;
  /** Among `reported`; the earliest of equal ones. */
  readonly highest?: DayFigure;
  /** Today so far, if it was requested and has a readable amount. */
  readonly today?: DayFigure;
}

/**
 * `today` is set if the period includes it, whether `days` does or not: it counts toward the total only, because it is
 * not over. `zone` is the IANA name of the reporting zone.
 */
export interface UsageQuestion {
  readonly days: readonly Day[];
  readonly today?: Day;
  readonly zone: string;
}

/** Puts every item into exactly one row, whatever it contains. Never throws. */
export function computeUsage(items: readonly WireCharge[], question: UsageQuestion): Usage {
  const charges = items.map((item) => parseCharge(item, question.zone));
  const requestedDays = new Set(question.days);
  const isRequested = (day: Day): boolean => requestedDays.has(day) || day === question.today;
  const rows = rowsOf(charges, isRequested);
  const fullDays = [...requestedDays].filter((day) => day !== question.today).sort();
  const daysWithItems = new Set(rows.map(({ day }) => day));
  const amounts = readableAmounts(rows);
  const figures = fullDays.flatMap((day) => amounts.get(day) ?? []);
  const today = question.today === undefined ? undefined : amounts.get(question.today);
  return {
    rows,
    total: totalOf(charges.map(({ amount }) => amount)),
    bonuses: totalOf(charges.map(({ bonuses }) => bonuses)),
    fullDays: fullDays.length,
    reported: figures.map(({ day }) => day),
    missing: fullDays.filter((day) => !daysWithItems.has(day)),
    unreadableDays: fullDays.filter((day) => daysWithItems.has(day) && !amounts.has(day)),
    partialDays: figures.filter(({ incomplete }) => incomplete).map(({ day }) => day),
    outside: totalOf(
      charges.flatMap(({ day, amount }) => ('day' in day && !isRequested(day.day) ? amount : [])),
    ),
    unplaced: totalOf(charges.flatMap(({ day, amount }) => ('unplaced' in day ? amount : []))),
    mergedDays: rows.filter(({ merged }) => merged > 1).length,
    ...extremes(figures),
    ...(today && { today: { day: today.day, value: today.value } }),
  };
}

function parseCharge(item: WireCharge, zone: string): Charge {
  return {
    day: parseBillingDay(item.day, zone),
    amount: parseAmount(item.totalAmount),
    bonuses: parseAmount(item.totalBonuses),
  };
}

function rowsOf(charges: readonly Charge[], isRequested: (day: Day) => boolean): UsageRow[] {
  const byDay = new Map<Day, Charge[]>();
  const unplaced: UsageRow[] = [];
  for (const charge of charges) {
    if ('unplaced' in charge.day) {
      unplaced.push(rowOf([charge], charge.day.unplaced));
      continue;
    }
    const { day } = charge.day;
    const sameDay = byDay.get(day);
    if (sameDay) sameDay.push(charge);
    else byDay.set(day, [charge]);
  }
  const placed = [...byDay]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([day, sameDay]) => ({ ...rowOf(sameDay, day), day, outside: !isRequested(day) }));
  const [within, outside] = [placed.filter((row) => !row.outside), placed.filter((row) => row.outside)];
  return [...within, ...outside, ...unplaced];
}

function rowOf(charges: readonly Charge[], shown: string): UsageRow {
  return {
    shown,
    amount: rowAmountOf(charges.map(({ amount }) => amount)),
    bonuses: rowAmountOf(charges.map(({ bonuses }) => bonuses)),
    merged: charges.length,
    outside: false,
  };
}

function rowAmountOf(amounts: readonly Amount[]): RowAmount {
  const readable = amounts.filter((amount) => 'value' in amount);
  const [first, second] = readable;
  if (first === undefined) return { unreadable: unreadableText(amounts) };
  const value = sumMoney(readable.map((amount) => amount.value));
  const raw = second ? toPlainDigits(value) : first.raw;
  return { value, raw, incomplete: readable.length < amounts.length };
}

/** @returns the first three different texts */
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
  const { day, value } = figures.reduce((highest, next) => (next.value.gt(highest.value) ? next : highest));
  const sum = sumMoney(figures.map((figure) => figure.value));
  return { average: divide(sum, figures.length), highest: { day, value } };
}

/** @returns the amount of each complete day with a readable one */
export function reportedAmounts(usage: Usage): ReadonlyMap<Day, Money> {
  const amounts = readableAmounts(usage.rows);
  return new Map(
    usage.reported.flatMap((day) => amounts.get(day) ?? []).map(({ day, value }) => [day, value]),
  );
}

/** @returns the sum of those of `days` that `usage` reports, and how many they are */
export function sumSpentOn(usage: Usage, days: readonly Day[]): { sum: Money; reported: number } {
  const amounts = reportedAmounts(usage);
  const values = [...new Set(days)].flatMap((day) => amounts.get(day) ?? []);
  return { sum: sumMoney(values), reported: values.length };
}
