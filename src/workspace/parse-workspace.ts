import type { Keyring } from '../vault/keyring.ts';
import { parseAccess, withRevocable } from './accesses.ts';
import { type OpenableConnection, parseConnection } from './connections.ts';
import { ACCESS, CHANNEL, CONNECTION, PROJECT, REVOCABLE, SCHEDULE, SENT, SETTINGS, TOLD } from './fields.ts';
import { parseLastBalance, parseLastUsed } from './last-used.ts';
import { readable } from './parse-record.ts';
import { type Project, parseProject } from './projects.ts';
import { parseLastDelivery, parseSchedule, type Schedule } from './schedules.ts';
import { parseSettings } from './settings.ts';
import type { RecordFields } from './workspace-store.ts';
import type { Workspace } from './workspaces.ts';

export function parseWorkspace(fields: RecordFields, keyring: Keyring, workspace: string): Workspace {
  const named = (prefix: string): string[] =>
    Object.keys(fields)
      .filter((field) => field.startsWith(prefix))
      .map((field) => field.slice(prefix.length))
      .sort();
  const opened = (name: string): OpenableConnection | undefined => {
    const json = fields[CONNECTION + name];
    return json === undefined ? undefined : parseConnection(keyring, workspace, name, json);
  };
  const project = (alias: string): Project | undefined => {
    const json = fields[PROJECT + alias];
    return json === undefined ? undefined : parseProject(json);
  };
  const schedule = (id: string): Schedule | undefined => {
    const json = fields[SCHEDULE + id];
    return json === undefined ? undefined : parseSchedule(json);
  };
  const record: Workspace = {
    workspace,
    fields,
    get settings() {
      return parseSettings(fields[SETTINGS]);
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
      return named(PROJECT).flatMap((alias) => readable(() => project(alias)) ?? []);
    },
    get damagedProjects() {
      return named(PROJECT).filter((alias) => readable(() => project(alias)) === undefined);
    },
    project,
    aliases: new Set(named(PROJECT)),
    access(project) {
      const json = fields[ACCESS + project];
      if (json === undefined) return undefined;
      return withRevocable(parseAccess(keyring, workspace, project, json), fields[REVOCABLE + project]);
    },
    get accessIds() {
      return named(ACCESS);
    },
    isTold: (person) => fields[TOLD + person] !== undefined,
    channelDefault: (channel) => fields[CHANNEL + channel],
    channelsOf: (alias) => named(CHANNEL).filter((channel) => fields[CHANNEL + channel] === alias),
    lastUsed: (connection) => parseLastUsed(fields, connection),
    lastBalance: (id, product) => parseLastBalance(fields, id, product),
    get schedules() {
      const found = named(SCHEDULE).flatMap((id) => schedule(id) ?? []);
      return found.sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
    },
    get scheduleIds() {
      return named(SCHEDULE);
    },
    schedule,
    lastSent: (id) => parseLastDelivery(fields[SENT + id]),
  };
  return record;
}
