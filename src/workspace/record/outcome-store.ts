import type { SlackId } from '../../domain/slack-id.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import { FIELDS } from '../../redis/keys.ts';
import type { LastDelivery } from '../owned/schedule-record.ts';
import { type ChosenProject, isSameProject } from '../projects/chosen-project.ts';
import { fieldValues } from './change.ts';
import type { WorkspaceParser } from './parse-workspace.ts';
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
} from './stored-outcomes.ts';
import type { Workspace } from './workspace.ts';
import { ANY_VALUE, type WorkspaceStore } from './workspace-store.ts';

/** What billing was asked about a project. */
type AboutProject = ChosenProject & { readonly topic: Parameters<typeof failureKey>[0] };

/** The part of `Workspaces` that Tally writes by itself, without an audit entry: what came of requests and deliveries. */
export function createOutcomeStore(store: WorkspaceStore, parse: WorkspaceParser) {
  return {
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
