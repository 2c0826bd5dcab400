/** Usage as billing reports it: reads its items, adds up days and periods, and puts the results into words. */
import {
  addDays,
  DAY,
  type Day,
  type DayNamer,
  dayAt,
  listDays,
  type Millis,
  parseInstant,
  type Zone,
} from '../time/calendar.ts';
import { pluralize } from '../wording.ts';
import {
  type Amount,
  clipWireValue,
  divide,
  type Money,
  type MoneyFormatter,
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

export interface UsageRow extends DayCharges {
  readonly outside: boolean;
}

/** A sum, and how many items it includes and lacks. Without readable items, `value` means nothing. */
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
  /** The sum of all items, also of today, of other days, and without a readable day. */
  readonly total: UsageTotal;
  readonly bonuses: UsageTotal;
  /** How many of the requested days are over. */
  readonly fullDays: number;
  /** The requested days that are over and whose items are all readable; and their amounts. */
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

/** `today` is set if `days` includes it. It counts for the total, but not for the average, because it isn't over. */
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

/** Leaves out charges of other days and without a readable day. */
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

/** `6 of 7 days reported, no data for Mon 16 Nov`; for a single day `no data yet` or '' */
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
