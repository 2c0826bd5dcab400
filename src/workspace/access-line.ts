import { describeAccess, isNamedIssuer } from './accesses.ts';
import { readable } from './parse-record.ts';
import { reportingZoneOf } from './settings.ts';
import type { Workspace } from './workspaces.ts';

/** Who looks at it, and when (ms). */
interface Reader {
  readonly workspace: Workspace;
  readonly user: { readonly id: string; readonly canManage: boolean };
  readonly at: number;
}

/**
 * `access ending abcd, expires Thu 3 Dec 2026 (12 days)`, for those who manage, or were named to have tokens issued.
 * Undefined for others, and where no access is registered or its record is damaged.
 */
export function accessSummary(project: string, { workspace, user, at }: Reader): string | undefined {
  const access = readable(() => workspace.access(project));
  if (access === undefined || !(user.canManage || isNamedIssuer(access, user.id))) return undefined;
  return describeAccess(access, at, reportingZoneOf(workspace));
}
