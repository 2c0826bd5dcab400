/** Returns the zone's offset in seconds and its English name at an instant (ms since the epoch). */
export function zoneOffset(zone: string, at: number): { offset: number; label: string } {
  const part = (style: 'longOffset' | 'long') =>
    new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: style })
      .formatToParts(at)
      .find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign, hours = '0', minutes = '0'] = /GMT([+-])(\d{2}):(\d{2})/.exec(part('longOffset')) ?? [];
  const seconds = Number(hours) * 3600 + Number(minutes) * 60;
  return { offset: sign === '-' ? -seconds : seconds, label: part('long') };
}
