import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Keyring } from '../vault/keyring.ts';
import { parseRecord } from './record.ts';

/** What the console offers for a user access token. */
export const ROLES = ['administrator', 'read-only', 'accountant', 'engineer'] as const;
export const LIFETIMES = ['30-days', '60-days', '90-days', '1-year', 'none'] as const;
export const TOKEN_TYPES = ['for-oneself', 'for-a-user'] as const;

/** More connections than accounts anybody has; the record is read whole by every command. */
export const MOST_CONNECTIONS = 20;

const schema = z.object({
  /** 2 to 32 letters, digits and hyphens. */
  name: z.string(),
  baseUrl: z.url(),
  /** The identity service's address, where one was given. */
  authUrl: z.url().exactOptional(),
  /** The token's last four characters, or `····` where four would be a third of it or more. */
  lastFour: z.string(),
  /** 12 hexadecimal digits of the token's SHA-256. */
  fingerprint: z.string(),
  role: z.enum(ROLES),
  lifetime: z.enum(LIFETIMES),
  type: z.enum(TOKEN_TYPES).exactOptional(),
  /** The account chosen in the console, as somebody wrote it down. */
  account: z.string().exactOptional(),
  /** Slack's id of the person. */
  registeredBy: z.string(),
  /** ms since the epoch */
  registeredAt: z.int(),
  /** ms since the epoch */
  lapsesAt: z.int().exactOptional(),
  sealed: z.string(),
});

/** A registered token, without the token. */
export type Connection = Readonly<Omit<z.infer<typeof schema>, 'sealed'>>;
export type NewConnection = Omit<Connection, 'lastFour' | 'fingerprint'> & { readonly token: string };

/** `token()` opens the seal at each call, so that the token lives no longer than the request that needs it. */
export type OpenableConnection = Connection & {
  /** @throws SealBroken */
  readonly token: () => string;
};

const ownerOf = (workspace: string, name: string) => ({ workspace, kind: 'billing-token', id: name });

/** @throws SealBroken `malformed` */
export function readConnection(keyring: Keyring, workspace: string, json: string): OpenableConnection {
  const { sealed, ...connection } = parseRecord(schema, json);
  return { ...connection, token: () => keyring.open(sealed, ownerOf(workspace, connection.name)) };
}

export function writeConnection(
  keyring: Keyring,
  workspace: string,
  { token, ...rest }: NewConnection,
): { readonly connection: Connection; readonly json: string } {
  const connection: Connection = { ...rest, lastFour: lastFour(token), fingerprint: fingerprint(token) };
  const sealed = keyring.seal(token, ownerOf(workspace, rest.name));
  return { connection, json: JSON.stringify({ ...connection, sealed }) };
}

function lastFour(token: string): string {
  return token.length < 12 ? '····' : token.slice(-4);
}

/**
 * Plain and not keyed, so that a person can compare it with `printf %s "$TOKEN" | sha256sum`: a service's random
 * token cannot be found by trying, and 48 bits tell two apart.
 */
function fingerprint(token: string): string {
  return createHash('sha256').update(token).digest('hex').slice(0, 12);
}
