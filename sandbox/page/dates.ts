import type { Person } from '../protocol.ts';

type Viewer = Pick<Person, 'tz' | 'locale'>;

const TOKENS: Record<string, Intl.DateTimeFormatOptions> = {
  date_short_pretty: { year: 'numeric', month: 'short', day: 'numeric' },
  time: { hour: 'numeric', minute: '2-digit' },
};

const write = (instant: Date, { tz, locale }: Viewer, options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(locale, { timeZone: tz, ...options }).format(instant);

function nearDay(instant: Date, { tz }: Viewer, now: Date): string | undefined {
  const dayOf = (day: Date) => write(day, { tz, locale: 'sv-SE' }, {});
  const at = [-1, 0, 1].findIndex(
    (days) => dayOf(instant) === dayOf(new Date(now.getTime() + days * 86_400_000)),
  );
  return ['Yesterday', 'Today', 'Tomorrow'][at];
}

/** Replaces date tokens, such as `{date_short_pretty}`, in the viewer's zone. Unknown tokens stay. */
export function fillDate(format: string, seconds: number, viewer: Viewer, now: Date): string {
  const instant = new Date(seconds * 1000);
  return format.replace(/\{(\w+)\}/g, (whole, token: string) => {
    const near = token.endsWith('_pretty') ? nearDay(instant, viewer, now) : undefined;
    const options = TOKENS[token];
    return near ?? (options ? write(instant, viewer, options) : whole);
  });
}

export const instantOf = (ts: string) => new Date(Number(ts) * 1000);

export const clock = (instant: Date, viewer: Viewer) =>
  write(instant, viewer, { hour: 'numeric', minute: '2-digit' });

export const dayLabel = (instant: Date, viewer: Viewer, now: Date) =>
  nearDay(instant, viewer, now) ?? write(instant, viewer, { weekday: 'long', month: 'long', day: 'numeric' });
