import { Failure } from '../../domain/failure/index.ts';
import { FIELDS } from '../../redis/keys.ts';
import {
  DEFAULT_SETTINGS,
  parseSettings,
  SETTING_NAMES,
  type Settings,
  serializeSettings,
} from '../settings.ts';
import type { PlannedChange, WorkspaceChange } from './change.ts';
import { requireSettings } from './workspace.ts';
import type { RecordFields } from './workspace-store.ts';

const NO_CHANGE: PlannedChange = { dependsOn: [] };

/** Writes the parts that differ from what the person saw. @throws edit-conflict if somebody changed the same parts */
export function planSettings(
  { workspace }: WorkspaceChange,
  fields: RecordFields,
  parts: Partial<Settings>,
): PlannedChange {
  const before = parseSettings(workspace.fields[FIELDS.settings]);
  const changed = Object.entries(parts).filter(
    ([part, value]) => String(value) !== String(before?.[part as keyof Settings]),
  );
  const names = changed.map(([part]) => part as keyof Settings);
  const conflict = describeConflict(before, parseSettings(fields[FIELDS.settings]), names);
  if (conflict !== undefined) throw new Failure('edit-conflict', { now: conflict });
  if (changed.length === 0 && before !== undefined) return NO_CHANGE;
  const now = parseSettings(fields[FIELDS.settings]) ?? DEFAULT_SETTINGS;
  const json = serializeSettings({ ...now, ...Object.fromEntries(changed) });
  return { dependsOn: [FIELDS.settings], set: { [FIELDS.settings]: json } };
}

/** @throws settings-damaged: only the settings form replaces damaged settings, because it shows the new ones */
export function planDefault(
  change: WorkspaceChange,
  fields: RecordFields,
  connection: string | undefined,
): PlannedChange {
  if (connection === undefined) return NO_CHANGE;
  requireSettings(change.workspace);
  return planSettings(change, fields, { connection });
}

/** @returns a sentence about the parts that somebody else changed too; undefined when there are none */
export function describeConflict(
  before: Partial<Settings> | undefined,
  now: Settings | undefined,
  parts: readonly (keyof Settings)[],
): string | undefined {
  const conflicts = parts.filter((part) => String(before?.[part]) !== String(now?.[part]));
  if (conflicts.length === 0) return undefined;
  const values = conflicts.map((part) => `${SETTING_NAMES[part]}: ${describeValue(now?.[part])}`).join('; ');
  return `It’s now ${values}.`;
}

const describeValue = (value: Settings[keyof Settings] | undefined): string => {
  if (Array.isArray(value)) return `${value.length} named`;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return value === undefined || value === '' ? 'none' : String(value);
};
