/** What a running month will cost, estimated, and how far off the same method was in the months before. */
import { addDays, type Day, daysBefore, daysInRange, isoWeekday } from '../time/calendar.ts';
import { endOfUnit, shiftUnits, startOfUnit } from '../time/calendar-unit.ts';
import { divide, type Money, sumMoney } from './amount.ts';
import { reportedAmounts, type Usage } from './usage.ts';
import { isWellReported } from './usage-change.ts';

/** An estimate, and what it rests on. */
export interface Forecast {
  /** Of the whole month: `spent`, and what the `left` days are expected to cost. */
  readonly total: Money;
  /** The month's complete days, as far as they are reported. */
  readonly spent: Money;
  /** Days that are estimated: those to come, today, and those that are missing. */
  readonly left: number;
  /** The averages rest on `reported` of the last `of` complete days. */
  readonly reported: number;
  readonly of: number;
  /**
   * How far off the method was on the same day of the last 3 months, on average: `total` ± this. Absent where one of them
   * is reported too thinly to tell.
   */
  readonly error?: Money;
}

/** Days behind the averages, and how many of them must be reported. */
const BASIS = { days: 28, fewest: 7 } as const;
/** A weekday has its own average from so many reported days; with fewer it costs what any day does. */
const FEWEST_WEEKDAYS = 3;
const MONTHS_TRIED = 3;

type Amounts = ReadonlyMap<Day, Money>;

/** The first day that a forecast made on `today` looks at. */
export const forecastFrom = (today: Day): Day =>
  addDays(shiftUnits('month', startOfUnit('month', today), -MONTHS_TRIED), -BASIS.days);

/**
 * Undefined where fewer than 7 of the last 28 complete days are reported.
 * @param usage of the days from {@link forecastFrom} to yesterday; fewer give no `error`
 */
export function forecastMonth(usage: Usage, today: Day, zone: string): Forecast | undefined {
  const amounts = reportedAmounts(usage);
  const expect = expectationOf(amounts, today, zone);
  if (expect === undefined) return undefined;
  const days = monthOf(today, zone);
  const known = days.flatMap((day) => (day < today ? (amounts.get(day) ?? []) : []));
  const left = days.filter((day) => day >= today || !amounts.has(day));
  const spent = sumMoney(known);
  const error = meanError(amounts, today, zone);
  return {
    total: spent.plus(sumMoney(left.map(expect.costOf))),
    spent,
    left: left.length,
    reported: expect.reported,
    of: BASIS.days,
    ...(error && { error }),
  };
}

const monthOf = (day: Day, zone: string): readonly Day[] =>
  daysInRange(startOfUnit('month', day), endOfUnit('month', day), zone);

/** What a day costs by the days before `today`: the average of its weekday, or of all of them. */
function expectationOf(
  amounts: Amounts,
  today: Day,
  zone: string,
): { readonly costOf: (day: Day) => Money; readonly reported: number } | undefined {
  const known = daysBefore(today, BASIS.days, zone).filter((day) => amounts.has(day));
  if (known.length < BASIS.fewest) return undefined;
  const averageOf = (days: readonly Day[]): Money =>
    divide(sumMoney(days.flatMap((day) => amounts.get(day) ?? [])), days.length);
  const average = averageOf(known);
  const averages = [1, 2, 3, 4, 5, 6, 7].map((number) => {
    const same = known.filter((day) => isoWeekday(day) === number);
    return same.length < FEWEST_WEEKDAYS ? average : averageOf(same);
  });
  return { costOf: (day) => averages[isoWeekday(day) - 1] ?? average, reported: known.length };
}

/** Mean absolute error of the method on this day of the last months. */
function meanError(amounts: Amounts, today: Day, zone: string): Money | undefined {
  const first = startOfUnit('month', today);
  const errors = Array.from({ length: MONTHS_TRIED }, (_, n) =>
    errorIn(shiftUnits('month', first, -n - 1), amounts, today, zone),
  ).flatMap((error) => error ?? []);
  return errors.length < MONTHS_TRIED ? undefined : divide(sumMoney(errors), errors.length);
}

/**
 * By the month's reported days, what the others cost being unknown. Undefined where they are fewer than four fifths of it or
 * the method had too few days before.
 */
function errorIn(first: Day, amounts: Amounts, today: Day, zone: string): Money | undefined {
  const days = monthOf(first, zone);
  const known = days.filter((day) => amounts.has(day));
  const last = endOfUnit('month', first);
  // 31 March stands beside the last day of February.
  const then = [addDays(first, Number(today.slice(8)) - 1), last].sort()[0] ?? last;
  const expect = expectationOf(amounts, then, zone);
  if (expect === undefined || !isWellReported(known.length, days.length)) return undefined;
  const ahead = known.filter((day) => day >= then);
  const cost = sumMoney(ahead.flatMap((day) => amounts.get(day) ?? []));
  return sumMoney(ahead.map(expect.costOf)).minus(cost).abs();
}
