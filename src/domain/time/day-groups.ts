/** Days put together: in units, beside the days that they are compared with, and in the sentences that name them. */
import { listNames } from '../wording.ts';
import {
  addDays,
  countUnits,
  type Day,
  daysBetween,
  formatDays,
  isoWeekday,
  startOfUnit,
  type Unit,
} from './calendar.ts';

/** Names days for one answer: `Mon 16 Nov`, `16–18 Nov`, with the year if the days are not all of one. */
export type DayNamer = (day: Day, last?: Day) => string;

export function dayNamerFor(days: readonly Day[]): DayNamer {
  const years = new Set(days.map((day) => day.slice(0, 4)));
  const [only] = years;
  return (day, last = day) => formatDays(day, last, years.size === 1 ? only : undefined);
}

/** How a unit is called by its first day. */
const LABELS: Readonly<
  Record<Unit, (first: Day, name: DayNamer, week: (monday: Day) => string, year?: string) => string>
> = {
  day: (day, name) => name(day),
  week: (day, _, week) => week(day),
  month: (day, _name, _week, year) => formatDays(day, day, year).slice(6),
  quarter: (day) => `${day.slice(0, 4)} Q${Math.ceil(Number(day.slice(5, 7)) / 3)}`,
  year: (day) => day.slice(0, 4),
};

/** Labelled by its requested days, `1–4 Oct`; with its last year when two weeks would have the same label. */
function weekLabel(monday: Day, requested: readonly Day[], isWithYear: boolean): string {
  const sunday = addDays(monday, 6);
  const inside = requested.filter((day) => day >= monday && day <= sunday);
  const [first, last] = [inside[0] ?? monday, inside.at(-1) ?? sunday];
  const year = last.slice(0, 4);
  const end = isWithYear ? ` ${year}` : '';
  if (first.slice(0, 4) === year) return formatDays(first, last, year) + end;
  const short = (day: Day) => formatDays(day, day, day.slice(0, 4)).slice(4);
  return `${short(first)} – ${short(last)}${end}`;
}

const UNITS: readonly Unit[] = ['day', 'week', 'month', 'quarter', 'year'];

export interface DayGroup<T> {
  readonly label: string;
  readonly items: readonly T[];
}

/**
 * Days put together in the finest unit that makes at most `most` groups, in order: Slack's charts take 20 points and
 * its tables 100 rows. No two groups have the same label.
 *
 * @param requested the days that were asked about, in order
 * @param finest what no group is smaller than
 * @param today in the year that is not named with a month
 */
export function groupDays<T extends { readonly day: Day }>(
  items: readonly T[],
  most: number,
  requested: readonly Day[],
  finest: Unit = 'day',
  today?: Day,
): { readonly unit: Unit; readonly groups: readonly DayGroup<T>[] } {
  const fits = (unit: Unit): boolean => {
    const starts = new Set<Day>();
    return items.every(({ day }) => starts.add(startOfUnit(unit, day)).size <= most);
  };
  const unit = UNITS.slice(UNITS.indexOf(finest)).find(fits) ?? 'year';
  const byStart = groupByStart(items, unit, ({ day }) => day);
  const starts = [...byStart.keys()];
  const name = dayNamerFor(starts);
  const labels = (isWithYear: boolean) =>
    starts.map((start) =>
      LABELS[unit](start, name, (monday) => weekLabel(monday, requested, isWithYear), today?.slice(0, 4)),
    );
  const short = labels(false);
  const shown = new Set(short).size === short.length ? short : labels(true);
  return {
    unit,
    groups: [...byStart.values()].map((group, at) => ({ label: shown[at] ?? '', items: group })),
  };
}

/** @returns the items by the first day of the unit that each is in, in their order */
function groupByStart<T>(
  items: readonly T[],
  unit: Unit,
  dayOf: (item: T) => Day,
): ReadonlyMap<Day, readonly T[]> {
  const byStart = new Map<Day, T[]>();
  for (const item of items) {
    const start = startOfUnit(unit, dayOf(item));
    const group = byStart.get(start);
    if (group === undefined) byStart.set(start, [item]);
    else group.push(item);
  }
  return byStart;
}

