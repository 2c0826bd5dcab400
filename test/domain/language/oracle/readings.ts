/**
 * The days of each kind of period, worked out without code of src. A reading takes today's date in the
 * reporting zone, and returns undefined if the period is refused.
 */
import { daysAhead, plus } from '../../wall-clock.ts';

/** Both included, as YYYY-MM-DD. */
export type Days = readonly [first: string, last: string];
export type Reading = (today: string, zone: string) => Days | undefined;

const two = (n: number): string => String(n).padStart(2, '0');
const yearOf = (day: string): number => Number(day.slice(0, 4));
const monthOf = (day: string): number => Number(day.slice(5, 7));

export const lengthOf = (year: number, month: number): number =>
  new Date(Date.UTC(year, month, 0)).getUTCDate();
export const date = (year: number, month: number, day: number): string | undefined =>
  day >= 1 && day <= lengthOf(year, month) ? `${year}-${two(month)}-${two(day)}` : undefined;
const dateIn = (year: number, month: number, day: number): string =>
  new Date(Date.UTC(year, month - 1, day)).toISOString().slice(0, 10);

/** 0 is Monday. */
export const weekdayOf = (day: string): number => (new Date(`${day}T00:00Z`).getUTCDay() + 6) % 7;
const mondayOf = (day: string): string => plus(day, -weekdayOf(day));
/** Undefined if the year has no week 53. */
const mondayOfWeek = (year: number, week: number): string | undefined => {
  const monday = plus(mondayOf(`${year}-01-04`), 7 * (week - 1));
  return week >= 1 && yearOf(plus(monday, 3)) === year ? monday : undefined;
};

/** As many years as 29 February or week 53 can be away. */
const yearsBefore = (year: number): number[] => Array.from({ length: 9 }, (_, ago) => year - ago);
const latest = (today: string, of: (year: number) => string | undefined): string | undefined =>
  yearsBefore(yearOf(today) + 1)
    .map(of)
    .find((day) => day !== undefined && day <= today);

const unit = (
  first: string | undefined,
  last: (first: string) => string,
  today: string,
): Days | undefined => {
  if (first === undefined || first > today) return undefined;
  return last(first) < today ? [first, last(first)] : [first, today];
};
const months = (count: number) => (first: string) =>
  plus(dateIn(yearOf(first), monthOf(first) + count, 1), -1);
const weeks = (count: number) => (first: string) => plus(first, 7 * count - 1);

export const theDay =
  (year: number, month: number, day: number): Reading =>
  (today) =>
    unit(date(year, month, day), (first) => first, today);
/** The latest such day that has begun. */
export const latestDay =
  (month: number, day: number): Reading =>
  (today) =>
    unit(
      latest(today, (year) => date(year, month, day)),
      (first) => first,
      today,
    );
export const latestOrdinal =
  (day: number): Reading =>
  (today) => {
    const found = Array.from({ length: 4 }, (_, ago) => dateIn(yearOf(today), monthOf(today) - ago, 1))
      .map((first) => date(yearOf(first), monthOf(first), day))
      .find((at) => at !== undefined && at <= today);
    return found === undefined ? undefined : [found, found];
  };
/** Days that the zone left out are not counted. */
export const daysAgo =
  (count: number): Reading =>
  (today, zone) => {
    const [day = ''] = daysAhead(today, count, zone);
    return [day, day];
  };
export const lastWeekday =
  (weekday: number): Reading =>
  (today) => {
    const day = plus(today, -(((weekdayOf(today) - weekday + 6) % 7) + 1));
    return [day, day];
  };
export const weekdayOfLastWeek =
  (weekday: number): Reading =>
  (today) => {
    const day = plus(mondayOf(today), weekday - 7);
    return [day, day];
  };
export const lastWeekend: Reading = (today) => {
  const monday = mondayOf(today);
  return [plus(monday, -2), plus(monday, -1)];
};
export const thisWeekend: Reading = (today) =>
  unit(plus(mondayOf(today), 5), (first) => plus(first, 1), today);

export const theMonth =
  (year: number, month: number): Reading =>
  (today) =>
    unit(dateIn(year, month, 1), months(1), today);
export const theQuarter =
  (year: number, quarter: number): Reading =>
  (today) =>
    unit(dateIn(year, quarter * 3 - 2, 1), months(3), today);
export const theHalf =
  (year: number, half: number): Reading =>
  (today) =>
    unit(dateIn(year, half * 6 - 5, 1), months(6), today);
export const lastMonthsOf =
  (year: number, count: number): Reading =>
  (today) =>
    unit(dateIn(year, 13 - count, 1), months(count), today);
export const theYear =
  (year: number): Reading =>
  (today) =>
    unit(dateIn(year, 1, 1), months(12), today);
export const theWeek =
  (year: number, week: number): Reading =>
  (today) =>
    unit(mondayOfWeek(year, week), weeks(1), today);
export const theWeekOf =
  (day: Reading): Reading =>
  (today, zone) => {
    const days = day(today, zone);
    return days && unit(mondayOf(days[0]), weeks(1), today);
  };
