/** Days, weeks, months, quarters and years. Weeks are ISO weeks, Monday to Sunday. */
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

/** @returns the first day of the unit that contains `day` */
export function startOfUnit(unit: Unit, day: Day): Day {
  return unit === 'day' ? day : dayOf(START[unit](dateOf(day)));
}

/** @param first the first day of a unit @returns the first day of the unit `n` units later, earlier where `n` is negative */
export function shiftUnits(unit: Unit, first: Day, n: number): Day {
  return unit === 'day' ? addDays(first, n) : dayOf(ADD[unit](dateOf(first), n));
}

/** @returns the last day of the unit that contains `day` */
export function endOfUnit(unit: Unit, day: Day): Day {
  return addDays(shiftUnits(unit, startOfUnit(unit, day), 1), -1);
}

/** @returns how many whole units there are from `first`, the first day of one, to `last`, the last day of one */
export function countUnits(unit: 'month' | 'quarter' | 'year', first: Day, last: Day): number {
  return (differenceInCalendarMonths(dateOf(last), dateOf(first)) + 1) / MONTHS_IN[unit];
}
