import type { ProductId } from '../../domain/product.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import { FIELDS } from '../../redis/keys.ts';
import { type ApplicationAccessRecord, serializeRevocable } from '../credentials/accesses.ts';
import {
  type CredentialName,
  credentialField,
  isRegistered,
  type RejectionNote,
  rejectionField,
} from '../credentials/rejections.ts';
import type { LastDelivery } from '../owned/schedules.ts';
import { isSameProject } from '../projects/chosen-project.ts';
import { type AnswerNote, answerNoteFields } from '../projects/last-balance.ts';
import { type BillingTopic, failureKey, type LastFailure } from '../projects/last-failure.ts';
import { fieldValues } from './change.ts';
import type { WorkspaceParser } from './parse-workspace.ts';
import type { Workspace } from './workspace.ts';
import { ANY_VALUE, type WorkspaceStore } from './workspace-store.ts';

/** The part of `Workspaces` that Tally notes by itself, without an audit entry. */
export function createRecordNotes(store: WorkspaceStore, parse: WorkspaceParser) {
  return {
    /** Notes whether the service revokes tokens, as a revocation showed. Does nothing once the access was removed. */
    async noteRevocable(teamId: SlackId, access: ApplicationAccessRecord, revocable: boolean): Promise<void> {
      await store.write(teamId, {
        seen: { [FIELDS.access + access.project]: ANY_VALUE },
        set: { [FIELDS.revocable + access.project]: serializeRevocable(access, revocable) },
      });
    },
    /**
     * Notes that a service rejected a registered credential, unless that is known. Reads first: two round trips.
     *
     * @returns whether it was stored
     */
    async noteRejection(teamId: SlackId, credential: CredentialName, note: RejectionNote): Promise<boolean> {
      const fields = await store.read(teamId);
      const workspace = parse(teamId, fields);
      const isKnown = workspace.rejectedAt(credential) !== undefined;
      if (isKnown || !isRegistered(workspace, credential, note.mark)) return false;
      return store.write(teamId, {
        seen: fieldValues(fields, credentialField(credential)),
        set: { [rejectionField(credential)]: JSON.stringify(note) },
      });
    },
    /** Forgets the rejection: the credential works again. */
    async clearRejection(teamId: SlackId, credential: CredentialName): Promise<void> {
      await store.write(teamId, { remove: [rejectionField(credential)] });
    },
    /** Billing fails for a project; stored if it is registered. Reads first: two round trips. */
    async noteFailure(
      teamId: SlackId,
      {
        topic,
        id,
        product,
      }: { readonly topic: BillingTopic; readonly id: string; readonly product: ProductId },
      note: LastFailure,
    ): Promise<void> {
      const key = failureKey(topic, id, product);
      const { projects, failures } = parse(teamId, await store.read(teamId));
      if (!projects.some((project) => isSameProject(project, { id, product }))) return;
      const { since = note.since } = failures.get(key) ?? {};
      await store.write(teamId, { set: { [FIELDS.failed + key]: JSON.stringify({ ...note, since }) } });
    },
    /** Forgets the failure: billing answers again. @param key as `failureKey` makes it */
    async clearFailure(teamId: SlackId, key: string): Promise<void> {
      await store.write(teamId, { remove: [FIELDS.failed + key] });
    },
    /**
     * Notes how a delivery that a person started ended. Does nothing if another one ended since, or the schedule was
     * removed.
     */
    async noteSent(
      teamId: SlackId,
      { fields }: Workspace,
      schedule: string,
      sent: LastDelivery,
    ): Promise<void> {
      await store.write(teamId, {
        seen: { ...fieldValues(fields, FIELDS.sent + schedule), [FIELDS.schedule + schedule]: ANY_VALUE },
        set: { [FIELDS.sent + schedule]: JSON.stringify(sent) },
      });
    },
    /** Notes that this person has read that tokens appear on their own screen only. */
    async noteTokenNoticeSeen(teamId: SlackId, person: SlackId, at: Millis): Promise<void> {
      await store.write(teamId, { set: { [FIELDS.tokenNoticeSeen + person]: String(at) } });
    },
    /** Notes the balance and the connection of an answer. Does nothing once its connection was removed. */
    async note(teamId: SlackId, note: AnswerNote): Promise<void> {
      await store.write(teamId, {
        seen: { [FIELDS.connection + note.connection]: ANY_VALUE },
        set: answerNoteFields(note),
      });
    },
  };
}
