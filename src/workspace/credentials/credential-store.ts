import { FIELDS } from '../../redis/keys.ts';
import type { Keyring } from '../../vault/keyring.ts';
import { type ChangeTarget, commitChange, type WorkspaceChange } from '../record/change.ts';
import { planDefault } from '../record/change-settings.ts';
import { parseFields } from '../record/parse-record.ts';
import {
  type CredentialName,
  credentialField,
  lastUsedField,
  rejectionField,
} from '../record/stored-outcomes.ts';
import {
  type ApplicationAccessRecord,
  type Issuers,
  type NewAccess,
  serializeAccess,
} from './access-record.ts';
import { type Connection, type NewConnection, serializeConnection } from './connection-record.ts';
import { type Expiry, withExpiry } from './expiry.ts';

/** Absent fields stay as they are. */
interface CredentialEdit {
  readonly expiry?: Expiry | undefined;
  readonly issuers?: Issuers;
}

/** The part of `Workspaces` for connections and application accesses. @throws settings-damaged from what changes the default */
export function createCredentialStore(target: ChangeTarget, keyring: Keyring) {
  return {
    /** Replaces the connection of the same name. @param newDefault the default connection from now on, if it changes */
    async saveConnection(
      change: WorkspaceChange,
      given: NewConnection,
      newDefault?: string,
    ): Promise<Connection> {
      const { connection, json } = serializeConnection(keyring, change.workspace.teamId, given);
      const field = FIELDS.connection + connection.name;
      await commitChange(target, change, (fields) => {
        const { dependsOn, set } = planDefault(change, fields, newDefault);
        return {
          dependsOn: [...dependsOn, field],
          // Removes stored failures, because the new token or address may work.
          remove: [
            rejectionField({ kind: 'connection', name: connection.name }),
            ...Object.keys(fields).filter((name) => name.startsWith(FIELDS.failed)),
          ],
          set: { ...set, [field]: json },
        };
      });
      return connection;
    },
    /** @param newDefault the default connection from now on, if it changes */
    async removeConnection(change: WorkspaceChange, name: string, newDefault?: string): Promise<void> {
      await commitChange(target, change, (fields) => {
        const plan = planDefault(change, fields, newDefault);
        const names = newDefault === undefined ? [name] : [name, newDefault];
        const rejection = rejectionField({ kind: 'connection', name });
        return {
          ...plan,
          dependsOn: [...plan.dependsOn, ...names.map((each) => FIELDS.connection + each)],
          remove: [FIELDS.connection + name, lastUsedField(name), rejection],
        };
      });
    },
    /** Makes it the connection for projects that name none. */
    async chooseDefault(change: WorkspaceChange, name: string): Promise<void> {
      await commitChange(target, change, (fields) => {
        const plan = planDefault(change, fields, name);
        return { ...plan, dependsOn: [...plan.dependsOn, FIELDS.connection + name] };
      });
    },
    /** Replaces the access of the same project. */
    async saveAccess(change: WorkspaceChange, given: NewAccess): Promise<ApplicationAccessRecord> {
      const { access, json } = serializeAccess(keyring, change.workspace.teamId, given);
      const field = FIELDS.access + access.project;
      await commitChange(target, change, () => ({
        dependsOn: [field],
        remove: [rejectionField({ kind: 'access', name: access.project })],
        set: { [field]: json },
      }));
      return access;
    },
    async removeAccess(change: WorkspaceChange, project: string): Promise<void> {
      const field = FIELDS.access + project;
      await commitChange(target, change, () => ({
        dependsOn: [field],
        remove: [field, rejectionField({ kind: 'access', name: project })],
      }));
    },
    /** Changes what a person says of a credential. Its secret, and whether it was rejected, stay. */
    async editCredential(change: WorkspaceChange, credential: CredentialName, edit: CredentialEdit) {
      const field = credentialField(credential);
      await commitChange(target, change, (fields) => ({
        dependsOn: [field],
        set: { [field]: withEdit(fields[field] ?? '', edit) },
      }));
    },
  };
}

function withEdit(json: string, { expiry, issuers }: CredentialEdit): string {
  const record = { ...parseFields(json), ...(issuers && { issuers }) };
  return JSON.stringify(expiry === undefined ? record : withExpiry(record, expiry));
}
