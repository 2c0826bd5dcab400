import { Failure, type FailureOf } from '../../domain/failure/index.ts';
import type { Reader } from '../../domain/language/parsed-command.ts';
import type { ProductId } from '../../domain/product.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { dayAt, type Millis } from '../../domain/time/calendar.ts';
import type { OpenableAccess, OpenableConnection } from '../credentials/credential-records.ts';
import type { Project } from '../projects/project-record.ts';
import type { Settings } from '../settings.ts';
import type { Schedule, Watch } from './automation-records.ts';
import type { CredentialName, LastBalance, LastFailure } from './stored-outcomes.ts';
import type { RecordFields } from './workspace-store.ts';

/** A workspace's record, read and parsed once for each request. Its secrets are unsealed on demand. */
export interface Workspace {
  readonly teamId: SlackId;
  /** The defaults if the stored ones are damaged: see `requireSettings`. */
  readonly settings: Settings;
  /** What is missing below because it cannot be read. */
  readonly damaged: readonly DamagedPart[];
  /** By name, in its order. */
  readonly connections: ReadonlyMap<string, OpenableConnection>;
  /** Names of all connections, damaged ones too. */
  readonly connectionNames: readonly string[];
  /** For projects that name none: the chosen one, or the only one. Undefined without either, and if the settings are damaged. */
  readonly defaultConnection: string | undefined;
  /** Ordered by alias. */
  readonly projects: readonly Project[];
  /** Aliases of all projects, damaged ones too, in lower case: what a command's words may be. */
  readonly aliases: ReadonlySet<string>;
  /** Application accesses by the ID of their project. */
  readonly accesses: ReadonlyMap<string, OpenableAccess>;
  /** Project IDs of all accesses, damaged ones too. */
  readonly accessIds: readonly string[];
  /** In the order they were created. */
  readonly schedules: readonly Schedule[];
  /** IDs of all schedules, damaged ones too. */
  readonly scheduleIds: readonly string[];
  /** In the order they were created. */
  readonly watches: readonly Watch[];
  /** IDs of all watches, damaged ones too. */
  readonly watchIds: readonly string[];
  /** The alias that a channel asks about when a command names no project. */
  readonly channelDefault: (channel: SlackId) => string | undefined;
  /** Channels whose default is this project. */
  readonly channelsOf: (alias: string) => readonly string[];
  /** When this connection last gave an answer, in ms, to the hour; undefined for never. */
  readonly lastUsed: (connection: string) => Millis | undefined;
  /** When a service rejected a credential that is still in use and has not worked since, in ms. */
  readonly rejectedAt: (credential: CredentialName) => Millis | undefined;
  /** Undefined for one of an account that is gone, or of another token. */
  readonly lastBalance: (id: string, product: ProductId) => LastBalance | undefined;
  /** What billing fails to answer for registered projects, by `projectKey`. */
  readonly failures: ReadonlyMap<string, LastFailure>;
  /** The whole record as Redis holds it: a change compares with it. */
  readonly fields: RecordFields;
  /** Fields that the request which read the record has saved since: see `hasChanged`. */
  readonly saves: string[];
}

/** A part of the record that cannot be read. The other parts stay usable. */
export interface DamagedPart {
  readonly kind: 'settings' | 'connection' | 'project' | 'access' | 'schedule' | 'watch';
  /** What it is stored under: a connection's name, a project's alias, an access's project ID, a schedule's ID. */
  readonly id: string;
  readonly reason: FailureOf<'unseal-failed'>['data']['reason'];
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
