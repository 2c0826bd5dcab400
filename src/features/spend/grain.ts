import { type Day, formatDays } from '../../domain/calendar.ts';
import { startOfUnit, type Unit } from '../../domain/unit.ts';

/** How a unit is called by its first day. */
const LABELS: Readonly<Record<Unit, (first: Day) => string>> = {
  day: (day) => nameOf(day),
  week: (day) => `from ${nameOf(day).slice(4)}`,
  month: (day) => `${nameOf(day).slice(-3)} ${day.slice(0, 4)}`,
  quarter: (day) => `${day.slice(0, 4)} Q${Math.ceil(Number(day.slice(5, 7)) / 3)}`,
  year: (day) => day.slice(0, 4),
};

const UNITS: readonly Unit[] = ['day', 'week', 'month', 'quarter', 'year'];

/** `Mon 16 Nov` */
export const nameOf = (day: Day): string => formatDays(day, day, day.slice(0, 4));

export interface Group<T> {
  readonly label: string;
  readonly items: readonly T[];
}

/**
 * Days put together in the finest unit that makes at most `most` groups, in order: Slack's charts take 20 points and
 * its tables 100 rows.
 */
export function groupDays<T extends { readonly day: Day }>(
  items: readonly T[],
  most: number,
): { readonly unit: Unit; readonly groups: readonly Group<T>[] } {
  const fits = (unit: Unit) => new Set(items.map(({ day }) => startOfUnit(unit, day))).size <= most;
  const unit = UNITS.find(fits) ?? 'year';
  const byStart = new Map<Day, T[]>();
  for (const item of items) {
    const start = startOfUnit(unit, item.day);
    byStart.set(start, [...(byStart.get(start) ?? []), item]);
  }
  return {
    unit,
    groups: [...byStart].map(([start, group]) => ({ label: LABELS[unit](start), items: group })),
  };
}
