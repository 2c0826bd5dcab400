import type { Redis } from 'ioredis';
import { EditConflict } from '../domain/failure/index.ts';
import type { Keyring } from '../vault/keyring.ts';
import {
  type ApplicationAccessRecord,
  type NewAccess,
  serializeAccess,
  serializeRevocable,
} from './accesses.ts';
import { type ChangeTarget, commitChange, fieldValues, type WorkspaceChange } from './change.ts';
import { findSettingsConflict } from './conflict.ts';
import { type Connection, type NewConnection, serializeConnection } from './connections.ts';
import { FIELDS } from './fields.ts';
import { type AnswerNote, answerNoteFields, lastUsedField } from './last-balance.ts';
import { createWorkspaceParser } from './parse-workspace.ts';
import { createProjectStore, type ProjectStore } from './project-store.ts';
import { createScheduleStore, type ScheduleStore } from './schedule-store.ts';
import { DEFAULT_SETTINGS, readSettings, type Settings, serializeSettings } from './settings.ts';
import { requireSettings, type Workspace } from './workspace.ts';
import { ANY_VALUE, createWorkspaceStore, type RecordFields, type RecordWrite } from './workspace-store.ts';

export type { Workspace } from './workspace.ts';

/**
 * Each method is one round trip. What saves takes a `UsageChange`: who, when, and the audit's entries, which are written in
 * the same step. It rests on what was read, and throws EditConflict where somebody was quicker.
 *
 * @throws StoreUnavailable from each; SettingsDamaged from what changes the default connection
 */
export interface Workspaces extends ProjectStore, ScheduleStore {
  read(workspace: string): Promise<Workspace>;
  /** Only these parts; what somebody else saved of the others meanwhile stays. */
  saveSettings(change: WorkspaceChange, parts: Partial<Settings>): Promise<void>;
  /** Replaces the connection of the same name. @param chosen the default from now on, where that is to change */
  saveConnection(change: WorkspaceChange, connection: NewConnection, chosen?: string): Promise<Connection>;
  /** @param heir the default from now on, where that is to change */
  removeConnection(change: WorkspaceChange, name: string, heir?: string): Promise<void>;
  /** The connection that is asked where none is named. */
  chooseDefault(change: WorkspaceChange, name: string): Promise<void>;
  /** Replaces the access of the same project. */
  saveAccess(change: WorkspaceChange, access: NewAccess): Promise<ApplicationAccessRecord>;
  removeAccess(change: WorkspaceChange, project: string): Promise<void>;
  /** Whether the service takes tokens back, as a revocation taught; nothing is written when its access is gone meanwhile. */
  noteRevocable(workspace: string, access: ApplicationAccessRecord, revocable: boolean): Promise<void>;
  /** This person was told that a token appears on one's own screen only. */
  noteTold(workspace: string, person: string, at: number): Promise<void>;
  /** What an answer taught; nothing is written when its connection is gone meanwhile. */
  note(workspace: string, notes: AnswerNote): Promise<void>;
  /** Deletes everything of the workspace. */
  forget(workspace: string): Promise<void>;
}

export interface WorkspacesParts {
  readonly redis: Redis;
  readonly keyring: Keyring;
  /** Whether Slack still takes the workspace's token; taken for granted where absent. */
  readonly stays?: ChangeTarget['stays'];
}

export function createWorkspaces({ redis, keyring, stays = async () => true }: WorkspacesParts): Workspaces {
  const store = createWorkspaceStore(redis);
  const parse = createWorkspaceParser(keyring);
  const destination: ChangeTarget = { store, stays };
  /** What is changed of the settings; nothing when they say so already. */
  const settled = ({ workspace }: WorkspaceChange, fields: RecordFields, parts: Partial<Settings>): Plans => {
    const before = readSettings(workspace.fields[FIELDS.settings]);
    const mine = Object.entries(parts).filter(
      ([part, value]) => String(value) !== String(before?.[part as keyof Settings]),
    );
    const clash = findSettingsConflict(
      workspace.fields,
      fields,
      mine.map(([part]) => part as keyof Settings),
    );
    if (clash !== undefined) throw new EditConflict(clash);
    if (mine.length === 0 && before !== undefined) return { seen: {}, set: {} };
    const now = readSettings(fields[FIELDS.settings]) ?? DEFAULT_SETTINGS;
    const text = serializeSettings({ ...now, ...Object.fromEntries(mine) });
    return { seen: fieldValues(fields, FIELDS.settings), set: { [FIELDS.settings]: text } };
  };
  const choosing = (change: WorkspaceChange, fields: RecordFields, connection: string | undefined): Plans => {
    if (connection === undefined) return { seen: {}, set: {} };
    // The form alone replaces damaged settings: it shows what comes in their place.
    requireSettings(change.workspace);
    return settled(change, fields, { connection });
  };

  return {
    ...createProjectStore(destination),
    ...createScheduleStore(destination),
    read: async (workspace) => parse(workspace, await store.read(workspace)),
    async saveSettings(change, parts) {
      await commitChange(destination, change, (fields) => settled(change, fields, parts));
    },
    async saveConnection(change, given, chosen) {
      const { connection, json } = serializeConnection(keyring, change.teamId, given);
      const field = FIELDS.connection + connection.name;
      await commitChange(destination, change, (fields) => {
        const { seen, set } = choosing(change, fields, chosen);
        return { seen: { ...seen, ...fieldValues(fields, field) }, set: { ...set, [field]: json } };
      });
      return connection;
    },
    async removeConnection(change, name, heir) {
      await commitChange(destination, change, (fields) => {
        const { seen, set } = choosing(change, fields, heir);
        const rests = [name, ...(heir === undefined ? [] : [heir])].map((one) => FIELDS.connection + one);
        return {
          seen: { ...seen, ...fieldValues(fields, ...rests) },
          remove: [FIELDS.connection + name, lastUsedField(name)],
          set,
        };
      });
    },
    async chooseDefault(change, name) {
      await commitChange(destination, change, (fields) => {
        const { seen, set } = choosing(change, fields, name);
        return { seen: { ...seen, ...fieldValues(fields, FIELDS.connection + name) }, set };
      });
    },
    async saveAccess(change, given) {
      const { access, json } = serializeAccess(keyring, change.teamId, given);
      const field = FIELDS.access + access.project;
      await commitChange(destination, change, (fields) => ({
        seen: fieldValues(fields, field),
        set: { [field]: json },
      }));
      return access;
    },
    async removeAccess(change, project) {
      const field = FIELDS.access + project;
      await commitChange(destination, change, (fields) => ({
        seen: fieldValues(fields, field),
        remove: [field, FIELDS.revocable + project],
      }));
    },
    async noteRevocable(workspace, access, revocable) {
      await store.write(workspace, {
        seen: { [FIELDS.access + access.project]: ANY_VALUE },
        set: { [FIELDS.revocable + access.project]: serializeRevocable(access, revocable) },
      });
    },
    async noteTold(workspace, person, at) {
      await store.write(workspace, { set: { [FIELDS.told + person]: String(at) } });
    },
    async note(workspace, notes) {
      await store.write(workspace, {
        seen: { [FIELDS.connection + notes.connection]: ANY_VALUE },
        set: answerNoteFields(notes),
      });
    },
    forget: (workspace) => store.forget(workspace),
  };
}

type Plans = Required<Pick<RecordWrite, 'seen' | 'set'>>;
