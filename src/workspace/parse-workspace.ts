import { UnsealFailed } from '../domain/failure/index.ts';
import type { Keyring } from '../vault/keyring.ts';
import { parseAccess, withRevocable } from './accesses.ts';
import { parseConnection } from './connections.ts';
import { FIELDS } from './fields.ts';
import { parseLastBalance, parseLastUsed } from './last-balance.ts';
import { parseProject } from './projects.ts';
import { parseLastDelivery, parseSchedule } from './schedules.ts';
import { DEFAULT_SETTINGS, readSettings, type Settings } from './settings.ts';
import type { DamagedPart, Workspace } from './workspace.ts';
import type { RecordFields } from './workspace-store.ts';

/** Parses a whole record. Never throws: what cannot be read is listed in `damaged`, and everything else is a value. */
export function parseWorkspace(fields: RecordFields, keyring: Keyring, teamId: string): Workspace {
  const ids = idsByPrefix(fields);
  const damaged: DamagedPart[] = [];
  const parseAll = <T>(
    kind: Exclude<DamagedPart['kind'], 'settings'>,
    parse: (id: string, json: string) => T,
  ): readonly (readonly [id: string, part: T])[] =>
    ids(FIELDS[kind]).flatMap((id) => {
      try {
        return [[id, parse(id, fields[FIELDS[kind] + id] ?? '')] as const];
      } catch (error) {
        if (!(error instanceof UnsealFailed)) throw error;
        damaged.push({ kind, id, reason: error.reason });
        return [];
      }
    });

  const settings = readSettings(fields[FIELDS.settings]);
  if (settings === undefined) damaged.push({ kind: 'settings', id: FIELDS.settings, reason: 'malformed' });
  const connections = parseAll('connection', (name, json) => parseConnection(keyring, teamId, name, json));
  const projects = parseAll('project', parseProject);
  const accesses = parseAll('access', (project, json) =>
    withRevocable(parseAccess(keyring, teamId, project, json), fields[FIELDS.revocable + project]),
  );
  const schedules = parseAll('schedule', parseSchedule);
  const connectionNames = ids(FIELDS.connection);

  return {
    teamId,
    fields,
    damaged,
    settings: settings ?? DEFAULT_SETTINGS,
    connections: new Map(connections),
    connectionNames,
    defaultConnection: settings && defaultOf(connectionNames, settings),
    projects: projects.map(([, project]) => project),
    aliases: new Set(ids(FIELDS.project)),
    accesses: new Map(accesses),
    accessIds: ids(FIELDS.access),
    schedules: schedules
      .map(([, schedule]) => schedule)
      .sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1)),
    scheduleIds: ids(FIELDS.schedule),
    channelDefault: (channel) => fields[FIELDS.channel + channel],
    channelsOf: (alias) =>
      ids(FIELDS.channel).filter((channel) => fields[FIELDS.channel + channel] === alias),
    isTold: (person) => fields[FIELDS.told + person] !== undefined,
    lastUsed: (connection) => parseLastUsed(fields, connection),
    lastBalance: (id, product) => parseLastBalance(fields, id, product),
    lastSent: (id) => parseLastDelivery(fields[FIELDS.sent + id]),
  };
}

function defaultOf(names: readonly string[], { connection }: Settings): string | undefined {
  if (names.includes(connection)) return connection;
  return names.length === 1 ? names[0] : undefined;
}

/** What stands behind each prefix, sorted: one pass over the record, which may have a thousand fields. */
function idsByPrefix(fields: RecordFields): (prefix: string) => readonly string[] {
  const found = new Map<string, string[]>();
  for (const field of Object.keys(fields).sort()) {
    const end = field.indexOf(':') + 1;
    const prefix = field.slice(0, end);
    const ids = found.get(prefix);
    if (ids === undefined) found.set(prefix, [field.slice(end)]);
    else ids.push(field.slice(end));
  }
  return (prefix) => found.get(prefix) ?? [];
}
