import { UnsealFailed } from '../../domain/failure/index.ts';
import { FIELDS } from '../../redis/keys.ts';
import { UNDO_MS } from '../projects/projects.ts';
import { type ChangeTarget, commitChange, fieldValues, type WorkspaceChange } from '../record/change.ts';
import { findSchedule, type Workspace } from '../record/workspace.ts';
import { ANY_VALUE, type RecordFields } from '../record/workspace-store.ts';
import { type LastDelivery, parseRemovedSchedule, type Schedule } from './schedules.ts';

/** The part of `Workspaces` for schedules. Each method is one round trip. @throws StoreUnavailable */
export interface ScheduleStore {
  /** Creates or replaces it. @throws EditConflict */
  saveSchedule(change: WorkspaceChange, schedule: Schedule): Promise<void>;
  /** It can be restored for `UNDO_MS`. Does nothing when it is removed already. @param at ms since the epoch @throws EditConflict */
  removeSchedule(change: WorkspaceChange, id: string, at: number): Promise<void>;
  /** Stores how a delivery that a person started ended; nothing if another one ended since, or the schedule was removed. */
  noteSent(workspace: string, record: Workspace, id: string, sent: LastDelivery): Promise<void>;
  /** Deletes damaged schedules, which cannot be restored. @throws EditConflict */
  dropSchedules(change: WorkspaceChange, ids: readonly string[]): Promise<void>;
  /** What `removeSchedule` removed less than `UNDO_MS` before `now`; undefined if nothing can be restored. @throws UnsealFailed */
  findRemovedSchedule(workspace: string, id: string, now: number): Promise<Schedule | undefined>;
  /** With its delivery history: posts that fell due since come late. @returns false if nothing can be restored */
  restoreSchedule(change: WorkspaceChange, id: string): Promise<boolean>;
}

export function createScheduleStore(target: ChangeTarget): ScheduleStore {
  return {
    async saveSchedule(change, schedule) {
      const field = FIELDS.schedule + schedule.id;
      const set = { [field]: JSON.stringify(schedule) };
      await commitChange(target, change, (fields) => ({ seen: fieldValues(fields, field), set }));
    },
    async removeSchedule(change, id, at) {
      const schedule = findSchedule(change.workspace, id);
      if (schedule === undefined) return;
      await commitChange(target, change, (fields) => ({
        seen: fieldValues(fields, FIELDS.schedule + id, FIELDS.sent + id),
        remove: [FIELDS.schedule + id, FIELDS.sent + id, ...expiredRemovals(fields, at)],
        set: {
          [FIELDS.removedSchedule + id]: JSON.stringify({ schedule, sent: fields[FIELDS.sent + id], at }),
        },
      }));
    },
    async noteSent(workspace, { fields }, id, sent) {
      await target.store.write(workspace, {
        seen: { ...fieldValues(fields, FIELDS.sent + id), [FIELDS.schedule + id]: ANY_VALUE },
        set: { [FIELDS.sent + id]: JSON.stringify(sent) },
      });
    },
    async dropSchedules(change, ids) {
      await commitChange(target, change, (fields) => ({
        seen: fieldValues(fields, ...ids.map((id) => FIELDS.schedule + id)),
        remove: ids.flatMap((id) => [FIELDS.schedule + id, FIELDS.sent + id]),
      }));
    },
    async findRemovedSchedule(workspace, id, now) {
      const json = (await target.store.read(workspace))[FIELDS.removedSchedule + id];
      const removal = json === undefined ? undefined : parseRemovedSchedule(json);
      return removal !== undefined && now - removal.at < UNDO_MS ? removal.schedule : undefined;
    },
    async restoreSchedule(change, id) {
      const json = change.workspace.fields[FIELDS.removedSchedule + id];
      if (json === undefined) return false;
      const { schedule, sent } = parseRemovedSchedule(json);
      return commitChange(
        target,
        change,
        (fields) => ({
          seen: { ...fieldValues(fields, FIELDS.removedSchedule + id), [FIELDS.schedule + id]: undefined },
          remove: [FIELDS.removedSchedule + id],
          set: {
            [FIELDS.schedule + id]: JSON.stringify(schedule),
            ...(sent !== undefined && { [FIELDS.sent + id]: sent }),
          },
        }),
        FIELDS.schedule + id,
      );
    },
  };
}

/** Removed schedules that cannot be restored any more: too old, or damaged. */
function expiredRemovals(fields: RecordFields, now: number): readonly string[] {
  return Object.keys(fields).filter((field) => {
    if (!field.startsWith(FIELDS.removedSchedule)) return false;
    try {
      return now - parseRemovedSchedule(fields[field] ?? '').at >= UNDO_MS;
    } catch (error) {
      if (!(error instanceof UnsealFailed)) throw error;
      return true;
    }
  });
}
