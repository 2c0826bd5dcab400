import type { Day } from '../time/calendar.ts';
import {
  type Amount,
  divide,
  type Money,
  parseAmount,
  sumMoney,
  toPlainDigits,
  type WireScalar,
  ZERO,
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
  const requestedDays = new Set(question.days);
  const isRequested = (day: Day): boolean => requestedDays.has(day) || day === question.today;
  const [total, bonuses, outside, unplaced] = [emptyTotal(), emptyTotal(), emptyTotal(), emptyTotal()];
  const charges: Charge[] = [];
  for (const item of items) {
    const charge = parseCharge(item, question.zone);
    charges.push(charge);
    add(charge.amount, total);
    add(charge.bonuses, bonuses);
    if ('unplaced' in charge.day) add(charge.amount, unplaced);
    else if (!isRequested(charge.day.day)) add(charge.amount, outside);
  }
  const rows = rowsOf(charges, isRequested);
  const amounts = amountsByDay(rows);
  const fullDays = [...requestedDays].filter((day) => day !== question.today).sort();
  const today = question.today && figureOn(question.today, amounts);
  return {
    ...{ rows, total, bonuses, outside, unplaced },
    mergedDays: rows.filter(({ merged }) => merged > 1).length,
    fullDays: fullDays.length,
    ...summarizeDays(fullDays, amounts),
    ...(today && { today }),
  };
}

function parseCharge(item: WireCharge, zone: string): Charge {
  return {
    day: parseBillingDay(item.day, zone),
    amount: parseAmount(item.totalAmount),
    bonuses: parseAmount(item.totalBonuses),
  };
}

type RunningTotal = { -readonly [key in keyof UsageTotal]: UsageTotal[key] };

const emptyTotal = (): RunningTotal => ({ value: ZERO, incomplete: false, readable: 0, unreadable: 0 });

function add(amount: Amount, total: RunningTotal): void {
  if ('unreadable' in amount) {
    total.incomplete = true;
    total.unreadable += 1;
  } else {
    total.value = total.value.plus(amount.value);
    total.readable += 1;
  }
}

function rowsOf(charges: readonly Charge[], isRequested: (day: Day) => boolean): UsageRow[] {
  const byDay = new Map<Day, Charge[]>();
  const [within, outside, unplaced] = [[] as UsageRow[], [] as UsageRow[], [] as UsageRow[]];
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
  for (const [day, sameDay] of byDay) {
    const row = { ...rowOf(sameDay, day), day, outside: !isRequested(day) };
    (row.outside ? outside : within).push(row);
  }
  return [...within.sort(byName), ...outside.sort(byName), ...unplaced];
}

const byName = (a: UsageRow, b: UsageRow): number => (a.shown < b.shown ? -1 : 1);

function rowOf(charges: readonly Charge[], shown: string): UsageRow {
  return {
    shown,
    amount: rowAmountOf(charges, 'amount'),
    bonuses: rowAmountOf(charges, 'bonuses'),
    merged: charges.length,
    outside: false,
  };
}

function rowAmountOf(charges: readonly Charge[], part: 'amount' | 'bonuses'): RowAmount {
  const total = emptyTotal();
  const unreadable = new Set<string>();
  let raw = '';
  for (const { [part]: amount } of charges) {
    if ('unreadable' in amount) unreadable.add(amount.unreadable);
    else raw = amount.raw;
    add(amount, total);
  }
  const { value, incomplete, readable } = total;
  if (readable === 0) return { unreadable: firstThree(unreadable) };
  return { value, raw: readable > 1 ? toPlainDigits(value) : raw, incomplete };
}

const firstThree = (texts: ReadonlySet<string>): string =>
  [...texts].slice(0, 3).join(', ') + (texts.size > 3 ? ', …' : '');

function amountsByDay(rows: readonly UsageRow[]): ReadonlyMap<Day, RowAmount> {
  const amounts = new Map<Day, RowAmount>();
  for (const { day, amount } of rows) if (day !== undefined) amounts.set(day, amount);
  return amounts;
}

function figureOn(day: Day, amounts: ReadonlyMap<Day, RowAmount>): DayFigure | undefined {
  const amount = amounts.get(day);
  return amount !== undefined && 'value' in amount ? { day, value: amount.value } : undefined;
}

/** @param days complete ones, ascending */
function summarizeDays(days: readonly Day[], amounts: ReadonlyMap<Day, RowAmount>) {
  const [reported, missing] = [[] as Day[], [] as Day[]];
  const [unreadableDays, partialDays] = [[] as Day[], [] as Day[]];
  const spent = emptyTotal();
  let highest: DayFigure | undefined;
  for (const day of days) {
    const amount = amounts.get(day);
    if (amount === undefined) missing.push(day);
    else if ('unreadable' in amount) unreadableDays.push(day);
    else {
      reported.push(day);
      if (amount.incomplete) partialDays.push(day);
      add(amount, spent);
      if (highest === undefined || amount.value.gt(highest.value)) highest = { day, value: amount.value };
    }
  }
  const figures = highest && { average: divide(spent.value, reported.length), highest };
  return { reported, missing, unreadableDays, partialDays, ...figures };
}

/** @returns the amount of each complete day with a readable one */
export function reportedAmounts({ rows, reported }: Usage): ReadonlyMap<Day, Money> {
  const amounts = amountsByDay(rows);
  const figures = reported.flatMap((day) => figureOn(day, amounts) ?? []);
  return new Map(figures.map(({ day, value }) => [day, value]));
}

/** @returns the sum of those of `days` that `usage` reports, and how many they are */
export function sumSpentOn(usage: Usage, days: readonly Day[]): { sum: Money; reported: number } {
  const amounts = reportedAmounts(usage);
  const values = [...new Set(days)].flatMap((day) => amounts.get(day) ?? []);
  return { sum: sumMoney(values), reported: values.length };
}
