import { addDays, type Day, formatDays } from '../../domain/calendar.ts';
import { startOfUnit, type Unit } from '../../domain/unit.ts';

/** Names days for one answer: `Mon 16 Nov`, with the year where the days are not all of one. */
export type Namer = (day: Day) => string;

export function namerFor(days: readonly Day[]): Namer {
  const years = new Set(days.map((day) => day.slice(0, 4)));
  const [only] = years;
  return (day) => formatDays(day, day, years.size === 1 ? only : undefined);
}

/** How a unit is called by its first day. */
const LABELS: Readonly<Record<Unit, (first: Day, name: Namer, asked: readonly Day[]) => string>> = {
  day: (day, name) => name(day),
  week: (day, _, asked) => weekLabel(day, asked),
  month: (day) => formatDays(day, day).slice(6),
  quarter: (day) => `${day.slice(0, 4)} Q${Math.ceil(Number(day.slice(5, 7)) / 3)}`,
  year: (day) => day.slice(0, 4),
};

/** By its days that were asked about, `1–4 Oct`; so few weeks that no year is needed to tell them apart. */
function weekLabel(monday: Day, asked: readonly Day[]): string {
  const sunday = addDays(monday, 6);
  const inside = asked.filter((day) => day >= monday && day <= sunday);
  const [first, last] = [inside[0] ?? monday, inside.at(-1) ?? sunday];
  if (first.slice(0, 4) === last.slice(0, 4)) return formatDays(first, last, last.slice(0, 4));
  const short = (day: Day) => formatDays(day, day, day.slice(0, 4)).slice(4);
  return `${short(first)} – ${short(last)}`;
}

const UNITS: readonly Unit[] = ['day', 'week', 'month', 'quarter', 'year'];

export interface Group<T> {
  readonly label: string;
  readonly items: readonly T[];
}

/**
 * Days put together in the finest unit that makes at most `most` groups, in order: Slack's charts take 20 points and
 * its tables 100 rows. No two groups have the same label.
 *
 * @param asked the days that were asked about, in order
 */
export function groupDays<T extends { readonly day: Day }>(
  items: readonly T[],
  most: number,
  asked: readonly Day[],
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
    groups: [...byStart].map(([start, group]) => ({ label: LABELS[unit](start, name, asked), items: group })),
  };
}
