import type { Redis } from 'ioredis';
import type { ProductId } from '../domain/product.ts';
import type { Keyring } from '../vault/keyring.ts';
import {
  type Access,
  type NewAccess,
  type OpenableAccess,
  readAccess,
  withRevocable,
  writeAccess,
  writeRevocable,
} from './accesses.ts';
import {
  type Connection,
  type NewConnection,
  type OpenableConnection,
  readConnection,
  writeConnection,
} from './connections.ts';
import { type Project, type Removal, readProject, readRemoval, UNDO } from './projects.ts';
import { readSettings, type Settings, writeSettings } from './settings.ts';
import { createWorkspaceStore, type Fields } from './store.ts';
import {
  balanceFields,
  type LastBalance,
  lastBalanceIn,
  lastUsedIn,
  type Notes,
  noteFields,
  usedField,
} from './used.ts';

/**
 * What a workspace told us, read once for each request. A part that is damaged throws SealBroken `malformed` when it
 * is touched, and leaves the others usable.
 */
export interface WorkspaceRecord {
  readonly settings: Settings;
  /** By name. */
  readonly connections: readonly OpenableConnection[];
  /** The same by name alone, damaged ones too. */
  readonly connectionNames: readonly string[];
  /** Name of the connection that is asked where none is named: the chosen one, else the only one there is. */
  readonly defaultConnection: string | undefined;
  /** The one of that name; without a name the default one, or the only one there is. */
  connection(name?: string): OpenableConnection | undefined;
  /** By alias. */
  readonly projects: readonly Project[];
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
}

/** Each method is one round trip. @throws StoreUnreachable from each */
export interface Workspaces {
  read(workspace: string): Promise<WorkspaceRecord>;
  saveSettings(workspace: string, settings: Settings): Promise<void>;
  /** Replaces the connection of the same name. */
  saveConnection(workspace: string, connection: NewConnection): Promise<Connection>;
  removeConnection(workspace: string, name: string): Promise<void>;
  /** Replaces the access of the same project. */
  saveAccess(workspace: string, access: NewAccess): Promise<Access>;
  removeAccess(workspace: string, project: string): Promise<void>;
  /** Whether the service takes tokens back, as a revocation taught: of this access, as long as it is the same. */
  noteRevocable(workspace: string, access: Access, revocable: boolean): Promise<void>;
  /** This person was told that a token appears on one's own screen only. */
  noteTold(workspace: string, person: string, at: number): Promise<void>;
  /** What an answer taught; nothing is written when its connection is gone meanwhile. */
  note(workspace: string, notes: Notes): Promise<void>;
  /** False when the alias is taken. */
  addProject(workspace: string, project: Project): Promise<boolean>;
  /** Writes a known project anew, under its alias or under a new one; false when that one is taken. */
  changeProject(
    workspace: string,
    before: Project,
    after: Project,
    channels: readonly string[],
  ): Promise<boolean>;
  removeProject(workspace: string, removal: Removal): Promise<void>;
  /** What `removeProject` took away less than `UNDO` before `now`; undefined when there is nothing to bring back. */
  removed(workspace: string, alias: string, now: number): Promise<Removal | undefined>;
  /** False when the alias is taken meanwhile. */
  restoreProject(workspace: string, removal: Removal): Promise<boolean>;
  setChannelDefault(workspace: string, channel: string, alias: string | undefined): Promise<void>;
  /** Deletes everything of the workspace. */
  forget(workspace: string): Promise<void>;
}

const SETTINGS = 'settings';
const CONNECTION = 'connection:';
const PROJECT = 'project:';
const CHANNEL = 'channel:';
const ACCESS = 'access:';
const REVOCABLE = 'revocable:';
const TOLD = 'told:';
const REMOVED = 'removed:';

