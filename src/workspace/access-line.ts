import { accessWords, isNamed } from './accesses.ts';
import { readable } from './record.ts';
import { zoneOf } from './settings.ts';
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
export function accessLine(project: string, { record, asker, at }: Reader): string | undefined {
  const access = readable(() => record.access(project));
  if (access === undefined || !(asker.manage || isNamed(access, asker.person))) return undefined;
  return accessWords(access, at, zoneOf(record));
}
