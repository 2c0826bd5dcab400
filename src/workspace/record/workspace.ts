import { Failure } from '../../domain/failure/index.ts';
import type { Reader } from '../../domain/language/items.ts';
import { dayAt, type Millis } from '../../domain/time/calendar.ts';
import type { OpenableAccess } from '../credentials/access-record.ts';
import type { OpenableConnection } from '../credentials/connection-record.ts';
import type { Schedule } from '../owned/schedule-record.ts';
import type { Watch } from '../owned/watch-record.ts';
import type { Project } from '../projects/project-record.ts';
import type { Settings } from '../settings.ts';
import type { DamagedPart, parseWorkspace } from './parse-workspace.ts';

/** A workspace's stored record, read and parsed once for each request. Its secrets are unsealed on demand. */
export type Workspace = ReturnType<typeof parseWorkspace>;

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

/** What the damaged parts of one kind are stored under. */
export const damagedIds = (
  { damaged }: Pick<Workspace, 'damaged'>,
  kind: DamagedPart['kind'],
): readonly string[] => damaged.filter((part) => part.kind === kind).map(({ id }) => id);

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
