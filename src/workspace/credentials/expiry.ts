import { dayAt, daysBetween, formatDays, type Millis, type Zone } from '../../domain/time/calendar.ts';

/** What the console offers for a user access token. */
export const LIFETIMES = ['30-days', '60-days', '90-days', '1-year', 'none'] as const;

export const LIFETIME_NAMES: Record<(typeof LIFETIMES)[number], string> = {
  '30-days': '30 days',
  '60-days': '60 days',
  '90-days': '90 days',
  '1-year': '1 year',
  none: 'No expiry',
};

/** Days before its end from which a token expires soon. */
const SOON_DAYS = 14;

export interface Expiring {
  readonly expiresAt?: Millis;
  readonly lifetime?: (typeof LIFETIMES)[number];
}

/** When a credential expires, as somebody said. */
export type Expiry = { readonly expiresAt: Millis } | { readonly lifetime: 'none' };

/** The record with this expiry in place of its own. */
export const withExpiry = <T extends object>(
  { expiresAt: _, lifetime: __, ...rest }: T & { readonly expiresAt?: unknown; readonly lifetime?: unknown },
  expiry: Expiry,
) => ({ ...rest, ...expiry });

/** Whether nobody has said when it expires, or that it never does. */
export const isExpiryUnknown = ({ expiresAt, lifetime }: Expiring): boolean =>
  expiresAt === undefined && lifetime !== 'none';

/** Calendar days of the zone until the token expires; 0 for today, negative afterwards. */
const daysLeft = (expiresAt: Millis, at: Millis, zone: Zone): number =>
  daysBetween(dayAt(at, zone), dayAt(expiresAt, zone));

export const expiresSoon = ({ expiresAt }: Expiring, at: Millis, zone: Zone): boolean =>
  expiresAt !== undefined && daysLeft(expiresAt, at, zone) <= SOON_DAYS;

/** `expires Thu 3 Dec 2026 (12 days)`, `expired Fri 20 Nov 2026 (yesterday)`, `no expiry`, `expiry unknown` */
export function formatExpiry({ expiresAt, lifetime }: Expiring, at: Millis, zone: Zone): string {
  if (expiresAt === undefined) return lifetime === 'none' ? 'no expiry' : 'expiry unknown';
  const left = daysLeft(expiresAt, at, zone);
  const day = dayAt(expiresAt, zone);
  return `${at < expiresAt ? 'expires' : 'expired'} ${formatDays(day, day)} (${at < expiresAt ? daysAhead(left) : daysAgo(-left)})`;
}

/** The sentence when nothing is wrong. It mentions expiry only if every token's expiry is known. */
export const tokensOkText = (connections: readonly Expiring[]): string =>
  connections.some(isExpiryUnknown)
    ? 'All connections work.'
    : 'All connections work. No token expires in the next two weeks.';

const daysAhead = (days: number): string => ['today', 'tomorrow'][days] ?? `${days} days`;

const daysAgo = (days: number): string => ['today', 'yesterday'][days] ?? `${days} days ago`;
