import * as z from 'zod';
import type { SlackId } from '../../domain/slack-id.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import { FIELDS } from '../../redis/keys.ts';
import {
  type ChangeTarget,
  commitChange,
  fieldValues,
  UNDO_MS,
  type WorkspaceChange,
} from '../record/change.ts';
import { parseNamedRecord, parseRecord } from '../record/parse-record.ts';
import type { Workspace } from '../record/workspace.ts';

/** How one kind of what people own is stored: a field of the workspace's record each, as JSON. */
export interface OwnedFormat<T> {
  readonly kind: 'schedule' | 'watch';
  readonly schema: z.ZodType<T>;
  serialize(item: T): string;
}

/** @param id where the record was found @throws unseal-failed */
export const parseOwned = <T extends { readonly id: string }>(
  { schema }: OwnedFormat<T>,
  id: string,
  json: string,
): T => parseNamedRecord(schema, json, 'id', id);

/** Schedules, or watches. Each method is one round trip. @throws store-unavailable */
export type OwnedStore<T extends { readonly id: string }> = ReturnType<typeof createOwnedStore<T>>;

/** The field that keeps the last removed item of each kind, for Undo. */
const REMOVED = { schedule: FIELDS.removedSchedule, watch: FIELDS.removedWatch } as const;

export function createOwnedStore<T extends { readonly id: string }>(
  target: ChangeTarget,
  format: OwnedFormat<T>,
) {
  const { kind, serialize } = format;
  const [stored, removed] = [FIELDS[kind], REMOVED[kind]];
  /** The fields that are removed with it: only schedules have a last delivery. */
  const fieldsOf = (id: string) => [stored + id, ...(kind === 'schedule' ? [FIELDS.sent + id] : [])];
  return {
    /** `removed` for what was removed a while ago, '' for what never was. */
    removalOf: ({ fields }: Pick<Workspace, 'fields'>, id: string): string =>
      fields[removed + id] === undefined ? '' : 'removed',
    /** Creates or replaces it. @throws edit-conflict */
    async save(change: WorkspaceChange, item: T): Promise<void> {
      const field = stored + item.id;
      await commitChange(target, change, () => ({ dependsOn: [field], set: { [field]: serialize(item) } }));
    },
    /** It can be restored for `UNDO_MS`. Does nothing when it is removed already. @param at ms since the epoch @throws edit-conflict */
    async remove(change: WorkspaceChange, id: string, at: Millis): Promise<void> {
      const json = change.workspace.fields[stored + id];
      if (json === undefined) return;
      // A damaged one could not be restored.
      parseOwned(format, id, json);
      await commitChange(target, change, (fields) => ({
        dependsOn: fieldsOf(id),
        remove: fieldsOf(id),
        set: { [removed + id]: JSON.stringify({ fields: fieldValues(fields, ...fieldsOf(id)), at }) },
      }));
    },
    /** What was removed less than `UNDO_MS` before `now`; undefined if nothing can be restored. @throws unseal-failed */
    async findRemoved(teamId: SlackId, id: string, now: Millis): Promise<T | undefined> {
      const json = (await target.store.load(teamId))[removed + id];
      const removal = json === undefined ? undefined : parseRecord(removalSchema, json);
      if (removal === undefined || now - removal.at >= UNDO_MS) return undefined;
      return parseOwned(format, id, removal.fields[stored + id] ?? '');
    },
    /** With its delivery history: posts that fell due since come late. @returns false if nothing can be restored */
    async restore(change: WorkspaceChange, id: string): Promise<boolean> {
      const json = change.workspace.fields[removed + id];
      if (json === undefined) return false;
      const { fields } = parseRecord(removalSchema, json);
      const plan = { dependsOn: [removed + id], remove: [removed + id], set: fields };
      return commitChange(target, change, () => plan, stored + id);
    },
  };
}

/** What was removed: its fields as they were then. */
const removalSchema = z.object({ fields: z.record(z.string(), z.string()), at: z.int() });
