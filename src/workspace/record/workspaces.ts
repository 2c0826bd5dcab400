import { EditConflict } from '../../domain/failure/index.ts';
import type { ProductId } from '../../domain/product.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import type { RedisConnection } from '../../redis/connect.ts';
import { FIELDS } from '../../redis/keys.ts';
import type { Keyring } from '../../vault/keyring.ts';
import {
  type ApplicationAccessRecord,
  type Issuers,
  type NewAccess,
  serializeAccess,
  serializeRevocable,
} from '../credentials/accesses.ts';
import {
  type Connection,
  type Expiry,
  type NewConnection,
  serializeConnection,
  withExpiry,
} from '../credentials/connections.ts';
import {
  type CredentialName,
  credentialField,
  isRegistered,
  type RejectionNote,
  rejectionField,
} from '../credentials/rejections.ts';
import { createOwnedStore, type OwnedStore } from '../owned/owned-store.ts';
import { type LastDelivery, SCHEDULES, type Schedule } from '../owned/schedules.ts';
import { WATCHES, type Watch } from '../owned/watches.ts';
import { isSameProject } from '../projects/chosen-project.ts';
import { type AnswerNote, answerNoteFields, lastUsedField } from '../projects/last-balance.ts';
import { type BillingTopic, failureKey, type LastFailure } from '../projects/last-failure.ts';
import { createProjectStore, type ProjectStore } from '../projects/project-store.ts';
import { DEFAULT_SETTINGS, readSettings, type Settings, serializeSettings } from '../settings.ts';
import { type ChangeTarget, commitChange, fieldValues, type WorkspaceChange } from './change.ts';
import { findSettingsConflict } from './conflict.ts';
import { createWorkspaceParser } from './parse-workspace.ts';
import { parseFields } from './record-schema.ts';
import { requireSettings, type Workspace } from './workspace.ts';
import { createWorkspaceIndex } from './workspace-index.ts';
import { ANY_VALUE, createWorkspaceStore, type RecordFields, type RecordWrite } from './workspace-store.ts';

export type { Workspace } from './workspace.ts';

/**
 * Each method is one round trip unless it says otherwise. Every method that saves takes a `WorkspaceChange`: who, when, and the audit entries
 * that are written in the same step. It throws EditConflict if somebody else changed the same thing first.
 *
 * @throws StoreUnavailable from each; SettingsDamaged from what changes the default connection
 */
export interface Workspaces extends ProjectStore {
  readonly schedules: OwnedStore<Schedule>;
  readonly watches: OwnedStore<Watch>;
  read(teamId: SlackId): Promise<Workspace>;
  /** Saves only these parts, and keeps other people's changes to the rest. */
  saveSettings(change: WorkspaceChange, parts: Partial<Settings>): Promise<void>;
  /** Replaces the connection of the same name. @param newDefault the default connection from now on, if it changes */
  saveConnection(
    change: WorkspaceChange,
    connection: NewConnection,
    newDefault?: string,
  ): Promise<Connection>;
  /** @param newDefault the default connection from now on, if it changes */
  removeConnection(change: WorkspaceChange, name: string, newDefault?: string): Promise<void>;
  /** Makes it the connection for projects that name none. */
  chooseDefault(change: WorkspaceChange, name: string): Promise<void>;
  /** Replaces the access of the same project. */
  saveAccess(change: WorkspaceChange, access: NewAccess): Promise<ApplicationAccessRecord>;
  removeAccess(change: WorkspaceChange, project: string): Promise<void>;
  /** Changes what a person says of a credential. Its secret, and whether it was rejected, stay. */
  editCredential(change: WorkspaceChange, credential: CredentialName, edit: CredentialEdit): Promise<void>;
  /** Stores whether the service revokes tokens, as a revocation showed; nothing when the access was removed. */
  noteRevocable(teamId: SlackId, access: ApplicationAccessRecord, revocable: boolean): Promise<void>;
  /**
   * Stores that a service rejected a credential that is registered, unless that is known. Reads first: two round trips.
   *
   * @returns whether it was stored
   */
  noteRejection(teamId: SlackId, credential: CredentialName, note: RejectionNote): Promise<boolean>;
  /** The credential works again. */
  clearRejection(teamId: SlackId, credential: CredentialName): Promise<void>;
  /** Billing fails for a project; stored if it is registered. */
  noteFailure(
    teamId: SlackId,
    of: { readonly topic: BillingTopic; readonly id: string; readonly product: ProductId },
    note: LastFailure,
  ): Promise<void>;
  /** It answers again. @param key as `failureKey` makes it */
  clearFailure(teamId: SlackId, key: string): Promise<void>;
  /** Stores how a delivery that a person started ended; nothing if another one ended since, or the schedule was removed. */
  noteSent(teamId: SlackId, record: Workspace, schedule: string, sent: LastDelivery): Promise<void>;
  /** Stores that this person has read that tokens appear on their own screen only. */
  noteTokenNoticeSeen(teamId: SlackId, person: SlackId, at: Millis): Promise<void>;
  /** Stores what an answer brought; nothing when its connection was removed. */
  note(teamId: SlackId, note: AnswerNote): Promise<void>;
}

