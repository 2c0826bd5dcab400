/** Credential records: billing tokens are stored as connections, OpenStack application credentials as accesses. */
import { createHash } from 'node:crypto';
import * as z from 'zod';
import { Failure } from '../../domain/failure/index.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { dayAt, daysBetween, formatDays, type Millis, type Zone } from '../../domain/time/calendar.ts';
import { tryParseJson } from '../../domain/try-parse.ts';
import type { Keyring, SealOwner } from '../../vault/keyring.ts';
import {
  group,
  millis,
  parseNamedRecord,
  parseRecord,
  person,
  product,
  projectId,
  slackId,
} from '../record/record-schemas.ts';

export const LIFETIME_NAMES = {
  '30-days': '30 days',
  '60-days': '60 days',
  '90-days': '90 days',
  '1-year': '1 year',
  none: 'No expiry',
} as const;
export const ROLE_NAMES = {
  administrator: 'Administrator',
  'read-only': 'Read-only',
  accountant: 'Accountant',
  engineer: 'Engineer',
} as const;
export const TYPE_NAMES = { 'for-oneself': 'For oneself', 'for-a-user': 'For a user' } as const;

const SOON_DAYS = 14;

export interface Expiring {
  readonly expiresAt?: Millis;
  readonly lifetime?: keyof typeof LIFETIME_NAMES;
}

export type Expiry = { readonly expiresAt: Millis } | { readonly lifetime: 'none' };

export const withExpiry = <T extends object>(
  { expiresAt: _, lifetime: __, ...rest }: T & { readonly expiresAt?: unknown; readonly lifetime?: unknown },
  expiry: Expiry,
) => ({ ...rest, ...expiry });

export const isExpiryUnknown = ({ expiresAt, lifetime }: Expiring): boolean =>
  expiresAt === undefined && lifetime !== 'none';

/** 0 on the day of the expiry, negative after it. */
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

const daysAhead = (days: number): string => ['today', 'tomorrow'][days] ?? `${days} days`;

const daysAgo = (days: number): string => ['today', 'yesterday'][days] ?? `${days} days ago`;

/** Every request reads the whole record, so its size is limited. */
export const MAX_CONNECTIONS = 20;
export const FIRST_CONNECTION_NAME = 'main';
const NAME = /^[a-z0-9][a-z0-9-]{0,30}[a-z0-9]$/;

/** 2 to 32 lower-case letters, digits and hyphens, without a hyphen at the start or end. */
export const isConnectionName = (text: string): boolean => NAME.test(text);

const BILLING_TOKEN = 'billing-token';

const keyOf = <T extends object>(names: T) => z.enum(Object.keys(names) as [keyof T & string]);

