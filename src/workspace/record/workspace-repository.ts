/** Reads and changes workspaces' settings, connections, projects, schedules and watches. */
import { isDeepStrictEqual } from 'node:util';
import type { SlackId } from '../../domain/slack-id.ts';
import type { RedisConnection } from '../../redis/connect.ts';
import { FIELDS } from '../../redis/keys.ts';
import type { Keyring } from '../../vault/keyring.ts';
import {
  type ApplicationAccessRecord,
  type Connection,
  type Expiry,
  type Issuers,
  type NewAccess,
  type NewConnection,
  serializeAccess,
  serializeConnection,
  withExpiry,
} from '../credentials/credential-records.ts';
import type { Project } from '../projects/project-record.ts';
import { limitOtherNames } from '../projects/project-scope.ts';
import { DEFAULT_SETTINGS, parseSettings, type Settings, serializeSettings } from '../settings.ts';
import {
  type ChangeTarget,
  commitChange,
  type PlannedChange,
  type WorkspaceChange,
} from './audited-change.ts';
import { type Schedule, serializeWatch, type Watch } from './automation-records.ts';
import { parseFields } from './record-schemas.ts';
import {
  balanceFields,
  type CredentialName,
  credentialField,
  failureFields,
  lastUsedField,
  rejectionField,
} from './service-outcomes.ts';
import { findProject, parseWorkspace, requireSettings, type Workspace } from './workspace.ts';
import { createWorkspaceStore, type RecordFields, type RecordWrite } from './workspace-store.ts';

/**
 * Saving methods take a `WorkspaceChange` (who, when, audit entries), and throw edit-conflict if somebody else has changed
 * the same thing first. @throws store-unavailable from every method; settings-damaged if the default connection changes
 */
export interface Workspaces extends ProjectStore, CredentialStore {
  readonly schedules: AutomationStore<Schedule>;
  readonly watches: AutomationStore<Watch>;
  load(teamId: SlackId): Promise<Workspace>;
  saveSettings(change: WorkspaceChange, parts: Partial<Settings>): Promise<void>;
  /**
   * Writes what Tally found out, such as a service's answer, without an audit entry. @returns false if a `seen` field has
   * changed, or the workspace was removed
   */
  writeUnaudited(teamId: SlackId, write: Pick<RecordWrite, 'seen' | 'set' | 'remove'>): Promise<boolean>;
}

interface ProjectStore {
  /** @returns false if another project has the alias */
  addProject(change: WorkspaceChange, project: Project): Promise<boolean>;
  /**
   * Saves or renames a project, including wherever it is a channel's default. Its other aliases get its channel limit.
   * @returns false if the new alias exists
   */
  changeProject(change: WorkspaceChange, alias: string, after: Project): Promise<boolean>;
  /** Removes a project, and removes it as the default of any channel. Its other aliases keep its channel limit. */
  removeProject(change: WorkspaceChange, project: Project): Promise<void>;
  dropDamagedProject(change: WorkspaceChange, alias: string): Promise<void>;
  setChannelDefault(change: WorkspaceChange, channel: SlackId, alias?: string): Promise<void>;
}

interface CredentialStore {
  /** Adds or replaces a connection. @param newDefault the new default connection, if the default changes */
  saveConnection(change: WorkspaceChange, added: NewConnection, newDefault?: string): Promise<Connection>;
  removeConnection(change: WorkspaceChange, name: string): Promise<void>;
  chooseDefault(change: WorkspaceChange, name: string): Promise<void>;
  /** Replaces the project's previous access. */
  saveAccess(change: WorkspaceChange, added: NewAccess): Promise<ApplicationAccessRecord>;
  removeAccess(change: WorkspaceChange, project: string): Promise<void>;
  editCredential(
    change: WorkspaceChange,
    credential: CredentialName,
    edit: { readonly expiry?: Expiry | undefined; readonly issuers?: Issuers },
  ): Promise<void>;
  clearRejection(teamId: SlackId, credential: CredentialName): Promise<void>;
}

export interface AutomationStore<T extends Schedule | Watch> {
  save(change: WorkspaceChange, item: T): Promise<void>;
  remove(change: WorkspaceChange, id: string): Promise<void>;
}

export function createWorkspaces({
  redis,
  keyring,
  isInstalled = async () => true,
}: {
  readonly redis: RedisConnection;
  readonly keyring: Keyring;
} & Partial<Pick<ChangeTarget, 'isInstalled'>>): Workspaces {
  const store = createWorkspaceStore(redis);
  const target: ChangeTarget = { store, isInstalled };
  return {
    ...createProjectStore(target),
    ...createCredentialStore(target, keyring),
    schedules: createAutomationStore<Schedule>(target, 'schedule', JSON.stringify),
    watches: createAutomationStore<Watch>(target, 'watch', serializeWatch),
    load: async (teamId) => parseWorkspace(teamId, await store.load(teamId), keyring),
    async saveSettings(change, parts) {
      await commitChange(target, change, (fields) => planSettings(fields, parts));
    },
    writeUnaudited: store.write,
  };
}

