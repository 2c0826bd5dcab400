/**
 * Days of the calendar and where they begin in a zone. A day lasts from its own beginning to the beginning
 * of the next: so days tile time without gap or overlap, whatever the clocks did in between.
 */
import { UTCDate } from '@date-fns/utc';
import { addDays as addDaysTo } from 'date-fns/addDays';
import { differenceInCalendarDays } from 'date-fns/differenceInCalendarDays';
import { getDaysInMonth } from 'date-fns/getDaysInMonth';
import { getISODay } from 'date-fns/getISODay';
import { firstInstantAt, offsetAt, wallTimeAt } from './zone-clock.ts';

/** 'YYYY-MM-DD', a calendar day of some zone, 1900 to 9999: in this form days compare as text. */
export type Day = string;

/** A day without clock changes, in ms. */
export const DAY_MS = 86_400_000;

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/** For date-fns, which computes in the machine's zone otherwise. */
export const dateOf = (day: Day): UTCDate => new UTCDate(day);

export const dayOf = (date: Date): Day => date.toISOString().slice(0, 10);

export function addDays(day: Day, n: number): Day {
  return dayOf(addDaysTo(dateOf(day), n));
}

/** Whole days from `a` to `b`; negative when `b` is the earlier one. */
export function daysBetween(a: Day, b: Day): number {
  return differenceInCalendarDays(dateOf(b), dateOf(a));
}

/** 1 for Monday to 7 for Sunday, as ISO 8601 counts. */
export function isoWeekday(day: Day): number {
  return getISODay(dateOf(day));
}

/** The number of days in a month; `month` is 1 to 12. */
export function daysInMonth(year: number, month: number): number {
  return getDaysInMonth(new UTCDate(year, month - 1, 1));
}

/** First instant (ms) whose wall clock has reached the day's midnight; a skipped one is the jump, a doubled one its first. */
export function startOfDay(day: Day, zone: string): number {
  return firstInstantAt(`${day}T00:00`, zone);
}

/** First instant (ms) whose wall clock has reached `time` ('HH:mm') of the day: the jump where that is skipped. */
export function instantOf(day: Day, time: string, zone: string): number {
  return firstInstantAt(`${day}T${time}`, zone);
}

/** What a clock on the wall shows: near a clock change it may show the day before the one that has begun. */
export function wallClockAt(instant: number, zone: string): { readonly day: Day; readonly time: string } {
  const shown = wallTimeAt(instant, zone);
  return { day: shown.slice(0, 10), time: shown.slice(11, 16) };
}

/** The last millisecond of the day. */
export function endOfDay(day: Day, zone: string): number {
  return startOfDay(addDays(day, 1), zone) - 1;
}

/** The day that has begun: clocks that fall back over midnight show the old date once more. */
export function dayAt(instant: number, zone: string): Day {
  const { day } = wallClockAt(instant, zone);
  const next = addDays(day, 1);
  return startOfDay(next, zone) <= instant ? next : day;
}

/** Where the date line moved, a zone left a day out: Pacific/Apia has no 2011-12-30. */
export function dayExists(day: Day, zone: string): boolean {
  return startOfDay(day, zone) <= endOfDay(day, zone);
}

/** Checking every day would be slow over years; only a jump of half a day or more can leave one out. */
function withoutLeftOut(days: readonly Day[], zone: string): readonly Day[] {
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return days;
  const [before, after] = [dateOf(addDays(first, -2)), dateOf(addDays(last, 2))];
  const jump = offsetAt(after.getTime(), zone) - offsetAt(before.getTime(), zone);
  return jump >= DAY_MS / 2 ? days.filter((day) => dayExists(day, zone)) : days;
}

/** Every day from `firstOf` to `last`, both included, that the zone had. */
export function daysInRange(first: Day, last: Day, zone: string): readonly Day[] {
  const count = Math.max(0, daysBetween(first, last) + 1);
  const midnight = dateOf(first).getTime();
  const days = Array.from({ length: count }, (_, n) => dayOf(new Date(midnight + n * DAY_MS)));
  const months = Array.from({ length: Math.ceil(count / 30) }, (_, n) => days.slice(n * 30, n * 30 + 30));
  return months.flatMap((some) => withoutLeftOut(some, zone));
}

/** The `count` days that the zone had directly before `day`, in order. */
export function daysBefore(day: Day, count: number, zone: string): readonly Day[] {
  const days = daysInRange(addDays(day, -count - 2), addDays(day, -1), zone);
  return days.slice(days.length - count);
}

/** IANA names as ICU knows them, and UTC; no bare offsets like +05:00, which are no zone with a history. */
export function isTimeZone(name: string): boolean {
  if (!/^[a-z]/i.test(name)) return false;
  try {
    return Number.isFinite(offsetAt(0, name));
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
  if (first === last) return `${WEEKDAYS[isoWeekday(first) % 7]} ${dayAndMonth(first)}${year}`;
  if (first.slice(0, 7) !== last.slice(0, 7)) return `${dayAndMonth(first)} – ${dayAndMonth(last)}${year}`;
  return `${Number(first.slice(8))}–${dayAndMonth(last)}${year}`;
}
