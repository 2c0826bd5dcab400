import { describeAccess, isNamedIssuer } from './accesses.ts';
import { readable } from './parse-record.ts';
import { reportingZoneOf } from './settings.ts';
import type { WorkspaceRecord } from './workspaces.ts';

/** Who looks at it, and when (ms). */
interface Reader {
  readonly record: WorkspaceRecord;
  readonly asker: { readonly person: string; readonly manage: boolean };
  readonly at: number;
}

/**
 * `access ····abcd, lapses in 12 days (…)`, for those who manage, or were named to have tokens issued.
 * Undefined for others, and where no access is registered or its record is damaged.
 */
export function accessSummary(project: string, { record, asker, at }: Reader): string | undefined {
  const access = readable(() => record.access(project));
  if (access === undefined || !(asker.manage || isNamedIssuer(access, asker.person))) return undefined;
  return describeAccess(access, at, reportingZoneOf(record));
}