const createCredentialStore = (target: ChangeTarget, keyring: Keyring): CredentialStore => ({
  async saveConnection(change, added, newDefault) {
    const { name } = added;
    const { connection, json } = serializeConnection(keyring, change.workspace.teamId, added);
    const field = FIELDS.connection + name;
    await commitChange(target, change, (fields) => {
      const { dependsOn, set } = planDefault(change, fields, newDefault);
      // The new token may fix the stored failures, so clear them.
      const failures = Object.keys(fields).filter((key) => key.startsWith(FIELDS.failed));
      return {
        dependsOn: [...dependsOn, field],
        remove: [rejectionField({ kind: 'connection', name }), ...failures],
        set: { ...set, [field]: json },
      };
    });
    return connection;
  },
  async removeConnection(change, name) {
    const field = FIELDS.connection + name;
    const remove = [field, lastUsedField(name), rejectionField({ kind: 'connection', name })];
    await commitChange(target, change, () => ({ dependsOn: [field], remove }));
  },
  async chooseDefault(change, name) {
    await commitChange(target, change, (fields) => {
      const plan = planDefault(change, fields, name);
      return { ...plan, dependsOn: [...plan.dependsOn, FIELDS.connection + name] };
    });
  },
  async saveAccess(change, added) {
    const { access, json } = serializeAccess(keyring, change.workspace.teamId, added);
    const field = FIELDS.access + access.project;
    const remove = [rejectionField({ kind: 'access', name: access.project })];
    await commitChange(target, change, () => ({ dependsOn: [field], remove, set: { [field]: json } }));
    return access;
  },
  async removeAccess(change, project) {
    const field = FIELDS.access + project;
    const remove = [field, rejectionField({ kind: 'access', name: project })];
    await commitChange(target, change, () => ({ dependsOn: [field], remove }));
  },
  async editCredential(change, credential, { expiry, issuers }) {
    const field = credentialField(credential);
    await commitChange(target, change, (fields) => {
      const record = { ...parseFields(fields[field] ?? ''), ...(issuers && { issuers }) };
      const edited = expiry === undefined ? record : withExpiry(record, expiry);
      return { dependsOn: [field], set: { [field]: JSON.stringify(edited) } };
    });
  },
  async clearRejection(teamId, credential) {
    await target.store.write(teamId, { remove: [rejectionField(credential)] });
  },
});

function planSettings(fields: RecordFields, parts: Partial<Settings>): PlannedChange {
  const stored = parseSettings(fields[FIELDS.settings]);
  const now = { ...(stored ?? DEFAULT_SETTINGS), ...parts };
  if (isDeepStrictEqual(now, stored)) return { dependsOn: [] };
  return { dependsOn: [FIELDS.settings], set: { [FIELDS.settings]: serializeSettings(now) } };
}

/** @throws settings-damaged: only the settings form, which shows all values, can replace damaged settings */
function planDefault(
  change: WorkspaceChange,
  fields: RecordFields,
  connection: string | undefined,
): PlannedChange {
  if (connection === undefined) return { dependsOn: [] };
  requireSettings(change.workspace);
  return planSettings(fields, { connection });
}

const createAutomationStore = <T extends Schedule | Watch>(
  target: ChangeTarget,
  kind: 'schedule' | 'watch',
  serialize: (item: T) => string,
): AutomationStore<T> => ({
  async save(change, item) {
    const field = FIELDS[kind] + item.id;
    await commitChange(target, change, () => ({ dependsOn: [field], set: { [field]: serialize(item) } }));
  },
  async remove(change, id) {
    const fields = [FIELDS[kind] + id];
    await commitChange(target, change, () => ({ dependsOn: fields, remove: fields }));
  },
});

const createProjectStore = (target: ChangeTarget): ProjectStore => ({
  addProject(change, project) {
    const plan = { dependsOn: [], set: projectFields([project]) };
    return commitChange(target, change, () => plan, FIELDS.project + project.alias);
  },
  changeProject(change, alias, after) {
    const [from, to] = [FIELDS.project + alias, FIELDS.project + after.alias];
    const before = findProject(change.workspace, alias) ?? after;
    const stale = before.id === after.id ? [] : balanceFields(before.id);
    const others = projectFields(limitOtherNames(change.workspace, before, after));
    const isRenamed = from !== to;
    const channels = isRenamed ? change.workspace.channelsOf(alias).map(channelField) : [];
    const plan = {
      dependsOn: [from, ...Object.keys(others), ...channels],
      remove: [...(isRenamed ? [from] : []), ...stale, ...failureFields(before.id)],
      set: {
        ...others,
        ...projectFields([after]),
        ...Object.fromEntries(channels.map((channel) => [channel, after.alias])),
      },
    };
    return commitChange(target, change, () => plan, isRenamed ? to : undefined);
  },
  async removeProject(change, project) {
    const { alias, id } = project;
    const names = [FIELDS.project + alias, ...change.workspace.channelsOf(alias).map(channelField)];
    const others = projectFields(limitOtherNames(change.workspace, project, undefined));
    await commitChange(target, change, () => ({
      dependsOn: [...names, ...Object.keys(others)],
      remove: [...names, ...balanceFields(id), ...failureFields(id)],
      set: others,
    }));
  },
  async dropDamagedProject(change, alias) {
    const names = [FIELDS.project + alias, ...change.workspace.channelsOf(alias).map(channelField)];
    await commitChange(target, change, () => ({ dependsOn: names, remove: names }));
  },
  async setChannelDefault(change, channel, alias) {
    const field = channelField(channel);
    await commitChange(target, change, () =>
      alias === undefined
        ? { dependsOn: [field], remove: [field] }
        : { dependsOn: [field, FIELDS.project + alias], set: { [field]: alias } },
    );
  },
});

const channelField = (channel: SlackId): string => FIELDS.channel + channel;
const projectFields = (projects: readonly Project[]): RecordFields =>
  Object.fromEntries(projects.map((project) => [FIELDS.project + project.alias, JSON.stringify(project)]));
