import { pluralize } from '../../domain/language/text.ts';
import { dayAt, formatDays, isTimeZone, offsetAt } from '../../domain/time/calendar.ts';

/** The reader's own zone, else the workspace's, as far as they can be read. */
export const displayZone = (...zones: readonly (string | undefined)[]): string =>
  zones.find((zone) => zone !== undefined && isTimeZone(zone)) ?? 'UTC';

/** `11:15 on Sat 21 Nov 2026 (Europe/Berlin)` */
export function formatClockTime(ms: number, zone: string): string {
  const time = new Date(ms + offsetAt(ms, zone)).toISOString().slice(11, 16);
  const day = dayAt(ms, zone);
  return `${time} on ${formatDays(day, day)} (${zone})`;
}

const MINUTE = 60_000;

/** `1 hour`, `19 minutes`, `2 hours 5 minutes`, `3 days` */
export function formatDuration(ms: number): string {
  const minutes = Math.max(0, Math.round(ms / MINUTE));
  const hours = Math.floor(minutes / 60);
  if (minutes === 0) return 'less than a minute';
  if (hours >= 48) return pluralize(Math.floor(hours / 24), 'day');
  const rest = minutes % 60;
  return [
    ...(hours > 0 ? [pluralize(hours, 'hour')] : []),
    ...(rest > 0 ? [pluralize(rest, 'minute')] : []),
  ].join(' ');
}
