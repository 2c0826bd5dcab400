import * as z from 'zod';
import { FIELDS } from '../../redis/keys.ts';
import { millis, tryParseRecord } from '../record/parse-record.ts';
import type { RecordFields } from '../record/workspace-store.ts';
import type { OpenableAccess } from './access-record.ts';
import type { OpenableConnection } from './connection-record.ts';

/** A token or an application access, as its record names it. */
export interface CredentialName {
  readonly kind: 'connection' | 'access';
  /** The connection's name, or the project's ID. */
  readonly name: string;
}

const schema = z.object({
  /** Of the credential that was sent, which may have been replaced since: a fingerprint, or the ID's last characters. */
  mark: z.string(),
  at: millis,
});
/** A note that a service rejected a credential. */
export type StoredRejection = Readonly<z.infer<typeof schema>>;

export const rejectionField = ({ kind, name }: CredentialName): string => `${FIELDS.rejected}${kind}:${name}`;

/** The credential's own field: without it, a rejection of it is not stored. */
export const credentialField = ({ kind, name }: CredentialName): string => FIELDS[kind] + name;

interface Credentials {
  readonly connections: ReadonlyMap<string, OpenableConnection>;
  readonly accesses: ReadonlyMap<string, OpenableAccess>;
  lastUsed(connection: string): number | undefined;
}

/** Whether this is the registered credential, and not one from a form or a replaced one. */
export function isRegistered(
  { connections, accesses }: Pick<Credentials, 'connections' | 'accesses'>,
  { kind, name }: CredentialName,
  mark: string,
): boolean {
  return kind === 'access'
    ? accesses.get(name)?.lastFour === mark
    : connections.get(name)?.fingerprint === mark;
}

/** When the registered credential was last rejected, in ms; undefined if it has worked since or was never used. */
export function findRejection(
  fields: RecordFields,
  credential: CredentialName,
  credentials: Credentials,
): number | undefined {
  const rejection = tryParseRecord(schema, fields[rejectionField(credential)]);
  if (rejection === undefined || !isRegistered(credentials, credential, rejection.mark)) return undefined;
  const { kind, name } = credential;
  const workedAt =
    kind === 'access' ? credentials.accesses.get(name)?.registeredAt : credentials.lastUsed(name);
  return rejection.at >= (workedAt ?? 0) ? rejection.at : undefined;
}
