/** Estimates what the running month will cost, and measures the error of the same method in the months before. */
import {
  addDays,
  type Day,
  daysBefore,
  daysInRange,
  endOfUnit,
  formatDays,
  isoWeekday,
  shiftUnits,
  startOfUnit,
  type Zone,
} from '../time/calendar.ts';
import { divide, type Money, type MoneyFormatter, sumMoney } from './amount.ts';
import { reportedAmounts, type Usage } from './usage.ts';
import { isWellReported } from './usage-change.ts';

/** An estimate, and the figures it is based on. */
export interface Forecast {
  /** The whole month: `spent`, plus the expected cost of the `left` days. */
  readonly total: Money;
  /** The month's complete days that are reported. */
  readonly spent: Money;
  /** How many days are estimated: future ones, today, and missing ones. */
  readonly left: number;
  /** The averages come from `reported` of the last `of` complete days. */
  readonly reported: number;
  readonly of: number;
  /**
   * The mean absolute error of the method on the same day of the last 3 months: `total` ± this. Absent if too few
   * days of one of them are reported.
   */
  readonly error?: Money;
}

/** How many days the averages cover, and how many of them must be reported. */
const BASIS = { days: 28, minReported: 7 } as const;
/** A weekday with fewer reported days is expected to cost the average of all days. */
const MIN_WEEKDAYS = 3;
const MONTHS_TESTED = 3;

type Amounts = ReadonlyMap<Day, Money>;

/** @returns the first day of usage that a forecast made on `today` needs */
export const forecastFrom = (today: Day): Day =>
  addDays(shiftUnits('month', startOfUnit('month', today), -MONTHS_TESTED), -BASIS.days);

/**
 * @param usage of the days from {@link forecastFrom} to yesterday; without all of them there is no `error`
 * @returns undefined if fewer than 7 of the last 28 complete days are reported
 */
export const forecastMonth = (usage: Usage, today: Day, zone: Zone): Forecast | undefined =>
  forecastFromAmounts(reportedAmounts(usage), today, zone);

/** @param amounts of the reported days from {@link forecastFrom} to yesterday @returns as {@link forecastMonth} */
export function forecastFromAmounts(amounts: Amounts, today: Day, zone: Zone): Forecast | undefined {
  const expected = expectedCosts(amounts, today, zone);
  if (expected === undefined) return undefined;
  const days = monthOf(today, zone);
  const reported = days.flatMap((day) => (day < today ? (amounts.get(day) ?? []) : []));
  const left = days.filter((day) => day >= today || !amounts.has(day));
  const spent = sumMoney(reported);
  const error = meanError(amounts, today, zone);
  return {
    total: spent.plus(sumMoney(left.map(expected.costOf))),
    spent,
    left: left.length,
    reported: expected.reported,
    of: BASIS.days,
    ...(error && { error }),
  };
}

const monthOf = (day: Day, zone: Zone): readonly Day[] =>
  daysInRange(startOfUnit('month', day), endOfUnit('month', day), zone);

/** Expects a day to cost the average of its weekday over the days before `today`, or of all of those days. */
function expectedCosts(
  amounts: Amounts,
  today: Day,
  zone: Zone,
): { readonly costOf: (day: Day) => Money; readonly reported: number } | undefined {
  const reported = daysBefore(today, BASIS.days, zone).filter((day) => amounts.has(day));
  if (reported.length < BASIS.minReported) return undefined;
  const averageOf = (days: readonly Day[]): Money =>
    divide(sumMoney(days.flatMap((day) => amounts.get(day) ?? [])), days.length);
  const average = averageOf(reported);
  const averages = [1, 2, 3, 4, 5, 6, 7].map((weekday) => {
    const days = reported.filter((day) => isoWeekday(day) === weekday);
    return days.length < MIN_WEEKDAYS ? average : averageOf(days);
  });
  return { costOf: (day) => averages[isoWeekday(day) - 1] ?? average, reported: reported.length };
}

/** @returns the mean absolute error of the method on this day of the last months */
function meanError(amounts: Amounts, today: Day, zone: Zone): Money | undefined {
  const first = startOfUnit('month', today);
  const errors = Array.from({ length: MONTHS_TESTED }, (_, n) =>
    errorInMonth(shiftUnits('month', first, -n - 1), amounts, today, zone),
  ).flatMap((error) => error ?? []);
  return errors.length < MONTHS_TESTED ? undefined : divide(sumMoney(errors), errors.length);
}

/**
 * Compares the reported days only: what the others cost is unknown.
 *
 * @returns undefined if fewer than four fifths of the month are reported, or too few days before it
 */
function errorInMonth(first: Day, amounts: Amounts, today: Day, zone: Zone): Money | undefined {
  const days = monthOf(first, zone);
  const reported = days.filter((day) => amounts.has(day));
  const last = endOfUnit('month', first);
  // 31 March corresponds to the last day of February.
  const sameDay = [addDays(first, Number(today.slice(8)) - 1), last].sort()[0] ?? last;
  const expected = expectedCosts(amounts, sameDay, zone);
  if (expected === undefined || !isWellReported(reported.length, days.length)) return undefined;
  const estimated = reported.filter((day) => day >= sameDay);
  const cost = sumMoney(estimated.flatMap((day) => amounts.get(day) ?? []));
  return sumMoney(estimated.map(expected.costOf)).minus(cost).abs();
}

/**
 * `Estimate for Nov 2026: about 861,234.00 ± 12,000.00, from 27 of the last 28 days`. Our own words and figures
 * alone.
 * @param today a day of the month
 */
export function formatForecast(
  { total, error, reported, of }: Forecast,
  today: Day,
  money: MoneyFormatter,
): string {
  const range = error === undefined ? '' : ` ± ${money(error)}`;
  const month = formatDays(`${today.slice(0, 8)}01`, `${today.slice(0, 8)}01`).slice(6);
  return `Estimate for ${month}: about ${money(total)}${range}, from ${reported} of the last ${of} days`;
}
