import { z } from 'zod';
import { SealBroken } from '../domain/failure.ts';
import type { Keyring } from '../vault/keyring.ts';
import { lapseWords } from './connections.ts';
import { group, person } from './ids.ts';
import { parseRecord } from './record.ts';
import { ownerOf } from './sealed.ts';

/** More than are ever named one by one; the record is read whole by every command. */
export const MOST_ISSUERS = 100;
/** Each is looked up whenever a token is asked for. */
export const MOST_ISSUER_GROUPS = 10;

/** Who may have tokens issued: nobody else may, whatever else they may do. */
const issuers = z.object({
  people: z.array(person).max(MOST_ISSUERS).readonly(),
  groups: z.array(group).max(MOST_ISSUER_GROUPS).readonly(),
});
export type Issuers = Readonly<z.infer<typeof issuers>>;

/** Whether this can be stored as who may issue, whatever a form or a button says. */
export const isIssuers = (given: unknown): given is Issuers => issuers.safeParse(given).success;

const schema = z.object({
  /** 1 to 32 digits: a project keeps its access when its alias changes. */
  project: z.string(),
  /** The identity service's address, with its version. */
  authUrl: z.url(),
  /** The last four characters of the access ID, or `····` where four would be a third of it or more. */
  lastFour: z.string(),
  /** What the service told of it; absent where it told nothing. */
  name: z.string().exactOptional(),
  restricted: z.boolean().exactOptional(),
  /** ms since the epoch */
  lapsesAt: z.int().exactOptional(),
  /** Whether the service takes tokens back; absent where that is not known. */
  revocable: z.boolean().exactOptional(),
  issuers,
  /** Slack's id of the person. */
  registeredBy: z.string(),
  /** ms since the epoch */
  registeredAt: z.int(),
  sealed: z.string(),
});

const secrets = z.object({ id: z.string(), secret: z.string() });

/** What tokens are issued with, and where. */
export type Opened = Readonly<z.infer<typeof secrets>> & Pick<Access, 'authUrl'>;

const KIND = 'application-access';

/** A registered application access, without its secret. */
export type Access = Readonly<Omit<z.infer<typeof schema>, 'sealed'>>;
export type NewAccess = Omit<Access, 'lastFour'> & Pick<Opened, 'id' | 'secret'>;

/** `open()` opens the seal at each call, so that the secret lives no longer than the request that needs it. */
export type OpenableAccess = Access & {
  /** @throws SealBroken */
  readonly open: () => Opened;
};

/**
 * @param project where the record was found: one that was moved there from another project is not believed
 * @throws SealBroken `malformed`, `not-authentic`
 */
export function readAccess(
  keyring: Keyring,
  workspace: string,
  project: string,
  json: string,
): OpenableAccess {
  const { sealed, ...access } = parseRecord(schema, json, KIND);
  if (access.project !== project) throw new SealBroken('not-authentic', undefined, KIND);
  return {
    ...access,
    open() {
      const text = keyring.open(sealed, ownerOf(KIND, workspace, project, access));
      return { ...parseRecord(secrets, text, KIND), authUrl: access.authUrl };
    },
  };
}

export function writeAccess(
  keyring: Keyring,
  workspace: string,
  { id, secret, ...rest }: NewAccess,
): { readonly access: Access; readonly json: string } {
  const access: Access = { ...rest, lastFour: id.length < 12 ? '····' : id.slice(-4) };
  const sealed = keyring.seal(JSON.stringify({ id, secret }), ownerOf(KIND, workspace, rest.project, rest));
  return { access, json: JSON.stringify({ ...access, sealed }) };
}

/**
 * What a revocation taught, apart from the sealed record so that nobody's registration is written over: it says of
 * which registration it speaks, and of a later one it says nothing.
 */
export const writeRevocable = ({ registeredAt }: Access, revocable: boolean): string =>
  `${registeredAt} ${revocable ? 'yes' : 'no'}`;

/** The access with what was learned of it since it was registered. */
export function withRevocable(access: OpenableAccess, note: string | undefined): OpenableAccess {
  const [registeredAt, revocable] = note?.split(' ') ?? [];
  return registeredAt === String(access.registeredAt)
    ? { ...access, revocable: revocable === 'yes' }
    : access;
}

/** Whether this person is named by name; who is in a group is asked when a token is. */
export const isNamed = ({ issuers }: Access, person: string): boolean => issuers.people.includes(person);

/** `access ····abcd, lapses in 12 days (Thu 3 Dec 2026)`: all that is ever shown of an access. */
export function accessWords({ lastFour, lapsesAt }: Access, at: number, zone: string): string {
  const shown = `access ····${lastFour.replaceAll('·', '')}`;
  return lapsesAt === undefined ? shown : `${shown}, ${lapseWords({ lapsesAt }, at, zone)}`;
}
