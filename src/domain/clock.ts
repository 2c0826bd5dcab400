/**
 * What the clocks of a zone show: the one place that asks ICU. Offsets are milliseconds to add to an
 * instant to get the wall clock, to the second, as some zones had offsets with seconds until 1972.
 */

const HOUR = 3_600_000;

/** Zone names come from settings in any spelling, so the formatters kept (some 50 kB each) are limited. */
const KEPT = 500;
const formatters = new Map<string, Intl.DateTimeFormat>();

/** Throws RangeError for a name that ICU does not know. */
export function clockOf(zone: string): Intl.DateTimeFormat {
  const known = formatters.get(zone);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  if (formatters.size >= KEPT) formatters.clear();
  formatters.set(zone, made);
  return made;
}

export function offsetAt(instant: number, zone: string): number {
  const second = Math.floor(instant / 1000) * 1000;
  const shown = clockOf(zone).format(second).match(/\d+/g)?.map(Number) ?? [];
  const [month = 1, day = 1, year = 0, hour = 0, minute = 0, seconds = 0] = shown;
  return Date.UTC(year, month - 1, day, hour, minute, seconds) - second;
}

/** The first instant of offset `to` between two instants, where the zone changes once. */
function changeBetween(before: number, after: number, zone: string): number {
  const old = offsetAt(before, zone);
  let [low, high] = [before / 1000, after / 1000];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(middle * 1000, zone) === old) low = middle;
    else high = middle;
  }
  return high * 1000;
}

/**
 * The first instant at which the wall clock has reached `wall` (a wall-clock time written as if UTC, whole
 * seconds). Skipped: the jump. Doubled: the first of the two. No offset passes 16 hours, and since 1900 no
 * zone has changed twice within the 32 hours looked at, to come back to where it was.
 */
export function firstInstant(wall: number, zone: string): number {
  const [before, after] = [wall - 16 * HOUR, wall + 16 * HOUR];
  const [old, young] = [offsetAt(before, zone), offsetAt(after, zone)];
  if (old === young) return wall - old;
  const change = changeBetween(before, after, zone);
  return wall - old < change ? wall - old : Math.max(change, wall - young);
}