/** Days in a row that are named as one range. */
const RANGE = 3;

/** `Mon 16 Nov and 18–20 Nov`: each day, or the first and the last of several in a row. @param days ascending */
export function listDays(days: readonly Day[], nameOf: DayNamer): string {
  const runs: Day[][] = [];
  for (const day of days) {
    const run = runs.at(-1);
    const before = run?.at(-1);
    if (before !== undefined && addDays(before, 1) === day) run?.push(day);
    else runs.push([day]);
  }
  return listNames(
    runs.flatMap((run) => {
      const [first = ''] = run;
      return run.length < RANGE ? run.map((day) => nameOf(day)) : [nameOf(first, run.at(-1))];
    }),
  );
}

/** Some days of each period; none where only the other one has such days. */
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
const PAIRED_UNITS: readonly (readonly [Unit, number])[] = [
  ['day', 1],
  ['week', 7],
  ['month', 28],
  ['quarter', 91],
  ['year', 364],
];

/**
 * Two periods side by side: the days of months by their place in the month, others by their weekday, because spending
 * drops every Saturday; longer parts in their order.
 *
 * @param periods the days of each, in order
 * @param finest what no pair is smaller than
 * @returns the finest unit that makes at most `most` pairs; years if none does
 */
export function pairDays(periods: DayPair, most: number, finest: Unit = 'day'): PairedDays {
  for (const [unit, days] of PAIRED_UNITS.slice(PAIRED_UNITS.findIndex(([unit]) => unit === finest))) {
    // To pair the days of ten years takes a while.
    if (unit === 'day' && Math.max(periods.current.length, periods.before.length) > most) continue;
    const paired = splitInto(unit, days, periods);
    if (paired.pairs.length <= most) return paired;
  }
  return splitInto('year', 364, periods);
}

function splitInto(unit: Unit, days: number, periods: DayPair): PairedDays {
  const isCalendar = beginWith(unit, periods);
  if (unit === 'day') return { unit, isCalendar, days, pairs: pairDayByDay(periods) };
  const split = (period: readonly Day[]) =>
    isCalendar
      ? [...groupByStart(period, unit, (day) => day).values()]
      : Array.from({ length: Math.ceil(period.length / days) }, (_, at) =>
          period.slice(at * days, (at + 1) * days),
        );
  const [parts, others] = [split(periods.current), split(periods.before)];
  const pairs = Array.from({ length: Math.max(parts.length, others.length) }, (_, at) => ({
    current: parts[at] ?? [],
    before: others[at] ?? [],
  }));
  return { unit, isCalendar, days, pairs };
}

const beginWith = (unit: Unit, { current, before }: DayPair): boolean =>
  [current, before].every(([first = '']) => startOfUnit(unit, first) === first);

/** 3 October beside 3 September, the second Friday beside the second Friday. Days that only the period before has come last. */
function pairDayByDay(periods: DayPair): DayPair[] {
  const placeOf = beginWith('month', periods) ? placeInMonths : placeInWeeks;
  const placesIn = (days: readonly Day[]) => days.map((day) => placeOf(day, days[0] ?? day));
  const [places, others] = [placesIn(periods.current), placesIn(periods.before)];
  const known = new Set(others);
  const isShared = places.some((place) => known.has(place));
  const partners = new Map(periods.before.map((day, at) => [(isShared ? others : places)[at] ?? at, day]));
  const pairs = periods.current.map((day, at): DayPair => {
    const place = places[at] ?? at;
    const partner = partners.get(place);
    partners.delete(place);
    return { current: [day], before: partner === undefined ? [] : [partner] };
  });
  return [...pairs, ...[...partners.values()].map((day) => ({ current: [], before: [day] }))];
}

const placeInMonths = (day: Day, first: Day): string => `${countUnits('month', first, day)} ${day.slice(8)}`;

const placeInWeeks = (day: Day, first: Day): string =>
  `${isoWeekday(day)} ${Math.floor(daysBetween(first, day) / 7)}`;
