/** Parses a workspace's record into values, and lists what is damaged. */
import type * as z from 'zod';
import type { ProductId } from '../../domain/billing-products.ts';
import { Failure, type FailureOf, isFailure } from '../../domain/failure/index.ts';
import type { ParseContext } from '../../domain/language/command-items.ts';
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
import { type Schedule, scheduleSchema, type Watch, watchSchema } from './automation-records.ts';
import { parseNamedRecord } from './record-schemas.ts';
import {
  type CredentialName,
  findRejection,
  type LastBalance,
  type LastFailure,
  parseFailures,
  parseLastBalance,
  parseLastUsed,
} from './service-outcomes.ts';
import type { RecordFields } from './workspace-store.ts';

/**
 * A request loads the record once. Secrets are decrypted on demand. Lists of names and IDs include damaged records; the
 * other lists leave them out. Connections and projects are sorted by name, schedules and watches by age.
 */
export interface Workspace {
  readonly teamId: SlackId;
  /** The defaults if the stored settings are damaged: see `requireSettings`. */
  readonly settings: Settings;
  readonly damaged: readonly DamagedPart[];
  readonly connections: ReadonlyMap<string, OpenableConnection>;
  readonly connectionNames: readonly string[];
  /** The default connection, or else the only one; undefined if there is neither, or if the settings are damaged. */
  readonly defaultConnection: string | undefined;
  readonly projects: readonly Project[];
  readonly aliases: ReadonlySet<string>;
  readonly accesses: ReadonlyMap<string, OpenableAccess>;
  readonly accessIds: readonly string[];
  readonly schedules: readonly Schedule[];
  readonly scheduleIds: readonly string[];
  readonly watches: readonly Watch[];
  readonly watchIds: readonly string[];
  readonly channelDefault: (channel: SlackId) => string | undefined;
  readonly channelsOf: (alias: string) => readonly string[];
  /** When the connection last answered, rounded to the hour; undefined for never. */
  readonly lastUsed: (connection: string) => Millis | undefined;
  /** When a service rejected the stored credential; undefined if it works. */
  readonly rejectedAt: (credential: CredentialName) => Millis | undefined;
  /** Undefined if the last balance was fetched with a replaced token or over another connection. */
  readonly lastBalance: (id: string, product: ProductId) => LastBalance | undefined;
  /** `<project id>:<product>` → why the project's last query failed. */
  readonly failures: ReadonlyMap<string, LastFailure>;
  readonly fields: RecordFields;
  /** The fields that the current request has written or removed. */
  readonly saves: string[];
}

export interface DamagedPart {
  readonly kind: 'settings' | 'connection' | 'project' | 'access' | 'schedule' | 'watch';
  /** `settings`, a connection's name, an alias, or the ID of an access's project, a schedule or a watch. */
  readonly id: string;
  readonly reason: FailureOf<'unseal-failed'>['data']['reason'];
}

/** How an unseal-failed error names each kind. */
const STORED_KINDS: Readonly<Record<DamagedPart['kind'], string>> = {
  settings: 'record',
  connection: 'billing-token',
  project: 'project',
  access: 'application-access',
  schedule: 'record',
  watch: 'record',
};

/** For code that mustn't use default settings: a wrong time zone gives wrong sums. @throws settings-damaged */
export function requireSettings(workspace: Pick<Workspace, 'settings' | 'damaged'>): Settings {
  if (isDamaged(workspace, 'settings')) throw new Failure('settings-damaged');
  return workspace.settings;
}

/** The context for parsing what a user typed. @param writtenAt when it was typed, if that was earlier than `at` */
export function parseContextOf(
  { aliases, settings }: Workspace,
  at: Millis,
  writtenAt: Millis = at,
): ParseContext {
  const zone = settings?.zone ?? 'UTC';
  return { aliases, zone, today: dayAt(at, zone), writtenOn: dayAt(Math.min(writtenAt, at), zone) };
}

export const isDamaged = (
  { damaged }: Pick<Workspace, 'damaged'>,
  kind: DamagedPart['kind'],
  id?: string,
): boolean => damaged.some((part) => part.kind === kind && (id === undefined || part.id === id));

