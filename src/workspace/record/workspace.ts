/** A workspace's stored record: read and parsed once for each request, with a list of what is damaged. */
import type * as z from 'zod';
import { Failure, type FailureOf, isFailure } from '../../domain/failure/index.ts';
import type { Reader } from '../../domain/language/items.ts';
import type { ProductId } from '../../domain/product.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { dayAt, type Millis } from '../../domain/time/calendar.ts';
import { FIELDS } from '../../redis/keys.ts';
import type { Keyring } from '../../vault/keyring.ts';
import {
  type OpenableAccess,
  type OpenableConnection,
  parseAccess,
  parseConnection,
} from '../credentials/credential-records.ts';
import { type Project, parseProject } from '../projects/project-record.ts';
import { DEFAULT_SETTINGS, parseSettings, type Settings } from '../settings.ts';
import {
  parseLastDelivery,
  type Schedule,
  scheduleSchema,
  type Watch,
  watchSchema,
} from './automation-records.ts';
import { parseNamedRecord } from './parse-record.ts';
import {
  type CredentialName,
  findRejection,
  parseFailures,
  parseLastBalance,
  parseLastUsed,
} from './stored-outcomes.ts';
import type { RecordFields } from './workspace-store.ts';

/** Read and parsed once for each request, with its secrets unsealed on demand. */
export type Workspace = ReturnType<typeof parseWorkspace>;

/** A part of the record that cannot be read. The other parts stay usable. */
export interface DamagedPart {
  readonly kind: 'settings' | 'connection' | 'project' | 'access' | 'schedule' | 'watch';
  /** What it is stored under: a connection's name, a project's alias, an access's project ID, a schedule's ID. */
  readonly id: string;
  readonly reason: FailureOf<'unseal-failed'>['data']['reason'];
}

/** Parses the whole record of a workspace. Never throws: `damaged` lists what cannot be read, everything else is a value. */
export function parseWorkspace(teamId: SlackId, fields: RecordFields, keyring: Keyring) {
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
    /** What billing fails to answer for registered projects, by `projectKey`. */
    failures: parseFailures(fields, ids(FIELDS.failed)),
    /** How a schedule's last delivery ended; undefined when there was none. */
    lastSent: (schedule: string) => parseLastDelivery(fields[FIELDS.sent + schedule]),
    /** The whole record as Redis holds it: a change compares with it. */
    fields,
    /** Fields that the request which read the record has saved since: see `hasChanged`. */
    saves: [] as string[],
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

/** How an `unseal-failed` names each kind of record. */
const STORED_KINDS: Readonly<Record<DamagedPart['kind'], string>> = {
  settings: 'record',
  connection: 'billing-token',
  project: 'project',
  access: 'application-access',
  schedule: 'record',
  watch: 'record',
};

/**
 * The settings, for everything that must not rest on the defaults: figures in the wrong zone would be wrong sums.
 *
 * @throws settings-damaged
 */
export function requireSettings(workspace: Pick<Workspace, 'settings' | 'damaged'>): Settings {
  if (isDamaged(workspace, 'settings')) throw new Failure('settings-damaged');
  return workspace.settings;
}

/** From where the words of a person in this workspace are read. @param writtenAt ms, if they were written earlier */
export function readerIn({ aliases, settings }: Workspace, at: Millis, writtenAt: Millis = at): Reader {
  const zone = settings?.zone ?? 'UTC';
  return { aliases, zone, today: dayAt(at, zone), writtenOn: dayAt(Math.min(writtenAt, at), zone) };
}

/** @param id not needed for the settings */
export const isDamaged = (
  { damaged }: Pick<Workspace, 'damaged'>,
  kind: DamagedPart['kind'],
  id?: string,
): boolean => damaged.some((part) => part.kind === kind && (id === undefined || part.id === id));

/** Returns the part, or undefined if it is missing. @throws unseal-failed if it is damaged */
function requireIntact<T>(
  { damaged }: Pick<Workspace, 'damaged'>,
  kind: DamagedPart['kind'],
  id: string,
  part: T | undefined,
): T | undefined {
  const damage = part === undefined && damaged.find((found) => found.kind === kind && found.id === id);
  if (damage) throw new Failure('unseal-failed', { reason: damage.reason, what: STORED_KINDS[kind] });
  return part;
}

/**
 * @param name the default connection if undefined
 * @throws unseal-failed when its record is damaged; settings-damaged if it takes the settings to know the default
 */
export function findConnection(workspace: Workspace, name?: string): OpenableConnection | undefined {
  if (name === undefined) requireSettings(workspace);
  const wanted = name ?? workspace.defaultConnection;
  if (wanted === undefined) return undefined;
  return requireIntact(workspace, 'connection', wanted, workspace.connections.get(wanted));
}

/** @throws unseal-failed when its record is damaged */
export const findProject = (
  workspace: Pick<Workspace, 'projects' | 'damaged'>,
  alias: string,
): Project | undefined =>
  requireIntact(
    workspace,
    'project',
    alias,
    workspace.projects.find((project) => project.alias === alias),
  );

/** @param project its ID @throws unseal-failed when its record is damaged */
export const findAccess = (workspace: Workspace, project: string): OpenableAccess | undefined =>
  requireIntact(workspace, 'access', project, workspace.accesses.get(project));

/** @throws unseal-failed when its record is damaged */
export const findSchedule = (workspace: Workspace, id: string): Schedule | undefined =>
  requireIntact(workspace, 'schedule', id, withId(workspace.schedules, id));

/** @throws unseal-failed when its record is damaged */
export const findWatch = (workspace: Workspace, id: string): Watch | undefined =>
  requireIntact(workspace, 'watch', id, withId(workspace.watches, id));

const withId = <T extends { readonly id: string }>(items: readonly T[], id: string): T | undefined =>
  items.find((item) => item.id === id);
