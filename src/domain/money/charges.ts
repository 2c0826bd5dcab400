import { DAY, type Day, dayAt, type Millis, type Zone } from '../time/calendar.ts';
import { type Amount, clipWireValue, parseAmount, type WireScalar } from './amount.ts';
import { type DayCharges, type RowAmount, sumAmounts } from './usage.ts';

/** One item of the service's report, as it was sent. */
export interface WireCharge {
  readonly day: WireScalar;
  readonly totalAmount: WireScalar;
  readonly totalBonuses: WireScalar;
}

/**
 * Adds up the items of each day. Every item is in exactly one row, whatever it contains. Never throws.
 *
 * @param zone IANA name of the reporting zone
 * @returns the days in the order of their first item; items without a day by themselves
 */
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

/** The day of an item, or what the service sent in its place, shortened. */
export type BillingDay = { readonly day: Day } | { readonly unplaced: string };

const DATE = /^(?:19|[2-9]\d)\d{2}-\d{2}-\d{2}$/;
const TIMESTAMP =
  /^(?<date>\d{4}-\d{2}-\d{2})[T ](?<hour>\d{2}):(?<minute>\d{2})(?::(?<second>\d{2})(?:[.,](?<fraction>\d+))?)?(?: ?(?<offset>Z|UTC|[+-]\d{2}(?::?\d{2})?))?$/i;
const OFFSET = /^(?<sign>[+-])(?<hours>\d\d):?(?<minutes>\d\d)?$/;
/** Also as a floating-point number: 1794614400.0, 1.7946144e9. */
const EPOCH = /^[1-9]\d*(?:\.\d+)?$|^[1-9](?:\.\d+)?e\+?\d\d?$/i;
const MAX_LENGTH = 64;

/**
 * Reads the day of an item. The contract shows no type, so the rules are ours:
 * - An ISO date is that day.
 * - A timestamp at midnight UTC is its UTC date: a service that cuts its days at midnight UTC writes them so, and the
 *   reader's zone would move every charge west of Greenwich to the day before.
 * - Any other instant (a timestamp with an offset or in UTC, epoch seconds or milliseconds) is its date in `zone`.
 *
 * @param zone IANA name
 * @returns `unplaced` for anything else; never throws
 */
export function parseBillingDay(wire: WireScalar, zone: Zone): BillingDay {
  const text = 'text' in wire && wire.text.length <= MAX_LENGTH ? wire.text.trim() : '';
  const day = parseIsoDate(text) ?? parseTimestamp(text, zone) ?? parseEpoch(text, zone);
  return day === undefined ? { unplaced: clipWireValue(wire, 'no day') } : { day };
}

function parseIsoDate(text: string): Day | undefined {
  return DATE.test(text) && midnightOf(text) !== undefined ? text : undefined;
}

function parseTimestamp(text: string, zone: Zone): Day | undefined {
  const { date, hour, minute, second = '00', fraction = '', offset } = TIMESTAMP.exec(text)?.groups ?? {};
  if (date === undefined || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  const midnight = midnightOf(date);
  const offsetMinutes = parseOffset(offset);
  if (midnight === undefined || offsetMinutes === undefined) return undefined;

  const seconds = (Number(hour) * 60 + Number(minute) - offsetMinutes) * 60 + Number(second);
  const instant = midnight + seconds * 1000 + Number(fraction.slice(0, 3).padEnd(3, '0'));
  const isMidnight = instant % DAY === 0 && !/[1-9]/.test(fraction);
  return isMidnight ? parseIsoDate(new Date(instant).toISOString().slice(0, 10)) : dayOf(instant, zone);
}

/** Seconds have 9 or 10 digits before the point, milliseconds 12 or 13; both are exact as a JavaScript number. */
function parseEpoch(text: string, zone: Zone): Day | undefined {
  const epoch = EPOCH.test(text) ? Math.floor(Number(text)) : 0;
  if (epoch >= 1e8 && epoch < 1e10) return dayOf(epoch * 1000, zone);
  return epoch >= 1e11 && epoch < 1e13 ? dayOf(epoch, zone) : undefined;
}

/** @returns the date's midnight in UTC, in ms; undefined for a date that does not exist, such as 30 February */
function midnightOf(date: string): number | undefined {
  const midnight = Date.parse(`${date}T00:00:00.000Z`);
  // V8 reads 30 February as 2 March.
  return new Date(midnight).getUTCDate() === Number(date.slice(-2)) ? midnight : undefined;
}

/** @returns minutes ahead of UTC; 0 without an offset, because the API uses UTC throughout */
function parseOffset(offset = 'Z'): number | undefined {
  const { sign, hours = '', minutes = '00' } = OFFSET.exec(offset)?.groups ?? {};
  if (sign === undefined) return 0;
  if (Number(hours) > 23 || Number(minutes) > 59) return undefined;
  return Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes));
}

/** A `Day` lies in the years 1900 to 9999; a zone may shift it by one day at either end. */
const EARLIEST = Date.UTC(1900, 0, 2);
const LATEST = Date.UTC(9999, 11, 30);

function dayOf(instant: Millis, zone: Zone): Day | undefined {
  return instant >= EARLIEST && instant < LATEST ? dayAt(instant, zone) : undefined;
}
