/** Parses a workspace's Redis hash; reports damaged parts. */
import type * as z from 'zod';
import { isFailure } from '../../domain/failure/index.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { FIELDS } from '../../redis/keys.ts';
import type { Keyring } from '../../vault/keyring.ts';
import { parseAccess, parseConnection } from '../credentials/credential-records.ts';
import { type Project, parseProject } from '../projects/project-record.ts';
import { DEFAULT_SETTINGS, parseSettings } from '../settings.ts';
import { type Schedule, scheduleSchema, type Watch, watchSchema } from './automation-records.ts';
import { parseNamedRecord } from './parse-record.ts';
import { findRejection, parseFailures, parseLastBalance, parseLastUsed } from './stored-outcomes.ts';
import type { DamagedPart, Workspace } from './workspace.ts';
import type { RecordFields } from './workspace-store.ts';

/** Never throws: unreadable parts are listed in `damaged`. */
export function parseWorkspace(teamId: SlackId, fields: RecordFields, keyring: Keyring): Workspace {
  const ids = idsByPrefix(fields);
  const damaged: DamagedPart[] = [];
  const parseAll = <T>(
    kind: Exclude<DamagedPart['kind'], 'settings'>,
    parse: (id: string, json: string) => T,
  ): ReadonlyMap<string, T> => {
    const parts = new Map<string, T>();
    for (const id of ids(FIELDS[kind]))
      try {
        parts.set(id, parse(id, fields[FIELDS[kind] + id] ?? ''));
      } catch (error) {
        if (!isFailure(error, 'unseal-failed')) throw error;
        damaged.push({ kind, id, reason: error.data.reason });
      }
    return parts;
  };
  const parseOwned = <T extends Schedule | Watch>(
    kind: 'schedule' | 'watch',
    schema: z.ZodType<T>,
  ): readonly T[] =>
    [...parseAll(kind, (id, json) => parseNamedRecord(schema, json, 'id', id)).values()].sort(
      (a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1),
    );

  const settings = parseSettings(fields[FIELDS.settings]);
  if (settings === undefined) damaged.push({ kind: 'settings', id: FIELDS.settings, reason: 'malformed' });
  const connectionNames = ids(FIELDS.connection);
  const only = connectionNames.length === 1 ? connectionNames[0] : undefined;
  const accesses = parseAll('access', (project, json) => parseAccess(keyring, teamId, project, json));
  const schedules = parseOwned('schedule', scheduleSchema);
  const connections = parseAll('connection', (name, json) => parseConnection(keyring, teamId, name, json));
  const projects: readonly Project[] = [...parseAll('project', parseProject).values()];
  const watches = parseOwned('watch', watchSchema);
  const lastUsed = (connection: string) => parseLastUsed(fields, connection);
  const defaultConnection =
    settings && (connectionNames.find((name) => name === settings.connection) ?? only);

  return {
    teamId,
    settings: settings ?? DEFAULT_SETTINGS,
    damaged,
    connections,
    connectionNames,
    defaultConnection,
    projects,
    aliases: new Set(ids(FIELDS.project)),
    accesses,
    accessIds: ids(FIELDS.access),
    schedules,
    scheduleIds: ids(FIELDS.schedule),
    watches,
    watchIds: ids(FIELDS.watch),
    channelDefault: (channel) => fields[FIELDS.channel + channel],
    channelsOf: (alias) =>
      ids(FIELDS.channel).filter((channel) => fields[FIELDS.channel + channel] === alias),
    lastUsed,
    rejectedAt: (credential) => findRejection(fields, credential, { connections, accesses, lastUsed }),
    lastBalance(id, product) {
      const names = projects.filter((project) => project.id === id && project.product === product);
      const askedOver = names.flatMap(
        ({ connection = defaultConnection ?? '' }) => connections.get(connection) ?? [],
      );
      return parseLastBalance(fields, id, product, askedOver);
    },
    failures: parseFailures(fields, ids(FIELDS.failed)),
    fields,
    saves: [],
  };
}

/** What follows each prefix, sorted: one pass over a record that may have a thousand fields. */
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
