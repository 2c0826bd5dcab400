/** The units a calendar counts in. Weeks are ISO weeks, Monday to Sunday. */
import { addMonths } from 'date-fns/addMonths';
import { addQuarters } from 'date-fns/addQuarters';
import { addWeeks } from 'date-fns/addWeeks';
import { addYears } from 'date-fns/addYears';
import { differenceInCalendarMonths } from 'date-fns/differenceInCalendarMonths';
import { startOfISOWeek } from 'date-fns/startOfISOWeek';
import { startOfMonth } from 'date-fns/startOfMonth';
import { startOfQuarter } from 'date-fns/startOfQuarter';
import { startOfYear } from 'date-fns/startOfYear';
import { addDays, type Day, dateOf, dayOf } from './calendar.ts';

export type Unit = 'day' | 'week' | 'month' | 'quarter' | 'year';

const START = { week: startOfISOWeek, month: startOfMonth, quarter: startOfQuarter, year: startOfYear };
const ADD = { week: addWeeks, month: addMonths, quarter: addQuarters, year: addYears };
const MONTHS_IN = { month: 1, quarter: 3, year: 12 } as const;

/** The first day of the unit that `day` lies in. */
export function startOfUnit(unit: Unit, day: Day): Day {
  return unit === 'day' ? day : dayOf(START[unit](dateOf(day)));
}

/** The first day of the unit that is `n` units after the one beginning at `firstOf`. */
export function shiftUnits(unit: Unit, first: Day, n: number): Day {
  return unit === 'day' ? addDays(first, n) : dayOf(ADD[unit](dateOf(first), n));
}

/** The last day of the unit that `day` lies in. */
export function endOfUnit(unit: Unit, day: Day): Day {
  return addDays(shiftUnits(unit, startOfUnit(unit, day), 1), -1);
}

/** How many whole units lie from the one beginning at `firstOf` to the one ending at `last`. */
export function countUnits(unit: 'month' | 'quarter' | 'year', first: Day, last: Day): number {
  return (differenceInCalendarMonths(dateOf(last), dateOf(first)) + 1) / MONTHS_IN[unit];
}