/** What is given is changed. */
export interface CredentialEdit {
  readonly expiry?: Expiry | undefined;
  /** Of an application access. */
  readonly issuers?: Issuers;
}

export interface WorkspacesParts {
  readonly redis: RedisConnection;
  readonly keyring: Keyring;
  /** Whether Slack still accepts the workspace's token; assumed if absent. */
  readonly isInstalled?: ChangeTarget['isInstalled'];
  /** Called once for a workspace that the index or its audit names and that has no record. */
  readonly onMissing?: (teamId: SlackId) => void;
}

export function createWorkspaces({
  redis,
  keyring,
  isInstalled = async () => true,
  onMissing = () => undefined,
}: WorkspacesParts): Workspaces {
  const store = createWorkspaceStore(redis);
  const index = createWorkspaceIndex(redis);
  const missing = new Set<string>();
  const noteMissing = async (teamId: SlackId, fields: RecordFields): Promise<void> => {
    if (Object.keys(fields).length > 0) return void missing.delete(teamId);
    if (missing.has(teamId) || !(await index.knows(teamId)) || missing.has(teamId)) return;
    missing.add(teamId);
    onMissing(teamId);
  };
  const parse = createWorkspaceParser(keyring);
  const target: ChangeTarget = { store, isInstalled };

  return {
    ...createProjectStore(target),
    schedules: createOwnedStore(target, SCHEDULES),
    watches: createOwnedStore(target, WATCHES),
    async read(teamId) {
      const fields = await store.read(teamId);
      await noteMissing(teamId, fields);
      return parse(teamId, fields);
    },
    async saveSettings(change, parts) {
      await commitChange(target, change, (fields) => planSettings(change, fields, parts));
    },
    async saveConnection(change, given, newDefault) {
      const { connection, json } = serializeConnection(keyring, change.teamId, given);
      const field = FIELDS.connection + connection.name;
      await commitChange(target, change, (fields) => {
        const { seen, set } = planDefault(change, fields, newDefault);
        return {
          seen: { ...seen, ...fieldValues(fields, field) },
          // What failed may work with this token and address.
          remove: [
            rejectionField({ kind: 'connection', name: connection.name }),
            ...Object.keys(fields).filter((one) => one.startsWith(FIELDS.failed)),
          ],
          set: { ...set, [field]: json },
        };
      });
      return connection;
    },
    async removeConnection(change, name, newDefault) {
      await commitChange(target, change, (fields) => {
        const { seen, set } = planDefault(change, fields, newDefault);
        const names = newDefault === undefined ? [name] : [name, newDefault];
        return {
          seen: { ...seen, ...fieldValues(fields, ...names.map((one) => FIELDS.connection + one)) },
          remove: [
            FIELDS.connection + name,
            lastUsedField(name),
            rejectionField({ kind: 'connection', name }),
          ],
          set,
        };
      });
    },
    async chooseDefault(change, name) {
      await commitChange(target, change, (fields) => {
        const { seen, set } = planDefault(change, fields, name);
        return { seen: { ...seen, ...fieldValues(fields, FIELDS.connection + name) }, set };
      });
    },
    async saveAccess(change, given) {
      const { access, json } = serializeAccess(keyring, change.teamId, given);
      const field = FIELDS.access + access.project;
      await commitChange(target, change, (fields) => ({
        seen: fieldValues(fields, field),
        remove: [rejectionField({ kind: 'access', name: access.project })],
        set: { [field]: json },
      }));
      return access;
    },
    async removeAccess(change, project) {
      const field = FIELDS.access + project;
      await commitChange(target, change, (fields) => ({
        seen: fieldValues(fields, field),
        remove: [field, FIELDS.revocable + project, rejectionField({ kind: 'access', name: project })],
      }));
    },
    async editCredential(change, credential, edit) {
      const field = credentialField(credential);
      await commitChange(target, change, (fields) => ({
        seen: fieldValues(fields, field),
        set: { [field]: withEdit(fields[field] ?? '', edit) },
      }));
    },
    async noteRevocable(teamId, access, revocable) {
      await store.write(teamId, {
        seen: { [FIELDS.access + access.project]: ANY_VALUE },
        set: { [FIELDS.revocable + access.project]: serializeRevocable(access, revocable) },
      });
    },
    async noteRejection(teamId, credential, note) {
      const fields = await store.read(teamId);
      const workspace = parse(teamId, fields);
      const isKnown = workspace.rejectedAt(credential) !== undefined;
      if (isKnown || !isRegistered(workspace, credential, note.mark)) return false;
      return store.write(teamId, {
        seen: fieldValues(fields, credentialField(credential)),
        set: { [rejectionField(credential)]: JSON.stringify(note) },
      });
    },
    async clearRejection(teamId, credential) {
      await store.write(teamId, { remove: [rejectionField(credential)] });
    },
    async noteFailure(teamId, { topic, id, product }, note) {
      const key = failureKey(topic, id, product);
      const { projects, failures } = parse(teamId, await store.read(teamId));
      if (!projects.some((one) => isSameProject(one, { id, product }))) return;
      const { since = note.since } = failures.get(key) ?? {};
      await store.write(teamId, { set: { [FIELDS.failed + key]: JSON.stringify({ ...note, since }) } });
    },
    async clearFailure(teamId, key) {
      await store.write(teamId, { remove: [FIELDS.failed + key] });
    },
    async noteSent(teamId, { fields }, schedule, sent) {
      await store.write(teamId, {
        seen: { ...fieldValues(fields, FIELDS.sent + schedule), [FIELDS.schedule + schedule]: ANY_VALUE },
        set: { [FIELDS.sent + schedule]: JSON.stringify(sent) },
      });
    },
    async noteTokenNoticeSeen(teamId, person, at) {
      await store.write(teamId, { set: { [FIELDS.tokenNoticeSeen + person]: String(at) } });
    },
    async note(teamId, note) {
      await store.write(teamId, {
        seen: { [FIELDS.connection + note.connection]: ANY_VALUE },
        set: answerNoteFields(note),
      });
    },
  };
}

