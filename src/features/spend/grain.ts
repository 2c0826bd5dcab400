import { type Day, formatDays } from '../../domain/calendar.ts';
import { startOfUnit, type Unit } from '../../domain/unit.ts';

/** Names days for one answer: `Mon 16 Nov`, with the year where the days are not all of one. */
export type Namer = (day: Day) => string;

export function namerFor(days: readonly Day[]): Namer {
  const years = new Set(days.map((day) => day.slice(0, 4)));
  const [only] = years;
  return (day) => formatDays(day, day, years.size === 1 ? only : undefined);
}

/** How a unit is called by its first day. */
const LABELS: Readonly<Record<Unit, (first: Day, name: Namer) => string>> = {
  day: (day, name) => name(day),
  week: (day, name) => `from ${name(day).slice(4)}`,
  month: (day) => formatDays(day, day).slice(6),
  quarter: (day) => `${day.slice(0, 4)} Q${Math.ceil(Number(day.slice(5, 7)) / 3)}`,
  year: (day) => day.slice(0, 4),
};

const UNITS: readonly Unit[] = ['day', 'week', 'month', 'quarter', 'year'];

export interface Group<T> {
  readonly label: string;
  readonly items: readonly T[];
}

/**
 * Days put together in the finest unit that makes at most `most` groups, in order: Slack's charts take 20 points and
 * its tables 100 rows. No two groups have the same label.
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
    const group = byStart.get(start);
    if (group === undefined) byStart.set(start, [item]);
    else group.push(item);
  }
  const name = namerFor([...byStart.keys()]);
  return {
    unit,
    groups: [...byStart].map(([start, group]) => ({ label: LABELS[unit](start, name), items: group })),
  };
}
