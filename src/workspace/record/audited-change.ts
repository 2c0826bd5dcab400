/** Saves a person's change to the record together with its audit entries. */
import { createHash } from 'node:crypto';
import { Failure } from '../../domain/failure/index.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import { tryParse } from '../../domain/try-parse.ts';
import { FIELDS } from '../../redis/keys.ts';
import type { Workspace } from './workspace.ts';
import type { AuditEntry, RecordFields, RecordWrite, WorkspaceStore } from './workspace-store.ts';

/** Methods that save a person's change take a WorkspaceChange, so that no change lacks an audit entry. */
export interface WorkspaceChange {
  /** The record as the user saw it. If somebody has changed the same part since, nothing is saved. */
  readonly workspace: Workspace;
  readonly entries: readonly AuditEntry[];
}

interface ChangeRequest {
  readonly at: Millis;
  readonly user: { readonly id: string };
  readonly workspace: Workspace;
}

export function auditedChange(
  { at, user, workspace }: ChangeRequest,
  ...actions: readonly (readonly [action: string, about: string])[]
): WorkspaceChange {
  const entries = actions.map(([action, about]) => ({ at, who: user.id, action, about }));
  return { workspace, entries };
}

export interface ChangeTarget {
  readonly store: WorkspaceStore;
  /** Asked after a workspace's first write. If the app was removed meanwhile, what was written is deleted. */
  readonly isInstalled: (teamId: SlackId) => Promise<boolean>;
}

export interface PlannedChange extends Pick<RecordWrite, 'set' | 'remove'> {
  /** Fields that must be unchanged since the user saw the record. */
  readonly dependsOn: readonly string[];
}

export const hasSaved = ({ saves }: Workspace): boolean => saves.length > 0;

/** Settings say who manages, projects who may see figures, and accesses who gets an OS_TOKEN. */
const RIGHTS = [FIELDS.settings, FIELDS.project, FIELDS.access];

export function hasSameRights({ fields: before }: Workspace, { fields: now }: Workspace): boolean {
  const names = Object.keys({ ...before, ...now });
  return names.every(
    (name) => isSame(before[name], now[name]) || !RIGHTS.some((prefix) => name.startsWith(prefix)),
  );
}

/** A save is tried again if the fields it depends on were only re-encrypted meanwhile. */
const MAX_ATTEMPTS = 5;

/**
 * Saves a change if the fields it depends on are unchanged, apart from their encryption. Every change depends on the
 * settings, because they say who manages. Writes nothing, and no audit entry, if the record already has the new values,
 * as after a second click. @param plan computes the write from the current fields @param taken a field that must not
 * exist @returns false if `taken` exists @throws edit-conflict; not-installed if the workspace was removed;
 * store-unavailable
 */
export async function commitChange(
  { store, isInstalled }: ChangeTarget,
  { workspace, entries }: WorkspaceChange,
  plan: (fields: RecordFields) => PlannedChange,
  taken?: string,
): Promise<boolean> {
  const { teamId } = workspace;
  let { fields } = workspace;
  const isFirst = Object.keys(fields).length === 0;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const planned = plan(fields);
    const { set = {}, remove = [] } = planned;
    const dependsOn = [FIELDS.settings, ...planned.dependsOn];
    if (taken === undefined && isDone(planned, fields)) return true;
    const seen = { ...fieldValues(fields, ...dependsOn), ...(taken !== undefined && { [taken]: undefined }) };
    const write = { seen, remove, set, entries, first: isFirst };
    if (await store.write(teamId, write)) {
      workspace.saves.push(...Object.keys(set), ...remove);
      if (isFirst && !(await isInstalled(teamId))) {
        await store.forget(teamId);
        throw new Failure('not-installed', { reason: 'unknown' });
      }
      return true;
    }
    fields = await store.load(teamId);
    if (taken !== undefined && fields[taken] !== undefined) return false;
    if (Object.keys(fields).length === 0) throw new Failure('not-installed', { reason: 'unknown' });
    if (taken === undefined && isDone(plan(fields), fields)) return true;
    if (!dependsOn.every((field) => isSame(workspace.fields[field], fields[field]))) break;
  }
  throw new Failure('edit-conflict', { now: '' });
}

const isDone = ({ set = {}, remove = [] }: PlannedChange, fields: RecordFields): boolean =>
  Object.entries(set).every(([field, value]) => fields[field] === value) &&
  remove.every((field) => fields[field] === undefined);

export const fieldValues = (
  fields: RecordFields,
  ...names: readonly string[]
): Record<string, string | undefined> => Object.fromEntries(names.map((name) => [name, fields[name]]));

const isSame = (before: string | undefined, now: string | undefined): boolean =>
  before === now || (before !== undefined && now !== undefined && withoutSeal(before) === withoutSeal(now));

function withoutSeal(text: string): string {
  return tryParse(() => JSON.stringify({ ...JSON.parse(text), sealed: undefined })) ?? text;
}

/** A form keeps this hash of a field's value, to notice that somebody else has changed it. '' for a missing field. */
export const stampOf = ({ fields }: { readonly fields: RecordFields }, field: string): string => {
  const text = fields[field];
  return text === undefined ? '' : createHash('sha256').update(withoutSeal(text)).digest('hex').slice(0, 12);
};

export const hashOf = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16);

const SETUP_FIELDS = [FIELDS.installation, FIELDS.settings, FIELDS.connection, FIELDS.project];

/** If this hash of the setup changes, Tally tries paused posts again and checks watches. */
export const hashSetup = ({ fields }: Workspace, kind: 'schedule' | 'watch'): string =>
  hashOf(
    Object.entries(fields).filter(([name]) =>
      [...SETUP_FIELDS, FIELDS[kind]].some((prefix) => name.startsWith(prefix)),
    ),
  );
