import type { Day, Zone } from '../time/calendar.ts';
import { type Amount, type Money, parseAmount, toPlainDigits, type WireScalar, ZERO } from './amount.ts';
import { type BillingDay, parseBillingDay } from './billing-day.ts';

/** One item of the service's report, as it was sent. */
export interface WireCharge {
  readonly day: WireScalar;
  readonly totalAmount: WireScalar;
  readonly totalBonuses: WireScalar;
}

/**
 * An amount of a day. `raw`: the digits as they were sent, or those of the sum of several items; `readable`: how many
 * items are in `value`; `incomplete`: another one is unreadable.
 */
export type RowAmount =
  | {
      readonly value: Money;
      readonly raw: string;
      readonly readable: number;
      readonly incomplete: boolean;
    }
  | { readonly unreadable: string };

/**
 * What the service charged on a day, or an item without a readable one. Amount and bonuses are never added: the API does
 * not say whether one contains the other.
 */
export interface DayCharges {
  /** Absent when the service sent no readable day. */
  readonly day?: Day;
  /** The day, or what the service sent in its place. */
  readonly shown: string;
  readonly amount: RowAmount;
  readonly bonuses: RowAmount;
  /** How many items are added up here; usually 1. */
  readonly merged: number;
}

/** Items between two pauses. */
const PART = 100;

/**
 * Adds up the items of each day, in parts. Every item is in exactly one row, whatever it contains. Never throws.
 *
 * @param zone IANA name of the reporting zone
 * @returns the days in the order of their first item; items without a day by themselves
 */
export function* collectCharges(
  items: Iterable<WireCharge>,
  zone: Zone,
): Generator<void, readonly DayCharges[]> {
  const byDay = new Map<Day, OpenDay>();
  const rows: OpenDay[] = [];
  let count = 0;
  for (const item of items) {
    count += 1;
    if (count % PART === 0) yield;
    const day = parseBillingDay(item.day, zone);
    const known = 'day' in day ? byDay.get(day.day) : undefined;
    const sums = known ?? { day, amount: emptySum(), bonuses: emptySum() };
    if (known === undefined) rows.push(sums);
    if ('day' in day) byDay.set(day.day, sums);
    add(parseAmount(item.totalAmount), sums.amount);
    add(parseAmount(item.totalBonuses), sums.bonuses);
  }
  const charges: DayCharges[] = [];
  for (const { day, amount, bonuses } of rows) {
    charges.push({
      ...('day' in day ? { day: day.day, shown: day.day } : { shown: day.unplaced }),
      amount: rowAmountOf(amount),
      bonuses: rowAmountOf(bonuses),
      merged: amount.items,
    });
    if (charges.length % PART === 0) yield;
  }
  return charges;
}

/** The items of a day so far. */
interface OpenDay {
  readonly day: BillingDay;
  readonly amount: RunningSum;
  readonly bonuses: RunningSum;
}

interface RunningSum {
  value: Money;
  raw: string;
  items: number;
  readable: number;
  /** The first ones, without repetitions: one more than are shown. */
  readonly unreadable: Set<string>;
}

const SHOWN = 3;

const emptySum = (): RunningSum => ({
  value: ZERO,
  raw: '',
  items: 0,
  readable: 0,
  unreadable: new Set(),
});

function add(amount: Amount, sum: RunningSum): void {
  sum.items += 1;
  if ('unreadable' in amount) {
    if (sum.unreadable.size <= SHOWN) sum.unreadable.add(amount.unreadable);
    return;
  }
  sum.readable += 1;
  sum.raw = amount.raw;
  sum.value = sum.readable === 1 ? amount.value : sum.value.plus(amount.value);
}

function rowAmountOf({ value, raw, items, readable, unreadable }: RunningSum): RowAmount {
  if (readable === 0)
    return {
      unreadable: [...[...unreadable].slice(0, SHOWN), ...(unreadable.size > SHOWN ? ['…'] : [])].join(', '),
    };
  return { value, raw: readable > 1 ? toPlainDigits(value) : raw, readable, incomplete: readable < items };
}