const latestOf =
  (reading: (year: number) => Reading): Reading =>
  (today, zone) =>
    yearsBefore(yearOf(today) + 1)
      .map((year) => reading(year)(today, zone))
      .find((days) => days !== undefined);
export const latestMonth = (month: number): Reading => latestOf((year) => theMonth(year, month));
export const latestQuarter = (quarter: number): Reading => latestOf((year) => theQuarter(year, quarter));
export const latestHalf = (half: number): Reading => latestOf((year) => theHalf(year, half));
export const latestWeek = (week: number): Reading => latestOf((year) => theWeek(year, week));
export const lastWholeMonth =
  (month: number): Reading =>
  (today) => {
    const end = latest(plus(today, -1), (year) => months(1)(dateIn(year, month, 1)));
    return end === undefined ? undefined : [`${end.slice(0, 8)}01`, end];
  };
/** “october last year” is `ofYear(1, …)`, “this september” is `ofYear(0, …)`. */
export const ofYear =
  (ago: number, reading: (year: number) => Reading): Reading =>
  (today, zone) =>
    reading(yearOf(today) - ago)(today, zone);
export const halfOfMonth =
  (half: number, month: Reading, lengthOfMonth: (first: string) => number): Reading =>
  (today, zone) => {
    const days = month(today, zone);
    if (days === undefined) return undefined;
    const [first] = days;
    const [from, to] = half === 1 ? [1, 15] : [16, lengthOfMonth(first)];
    return unit(`${first.slice(0, 8)}${two(from)}`, () => `${first.slice(0, 8)}${two(to)}`, today);
  };

/** Without a year: of the latest month in which the days have begun. */
export const daysOfMonth =
  (month: number, year: number | undefined, some: (days: readonly string[]) => readonly string[]): Reading =>
  (today) => {
    const of = (y: number): Days => {
      const days = some(Array.from({ length: lengthOf(y, month) }, (_, n) => dateIn(y, month, n + 1)));
      return [days[0] ?? '', days.at(-1) ?? ''];
    };
    const latestYear = dateIn(yearOf(today), month, 1) <= today ? yearOf(today) : yearOf(today) - 1;
    const found = of(year ?? latestYear);
    const [first, last] = year === undefined && found[0] > today ? of(latestYear - 1) : found;
    return unit(first, () => last, today);
  };

export const unitBeforeLast =
  (of: Unit): Reading =>
  (today, zone) => {
    const days = lastUnits(1, of)(today, zone);
    return days && lastUnits(1, of)(days[0], zone);
  };

export type Unit = 'day' | 'week' | 'month' | 'quarter' | 'year';
const SIZES = { month: 1, quarter: 3, year: 12 } as const;
const beginOf = (today: string, of: Unit): string => {
  if (of === 'day') return today;
  if (of === 'week') return mondayOf(today);
  const size = SIZES[of];
  return dateIn(yearOf(today), Math.floor((monthOf(today) - 1) / size) * size + 1, 1);
};
export const thisUnit =
  (of: Unit): Reading =>
  (today) => [beginOf(today, of), today];
export const lastUnits =
  (count: number, of: Unit): Reading =>
  (today, zone) => {
    const end = beginOf(today, of);
    const last = plus(end, -1);
    if (of === 'day') return [daysAhead(today, count, zone)[0] ?? last, last];
    if (of === 'week') return [plus(end, -count * 7), last];
    return [dateIn(yearOf(end), monthOf(end) - count * SIZES[of], 1), last];
  };
export const daysIncludingToday =
  (count: number): Reading =>
  (today, zone) => [daysAhead(today, count - 1, zone)[0] ?? today, today];

export const since =
  (from: Reading): Reading =>
  (today, zone) => {
    const days = from(today, zone);
    return days && [days[0], today];
  };
/** For ends with years. A last day in the future is refused; a last unit that is running ends today. */
export const between =
  (from: Reading, to: Reading): Reading =>
  (today, zone) => {
    const [first, last] = [from(today, zone), to(today, zone)];
    return first && last && first[0] <= last[0] ? [first[0], last[1]] : undefined;
  };
/** Without years, the first day is the latest that has begun, and the last day the next after it. */
export const betweenDays =
  (from: readonly [month: number, day: number], to: readonly [month: number, day: number]): Reading =>
  (today, zone) => {
    const first = latestDay(...from)(today, zone)?.[0];
    if (first === undefined) return undefined;
    const last = Array.from({ length: 9 }, (_, ahead) => date(yearOf(first) + ahead, ...to)).find(
      (day) => day !== undefined && day >= first,
    );
    return last !== undefined && last <= today ? [first, last] : undefined;
  };
export const betweenMonths =
  (from: number, to: number): Reading =>
  (today, zone) => {
    const first = latestMonth(from)(today, zone)?.[0];
    if (first === undefined) return undefined;
    return between(theMonth(yearOf(first), from), theMonth(yearOf(first) + (to < from ? 1 : 0), to))(
      today,
      zone,
    );
  };
