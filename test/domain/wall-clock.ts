/** A second, slower calendar, which shares no code with src, to check the calendar of src with. */
import fc from 'fast-check';

const HOUR = 3_600_000;
const MINUTE = 60_000;

const ZONES = [
  ...['UTC', 'Africa/Cairo', 'Africa/Casablanca', 'America/Havana', 'America/New_York', 'America/Nuuk'],
  ...['America/Santiago', 'America/Sao_Paulo', 'America/St_Johns', 'Antarctica/Troll', 'Asia/Beirut'],
  ...['Asia/Kathmandu', 'Asia/Kolkata', 'Australia/Lord_Howe', 'Europe/Dublin', 'Europe/Rome'],
  ...['Pacific/Apia', 'Pacific/Chatham'],
];

export const zones = fc.constantFrom(...ZONES);

export const moments = fc.integer({ min: Date.UTC(1995, 0, 1), max: Date.UTC(2035, 11, 31) });

const clocks = new Map<string, Intl.DateTimeFormat>();

/** `2026-11-21 10:15:30`, on the clocks of the zone */
export function shown(instant: number, zone: string): string {
  const clock =
    clocks.get(zone) ??
    new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' });
  clocks.set(zone, clock);
  return clock.format(instant);
}

/** @returns the first minute at which the clocks show `time` on `day`, or later */
export function beginning(day: string, zone: string, time = '00:00'): number {
  const reached = (instant: number) => shown(instant, zone) >= `${day} ${time}`;
  let instant = Date.parse(`${day}T${time}Z`) - 16 * HOUR;
  while (!reached(instant)) instant += HOUR;
  instant -= 3 * HOUR;
  while (!reached(instant)) instant += MINUTE;
  return instant;
}

export function plus(day: string, days: number): string {
  const date = new Date(`${day}T00:00Z`);
  date.setUTCDate(date.getUTCDate() + days);
  return date.toISOString().slice(0, 10);
}

export function todayAt(now: number, zone: string): string {
  const date = shown(now, zone).slice(0, 10);
  return [plus(date, 1), date, plus(date, -1)].find((day) => beginning(day, zone) <= now) ?? date;
}

/** The only day that one of the zones skipped. */
export function isLeftOut(day: string, zone: string): boolean {
  return zone === 'Pacific/Apia' && day === '2011-12-30';
}

export function daysOf(first: string, last: string, zone: string): string[] {
  const days: string[] = [];
  for (let day = first; day <= last; day = plus(day, 1)) if (!isLeftOut(day, zone)) days.push(day);
  return days;
}

export function daysAhead(day: string, count: number, zone: string): string[] {
  return daysOf(plus(day, -count - 1), plus(day, -1), zone).slice(-count || Infinity);
}
