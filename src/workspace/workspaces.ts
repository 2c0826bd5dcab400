import type { Redis } from 'ioredis';
import { ChangedMeanwhile } from '../domain/failure.ts';
import type { ProductId } from '../domain/product.ts';
import type { Keyring } from '../vault/keyring.ts';
import { type Access, type NewAccess, type OpenableAccess, writeAccess, writeRevocable } from './accesses.ts';
import { asIn, type Change, commit, type Destination } from './change.ts';
import {
  type Connection,
  type NewConnection,
  type OpenableConnection,
  writeConnection,
} from './connections.ts';
import { ACCESS, CONNECTION, REVOCABLE, SETTINGS, TOLD } from './fields.ts';
import { settingsClash } from './meanwhile.ts';
import { createProjectStore, type ProjectStore } from './project-store.ts';
import type { Project } from './projects.ts';
import { recordOf } from './reading.ts';
import { readable } from './record.ts';
import { createScheduleStore, type ScheduleStore } from './schedule-store.ts';
import type { LastSent, Schedule } from './schedules.ts';
import { DEFAULT_SETTINGS, readSettings, type Settings, writeSettings } from './settings.ts';
import { ANY, createWorkspaceStore, type Fields, type Writing } from './store.ts';
import { type LastBalance, type Notes, noteFields, usedField } from './used.ts';

/**
 * What a workspace told us, read once for each request. A part that is damaged throws SealBroken `malformed` when it
 * is touched, and leaves the others usable.
 */
export interface WorkspaceRecord {
  /** Its team's ID. */
  readonly workspace: string;
  readonly settings: Settings;
  /** By name. */
  readonly connections: readonly OpenableConnection[];
  /** The same by name alone, damaged ones too. */
  readonly connectionNames: readonly string[];
  /** Name of the connection that is asked where none is named: the chosen one, else the only one there is. */
  readonly defaultConnection: string | undefined;
  /** The one of that name; without a name the default one, or the only one there is. */
  connection(name?: string): OpenableConnection | undefined;
  /** By alias, those that can be read. */
  readonly projects: readonly Project[];
  /** Aliases of the others: one of them may limit any ID to channels. */
  readonly damagedProjects: readonly string[];
  project(alias: string): Project | undefined;
  /** Aliases, lower case: what a command's words may be. */
  readonly aliases: ReadonlySet<string>;
  /** The alias that a channel asks about when it names none. */
  channelDefault(channel: string): string | undefined;
  /** The application access of the project with this ID. */
  access(project: string): OpenableAccess | undefined;
  /** IDs of the projects that have one, damaged ones too. */
  readonly accessIds: readonly string[];
  /** Whether this person was told that a token appears on one's own screen only. */
  isTold(person: string): boolean;
  /** Channels whose default is this project. */
  channelsOf(alias: string): readonly string[];
  /** When an answer last came by this connection, in ms, to the hour; undefined when none was. */
  lastUsed(connection: string): number | undefined;
  /** What a registered project had when it was last asked about. */
  lastBalance(id: string, product: ProductId): LastBalance | undefined;
  /** In the order they were made. */
  readonly schedules: readonly Schedule[];
  /** Ids of all, damaged ones too. */
  readonly scheduleIds: readonly string[];
  schedule(id: string): Schedule | undefined;
  /** How a schedule's last delivery ended; undefined where there was none. */
  lastSent(schedule: string): LastSent | undefined;
  /** All of it as Redis holds it: what a change rests on. */
  readonly fields: Fields;
}

/**
 * Each method is one round trip. What saves takes a `Change`: who, when, and the audit's entries, which are written in
 * the same step. It rests on what was read, and throws ChangedMeanwhile where somebody was quicker.
 *
 * @throws StoreUnreachable from each; SettingsDamaged from what changes the default connection
 */
export interface Workspaces extends ProjectStore, ScheduleStore {
  read(workspace: string): Promise<WorkspaceRecord>;
  /** Only these parts; what somebody else saved of the others meanwhile stays. */
  saveSettings(change: Change, parts: Partial<Settings>): Promise<void>;
  /** Replaces the connection of the same name. @param chosen the default from now on, where that is to change */
  saveConnection(change: Change, connection: NewConnection, chosen?: string): Promise<Connection>;
  /** @param heir the default from now on, where that is to change */
  removeConnection(change: Change, name: string, heir?: string): Promise<void>;
  /** The connection that is asked where none is named. */
  chooseDefault(change: Change, name: string): Promise<void>;
  /** Replaces the access of the same project. */
  saveAccess(change: Change, access: NewAccess): Promise<Access>;
  removeAccess(change: Change, project: string): Promise<void>;
  /** Whether the service takes tokens back, as a revocation taught; nothing is written when its access is gone meanwhile. */
  noteRevocable(workspace: string, access: Access, revocable: boolean): Promise<void>;
  /** This person was told that a token appears on one's own screen only. */
  noteTold(workspace: string, person: string, at: number): Promise<void>;
  /** What an answer taught; nothing is written when its connection is gone meanwhile. */
  note(workspace: string, notes: Notes): Promise<void>;
  /** Deletes everything of the workspace. */
  forget(workspace: string): Promise<void>;
}

