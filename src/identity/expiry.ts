const PARTS =
  /^(\d{4})-?(\d\d)-?(\d\d)[T ]?(\d\d):?(\d\d)(?::?(\d\d)(?:[.,](\d{1,12}))?)?\s?(Z|UTC|GMT|([+-])(0\d|1[0-4])(?::?([0-5]\d))?)?$/i;

/**
 * Reads when a token or a credential lapses. The identity API writes `2026-11-21T03:03:56.000000Z` and, for a credential
 * that lapses first, `2026-11-21T02:13:55`: without a zone it is UTC too, which `Date.parse` would not take it for.
 * Other ISO 8601 forms of a moment are read as well.
 * @returns ms since the epoch; undefined for what is no moment after it
 */
export function parseExpiry(value: unknown): number | undefined {
  const found = typeof value === 'string' ? PARTS.exec(value.trim()) : null;
  if (found === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found.slice(1, 7).map(numberOf);
  const milliseconds = Number((found[7] ?? '').slice(0, 3).padEnd(3, '0'));
  const wall = Date.UTC(year, month - 1, day, hour, minute, second, milliseconds);
  // What Date carried over (30 February, 24:61) would come out in other digits.
  const digits = [year, month, day, hour, minute, second]
    .map((part, i) => pad(part, i === 0 ? 4 : 2))
    .join('');
  if (new Date(wall).toISOString().replace(/\D/g, '').slice(0, 14) !== digits) return undefined;
  const at = wall - offsetOf(found[9], numberOf(found[10]), numberOf(found[11]));
  return at > 0 ? at : undefined;
}

const numberOf = (digits: string | undefined): number => Number(digits ?? 0);
const pad = (part: number, length: number): string => String(part).padStart(length, '0');

function offsetOf(sign: string | undefined, hours: number, minutes: number): number {
  return (sign === '-' ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}