const connectionSchema = z.object({
  name: z.string(),
  baseUrl: z.url(),
  authUrl: z.url().exactOptional(),
  /** The token's last four characters; `····` if the token has fewer than 12. */
  lastFour: z.string(),
  /** The first 12 hex digits of the token's SHA-256. */
  fingerprint: z.string(),
  /** What the cloud console says about the token, if the person entered it. */
  role: keyOf(ROLE_NAMES).exactOptional(),
  /** `none` if the token never expires. Absent if the person entered a date, or nothing. */
  lifetime: keyOf(LIFETIME_NAMES).exactOptional(),
  type: keyOf(TYPE_NAMES).exactOptional(),
  account: z.string().exactOptional(),
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

export type Connection = Readonly<Omit<z.infer<typeof connectionSchema>, 'sealed'>>;
export type NewConnection = Omit<Connection, 'lastFour' | 'fingerprint'> & { readonly token: string };

/** `token()` decrypts at each call, so that the plain token isn't kept in memory. It throws unseal-failed. */
export type OpenableConnection = Connection & {
  readonly token: () => string;
};

export const describeToken = ({
  lastFour,
  fingerprint,
}: Pick<Connection, 'lastFour' | 'fingerprint'>): string =>
  `token ending ${lastFour.replaceAll('·', '')} · fingerprint ${fingerprint}`;

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

export function parseConnection(
  keyring: Keyring,
  workspace: SlackId,
  name: string,
  json: string,
): OpenableConnection {
  const { sealed, ...connection } = parseNamedRecord(connectionSchema, json, 'name', name, BILLING_TOKEN);
  return {
    ...connection,
    token: () => keyring.open(sealed, sealOwnerOf(BILLING_TOKEN, workspace, name, connection)),
  };
}

export function serializeConnection(
  keyring: Keyring,
  workspace: SlackId,
  { token, ...rest }: NewConnection,
): { readonly connection: Connection; readonly json: string } {
  const lastFour = token.length < 12 ? '····' : token.slice(-4);
  const connection: Connection = { ...rest, lastFour, fingerprint: fingerprintOf(token) };
  const sealed = keyring.seal(token, sealOwnerOf(BILLING_TOKEN, workspace, rest.name, rest));
  return { connection, json: JSON.stringify({ ...connection, sealed }) };
}

/**
 * A plain hash, so that people can compare it with `printf %s "$TOKEN" | sha256sum`. Tokens are random, so nobody can
 * work out a token from its hash. 48 bits are enough to tell two tokens apart.
 */
export const fingerprintOf = (token: string): string =>
  createHash('sha256').update(token).digest('hex').slice(0, 12);

export const MAX_ISSUERS = 100;
export const MAX_ISSUER_GROUPS = 10;

/** The only people who can get tokens with this access. Slack's owners and admins must be listed, too. */
const issuers = z.object({
  people: z.array(person).max(MAX_ISSUERS).readonly(),
  groups: z.array(group).max(MAX_ISSUER_GROUPS).readonly(),
});
export type Issuers = Readonly<z.infer<typeof issuers>>;

const APPLICATION_ACCESS = 'application-access';

const accessSchema = z.object({
  /** The project's ID, because the project can get another alias. */
  project: z.string(),
  authUrl: z.url(),
  lastFour: z.string(),
  expiresAt: z.int().exactOptional(),
  lifetime: z.literal('none').exactOptional(),
  /** Whether the service can revoke tokens; absent if unknown. */
  revocable: z.boolean().exactOptional(),
  issuers,
  registeredBy: slackId,
  registeredAt: millis,
  sealed: z.string(),
});

const secrets = z.object({ id: z.string(), secret: z.string() });

/** The secrets to get a token with, and the address to send them to. */
export type AccessSecrets = Readonly<z.infer<typeof secrets>> & Pick<ApplicationAccessRecord, 'authUrl'>;

export type ApplicationAccessRecord = Readonly<Omit<z.infer<typeof accessSchema>, 'sealed'>>;
export type NewAccess = Omit<ApplicationAccessRecord, 'lastFour'> & Pick<AccessSecrets, 'id' | 'secret'>;

/** `open()` decrypts at each call, so that the plain secret isn't kept in memory. It throws unseal-failed. */
export type OpenableAccess = ApplicationAccessRecord & {
  readonly open: () => AccessSecrets;
};

export function parseAccess(
  keyring: Keyring,
  workspace: SlackId,
  project: string,
  json: string,
): OpenableAccess {
  const { sealed, ...access } = parseNamedRecord(accessSchema, json, 'project', project, APPLICATION_ACCESS);
  return {
    ...access,
    open() {
      const text = keyring.open(sealed, sealOwnerOf(APPLICATION_ACCESS, workspace, project, access));
      return { ...parseRecord(secrets, text, APPLICATION_ACCESS), authUrl: access.authUrl };
    },
  };
}

export function serializeAccess(
  keyring: Keyring,
  workspace: SlackId,
  { id, secret, ...rest }: NewAccess,
): { readonly access: ApplicationAccessRecord; readonly json: string } {
  const access: ApplicationAccessRecord = { ...rest, lastFour: id.length < 12 ? '····' : id.slice(-4) };
  const owner = sealOwnerOf(APPLICATION_ACCESS, workspace, rest.project, rest);
  const sealed = keyring.seal(JSON.stringify({ id, secret }), owner);
  return { access, json: JSON.stringify({ ...access, sealed }) };
}

/**
 * Whether the access lists this person. Members of a listed group don't count: groups are looked up only at a token
 * request.
 */
export const isNamedIssuer = ({ issuers }: ApplicationAccessRecord, person: SlackId): boolean =>
  issuers.people.includes(person);

/** All that is ever shown of an access: `access ending abcd, expires Thu 3 Dec 2026 (12 days)`. */
export const describeAccess = (access: ApplicationAccessRecord, at: Millis, zone: Zone): string =>
  `access ending ${access.lastFour.replaceAll('·', '')}, ${formatExpiry(access, at, zone)}`;

/** @returns undefined for a damaged record, or if the reader is neither a manager nor listed in the access */
export const accessSummary = (
  access: ApplicationAccessRecord | undefined,
  user: { readonly id: SlackId; readonly canManage: boolean },
  at: Millis,
  zone: Zone,
): string | undefined =>
  access !== undefined && (user.canManage || isNamedIssuer(access, user.id))
    ? describeAccess(access, at, zone)
    : undefined;

/**
 * All fields with an encrypted (“sealed”) value. A value can be decrypted only for its workspace, kind, ID and
 * `addresses`, to which the secret may be sent. A new kind needs a line here and a noun in domain/failure/kinds.ts.
 * `tally reseal` and `tally doctor` use this table.
 */
const SEALED_KINDS = [
  { kind: 'billing-token', field: /^connection:(.+)$/s, addresses: ['baseUrl', 'authUrl'] },
  { kind: 'application-access', field: /^access:(.+)$/s, addresses: ['authUrl'] },
  { kind: 'slack-installation', field: /^(installation)$/, addresses: [] },
] as const;

export type SealedKind = (typeof SEALED_KINDS)[number]['kind'];

export function sealOwnerOf(
  kind: SealedKind,
  workspace: SlackId,
  id: string,
  record: object = {},
): SealOwner {
  const addresses = SEALED_KINDS.find((sealed) => sealed.kind === kind)?.addresses ?? [];
  const values = new Map<string, unknown>(Object.entries(record));
  return { workspace, kind, id, audience: addresses.map((name) => String(values.get(name) ?? '')) };
}

/** @returns undefined if the field has no encrypted value @throws unseal-failed `malformed` */
export function sealOwnerOfField(workspace: SlackId, field: string, value: string): SealOwner | undefined {
  for (const { kind, field: pattern } of SEALED_KINDS) {
    const id = pattern.exec(field)?.[1];
    if (id === undefined) continue;
    const record = value.startsWith('{') ? tryParseJson(value) : {};
    if (record === undefined) throw new Failure('unseal-failed', { reason: 'malformed', what: kind });
    return sealOwnerOf(kind, workspace, id, record as object);
  }
  return undefined;
}
