import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { SlackId } from '../../domain/slack-id.ts';
import { dayAt, daysBetween, formatDays, type Millis, type Zone } from '../../domain/time/calendar.ts';
import type { Keyring } from '../../vault/keyring.ts';
import { millis, parseNamedRecord, product, projectId, slackId } from '../record/parse-record.ts';
import { sealOwnerOf } from './sealed-fields.ts';

const KIND = 'billing-token';

/** What the console offers for a user access token. */
export const ROLES = ['administrator', 'read-only', 'accountant', 'engineer'] as const;
export const LIFETIMES = ['30-days', '60-days', '90-days', '1-year', 'none'] as const;
export const TOKEN_TYPES = ['for-oneself', 'for-a-user'] as const;

export const ROLE_NAMES: Record<(typeof ROLES)[number], string> = {
  administrator: 'Administrator',
  'read-only': 'Read-only',
  accountant: 'Accountant',
  engineer: 'Engineer',
};
export const LIFETIME_NAMES: Record<(typeof LIFETIMES)[number], string> = {
  '30-days': '30 days',
  '60-days': '60 days',
  '90-days': '90 days',
  '1-year': '1 year',
  none: 'No expiry',
};
export const TYPE_NAMES: Record<(typeof TOKEN_TYPES)[number], string> = {
  'for-oneself': 'For oneself',
  'for-a-user': 'For a user',
};

/** Bounded because every request reads the whole record. */
export const MAX_CONNECTIONS = 20;
/** The suggested name of a workspace's first connection. */
export const FIRST_CONNECTION_NAME = 'main';
const NAME = /^[a-z0-9][a-z0-9-]{0,30}[a-z0-9]$/;

/** In lower case: 2 to 32 letters, digits and hyphens, no hyphen at an end. */
export const isConnectionName = (text: string): boolean => NAME.test(text);

const schema = z.object({
  /** 2 to 32 letters, digits and hyphens. */
  name: z.string(),
  baseUrl: z.url(),
  /** The identity service's address, if one was given. */
  authUrl: z.url().exactOptional(),
  /** The token's last four characters, or `····` if four would be a third of it or more. */
  lastFour: z.string(),
  /** 12 hexadecimal digits of the token's SHA-256. */
  fingerprint: z.string(),
  /** As chosen in the console, if the person said so; the same for the next two. */
  role: z.enum(ROLES).exactOptional(),
  /** `none`: it never expires. Absent when only the day of its expiry is known, or nothing. */
  lifetime: z.enum(LIFETIMES).exactOptional(),
  type: z.enum(TOKEN_TYPES).exactOptional(),
  /** The account chosen in the console, as the person typed it. */
  account: z.string().exactOptional(),
  /** What its token was tested with at registration, and is tested with again on demand. */
  test: z
    .object({
      project: projectId,
      product,
    })
    .exactOptional(),
  registeredBy: slackId,
  registeredAt: millis,
  expiresAt: millis.exactOptional(),
  sealed: z.string(),
});

/** A registered token, without the token. */
export type Connection = Readonly<Omit<z.infer<typeof schema>, 'sealed'>>;
export type NewConnection = Omit<Connection, 'lastFour' | 'fingerprint'> & { readonly token: string };

/** `token()` unseals at each call, so that the token stays in memory no longer than the request needs it. */
export type OpenableConnection = Connection & {
  /** @throws UnsealFailed */
  readonly token: () => string;
};

/** Days before its end from which a token expires soon. */
const SOON_DAYS = 14;

export type Expiring = Pick<Connection, 'expiresAt' | 'lifetime'>;

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

/** `token ending abcd · fingerprint 0123456789ab`: a token is never shown in more detail. */
export const describeToken = ({
  lastFour,
  fingerprint,
}: Pick<Connection, 'lastFour' | 'fingerprint'>): string =>
  `token ending ${lastFour.replaceAll('·', '')} · fingerprint ${fingerprint}`;

/** A registered token in one line: never more of it than its last four characters and its fingerprint. */
export function describeConnection(connection: Connection, at: Millis, zone: Zone): string {
  const { name, baseUrl, role } = connection;
  return [
    name,
    baseUrl,
    describeToken(connection),
    ...(role ? [ROLE_NAMES[role]] : []),
    formatExpiry(connection, at, zone),
  ].join(' · ');
}

const daysAhead = (days: number): string => ['today', 'tomorrow'][days] ?? `${days} days`;
const daysAgo = (days: number): string => ['today', 'yesterday'][days] ?? `${days} days ago`;

/** @param name where the record was found @throws UnsealFailed */
export function parseConnection(
  keyring: Keyring,
  workspace: SlackId,
  name: string,
  json: string,
): OpenableConnection {
  const { sealed, ...connection } = parseNamedRecord(schema, json, 'name', name, KIND);
  return { ...connection, token: () => keyring.open(sealed, sealOwnerOf(KIND, workspace, name, connection)) };
}

export function serializeConnection(
  keyring: Keyring,
  workspace: SlackId,
  { token, ...rest }: NewConnection,
): { readonly connection: Connection; readonly json: string } {
  const lastFour = token.length < 12 ? '····' : token.slice(-4);
  const connection: Connection = { ...rest, lastFour, fingerprint: fingerprintOf(token) };
  const sealed = keyring.seal(token, sealOwnerOf(KIND, workspace, rest.name, rest));
  return { connection, json: JSON.stringify({ ...connection, sealed }) };
}

/**
 * Not keyed, so that a person can compare it with `printf %s "$TOKEN" | sha256sum`. The service's random tokens cannot
 * be guessed from it, and 48 bits are enough to tell two apart.
 */
export const fingerprintOf = (token: string): string =>
  createHash('sha256').update(token).digest('hex').slice(0, 12);
