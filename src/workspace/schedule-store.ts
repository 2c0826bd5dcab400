import { type ChangeTarget, commitChange, fieldValues, type WorkspaceChange } from './change.ts';
import { SCHEDULE, SENT, UNSCHEDULED } from './fields.ts';
import { readable } from './parse-record.ts';
import { UNDO_MS } from './projects.ts';
import { type LastDelivery, parseRemovedSchedule, type Schedule } from './schedules.ts';
import { ANY_VALUE, type RecordFields } from './workspace-store.ts';
import type { Workspace } from './workspaces.ts';

/** What `Workspaces` does with schedules: each method is one round trip, as those are. @throws StoreUnavailable */
export interface ScheduleStore {
  /** A new one, or one that is known written anew: its timing, its owner, its pause. @throws EditConflict */
  saveSchedule(change: WorkspaceChange, schedule: Schedule): Promise<void>;
  /** It can be brought back for `UNDO_MS`; nothing where it is gone already. @param at ms since the epoch @throws EditConflict */
  removeSchedule(change: WorkspaceChange, id: string, at: number): Promise<void>;
  /** How its last delivery ended, as somebody sent it by hand; nothing where a delivery ended meanwhile, or it is gone. */
  noteSent(workspace: string, record: Workspace, id: string, sent: LastDelivery): Promise<void>;
  /** Those that cannot be read; there is nothing to bring back. @throws EditConflict */
  dropSchedules(change: WorkspaceChange, ids: readonly string[]): Promise<void>;
  /** What `removeSchedule` took away less than `UNDO_MS` before `now`; undefined when there is nothing to bring back. */
  unscheduled(workspace: string, id: string, now: number): Promise<Schedule | undefined>;
  /** As it was, with its past: what fell due meanwhile is posted late. False when there is nothing to bring back. */
  restoreSchedule(change: WorkspaceChange, id: string): Promise<boolean>;
}

export function createScheduleStore(destination: ChangeTarget): ScheduleStore {
  return {
    async saveSchedule(change, schedule) {
      const field = SCHEDULE + schedule.id;
      const set = { [field]: JSON.stringify(schedule) };
      await commitChange(destination, change, (fields) => ({ seen: fieldValues(fields, field), set }));
    },
    async removeSchedule(change, id, at) {
      const schedule = change.workspace.schedule(id);
      if (schedule === undefined) return;
      await commitChange(destination, change, (fields) => ({
        seen: fieldValues(fields, SCHEDULE + id),
        remove: [SCHEDULE + id, SENT + id, ...lapsed(fields, at)],
        set: { [UNSCHEDULED + id]: JSON.stringify({ schedule, sent: fields[SENT + id], at }) },
      }));
    },
    async noteSent(workspace, { fields }, id, sent) {
      await destination.store.write(workspace, {
        seen: { ...fieldValues(fields, SENT + id), [SCHEDULE + id]: ANY_VALUE },
        set: { [SENT + id]: JSON.stringify(sent) },
      });
    },
    async dropSchedules(change, ids) {
      await commitChange(destination, change, (fields) => ({
        seen: fieldValues(fields, ...ids.map((id) => SCHEDULE + id)),
        remove: ids.flatMap((id) => [SCHEDULE + id, SENT + id]),
      }));
    },
    async unscheduled(workspace, id, now) {
      const json = (await destination.store.read(workspace))[UNSCHEDULED + id];
      const removal = json === undefined ? undefined : parseRemovedSchedule(json);
      return removal !== undefined && now - removal.at < UNDO_MS ? removal.schedule : undefined;
    },
    async restoreSchedule(change, id) {
      const json = change.workspace.fields[UNSCHEDULED + id];
      if (json === undefined) return false;
      const { schedule, sent } = parseRemovedSchedule(json);
      return commitChange(
        destination,
        change,
        (fields) => ({
          seen: { ...fieldValues(fields, UNSCHEDULED + id), [SCHEDULE + id]: undefined },
          remove: [UNSCHEDULED + id],
          set: {
            [SCHEDULE + id]: JSON.stringify(schedule),
            ...(sent !== undefined && { [SENT + id]: sent }),
          },
        }),
        SCHEDULE + id,
      );
    },
  };
}

/** Nobody can bring these back any more. */
function lapsed(fields: RecordFields, now: number): readonly string[] {
  return Object.keys(fields).filter((field) => {
    if (!field.startsWith(UNSCHEDULED)) return false;
    const removal = readable(() => parseRemovedSchedule(fields[field] ?? ''));
    return removal === undefined || now - removal.at >= UNDO_MS;
  });
}
