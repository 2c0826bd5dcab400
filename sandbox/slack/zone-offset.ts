const formats = new Map<string, Intl.DateTimeFormat>();

/** Kept, because creating one takes far longer than using it. */
function formatOf(timeZone: string, timeZoneName: 'longOffset' | 'long'): Intl.DateTimeFormat {
  const key = `${timeZone} ${timeZoneName}`;
  const format = formats.get(key) ?? new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName });
  formats.set(key, format);
  return format;
}

/** Returns the zone's offset in seconds and its English name at an instant (ms since the epoch). */
export function zoneOffset(zone: string, at: number): { offset: number; label: string } {
  const part = (style: 'longOffset' | 'long') =>
    formatOf(zone, style)
      .formatToParts(at)
      .find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign, hours = '0', minutes = '0'] = /GMT([+-])(\d{2}):(\d{2})/.exec(part('longOffset')) ?? [];
  const seconds = Number(hours) * 3600 + Number(minutes) * 60;
  return { offset: sign === '-' ? -seconds : seconds, label: part('long') };
}
