/** Slack's date tokens. */
const TOKENS: Record<string, Intl.DateTimeFormatOptions> = {
  date_num: { year: 'numeric', month: '2-digit', day: '2-digit' },
  date: { year: 'numeric', month: 'long', day: 'numeric' },
  date_short: { year: 'numeric', month: 'short', day: 'numeric' },
  date_long: { weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' },
  date_long_full: { weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' },
  date_pretty: { year: 'numeric', month: 'long', day: 'numeric' },
  date_short_pretty: { year: 'numeric', month: 'short', day: 'numeric' },
  date_long_pretty: { weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' },
  time: { hour: 'numeric', minute: '2-digit' },
  time_secs: { hour: 'numeric', minute: '2-digit', second: '2-digit' },
};

interface Viewer {
  tz: string;
  locale: string;
}

const write = (instant: Date, viewer: Viewer, options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(viewer.locale, { timeZone: viewer.tz, ...options }).format(instant);

const isoDay = (instant: Date, tz: string) =>
  new Intl.DateTimeFormat('sv-SE', { timeZone: tz }).format(instant);

/** Returns “Today”, “Yesterday” or “Tomorrow”, or undefined for other days. */
function nearDay(instant: Date, tz: string, now: Date): string | undefined {
  const day = isoDay(instant, tz);
  const isIn = (days: number) => day === isoDay(new Date(now.getTime() + days * 86_400_000), tz);
  if (isIn(0)) return 'Today';
  if (isIn(1)) return 'Tomorrow';
  return isIn(-1) ? 'Yesterday' : undefined;
}

/** Replaces tokens such as `{date_short_pretty}` in the viewer's zone; keeps unknown tokens. */
export function fillDate(format: string, seconds: number, viewer: Viewer, now: Date): string {
  const instant = new Date(seconds * 1000);
  return format.replace(/\{(\w+)\}/g, (whole, token: string) => {
    const near = token.endsWith('_pretty') ? nearDay(instant, viewer.tz, now) : undefined;
    const options = TOKENS[token];
    return near ?? (options ? write(instant, viewer, options) : whole);
  });
}

/** A message's `ts` is seconds since the epoch with a fraction. */
export const instantOf = (ts: string) => new Date(Number(ts) * 1000);

export const clock = (instant: Date, viewer: Viewer) =>
  write(instant, viewer, { hour: 'numeric', minute: '2-digit' });

export const dayLabel = (instant: Date, viewer: Viewer, now: Date) =>
  nearDay(instant, viewer.tz, now) ??
  write(instant, viewer, { weekday: 'long', month: 'long', day: 'numeric' });
