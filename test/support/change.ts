import type { AuditEntry } from '../../src/workspace/audit.ts';
import type { WorkspaceChange } from '../../src/workspace/change.ts';
import type { Workspaces } from '../../src/workspace/workspaces.ts';

/** A change as somebody makes it who looks now. */
export async function changeIn(
  workspaces: Workspaces,
  workspace: string,
  ...entries: readonly AuditEntry[]
): Promise<WorkspaceChange> {
  return { workspace, record: await workspaces.read(workspace), entries };
}
