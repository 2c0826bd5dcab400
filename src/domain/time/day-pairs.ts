/** Two periods side by side: the first day of the one beside the first day of the other. */
import { type Day, startOfUnit, type Unit } from './calendar.ts';

/** Days of each period that stand beside each other; none where one of them is shorter. */
export interface DayPair {
  readonly current: readonly Day[];
  readonly before: readonly Day[];
}

export interface PairedDays {
  readonly unit: Unit;
  /** Whether the pairs are calendar units, as both periods begin with one; else each has so many `days`. */
  readonly isCalendar: boolean;
  readonly days: number;
  readonly pairs: readonly DayPair[];
}

/** Whole weeks, so that weekends are in each. */
const UNITS: readonly (readonly [Unit, number])[] = [
  ['day', 1],
  ['week', 7],
  ['month', 28],
  ['quarter', 91],
  ['year', 364],
];

/**
 * @param periods the days of each, in order
 * @param finest what no pair is smaller than
 * @returns the finest unit that makes at most `most` pairs; years if none does
 */
export function pairDays(periods: DayPair, most: number, finest: Unit = 'day'): PairedDays {
  for (const [unit, days] of UNITS.slice(UNITS.findIndex(([unit]) => unit === finest))) {
    const paired = splitInto(unit, days, periods);
    if (paired.pairs.length <= most) return paired;
  }
  return splitInto('year', 364, periods);
}

function splitInto(unit: Unit, days: number, { current, before }: DayPair): PairedDays {
  const isCalendar = [current, before].every(([first = '']) => startOfUnit(unit, first) === first);
  const split = (period: readonly Day[]) => (isCalendar ? inUnits(period, unit) : inParts(period, days));
  const [parts, others] = [split(current), split(before)];
  const pairs = Array.from({ length: Math.max(parts.length, others.length) }, (_, at) => ({
    current: parts[at] ?? [],
    before: others[at] ?? [],
  }));
  return { unit, isCalendar, days, pairs };
}

function inUnits(period: readonly Day[], unit: Unit): (readonly Day[])[] {
  const byStart = new Map<Day, Day[]>();
  for (const day of period) {
    const start = startOfUnit(unit, day);
    const part = byStart.get(start);
    if (part === undefined) byStart.set(start, [day]);
    else part.push(day);
  }
  return [...byStart.values()];
}

const inParts = (period: readonly Day[], days: number): (readonly Day[])[] =>
  Array.from({ length: Math.ceil(period.length / days) }, (_, at) =>
    period.slice(at * days, (at + 1) * days),
  );