function withEdit(json: string, { expiry, issuers }: CredentialEdit): string {
  const record = { ...parseFields(json), ...(issuers && { issuers }) };
  return JSON.stringify(expiry === undefined ? record : withExpiry(record, expiry));
}

type SettingsPlan = Required<Pick<RecordWrite, 'seen' | 'set'>>;
const NO_CHANGE: SettingsPlan = { seen: {}, set: {} };

/** Writes the parts that differ from what the person saw. @throws EditConflict if somebody changed the same parts */
function planSettings(
  { workspace }: WorkspaceChange,
  fields: RecordFields,
  parts: Partial<Settings>,
): SettingsPlan {
  const before = readSettings(workspace.fields[FIELDS.settings]);
  const changed = Object.entries(parts).filter(
    ([part, value]) => String(value) !== String(before?.[part as keyof Settings]),
  );
  const names = changed.map(([part]) => part as keyof Settings);
  const conflict = findSettingsConflict(workspace.fields, fields, names);
  if (conflict !== undefined) throw new EditConflict(conflict);
  if (changed.length === 0 && before !== undefined) return NO_CHANGE;
  const now = readSettings(fields[FIELDS.settings]) ?? DEFAULT_SETTINGS;
  const json = serializeSettings({ ...now, ...Object.fromEntries(changed) });
  return { seen: fieldValues(fields, FIELDS.settings), set: { [FIELDS.settings]: json } };
}

/** @throws SettingsDamaged: only the settings form replaces damaged settings, because it shows the new ones */
function planDefault(
  change: WorkspaceChange,
  fields: RecordFields,
  connection: string | undefined,
): SettingsPlan {
  if (connection === undefined) return NO_CHANGE;
  requireSettings(change.workspace);
  return planSettings(change, fields, { connection });
}
