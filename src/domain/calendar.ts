/**
 * Days of the calendar and where they begin in a zone. A day lasts from its own beginning to the beginning
 * of the next: so days tile time without gap or overlap, whatever the clocks did in between.
 */
import { clockOf, firstInstant, offsetAt } from './clock.ts';

/** 'YYYY-MM-DD', a calendar day of some zone, 1900 to 9999: in this form days compare as text. */
export type Day = string;

export const DAY = 86_400_000;

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

const midnight = (day: Day): number => Date.parse(`${day}T00:00:00Z`);

const dayOf = (midnightUtc: number): Day => new Date(midnightUtc).toISOString().slice(0, 10);

export function addDays(day: Day, n: number): Day {
  return dayOf(midnight(day) + n * DAY);
}

/** Whole days from `a` to `b`; negative when `b` is the earlier one. */
export function daysBetween(a: Day, b: Day): number {
  return (midnight(b) - midnight(a)) / DAY;
}

/** 1 for Monday to 7 for Sunday, as ISO 8601 counts. */
export function weekday(day: Day): number {
  return new Date(midnight(day)).getUTCDay() || 7;
}

/** A month's days; `month` is 1 to 12. */
export function daysInMonth(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}

/** First instant (ms) whose wall clock has reached the day's midnight; a skipped one is the jump, a doubled one its first. */
export function startOfDay(day: Day, zone: string): number {
  return firstInstant(midnight(day), zone);
}

/** First instant (ms) whose wall clock has reached `time` ('HH:mm') of the day: the jump where that is skipped. */
export function instantOf(day: Day, time: string, zone: string): number {
  return firstInstant(Date.parse(`${day}T${time}:00Z`), zone);
}

/** What a clock on the wall shows: near a change of the clocks neither has to be the day that has begun. */
export function wallAt(instant: number, zone: string): { readonly day: Day; readonly time: string } {
  const shown = new Date(instant + offsetAt(instant, zone)).toISOString();
  return { day: shown.slice(0, 10), time: shown.slice(11, 16) };
}

/** The last millisecond of the day. */
export function endOfDay(day: Day, zone: string): number {
  return startOfDay(addDays(day, 1), zone) - 1;
}

/** Clocks that fall back over midnight show the old date once more: the new day has begun all the same. */
export function dayAt(instant: number, zone: string): Day {
  const shown = dayOf(instant + offsetAt(instant, zone));
  const next = addDays(shown, 1);
  return startOfDay(next, zone) <= instant ? next : shown;
}

/** Where the date line moved, a zone left a day out: Pacific/Apia has no 2011-12-30. */
export function exists(day: Day, zone: string): boolean {
  return startOfDay(day, zone) <= endOfDay(day, zone);
}

/** Looking at every day's beginning would be slow over years; only a jump of half a day or more can leave one out. */
function withoutLeftOut(days: readonly Day[], zone: string): readonly Day[] {
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return days;
  const jump = offsetAt(midnight(last) + 2 * DAY, zone) - offsetAt(midnight(first) - 2 * DAY, zone);
  return jump >= DAY / 2 ? days.filter((day) => exists(day, zone)) : days;
}

/** Every day from `first` to `last`, both included, that the zone had. */
export function daysFrom(first: Day, last: Day, zone: string): readonly Day[] {
  const count = Math.max(0, daysBetween(first, last) + 1);
  const days = Array.from({ length: count }, (_, n) => dayOf(midnight(first) + n * DAY));
  const months = Array.from({ length: Math.ceil(count / 30) }, (_, n) => days.slice(n * 30, n * 30 + 30));
  return months.flatMap((some) => withoutLeftOut(some, zone));
}

/** The `count` days that the zone had directly before `day`, in order. */
export function daysBefore(day: Day, count: number, zone: string): readonly Day[] {
  const days = daysFrom(addDays(day, -count - 2), addDays(day, -1), zone);
  return days.slice(days.length - count);
}

/** IANA names as ICU knows them, and UTC; no bare offsets like +05:00, which are no zone with a history. */
export function isZone(name: string): boolean {
  if (!/^[a-z]/i.test(name)) return false;
  try {
    return clockOf(name) !== undefined;
  } catch {
    return false;
  }
}

function dayAndMonth(day: Day): string {
  return `${Number(day.slice(8))} ${MONTHS[Number(day.slice(5, 7)) - 1]}`;
}

/**
 * '14–20 Nov 2026', '28 Oct – 3 Nov 2026', '30 Dec 2025 – 2 Jan 2026', 'Fri 20 Nov 2026'.
 * `knownYear` (four digits) is left out when everything lies in it: '14–20 Nov'.
 */
export function formatDays(first: Day, last: Day, knownYear?: string): string {
  const [from, to] = [first.slice(0, 4), last.slice(0, 4)];
  if (from !== to) return `${dayAndMonth(first)} ${from} – ${dayAndMonth(last)} ${to}`;
  const year = to === knownYear ? '' : ` ${to}`;
  if (first === last) return `${WEEKDAYS[weekday(first) % 7]} ${dayAndMonth(first)}${year}`;
  if (first.slice(0, 7) !== last.slice(0, 7)) return `${dayAndMonth(first)} – ${dayAndMonth(last)}${year}`;
  return `${Number(first.slice(8))}–${dayAndMonth(last)}${year}`;
}
