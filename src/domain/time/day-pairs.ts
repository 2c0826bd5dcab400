/** Two periods side by side: the first day of the one beside the first day of the other. */
import { type Day, startOfUnit, type Unit } from './calendar.ts';
import { groupDays } from './day-groups.ts';

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
  const coarser = UNITS.slice(UNITS.findIndex(([unit]) => unit === finest));
  const splits = coarser.map(([unit, days]) => splitInto(unit, days, periods));
  return splits.find(({ pairs }) => pairs.length <= most) ?? splitInto('year', 364, periods);
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

const inUnits = (period: readonly Day[], unit: Unit): (readonly Day[])[] =>
  groupDays(
    period.map((day) => ({ day })),
    Number.POSITIVE_INFINITY,
    period,
    unit,
  ).groups.map(({ items }) => items.map(({ day }) => day));

const inParts = (period: readonly Day[], days: number): (readonly Day[])[] =>
  Array.from({ length: Math.ceil(period.length / days) }, (_, at) =>
    period.slice(at * days, (at + 1) * days),
  );
