import * as z from 'zod';
import { UnsealFailed } from '../../domain/failure/index.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import { FIELDS } from '../../redis/keys.ts';
import { type ChangeTarget, commitChange, UNDO_MS, type WorkspaceChange } from '../record/change.ts';
import { parseNamedRecord, parseRecord, tryParseRecord } from '../record/parse-record.ts';

/** How one kind of what people own is stored: a field of the workspace's record each, as JSON. */
export interface OwnedFormat<T> {
  readonly kind: 'schedule' | 'watch';
  readonly schema: z.ZodType<T>;
  serialize(item: T): string;
}

/** @param id where the record was found @throws UnsealFailed */
export const parseOwned = <T extends { readonly id: string }>(
  { schema }: OwnedFormat<T>,
  id: string,
  json: string,
): T => parseNamedRecord(schema, json, 'id', id);

/** Schedules, or watches. Each method is one round trip. @throws StoreUnavailable */
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
    serialize,
    /** @returns undefined if the JSON is no valid item */
    parse: (json: string): T | undefined => tryParseRecord(format.schema, json),
    /** Creates or replaces it. @throws EditConflict */
    async save(change: WorkspaceChange, item: T): Promise<void> {
      const field = stored + item.id;
      await commitChange(target, change, () => ({ dependsOn: [field], set: { [field]: serialize(item) } }));
    },
    /** It can be restored for `UNDO_MS`. Does nothing when it is removed already. @param at ms since the epoch @throws EditConflict */
    async remove(change: WorkspaceChange, id: string, at: Millis): Promise<void> {
      const json = change.workspace.fields[stored + id];
      if (json === undefined) return;
      const item: unknown = JSON.parse(serialize(parseOwned(format, id, json)));
      await commitChange(target, change, (fields) => ({
        dependsOn: fieldsOf(id),
        remove: fieldsOf(id),
        set: { [removed + id]: JSON.stringify({ [kind]: item, sent: fields[FIELDS.sent + id], at }) },
      }));
    },
    /** What was removed less than `UNDO_MS` before `now`; undefined if nothing can be restored. @throws UnsealFailed */
    async findRemoved(teamId: SlackId, id: string, now: Millis): Promise<T | undefined> {
      const json = (await target.store.load(teamId))[removed + id];
      const removal = json === undefined ? undefined : parseRemoval(format, json);
      return removal && now - removal.at < UNDO_MS ? removal.item : undefined;
    },
    /** With its delivery history: posts that fell due since come late. @returns false if nothing can be restored */
    async restore(change: WorkspaceChange, id: string): Promise<boolean> {
      const json = change.workspace.fields[removed + id];
      if (json === undefined) return false;
      const { item, sent } = parseRemoval(format, json);
      return commitChange(
        target,
        change,
        () => ({
          dependsOn: [removed + id],
          remove: [removed + id],
          set: { [stored + id]: serialize(item), ...(sent !== undefined && { [FIELDS.sent + id]: sent }) },
        }),
        stored + id,
      );
    },
  };
}

const removal = z.looseObject({
  /** How its last delivery ended, as it was stored. */
  sent: z.string().exactOptional(),
  at: z.int(),
});

/** What was removed, under the name of its kind. @throws UnsealFailed `malformed` */
function parseRemoval<T>({ kind, schema }: OwnedFormat<T>, json: string) {
  const { sent, at, ...named } = parseRecord(removal, json);
  const item = schema.safeParse(named[kind]);
  if (!item.success) throw new UnsealFailed('malformed');
  return { item: item.data, sent, at };
}
