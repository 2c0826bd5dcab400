import type { WorkspaceChange } from '../../src/workspace/record/audited-change.ts';
import type { Workspaces } from '../../src/workspace/record/workspace-repository.ts';
import type { AuditEntry } from '../../src/workspace/record/workspace-store.ts';

/** Changes the record like somebody who has just read it. */
export async function changeIn(
  workspaces: Workspaces,
  teamId: string,
  ...entries: readonly AuditEntry[]
): Promise<WorkspaceChange> {
  return { workspace: await workspaces.load(teamId), entries };
}
