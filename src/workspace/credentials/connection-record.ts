import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { SlackId } from '../../domain/slack-id.ts';
import type { Millis, Zone } from '../../domain/time/calendar.ts';
import type { Keyring } from '../../vault/keyring.ts';
import {
  millis,
  parseNamedRecord,
  product,
  projectId,
  sealOwnerOf,
  slackId,
} from '../record/parse-record.ts';
import { formatExpiry, LIFETIMES } from './expiry.ts';

const KIND = 'billing-token';

/** What the console offers for a user access token. */
export const ROLES = ['administrator', 'read-only', 'accountant', 'engineer'] as const;
export const TOKEN_TYPES = ['for-oneself', 'for-a-user'] as const;

export const ROLE_NAMES: Record<(typeof ROLES)[number], string> = {
  administrator: 'Administrator',
  'read-only': 'Read-only',
  accountant: 'Accountant',
  engineer: 'Engineer',
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
  /** @throws unseal-failed */
  readonly token: () => string;
};

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

/** @param name where the record was found @throws unseal-failed */
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
