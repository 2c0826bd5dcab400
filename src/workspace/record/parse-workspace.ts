import { LRUCache } from 'lru-cache';
import { UnsealFailed } from '../../domain/failure/index.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { FIELDS } from '../../redis/keys.ts';
import { WaitMeter } from '../../runtime/work.ts';
import type { Keyring } from '../../vault/keyring.ts';
import { parseFailures, parseLastBalance, parseLastUsed } from '../answer-notes.ts';
import { parseAccess, withRevocable } from '../credentials/accesses.ts';
import { parseConnection } from '../credentials/connections.ts';
import { findRejection } from '../credentials/rejections.ts';
import { parseOwned } from '../owned/owned-store.ts';
import { parseLastDelivery, SCHEDULES } from '../owned/schedules.ts';
import { WATCHES } from '../owned/watches.ts';
import { parseProject } from '../projects/projects.ts';
import { DEFAULT_SETTINGS, readSettings, type Settings } from '../settings.ts';
import type { DamagedPart, Workspace } from './workspace.ts';
import type { RecordFields } from './workspace-store.ts';

/**
 * Parses the whole record of a workspace. Never throws: `damaged` lists what cannot be read, everything else is a
 * value. Its parts are shared with later requests, and frozen.
 */
export type WorkspaceParser = (teamId: SlackId, fields: RecordFields) => Workspace;

/** Parts of records in memory, about a kilobyte each. */
const MAX_CACHED_PARTS = 20_000;

/** What each field was parsed into, with the text it was parsed from. */
type ParsedParts = Map<string, { readonly json: string; readonly part: object | undefined }>;

/**
 * Every request reads its whole record, and hardly any part has changed since the request before: only changed parts
 * are parsed again. Texts are compared instead of looked up, because hashing them would cost more than all the rest.
 */
export function createWorkspaceParser(keyring: Keyring): WorkspaceParser {
  const cache = new LRUCache<string, ParsedParts>({
    maxSize: MAX_CACHED_PARTS,
    sizeCalculation: ({ size }) => size + 1,
  });
  return (teamId, fields) => {
    const before = cache.get(teamId);
    const parts: ParsedParts = new Map();
    const workspace = parseWorkspace(fields, keyring, teamId, (field, parse) => {
      const json = fields[field] ?? '';
      const known = before?.get(field);
      const parsed = known?.json === json ? known : { json, part: freezeDeep(parse(json)) };
      parts.set(field, parsed);
      return parsed.part;
    });
    if (parts.size > 0) cache.set(teamId, parts);
    else cache.delete(teamId);
    return workspace;
  };
}

type ParsePart = (field: string, parse: (json: string) => object | undefined) => object | undefined;

function parseWorkspace(
  fields: RecordFields,
  keyring: Keyring,
  teamId: SlackId,
  parsePart: ParsePart,
): Workspace {
  const ids = idsByPrefix(fields);
  const damaged: DamagedPart[] = [];
  const parseAll = <T extends object>(
    kind: Exclude<DamagedPart['kind'], 'settings'>,
    parse: (id: string, json: string) => T,
  ): ReadonlyMap<string, T> => {
    const parts = new Map<string, T>();
    for (const id of ids(FIELDS[kind]))
      try {
        parts.set(id, parsePart(FIELDS[kind] + id, (json) => parse(id, json)) as T);
      } catch (error) {
        if (!(error instanceof UnsealFailed)) throw error;
        damaged.push({ kind, id, reason: error.reason });
      }
    return parts;
  };

  const settings =
    fields[FIELDS.settings] === undefined
      ? DEFAULT_SETTINGS
      : (parsePart(FIELDS.settings, readSettings) as Settings | undefined);
  if (settings === undefined) damaged.push({ kind: 'settings', id: FIELDS.settings, reason: 'malformed' });
  const connectionNames = ids(FIELDS.connection);
  const accesses = parseAll('access', (project, json) => parseAccess(keyring, teamId, project, json));
  const schedules = parseAll('schedule', (id, json) => parseOwned(SCHEDULES, id, json));

  const connections = parseAll('connection', (name, json) => parseConnection(keyring, teamId, name, json));
  const lastUsed = (connection: string) => parseLastUsed(fields, connection);

  return {
    teamId,
    fields,
    damaged,
    settings: settings ?? DEFAULT_SETTINGS,
    connections,
    connectionNames,
    defaultConnection: settings && defaultOf(connectionNames, settings),
    projects: [...parseAll('project', parseProject).values()],
    aliases: new Set(ids(FIELDS.project)),
    accesses: new Map(
      [...accesses].map(([id, access]) => [id, withRevocable(access, fields[FIELDS.revocable + id])]),
    ),
    accessIds: ids(FIELDS.access),
    schedules: [...schedules.values()].sort(byCreation),
    scheduleIds: ids(FIELDS.schedule),
    watches: [...parseAll('watch', (id, json) => parseOwned(WATCHES, id, json)).values()].sort(byCreation),
    watchIds: ids(FIELDS.watch),
    channelDefault: (channel) => fields[FIELDS.channel + channel],
    channelsOf: (alias) =>
      ids(FIELDS.channel).filter((channel) => fields[FIELDS.channel + channel] === alias),
    hasSeenTokenNotice: (person) => fields[FIELDS.tokenNoticeSeen + person] !== undefined,
    lastUsed,
    rejectedAt: (credential) => findRejection(fields, credential, { connections, accesses, lastUsed }),
    lastBalance: (id, product) => parseLastBalance(fields, id, product),
    waits: new WaitMeter(),
    failures: parseFailures(fields, ids(FIELDS.failed)),
    lastSent: (id) => parseLastDelivery(fields[FIELDS.sent + id]),
  };
}

interface Created {
  readonly id: string;
  readonly createdAt: number;
}

const byCreation = (a: Created, b: Created): number => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1);

function defaultOf(names: readonly string[], { connection }: Settings): string | undefined {
  if (names.includes(connection)) return connection;
  return names.length === 1 ? names[0] : undefined;
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

function freezeDeep<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const part of Object.values(value)) freezeDeep(part);
  return Object.freeze(value);
}
