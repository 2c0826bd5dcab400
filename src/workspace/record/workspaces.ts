import type { SlackId } from '../../domain/slack-id.ts';
import type { RedisConnection } from '../../redis/connect.ts';
import { FIELDS } from '../../redis/keys.ts';
import type { Keyring } from '../../vault/keyring.ts';
import { createCredentialStore } from '../credentials/credential-store.ts';
import { createOwnedStore } from '../owned/owned-store.ts';
import { SCHEDULES, type Schedule } from '../owned/schedule-record.ts';
import { WATCHES, type Watch } from '../owned/watch-record.ts';
import { createProjectStore } from '../projects/project-store.ts';
import type { Settings } from '../settings.ts';
import { type ChangeTarget, commitChange, type WorkspaceChange } from './change.ts';
import { planSettings } from './change-settings.ts';
import { createOutcomeStore } from './outcome-store.ts';
import { createWorkspaceParser } from './parse-workspace.ts';
import type { Workspace } from './workspace.ts';
import { createWorkspaceIndex } from './workspace-index.ts';
import { createWorkspaceStore, type RecordFields } from './workspace-store.ts';

/**
 * Each method is one round trip unless it says otherwise. Every method that saves takes a `WorkspaceChange`: who, when, and the audit entries
 * that are written in the same step. It throws edit-conflict if somebody else changed the same thing first.
 *
 * @throws store-unavailable from each; settings-damaged from what changes the default connection
 */
export type Workspaces = ReturnType<typeof createWorkspaces>;

export function createWorkspaces({
  redis,
  keyring,
  isInstalled = async () => true,
  onMissing = () => undefined,
}: {
  readonly redis: RedisConnection;
  readonly keyring: Keyring;
  /** Called once for a workspace that the index or its audit names and that has no record. */
  readonly onMissing?: (teamId: SlackId) => void;
} & Partial<Pick<ChangeTarget, 'isInstalled'>>) {
  const store = createWorkspaceStore(redis);
  const index = createWorkspaceIndex(redis);
  const missing = new Set<string>();
  const reportMissing = async (teamId: SlackId, fields: RecordFields): Promise<void> => {
    if (Object.keys(fields).length > 0) return void missing.delete(teamId);
    if (missing.has(teamId) || !(await index.knows(teamId)) || missing.has(teamId)) return;
    missing.add(teamId);
    onMissing(teamId);
  };
  const parse = createWorkspaceParser(keyring);
  const target: ChangeTarget = { store, isInstalled };

  return {
    ...createProjectStore(target),
    ...createCredentialStore(target, keyring),
    ...createOutcomeStore(store, parse),
    schedules: createOwnedStore<Schedule>(target, SCHEDULES),
    watches: createOwnedStore<Watch>(target, WATCHES),
    async load(teamId: SlackId): Promise<Workspace> {
      const fields = await store.load(teamId);
      await reportMissing(teamId, fields);
      return parse(teamId, fields);
    },
    exists: store.exists,
    /** Saves only these parts, and keeps other people's changes to the rest. */
    async saveSettings(change: WorkspaceChange, parts: Partial<Settings>): Promise<void> {
      await commitChange(target, change, (fields) => planSettings(change, fields, parts));
    },
    /** Deletes damaged records, which cannot be restored, and what goes with them: a project is no channel's default any more. */
    async dropDamaged(
      change: WorkspaceChange,
      kind: 'project' | 'schedule' | 'watch',
      ids: readonly string[],
    ) {
      const channels = kind === 'project' ? ids.flatMap(change.workspace.channelsOf) : [];
      const fieldsOf = (prefix: string, names: readonly string[]) => names.map((name) => prefix + name);
      const damaged = [...fieldsOf(FIELDS[kind], ids), ...fieldsOf(FIELDS.channel, channels)];
      const sent = kind === 'schedule' ? fieldsOf(FIELDS.sent, ids) : [];
      await commitChange(target, change, () => ({ dependsOn: damaged, remove: [...damaged, ...sent] }));
    },
  };
}
