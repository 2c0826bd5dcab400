/** The units a calendar counts in. Weeks are ISO weeks, Monday to Sunday. */
import { addDays, type Day, weekday } from './calendar.ts';

export type Unit = 'day' | 'week' | 'month' | 'quarter' | 'year';

const MONTHS_IN = { month: 1, quarter: 3, year: 12 } as const;

/** Months since year 0, so that months can be counted like days. */
const monthNumber = (day: Day): number => Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1;

const firstOfMonth = (number: number): Day =>
  `${String(Math.floor(number / 12)).padStart(4, '0')}-${String((number % 12) + 1).padStart(2, '0')}-01`;

/** The first day of the unit that `day` lies in. */
export function startOfUnit(unit: Unit, day: Day): Day {
  if (unit === 'day') return day;
  if (unit === 'week') return addDays(day, 1 - weekday(day));
  const number = monthNumber(day);
  return firstOfMonth(number - (number % MONTHS_IN[unit]));
}

/** The first day of the unit that is `n` units after the one beginning at `first`. */
export function shiftUnits(unit: Unit, first: Day, n: number): Day {
  if (unit === 'day') return addDays(first, n);
  if (unit === 'week') return addDays(first, 7 * n);
  return firstOfMonth(monthNumber(first) + n * MONTHS_IN[unit]);
}

/** The last day of the unit that `day` lies in. */
export function endOfUnit(unit: Unit, day: Day): Day {
  return addDays(shiftUnits(unit, startOfUnit(unit, day), 1), -1);
}

/** How many whole units lie from the one beginning at `first` to the one ending at `last`. */
export function countUnits(unit: 'month' | 'quarter' | 'year', first: Day, last: Day): number {
  return (monthNumber(last) - monthNumber(first) + 1) / MONTHS_IN[unit];
}
