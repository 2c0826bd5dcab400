import { EditConflict } from '../../domain/failure/index.ts';
import { FIELDS } from '../../redis/keys.ts';
import { DEFAULT_SETTINGS, readSettings, type Settings, serializeSettings } from '../settings.ts';
import { fieldValues, type WorkspaceChange } from './change.ts';
import { findSettingsConflict } from './conflict.ts';
import { requireSettings } from './workspace.ts';
import type { RecordFields, RecordWrite } from './workspace-store.ts';

type SettingsPlan = Required<Pick<RecordWrite, 'seen' | 'set'>>;
const NO_CHANGE: SettingsPlan = { seen: {}, set: {} };

/** Writes the parts that differ from what the person saw. @throws EditConflict if somebody changed the same parts */
export function planSettings(
  { workspace }: WorkspaceChange,
  fields: RecordFields,
  parts: Partial<Settings>,
): SettingsPlan {
  const before = readSettings(workspace.fields[FIELDS.settings]);
  const changed = Object.entries(parts).filter(
    ([part, value]) => String(value) !== String(before?.[part as keyof Settings]),
  );
  const names = changed.map(([part]) => part as keyof Settings);
  const conflict = findSettingsConflict(workspace.fields, fields, names);
  if (conflict !== undefined) throw new EditConflict(conflict);
  if (changed.length === 0 && before !== undefined) return NO_CHANGE;
  const now = readSettings(fields[FIELDS.settings]) ?? DEFAULT_SETTINGS;
  const json = serializeSettings({ ...now, ...Object.fromEntries(changed) });
  return { seen: fieldValues(fields, FIELDS.settings), set: { [FIELDS.settings]: json } };
}

/** @throws SettingsDamaged: only the settings form replaces damaged settings, because it shows the new ones */
export function planDefault(
  change: WorkspaceChange,
  fields: RecordFields,
  connection: string | undefined,
): SettingsPlan {
  if (connection === undefined) return NO_CHANGE;
  requireSettings(change.workspace);
  return planSettings(change, fields, { connection });
}
