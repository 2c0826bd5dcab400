import type { SlackId } from '../../domain/slack-id.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import type { RedisConnection } from '../../redis/connect.ts';
import { FIELDS } from '../../redis/keys.ts';
import type { Keyring } from '../../vault/keyring.ts';
import { type ApplicationAccessRecord, serializeRevocable } from '../credentials/access-record.ts';
import { createCredentialStore } from '../credentials/credential-store.ts';
import { createOwnedStore } from '../owned/owned-store.ts';
import { type LastDelivery, SCHEDULES, type Schedule } from '../owned/schedule-record.ts';
import { WATCHES, type Watch } from '../owned/watch-record.ts';
import { type ChosenProject, isSameProject } from '../projects/project-key.ts';
import { createProjectStore } from '../projects/project-store.ts';
import type { Settings } from '../settings.ts';
import { type ChangeTarget, commitChange, fieldValues, type WorkspaceChange } from './change.ts';
import {
  answerFields,
  type CredentialName,
  credentialField,
  failureKey,
  isRegistered,
  type LastFailure,
  rejectionField,
  type StoredAnswer,
  type StoredRejection,
} from './last-answer.ts';
import { createWorkspaceParser, type WorkspaceParser } from './parse-workspace.ts';
import { planSettings } from './plan-settings.ts';
import type { Workspace } from './workspace.ts';
import { createWorkspaceIndex } from './workspace-index.ts';
import {
  ANY_VALUE,
  createWorkspaceStore,
  type RecordFields,
  type WorkspaceStore,
} from './workspace-store.ts';

/**
 * Each method is one round trip unless it says otherwise. Every method that saves takes a `WorkspaceChange`: who, when, and the audit entries
 * that are written in the same step. It throws EditConflict if somebody else changed the same thing first.
 *
 * @throws StoreUnavailable from each; SettingsDamaged from what changes the default connection
 */
export type Workspaces = ReturnType<typeof createWorkspaces>;

export function createWorkspaces({
  redis,
  keyring,
  isInstalled = async () => true,
  onRequestDone = () => undefined,
  onMissing = () => undefined,
}: {
  readonly redis: RedisConnection;
  readonly keyring: Keyring;
  /** Called once for a workspace that the index or its audit names and that has no record. */
  readonly onMissing?: (teamId: SlackId) => void;
} & Partial<Pick<ChangeTarget, 'isInstalled' | 'onRequestDone'>>) {
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
  const target: ChangeTarget = { store, isInstalled, onRequestDone };

  return {
    ...createProjectStore(target),
    ...createCredentialStore(target, keyring),
    ...createOutcomeWrites(store, parse),
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

/** What billing was asked about a project. */
type AboutProject = ChosenProject & { readonly topic: Parameters<typeof failureKey>[0] };

/** The part of `Workspaces` that Tally writes by itself, without an audit entry. */
function createOutcomeWrites(store: WorkspaceStore, parse: WorkspaceParser) {
  return {
    /** Stores whether the service revokes tokens, as a revocation showed. Does nothing once the access was removed. */
    async saveRevocable(teamId: SlackId, access: ApplicationAccessRecord, revocable: boolean): Promise<void> {
      await store.write(teamId, {
        seen: { [FIELDS.access + access.project]: ANY_VALUE },
        set: { [FIELDS.revocable + access.project]: serializeRevocable(access, revocable) },
      });
    },
    /**
     * Stores that a service rejected a registered credential, unless that is known. Reads first: two round trips.
     *
     * @returns whether it was stored
     */
    async saveRejection(
      teamId: SlackId,
      credential: CredentialName,
      rejection: StoredRejection,
    ): Promise<boolean> {
      const fields = await store.load(teamId);
      const workspace = parse(teamId, fields);
      const isKnown = workspace.rejectedAt(credential) !== undefined;
      if (isKnown || !isRegistered(workspace, credential, rejection.mark)) return false;
      return store.write(teamId, {
        seen: fieldValues(fields, credentialField(credential)),
        set: { [rejectionField(credential)]: JSON.stringify(rejection) },
      });
    },
    /** Forgets the rejection: the credential works again. */
    async clearRejection(teamId: SlackId, credential: CredentialName): Promise<void> {
      await store.write(teamId, { remove: [rejectionField(credential)] });
    },
    /** Billing fails for a project; stored if it is registered. Reads first: two round trips. */
    async saveFailure(teamId: SlackId, about: AboutProject, failure: LastFailure): Promise<void> {
      const key = failureKey(about.topic, about.id, about.product);
      const { projects, failures } = parse(teamId, await store.load(teamId));
      if (!projects.some((project) => isSameProject(project, about))) return;
      const { since = failure.since } = failures.get(key) ?? {};
      await store.write(teamId, { set: { [FIELDS.failed + key]: JSON.stringify({ ...failure, since }) } });
    },
    /** Forgets the failure: billing answers again. @param key as `failureKey` makes it */
    async clearFailure(teamId: SlackId, key: string): Promise<void> {
      await store.write(teamId, { remove: [FIELDS.failed + key] });
    },
    /** Stores how a delivery that a person started ended. Does nothing if another one ended since, or the schedule was removed. */
    async saveSent({ teamId, fields }: Workspace, schedule: string, sent: LastDelivery) {
      await store.write(teamId, {
        seen: { ...fieldValues(fields, FIELDS.sent + schedule), [FIELDS.schedule + schedule]: ANY_VALUE },
        set: { [FIELDS.sent + schedule]: JSON.stringify(sent) },
      });
    },
    /** Stores that this person has read that tokens appear on their own screen only. */
    async saveTokenNoticeSeen(teamId: SlackId, person: SlackId, at: Millis): Promise<void> {
      await store.write(teamId, { set: { [FIELDS.tokenNoticeSeen + person]: String(at) } });
    },
    /** Stores the balance and the connection of an answer. Does nothing once its connection was removed. */
    async saveAnswer(teamId: SlackId, answer: StoredAnswer): Promise<void> {
      await store.write(teamId, {
        seen: { [FIELDS.connection + answer.connection]: ANY_VALUE },
        set: answerFields(answer),
      });
    },
  };
}
