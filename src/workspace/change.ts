import { EditConflict, NotInstalled } from '../domain/failure/index.ts';
import type { AuditAction, AuditEntry } from './audit.ts';
import { describeCurrent, isSameField } from './conflict.ts';
import type { Workspace } from './workspace.ts';
import type { RecordFields, RecordWrite, WorkspaceStore } from './workspace-store.ts';

/**
 * A change of what a workspace told us: what it rests on, and the lines of the audit that are written with it in one
 * step. Every method that saves takes one, so nothing is saved without its entry:
 *
 *     await workspaces.removeProject(changeBy(visit, ['project removed', alias]), removal);
 */
export interface WorkspaceChange {
  readonly teamId: string;
  /** As it was read when the person decided: where something else stands there by now, nothing is written. */
  readonly workspace: Workspace;
  readonly entries: readonly AuditEntry[];
}

/** What a visit says of who changes something, and when. */
interface Changing {
  /** ms since the epoch */
  readonly at: number;
  readonly user: { readonly teamId: string; readonly id: string };
  readonly workspace: Workspace;
}

/** @param deeds each with what it is about: an alias, a connection, which settings; never a secret */
export function auditedChange(
  { at, user, workspace }: Changing,
  ...deeds: readonly (readonly [deed: AuditAction, about: string])[]
): WorkspaceChange {
  const entries = deeds.map(([deed, about]) => ({ at, who: user.id, deed, about }));
  return { teamId: user.teamId, workspace, entries };
}

/**
 * Where changes go. `stays` says whether Slack still takes Tally's token for the workspace: it is asked after the first
 * thing that is ever written of one. Who leaves after that is deleted with it, and who has left before leaves nothing.
 */
export interface ChangeTarget {
  readonly store: WorkspaceStore;
  readonly stays: (workspace: string) => Promise<boolean>;
}

/** What is changed, from the fields as they stand. Whatever it rests on is in `seen`; the settings' parts it compares itself. */
export type ChangePlan = (fields: RecordFields) => Omit<RecordWrite, 'entries'>;

/** Somebody who writes again and again meanwhile is waited out this often. */
const LOOKS = 5;

/**
 * Carries a change out in one round trip, if what it rests on stands as it was read. A secret sealed anew with another
 * key is the same secret, and a setting that this change does not touch is no matter: then it is tried again.
 *
 * @param free a field that has to be absent: false when somebody has taken it
 * @throws EditConflict with what stands there now, NotInstalled where the workspace left, StoreUnavailable
 */
export async function commitChange(
  { store, stays }: ChangeTarget,
  { teamId, workspace, entries }: WorkspaceChange,
  plan: ChangePlan,
  free?: string,
): Promise<boolean> {
  let { fields } = workspace;
  const first = Object.keys(fields).length === 0;
  let clash: string | undefined;
  for (let look = 0; look < LOOKS; look += 1) {
    const { seen = {}, ...writing } = plan(fields);
    if (await store.write(teamId, { ...writing, seen, entries, first })) {
      if (first && !(await stays(teamId))) {
        await store.forget(teamId);
        throw new NotInstalled('unknown');
      }
      return true;
    }
    fields = await store.read(teamId);
    if (free !== undefined && fields[free] !== undefined) return false;
    clash = Object.keys(seen).find((field) => !isSameField(field, workspace.fields[field], fields[field]));
    if (clash !== undefined) break;
    if (Object.keys(fields).length === 0) throw new NotInstalled('unknown');
  }
  throw new EditConflict(describeCurrent(clash ?? '', workspace.fields, fields));
}

/** What stands in these fields, for `seen`. */
export const fieldValues = (
  fields: RecordFields,
  ...names: readonly string[]
): Record<string, string | undefined> => Object.fromEntries(names.map((name) => [name, fields[name]]));