export function createWorkspaces({ redis, keyring }: { redis: Redis; keyring: Keyring }): Workspaces {
  const store = createWorkspaceStore(redis);
  const defaults = (channels: readonly string[], alias: string): Fields =>
    Object.fromEntries(channels.map((channel) => [CHANNEL + channel, alias]));
  const written = (project: Project): Fields => ({ [PROJECT + project.alias]: JSON.stringify(project) });

  return {
    read: async (workspace) => recordOf(await store.read(workspace), keyring, workspace),
    saveSettings: (workspace, settings) => store.write(workspace, { [SETTINGS]: writeSettings(settings) }),
    async saveConnection(workspace, given) {
      const { connection, json } = writeConnection(keyring, workspace, given);
      await store.write(workspace, { [CONNECTION + connection.name]: json });
      return connection;
    },
    removeConnection: (workspace, name) => store.write(workspace, {}, [CONNECTION + name, usedField(name)]),
    async saveAccess(workspace, given) {
      const { access, json } = writeAccess(keyring, workspace, given);
      await store.write(workspace, { [ACCESS + access.project]: json });
      return access;
    },
    removeAccess: (workspace, project) => store.write(workspace, {}, [ACCESS + project, REVOCABLE + project]),
    noteRevocable: (workspace, access, revocable) =>
      store.writeBeside(workspace, ACCESS + access.project, {
        [REVOCABLE + access.project]: writeRevocable(access, revocable),
      }),
    noteTold: (workspace, person, at) => store.write(workspace, { [TOLD + person]: String(at) }),
    note: (workspace, notes) =>
      store.writeBeside(workspace, CONNECTION + notes.connection, noteFields(notes)),
    addProject: (workspace, project) => store.writeNew(workspace, PROJECT + project.alias, written(project)),
    async changeProject(workspace, before, after, channels) {
      const stale = before.id === after.id ? [] : balanceFields(before.id);
      if (before.alias === after.alias) {
        await store.write(workspace, written(after), stale);
        return true;
      }
      const set = { ...written(after), ...defaults(channels, after.alias) };
      return store.writeNew(workspace, PROJECT + after.alias, set, [PROJECT + before.alias, ...stale]);
    },
    removeProject(workspace, removal) {
      const { alias, id } = removal.project;
      const defaulted = removal.channels.map((channel) => CHANNEL + channel);
      const gone = [PROJECT + alias, ...defaulted, ...balanceFields(id)];
      return store.write(workspace, { [REMOVED + alias]: JSON.stringify(removal) }, gone);
    },
    async removed(workspace, alias, now) {
      const json = (await store.read(workspace))[REMOVED + alias];
      const removal = json === undefined ? undefined : readRemoval(json);
      return removal !== undefined && now - removal.at < UNDO ? removal : undefined;
    },
    restoreProject(workspace, { project, channels }) {
      const set = { ...written(project), ...defaults(channels, project.alias) };
      return store.writeNew(workspace, PROJECT + project.alias, set, [REMOVED + project.alias]);
    },
    setChannelDefault: (workspace, channel, alias) =>
      alias === undefined
        ? store.write(workspace, {}, [CHANNEL + channel])
        : store.write(workspace, { [CHANNEL + channel]: alias }),
    forget: (workspace) => store.forget(workspace),
  };
}

function recordOf(fields: Fields, keyring: Keyring, workspace: string): WorkspaceRecord {
  const named = (prefix: string): string[] =>
    Object.keys(fields)
      .filter((field) => field.startsWith(prefix))
      .map((field) => field.slice(prefix.length))
      .sort();
  const opened = (name: string): OpenableConnection | undefined => {
    const json = fields[CONNECTION + name];
    return json === undefined ? undefined : readConnection(keyring, workspace, name, json);
  };
  const project = (alias: string): Project | undefined => {
    const json = fields[PROJECT + alias];
    return json === undefined ? undefined : readProject(json);
  };
  const record: WorkspaceRecord = {
    get settings() {
      return readSettings(fields[SETTINGS]);
    },
    get connections() {
      return named(CONNECTION).flatMap((name) => opened(name) ?? []);
    },
    get connectionNames() {
      return named(CONNECTION);
    },
    get defaultConnection() {
      const names = named(CONNECTION);
      const { connection } = record.settings;
      if (names.includes(connection)) return connection;
      return names.length === 1 ? names[0] : undefined;
    },
    connection(name = record.defaultConnection) {
      return name === undefined ? undefined : opened(name);
    },
    get projects() {
      return named(PROJECT).flatMap((alias) => project(alias) ?? []);
    },
    project,
    aliases: new Set(named(PROJECT)),
    access(project) {
      const json = fields[ACCESS + project];
      if (json === undefined) return undefined;
      return withRevocable(readAccess(keyring, workspace, project, json), fields[REVOCABLE + project]);
    },
    get accessIds() {
      return named(ACCESS);
    },
    isTold: (person) => fields[TOLD + person] !== undefined,
    channelDefault: (channel) => fields[CHANNEL + channel],
    channelsOf: (alias) => named(CHANNEL).filter((channel) => fields[CHANNEL + channel] === alias),
    lastUsed: (connection) => lastUsedIn(fields, connection),
    lastBalance: (id, product) => lastBalanceIn(fields, id, product),
  };
  return record;
}
