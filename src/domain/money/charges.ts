/** What billing charged for each day: reads its items, whose days and amounts come in several formats. */
import { addDays, DAY, type Day, dayAt, type Millis, parseInstant, type Zone } from '../time/calendar.ts';
import {
  type Amount,
  clipWireValue,
  type Money,
  parseAmount,
  sumMoney,
  toPlainDigits,
  type WireScalar,
} from './amount.ts';

/** `raw`: the digits of one item as sent, or of the sum. `readable`: how many items the sum includes. */
export type RowAmount =
  | {
      readonly value: Money;
      readonly raw: string;
      readonly readable: number;
      readonly incomplete: boolean;
    }
  | { readonly unreadable: string };

/** A day's charges, or an item without a readable day. Bonuses may be part of the amount, so the two are never summed. */
export interface DayCharges {
  readonly day?: Day;
  readonly shown: string;
  readonly amount: RowAmount;
  readonly bonuses: RowAmount;
  readonly merged: number;
}

export interface WireCharge {
  readonly day: WireScalar;
  readonly totalAmount: WireScalar;
  readonly totalBonuses: WireScalar;
}

/** @returns one element per day, in the order of the days' first items, and one per item without a readable day */
export function collectCharges(items: Iterable<WireCharge>, zone: Zone): readonly DayCharges[] {
  const days = new Map<string | symbol, { day: BillingDay; amounts: RowAmount[]; bonuses: RowAmount[] }>();
  for (const item of items) {
    const day = parseBillingDay(item.day, zone);
    const key = 'day' in day ? day.day : Symbol(day.unplaced);
    const known = days.get(key) ?? { day, amounts: [], bonuses: [] };
    days.set(key, known);
    known.amounts.push(toRowAmount(parseAmount(item.totalAmount)));
    known.bonuses.push(toRowAmount(parseAmount(item.totalBonuses)));
  }
  return [...days.values()].map(({ day, amounts, bonuses }) => ({
    amount: sumAmounts(amounts) ?? NOTHING,
    bonuses: sumAmounts(bonuses) ?? NOTHING,
    merged: amounts.length,
    ...('day' in day ? { day: day.day, shown: day.day } : { shown: day.unplaced }),
  }));
}

const NOTHING: RowAmount = { unreadable: '' };
const toRowAmount = (amount: Amount): RowAmount =>
  'value' in amount ? { ...amount, readable: 1, incomplete: false } : amount;

export type BillingDay = { readonly day: Day } | { readonly unplaced: string };

const DATE = /^(?:19|[2-9]\d)\d{2}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/;
const TIMESTAMP =
  /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::[0-5]\d(?:[.,](\d+))?)?)(?: ?(Z|UTC|[+-]\d{2}(?::?\d{2})?))?$/i;
/** `1794614400`, `1794614400.0`, `1.7946144e9` */
const EPOCH = /^[1-9]\d*(?:\.\d+)?$|^[1-9](?:\.\d+)?e\+?\d\d?$/i;
const MAX_LENGTH = 64;

/**
 * Reads the day of an item, whose type billing doesn't document:
 * - An ISO date is that day.
 * - A timestamp at midnight UTC is its UTC date. In a zone west of Greenwich, the local date would be the day before.
 * - Any other timestamp, and epoch seconds or milliseconds, is the date in `zone`.
 */
export function parseBillingDay(wire: WireScalar, zone: Zone): BillingDay {
  const text = 'text' in wire && wire.text.length <= MAX_LENGTH ? wire.text.trim() : '';
  const day = parseIsoDate(text) ?? parseTimestamp(text, zone) ?? parseEpoch(text, zone);
  return day === undefined ? { unplaced: clipWireValue(wire, 'no day') } : { day };
}

/** JavaScript reads 30 February as 2 March. */
const parseIsoDate = (text: string): Day | undefined =>
  DATE.test(text) && addDays(text, 0) === text ? text : undefined;

/** A timestamp without an offset is in UTC, as in the rest of billing's API. */
function parseTimestamp(text: string, zone: Zone): Day | undefined {
  const [, date, time = '', fraction = '', offset = 'Z'] = TIMESTAMP.exec(text) ?? [];
  if (date === undefined) return undefined;
  const milliseconds = Number(fraction.slice(0, 3).padEnd(3, '0'));
  const second = parseInstant(`${date}T${time.slice(0, 8)}${/^[+-]/.test(offset) ? offset : 'Z'}`);
  if (second === undefined) return undefined;
  const isMidnight = second % DAY === 0 && !/[1-9]/.test(fraction);
  return isMidnight
    ? parseIsoDate(new Date(second).toISOString().slice(0, 10))
    : dayOf(second + milliseconds, zone);
}

/** A number with 9 or 10 digits is in seconds, with 12 or 13 in milliseconds. */
function parseEpoch(text: string, zone: Zone): Day | undefined {
  const epoch = EPOCH.test(text) ? Math.floor(Number(text)) : 0;
  if (epoch >= 1e8 && epoch < 1e10) return dayOf(epoch * 1000, zone);
  return epoch >= 1e11 && epoch < 1e13 ? dayOf(epoch, zone) : undefined;
}

/** Between these instants, the year is 1900 to 9999 in every time zone. */
const EARLIEST = Date.UTC(1900, 0, 2);
const LATEST = Date.UTC(9999, 11, 30);

const dayOf = (instant: Millis, zone: Zone): Day | undefined =>
  instant >= EARLIEST && instant < LATEST ? dayAt(instant, zone) : undefined;

/** @returns the sum of the readable amounts; the first amount if none is readable; undefined if there is none */
export function sumAmounts(amounts: readonly RowAmount[]): RowAmount | undefined {
  const [first] = amounts;
  if (first === undefined || amounts.length === 1) return first;
  const readable = amounts.filter((amount) => 'value' in amount);
  const [only, ...others] = readable;
  if (only === undefined) return first;
  const value = sumMoney(readable.map((amount) => amount.value));
  return {
    value,
    raw: others.length === 0 ? only.raw : toPlainDigits(value),
    readable: readable.reduce((count, amount) => count + amount.readable, 0),
    incomplete: readable.length < amounts.length || readable.some(({ incomplete }) => incomplete),
  };
}
