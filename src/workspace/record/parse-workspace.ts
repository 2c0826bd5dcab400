import { LRUCache } from 'lru-cache';
import type * as z from 'zod';
import { type FailureOf, isFailure } from '../../domain/failure/index.ts';
import type { ProductId } from '../../domain/product.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { FIELDS } from '../../redis/keys.ts';
import { WaitMeter } from '../../runtime/work-record.ts';
import type { Keyring } from '../../vault/keyring.ts';
import { parseAccess } from '../credentials/access-record.ts';
import { parseConnection } from '../credentials/connection-record.ts';
import { parseLastDelivery, SCHEDULES, type Schedule } from '../owned/schedule-record.ts';
import { WATCHES, type Watch } from '../owned/watch-record.ts';
import { type Project, parseProject } from '../projects/project-record.ts';
import { DEFAULT_SETTINGS, parseSettings, type Settings } from '../settings.ts';
import { parseNamedRecord } from './parse-record.ts';
import {
  type CredentialName,
  findRejection,
  parseFailures,
  parseLastBalance,
  parseLastUsed,
} from './stored-outcomes.ts';
import type { RecordFields } from './workspace-store.ts';

/** A part of the record that cannot be read. The other parts stay usable. */
export interface DamagedPart {
  readonly kind: 'settings' | 'connection' | 'project' | 'access' | 'schedule' | 'watch';
  /** What it is stored under: a connection's name, a project's alias, an access's project ID, a schedule's ID. */
  readonly id: string;
  readonly reason: FailureOf<'unseal-failed'>['data']['reason'];
}

/**
 * Parses the whole record of a workspace. Never throws: `damaged` lists what cannot be read, everything else is a
 * value. Its parts are shared with later requests, and frozen.
 */
export type WorkspaceParser = ReturnType<typeof createWorkspaceParser>;

/** Parts of records in memory, about a kilobyte each. */
const MAX_CACHED_PARTS = 20_000;

/** What each field was parsed into, with the text it was parsed from. */
type ParsedParts = Map<string, { readonly json: string; readonly part: object | undefined }>;

/**
 * Every request reads its whole record, and hardly any part has changed since the request before: only changed parts
 * are parsed again. Texts are compared instead of looked up, because hashing them would cost more than all the rest.
 */
export function createWorkspaceParser(keyring: Keyring) {
  const cache = new LRUCache<string, ParsedParts>({
    maxSize: MAX_CACHED_PARTS,
    sizeCalculation: ({ size }) => size + 1,
  });
  return (teamId: SlackId, fields: RecordFields) => {
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

export function parseWorkspace(
  fields: RecordFields,
  keyring: Keyring,
  teamId: SlackId,
  parsePart: (field: string, parse: (json: string) => object | undefined) => object | undefined,
) {
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

  const settings =
    fields[FIELDS.settings] === undefined
      ? DEFAULT_SETTINGS
      : (parsePart(FIELDS.settings, parseSettings) as Settings | undefined);
  if (settings === undefined) damaged.push({ kind: 'settings', id: FIELDS.settings, reason: 'malformed' });
  const connectionNames = ids(FIELDS.connection);
  const only = connectionNames.length === 1 ? connectionNames[0] : undefined;
  const accesses = parseAll('access', (project, json) => parseAccess(keyring, teamId, project, json));
  const schedules = parseOwned('schedule', SCHEDULES.schema);
  const connections = parseAll('connection', (name, json) => parseConnection(keyring, teamId, name, json));
  const projects: readonly Project[] = [...parseAll('project', parseProject).values()];
  const watches = parseOwned('watch', WATCHES.schema);
  const lastUsed = (connection: string) => parseLastUsed(fields, connection);
  const defaultConnection =
    settings && (connectionNames.find((name) => name === settings.connection) ?? only);

  return {
    teamId,
    /** The defaults if the stored ones are damaged: see `requireSettings`. */
    settings: settings ?? DEFAULT_SETTINGS,
    /** What is missing in the values below because it cannot be read. */
    damaged: damaged as readonly DamagedPart[],
    /** By name, in its order. */
    connections,
    /** Names of all connections, damaged ones too. */
    connectionNames,
    /**
     * Name of the connection for projects that name none: the chosen one, or the only one. Undefined when there is
     * neither, and if the settings are damaged.
     */
    defaultConnection,
    /** Ordered by alias. */
    projects,
    /** Aliases of all projects, damaged ones too, in lower case: what a command's words may be. */
    aliases: new Set(ids(FIELDS.project)) as ReadonlySet<string>,
    /** Application accesses by the ID of their project. */
    accesses,
    /** Project IDs of all accesses, damaged ones too. */
    accessIds: ids(FIELDS.access),
    /** In the order they were created. */
    schedules,
    /** IDs of all schedules, damaged ones too. */
    scheduleIds: ids(FIELDS.schedule),
    /** In the order they were created. */
    watches,
    /** IDs of all watches, damaged ones too. */
    watchIds: ids(FIELDS.watch),
    /** The alias that a channel asks about when a command names no project. */
    channelDefault: (channel: SlackId): string | undefined => fields[FIELDS.channel + channel],
    /** Channels whose default is this project. */
    channelsOf: (alias: string): readonly string[] =>
      ids(FIELDS.channel).filter((channel) => fields[FIELDS.channel + channel] === alias),
    /** Whether this person has read that tokens appear on their own screen only. */
    hasSeenTokenNotice: (person: SlackId): boolean => fields[FIELDS.tokenNoticeSeen + person] !== undefined,
    /** When this connection last gave an answer, in ms, to the hour; undefined for never. */
    lastUsed,
    /** When a service rejected a credential that is still in use and has not worked since, in ms. */
    rejectedAt: (credential: CredentialName): number | undefined =>
      findRejection(fields, credential, { connections, accesses, lastUsed }),
    lastBalance(id: string, product: ProductId) {
      const names = projects.filter((project) => project.id === id && project.product === product);
      const askedOver = names.flatMap(
        ({ connection = defaultConnection ?? '' }) => connections.get(connection) ?? [],
      );
      return parseLastBalance(fields, id, product, askedOver);
    },
    /** What billing fails to answer for registered projects, by `failureKey`. */
    failures: parseFailures(fields, ids(FIELDS.failed)),
    /** How a schedule's last delivery ended; undefined when there was none. */
    lastSent: (schedule: string) => parseLastDelivery(fields[FIELDS.sent + schedule]),
    /** How long the work that read this record has waited for services. */
    waits: new WaitMeter(),
    /** The whole record as Redis holds it: a change compares with it. */
    fields,
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

function freezeDeep<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const part of Object.values(value)) freezeDeep(part);
  return Object.freeze(value);
}
