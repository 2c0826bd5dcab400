/**
 * Calendar days, and when they begin in a time zone. A day lasts until the next day begins, even if the clocks are set
 * back over midnight.
 */
import { LRUCache } from 'lru-cache';
import { Temporal } from 'temporal-polyfill';
import { tryParse } from '../try-parse.ts';
import { listNames } from '../wording.ts';

/** `2026-11-21`, in the years 1900 to 9999. Days sort as text. */
export type Day = string;

export type Zone = string;

/** A duration, or an instant counted from the epoch. */
export type Millis = number;

export const DAY: Millis = 86_400_000;
export const HOUR: Millis = 3_600_000;
export const MINUTE: Millis = 60_000;

export const MONTH_NAMES: readonly string[] =
  'January February March April May June July August September October November December'.split(' ');
const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

const dayOf = (date: Date): Day => date.toISOString().slice(0, 10);

/** `Date.parse` reads a date without a time as midnight UTC. */
const midnightOf = (day: Day): Millis => Date.parse(day);

export const addDays = (day: Day, n: number): Day => dayOf(new Date(midnightOf(day) + n * DAY));

/** @returns a negative number if `b` is earlier */
export const daysBetween = (a: Day, b: Day): number => (midnightOf(b) - midnightOf(a)) / DAY;

/** @returns 1 for Monday to 7 for Sunday */
export const isoWeekday = (day: Day): number => new Date(midnightOf(day)).getUTCDay() || 7;

export const daysInMonth = (year: number, month: number): number =>
  new Date(Date.UTC(year, month, 0)).getUTCDate();

/** @returns midnight, or the instant of the clock change if the clocks skip midnight */
export const startOfDay = (day: Day, zone: Zone): Millis => instantOf(day, '00:00', zone);

/** @returns what the zone's clocks show: `2026-11-21` and `09:00` */
function wallClockAt(instant: Millis, zone: Zone): { readonly day: Day; readonly time: string } {
  const shown = new Date(instant + offsetAt(instant, zone)).toISOString();
  return { day: shown.slice(0, 10), time: shown.slice(11, 16) };
}

export const endOfDay = (day: Day, zone: Zone): Millis => startOfDay(addDays(day, 1), zone) - 1;

/** @returns the day that has begun, even if the clocks were set back over midnight and show the day before again */
export function dayAt(instant: Millis, zone: Zone): Day {
  const shown = wallClockAt(instant, zone).day;
  const next = addDays(shown, 1);
  return startOfDay(next, zone) <= instant ? next : shown;
}

/** A place that crosses the date line skips a day: Pacific/Apia has no 2011-12-30. */
export const dayExists = (day: Day, zone: Zone): boolean => startOfDay(day, zone) <= endOfDay(day, zone);

/** @returns the days from `first` to `last`, without a day that the zone skipped */
export function daysInRange(first: Day, last: Day, zone: Zone): readonly Day[] {
  const count = Math.max(0, daysBetween(first, last) + 1);
  const days = Array.from({ length: count }, (_, n) => addDays(first, n));
  // Checking each day is slow, and only clocks that moved by a day can have skipped one.
  const [before, after] = [addDays(first, -2), addDays(last, 2)].map((day) =>
    offsetAt(midnightOf(day), zone),
  );
  return (after ?? 0) - (before ?? 0) >= DAY / 2 ? days.filter((day) => dayExists(day, zone)) : days;
}

export function daysBefore(day: Day, count: number, zone: Zone): readonly Day[] {
  const days = daysInRange(addDays(day, -count - 2), addDays(day, -1), zone);
  return days.slice(days.length - count);
}

/** Refuses offsets such as +05:00, which don't follow a place's clock changes. */
export const isTimeZone = (name: string): boolean =>
  /^[a-z]/i.test(name) && tryParse(() => offsetAt(0, name)) !== undefined;

const dayAndMonth = (day: Day): string =>
  `${Number(day.slice(8))} ${MONTH_NAMES[Number(day.slice(5, 7)) - 1]?.slice(0, 3)}`;

/** `13–19 Nov 2026` @param knownYear a year to leave out of the text: `2026` */
export function formatDays(first: Day, last: Day, knownYear?: string): string {
  const [from, to] = [first.slice(0, 4), last.slice(0, 4)];
  if (from !== to) return `${dayAndMonth(first)} ${from} – ${dayAndMonth(last)} ${to}`;
  const year = to === knownYear ? '' : ` ${to}`;
  if (first === last) return `${WEEKDAYS[isoWeekday(first) % 7]} ${dayAndMonth(first)}${year}`;
  if (first.slice(0, 7) !== last.slice(0, 7)) return `${dayAndMonth(first)} – ${dayAndMonth(last)}${year}`;
  return `${Number(first.slice(8))}–${dayAndMonth(last)}${year}`;
}

/** `October`; `October 2025` in a year other than today's */
export const formatMonth = (day: Day, today: Day | undefined): string =>
  withYear(MONTH_NAMES[Number(day.slice(5, 7)) - 1] ?? '', day, today);

const withYear = (name: string, day: Day, today: Day | undefined): string =>
  today?.slice(0, 4) === day.slice(0, 4) ? name : `${name} ${day.slice(0, 4)}`;

export interface RequestedDays {
  readonly first: Day;
  readonly last: Day;
  readonly today?: Day | undefined;
}

