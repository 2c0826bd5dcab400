import * as z from 'zod';
import type { SlackId } from '../../domain/slack-id.ts';
import type { Millis, Zone } from '../../domain/time/calendar.ts';
import type { Keyring } from '../../vault/keyring.ts';
import {
  group,
  millis,
  parseNamedRecord,
  parseRecord,
  person,
  sealOwnerOf,
  slackId,
} from '../record/parse-record.ts';
import { formatExpiry } from './expiry.ts';

/** Bounded because every request reads the whole record. */
export const MAX_ISSUERS = 100;
/** Slack is asked for the members of each at every token request. */
export const MAX_ISSUER_GROUPS = 10;

/** The only people who can get tokens; owners and admins can't unless they are among them. */
const issuers = z.object({
  people: z.array(person).max(MAX_ISSUERS).readonly(),
  groups: z.array(group).max(MAX_ISSUER_GROUPS).readonly(),
});
export type Issuers = Readonly<z.infer<typeof issuers>>;

const schema = z.object({
  /** 1 to 32 digits: a project keeps its access when its alias changes. */
  project: z.string(),
  authUrl: z.url(),
  /** The last four characters of the access ID, or `····` if four would be a third of it or more. */
  lastFour: z.string(),
  /** ms since the epoch, as the service or a person said */
  expiresAt: z.int().exactOptional(),
  /** That it never expires, if a person said so. */
  lifetime: z.literal('none').exactOptional(),
  /** Whether the service revokes tokens, as the test of the access showed; absent when that is unknown. */
  revocable: z.boolean().exactOptional(),
  issuers,
  registeredBy: slackId,
  registeredAt: millis,
  sealed: z.string(),
});

const secrets = z.object({ id: z.string(), secret: z.string() });

/** What tokens are issued with, and the service that issues them. */
export type AccessSecrets = Readonly<z.infer<typeof secrets>> & Pick<ApplicationAccessRecord, 'authUrl'>;

const KIND = 'application-access';

/** A registered application access, without its secret. */
export type ApplicationAccessRecord = Readonly<Omit<z.infer<typeof schema>, 'sealed'>>;
export type NewAccess = Omit<ApplicationAccessRecord, 'lastFour'> & Pick<AccessSecrets, 'id' | 'secret'>;

/** `open()` unseals at each call, so that the secret stays in memory no longer than the request needs it. */
export type OpenableAccess = ApplicationAccessRecord & {
  /** @throws unseal-failed */
  readonly open: () => AccessSecrets;
};

/** @param project where the record was found @throws unseal-failed */
export function parseAccess(
  keyring: Keyring,
  workspace: SlackId,
  project: string,
  json: string,
): OpenableAccess {
  const { sealed, ...access } = parseNamedRecord(schema, json, 'project', project, KIND);
  return {
    ...access,
    open() {
      const text = keyring.open(sealed, sealOwnerOf(KIND, workspace, project, access));
      return { ...parseRecord(secrets, text, KIND), authUrl: access.authUrl };
    },
  };
}

export function serializeAccess(
  keyring: Keyring,
  workspace: SlackId,
  { id, secret, ...rest }: NewAccess,
): { readonly access: ApplicationAccessRecord; readonly json: string } {
  const access: ApplicationAccessRecord = { ...rest, lastFour: id.length < 12 ? '····' : id.slice(-4) };
  const owner = sealOwnerOf(KIND, workspace, rest.project, rest);
  const sealed = keyring.seal(JSON.stringify({ id, secret }), owner);
  return { access, json: JSON.stringify({ ...access, sealed }) };
}

/** Whether the issuers list this person; Slack is asked about groups when somebody requests a token. */
export const isNamedIssuer = ({ issuers }: ApplicationAccessRecord, person: SlackId): boolean =>
  issuers.people.includes(person);

/** `access ending abcd, expires Thu 3 Dec 2026 (12 days)`: an access is never shown in more detail. */
export const describeAccess = (access: ApplicationAccessRecord, at: Millis, zone: Zone): string =>
  `access ending ${access.lastFour.replaceAll('·', '')}, ${formatExpiry(access, at, zone)}`;

/** The same for Tally managers and people named as issuers; undefined for everybody else, and if there is no readable access. */
export const accessSummary = (
  access: ApplicationAccessRecord | undefined,
  user: { readonly id: SlackId; readonly canManage: boolean },
  at: Millis,
  zone: Zone,
): string | undefined =>
  access !== undefined && (user.canManage || isNamedIssuer(access, user.id))
    ? describeAccess(access, at, zone)
    : undefined;
