import { UnsealFailed } from '../../domain/failure/index.ts';
import { FIELDS } from '../../redis/keys.ts';
import { UNDO_MS } from '../projects/projects.ts';
import { type ChangeTarget, commitChange, fieldValues, type WorkspaceChange } from '../record/change.ts';
import { findWatch } from '../record/workspace.ts';
import type { RecordFields } from '../record/workspace-store.ts';
import { parseRemovedWatch, serializeRemovedWatch, serializeWatch, type Watch } from './watches.ts';

/** The part of `Workspaces` for watches. Each method is one round trip. @throws StoreUnavailable */
export interface WatchStore {
  /** Creates or replaces it. @throws EditConflict */
  saveWatch(change: WorkspaceChange, watch: Watch): Promise<void>;
  /** It can be restored for `UNDO_MS`. Does nothing when it is removed already. @param at ms since the epoch @throws EditConflict */
  removeWatch(change: WorkspaceChange, id: string, at: number): Promise<void>;
  /** Deletes damaged watches, which cannot be restored. @throws EditConflict */
  dropWatches(change: WorkspaceChange, ids: readonly string[]): Promise<void>;
  /** What `removeWatch` removed less than `UNDO_MS` before `now`; undefined if nothing can be restored. @throws UnsealFailed */
  findRemovedWatch(workspace: string, id: string, now: number): Promise<Watch | undefined>;
  /** @returns false if nothing can be restored */
  restoreWatch(change: WorkspaceChange, id: string): Promise<boolean>;
}

export function createWatchStore(target: ChangeTarget): WatchStore {
  return {
    async saveWatch(change, watch) {
      const field = FIELDS.watch + watch.id;
      await commitChange(target, change, (fields) => ({
        seen: fieldValues(fields, field),
        set: { [field]: serializeWatch(watch) },
      }));
    },
    async removeWatch(change, id, at) {
      const watch = findWatch(change.workspace, id);
      if (watch === undefined) return;
      await commitChange(target, change, (fields) => ({
        seen: fieldValues(fields, FIELDS.watch + id),
        remove: [FIELDS.watch + id, ...expiredRemovals(fields, at)],
        set: { [FIELDS.removedWatch + id]: serializeRemovedWatch(watch, at) },
      }));
    },
    async dropWatches(change, ids) {
      await commitChange(target, change, (fields) => ({
        seen: fieldValues(fields, ...ids.map((id) => FIELDS.watch + id)),
        remove: ids.map((id) => FIELDS.watch + id),
      }));
    },
    async findRemovedWatch(workspace, id, now) {
      const json = (await target.store.read(workspace))[FIELDS.removedWatch + id];
      const removal = json === undefined ? undefined : parseRemovedWatch(json);
      return removal !== undefined && now - removal.at < UNDO_MS ? removal.watch : undefined;
    },
    async restoreWatch(change, id) {
      const json = change.workspace.fields[FIELDS.removedWatch + id];
      if (json === undefined) return false;
      const field = FIELDS.watch + id;
      const text = serializeWatch(parseRemovedWatch(json).watch);
      return commitChange(
        target,
        change,
        (fields) => ({
          seen: { ...fieldValues(fields, FIELDS.removedWatch + id), [field]: undefined },
          remove: [FIELDS.removedWatch + id],
          set: { [field]: text },
        }),
        field,
      );
    },
  };
}

/** Removed watches that cannot be restored any more: too old, or damaged. */
function expiredRemovals(fields: RecordFields, now: number): readonly string[] {
  return Object.keys(fields).filter((field) => {
    if (!field.startsWith(FIELDS.removedWatch)) return false;
    try {
      return now - parseRemovedWatch(fields[field] ?? '').at >= UNDO_MS;
    } catch (error) {
      if (!(error instanceof UnsealFailed)) throw error;
      return true;
    }
  });
}