/** `14–20 Nov`, `October`, `Q3`, `2025`; `14–20 Nov 2025` in a year other than today's */
export function formatRequestedDays({ first, last, today }: RequestedDays): string {
  const unit = last === today ? undefined : wholeUnit({ first, last });
  if (unit === undefined) return formatDays(first, last, today?.slice(0, 4));
  if (unit === 'year') return first.slice(0, 4);
  return unit === 'month'
    ? formatMonth(first, today)
    : withYear(`Q${Math.ceil(Number(first.slice(5, 7)) / 3)}`, first, today);
}

export const wholeUnit = ({ first, last }: Pick<RequestedDays, 'first' | 'last'>) =>
  (['month', 'quarter', 'year'] as const).find(
    (unit) => startOfUnit(unit, first) === first && endOfUnit(unit, first) === last,
  );

/** Names a day or several consecutive ones. */
export type DayNamer = (day: Day, last?: Day) => string;

/** Names include the year if `days` are in several years. */
export function dayNamerFor(days: readonly Day[]): DayNamer {
  const years = new Set(days.map((day) => day.slice(0, 4)));
  const [only] = years;
  return (day, last = day) => formatDays(day, last, years.size === 1 ? only : undefined);
}

const RANGE = 3;

/** `Mon 16 Nov and 18–20 Nov`. @param days ascending */
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

export type Unit = 'day' | 'week' | 'month' | 'quarter' | 'year';

/** These functions work on text: Temporal is 50 times slower, and a ten-year chart calls them thousands of times. */
const START: Readonly<Record<Unit, (day: Day) => Day>> = {
  day: (day) => day,
  week: (day) => addDays(day, 1 - isoWeekday(day)),
  month: (day) => `${day.slice(0, 7)}-01`,
  quarter: (day) => `${day.slice(0, 5)}${QUARTER_STARTS[Math.ceil(Number(day.slice(5, 7)) / 3) - 1]}`,
  year: (day) => `${day.slice(0, 4)}-01-01`,
};
const QUARTER_STARTS = ['01-01', '04-01', '07-01', '10-01'];
export const MONTHS_IN = { month: 1, quarter: 3, year: 12 } as const;

export const startOfUnit = (unit: Unit, day: Day): Day => START[unit](day);

/** Moves a day by `n` units, which may be negative. In a shorter month, the result is its last day. */
export function shiftUnits(unit: Unit, first: Day, n: number): Day {
  if (unit === 'day' || unit === 'week') return addDays(first, unit === 'day' ? n : 7 * n);
  const months = 12 * Number(first.slice(0, 4)) + Number(first.slice(5, 7)) - 1 + MONTHS_IN[unit] * n;
  const [year, month] = [Math.floor(months / 12), (months % 12) + 1];
  const day = Math.min(Number(first.slice(8)), daysInMonth(year, month));
  return dayOf(new Date(Date.UTC(year, month - 1, day)));
}

export const endOfUnit = (unit: Unit, day: Day): Day =>
  addDays(shiftUnits(unit, startOfUnit(unit, day), 1), -1);

/** Counts whole units from `first`, a unit's first day, to `last`, a unit's last day. */
export function countUnits(unit: 'month' | 'quarter' | 'year', first: Day, last: Day): number {
  const months = (day: Day): number => 12 * Number(day.slice(0, 4)) + Number(day.slice(5, 7));
  return (months(last) - months(first) + 1) / MONTHS_IN[unit];
}

/** Caches, because Temporal takes 40 µs for each answer. */
const instants = new LRUCache<string, number>({ max: 10_000 });
const offsets = new LRUCache<string, number>({ max: 10_000 });

function offsetAt(instant: Millis, zone: Zone): number {
  const key = `${instant} ${zone}`;
  const cached = offsets.get(key);
  if (cached !== undefined) return cached;
  const zoned = Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(zone);
  const offset = zoned.offsetNanoseconds / 1e6;
  offsets.set(key, offset);
  return offset;
}

/**
 * If the clocks skip the time, returns the instant of the clock change; if they show it twice, the first instant.
 * @param time `09:00`
 * @throws RangeError for an unknown zone
 */
export function instantOf(day: Day, time: string, zone: Zone): Millis {
  const key = `${day}T${time} ${zone}`;
  const cached = instants.get(key);
  if (cached !== undefined) return cached;
  const wall = Temporal.PlainDateTime.from(`${day}T${time}`);
  const earlier = wall.toZonedDateTime(zone, { disambiguation: 'earlier' });
  const isShown = earlier.toPlainDateTime().equals(wall);
  const { epochMilliseconds } = isShown ? earlier : (earlier.getTimeZoneTransition('next') ?? earlier);
  instants.set(key, epochMilliseconds);
  return epochMilliseconds;
}

export const parseInstant = (text: string): Millis | undefined =>
  tryParse(() => Temporal.Instant.from(text).epochMilliseconds);

export function formatWallTime(at: Millis, zone: Zone): string {
  const { day, time } = wallClockAt(at, zone);
  return `${formatDays(day, day)}, ${time}`;
}

/** `Sat 21 Nov 2026, 15:00 (Europe/Rome)` */
export const formatMoment = (at: Millis, zone: Zone): string => `${formatWallTime(at, zone)} (${zone})`;

export const earliest = (...instants: readonly (Millis | undefined)[]): Millis | undefined => {
  const known = instants.filter((at) => at !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
};