/** @returns `part`, which may be undefined @throws unseal-failed if it is missing because its record is damaged */
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
 * @param name if absent, the default connection @throws unseal-failed if damaged; settings-damaged if the default is
 * unknown
 */
export function findConnection(workspace: Workspace, name?: string): OpenableConnection | undefined {
  if (name === undefined) requireSettings(workspace);
  const wanted = name ?? workspace.defaultConnection;
  if (wanted === undefined) return undefined;
  return requireIntact(workspace, 'connection', wanted, workspace.connections.get(wanted));
}

/** @throws unseal-failed if the record is damaged */
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

/** @throws unseal-failed if the record is damaged */
export const findAccess = (workspace: Workspace, project: string): OpenableAccess | undefined =>
  requireIntact(workspace, 'access', project, workspace.accesses.get(project));

/** @throws unseal-failed if the record is damaged */
export const findSchedule = (workspace: Workspace, id: string): Schedule | undefined =>
  requireIntact(workspace, 'schedule', id, withId(workspace.schedules, id));

/** @throws unseal-failed if the record is damaged */
export const findWatch = (workspace: Workspace, id: string): Watch | undefined =>
  requireIntact(workspace, 'watch', id, withId(workspace.watches, id));

const withId = <T extends { readonly id: string }>(items: readonly T[], id: string): T | undefined =>
  items.find((item) => item.id === id);

/** Never throws: parts that can't be read are listed in `damaged`. */
export function parseWorkspace(teamId: SlackId, fields: RecordFields, keyring: Keyring): Workspace {
  const damaged: DamagedPart[] = [];
  const ids = idsByPrefix(fields);
  const parseAll = <T>(kind: RecordKind, parse: (id: string, json: string) => T) =>
    parseParts(fields, kind, ids(FIELDS[kind]), parse, damaged);
  const parseOwned = <T extends Schedule | Watch>(kind: RecordKind, schema: z.ZodType<T>): readonly T[] =>
    [...parseAll(kind, (id, json) => parseNamedRecord(schema, json, 'id', id)).values()].sort(
      (a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1),
    );

  const settings = parseSettings(fields[FIELDS.settings]);
  if (settings === undefined) damaged.push({ kind: 'settings', id: FIELDS.settings, reason: 'malformed' });
  const connectionNames = ids(FIELDS.connection);
  const only = connectionNames.length === 1 ? connectionNames[0] : undefined;
  const defaultConnection =
    settings && (connectionNames.find((name) => name === settings.connection) ?? only);
  const accesses = parseAll('access', (project, json) => parseAccess(keyring, teamId, project, json));
  const connections = parseAll('connection', (name, json) => parseConnection(keyring, teamId, name, json));
  const projects: readonly Project[] = [...parseAll('project', parseProject).values()];
  const lastUsed = (connection: string) => parseLastUsed(fields, connection);

  return {
    teamId,
    fields,
    saves: [],
    damaged,
    settings: settings ?? DEFAULT_SETTINGS,
    connections,
    connectionNames,
    defaultConnection,
    projects,
    aliases: new Set(ids(FIELDS.project)),
    accesses,
    accessIds: ids(FIELDS.access),
    schedules: parseOwned('schedule', scheduleSchema),
    scheduleIds: ids(FIELDS.schedule),
    watches: parseOwned('watch', watchSchema),
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
  };
}

type RecordKind = Exclude<DamagedPart['kind'], 'settings'>;

function parseParts<T>(
  fields: RecordFields,
  kind: RecordKind,
  ids: readonly string[],
  parse: (id: string, json: string) => T,
  damaged: DamagedPart[],
): ReadonlyMap<string, T> {
  const parts = new Map<string, T>();
  for (const id of ids)
    try {
      parts.set(id, parse(id, fields[FIELDS[kind] + id] ?? ''));
    } catch (error) {
      if (!isFailure(error, 'unseal-failed')) throw error;
      damaged.push({ kind, id, reason: error.data.reason });
    }
  return parts;
}

/** Collects the sorted IDs after each field prefix in one pass, because a record can have a thousand fields. */
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