export interface WorkspacesParts {
  readonly redis: Redis;
  readonly keyring: Keyring;
  /** Whether Slack still takes the workspace's token; taken for granted where absent. */
  readonly stays?: Destination['stays'];
}

export function createWorkspaces({ redis, keyring, stays = async () => true }: WorkspacesParts): Workspaces {
  const store = createWorkspaceStore(redis);
  const destination: Destination = { store, stays };
  /** What is changed of the settings; nothing when they say so already. */
  const settled = ({ record }: Change, fields: Fields, parts: Partial<Settings>): Plans => {
    const before = readable(() => readSettings(record.fields[SETTINGS]));
    const mine = Object.entries(parts).filter(
      ([part, value]) => String(value) !== String(before?.[part as keyof Settings]),
    );
    const clash = settingsClash(
      record.fields,
      fields,
      mine.map(([part]) => part as keyof Settings),
    );
    if (clash !== undefined) throw new ChangedMeanwhile(clash);
    if (mine.length === 0 && before !== undefined) return { seen: {}, set: {} };
    const now = readable(() => readSettings(fields[SETTINGS])) ?? DEFAULT_SETTINGS;
    const text = writeSettings({ ...now, ...Object.fromEntries(mine) });
    return { seen: asIn(fields, SETTINGS), set: { [SETTINGS]: text } };
  };
  const choosing = (change: Change, fields: Fields, connection: string | undefined): Plans => {
    if (connection === undefined) return { seen: {}, set: {} };
    // The form alone replaces damaged settings: it shows what comes in their place.
    readSettings(change.record.fields[SETTINGS]);
    return settled(change, fields, { connection });
  };

  return {
    ...createProjectStore(destination),
    ...createScheduleStore(destination),
    read: async (workspace) => recordOf(await store.read(workspace), keyring, workspace),
    async saveSettings(change, parts) {
      await commit(destination, change, (fields) => settled(change, fields, parts));
    },
    async saveConnection(change, given, chosen) {
      const { connection, json } = writeConnection(keyring, change.workspace, given);
      const field = CONNECTION + connection.name;
      await commit(destination, change, (fields) => {
        const { seen, set } = choosing(change, fields, chosen);
        return { seen: { ...seen, ...asIn(fields, field) }, set: { ...set, [field]: json } };
      });
      return connection;
    },
    async removeConnection(change, name, heir) {
      await commit(destination, change, (fields) => {
        const { seen, set } = choosing(change, fields, heir);
        const rests = [name, ...(heir === undefined ? [] : [heir])].map((one) => CONNECTION + one);
        return {
          seen: { ...seen, ...asIn(fields, ...rests) },
          remove: [CONNECTION + name, usedField(name)],
          set,
        };
      });
    },
    async chooseDefault(change, name) {
      await commit(destination, change, (fields) => {
        const { seen, set } = choosing(change, fields, name);
        return { seen: { ...seen, ...asIn(fields, CONNECTION + name) }, set };
      });
    },
    async saveAccess(change, given) {
      const { access, json } = writeAccess(keyring, change.workspace, given);
      const field = ACCESS + access.project;
      await commit(destination, change, (fields) => ({ seen: asIn(fields, field), set: { [field]: json } }));
      return access;
    },
    async removeAccess(change, project) {
      const field = ACCESS + project;
      await commit(destination, change, (fields) => ({
        seen: asIn(fields, field),
        remove: [field, REVOCABLE + project],
      }));
    },
    async noteRevocable(workspace, access, revocable) {
      await store.write(workspace, {
        seen: { [ACCESS + access.project]: ANY },
        set: { [REVOCABLE + access.project]: writeRevocable(access, revocable) },
      });
    },
    async noteTold(workspace, person, at) {
      await store.write(workspace, { set: { [TOLD + person]: String(at) } });
    },
    async note(workspace, notes) {
      await store.write(workspace, {
        seen: { [CONNECTION + notes.connection]: ANY },
        set: noteFields(notes),
      });
    },
    forget: (workspace) => store.forget(workspace),
  };
}

type Plans = Required<Pick<Writing, 'seen' | 'set'>>;
