import { asIn, type Change, commit, type Destination } from './change.ts';
import { SCHEDULE, SENT, UNSCHEDULED } from './fields.ts';
import { UNDO } from './projects.ts';
import { readable } from './record.ts';
import { type LastSent, readUnscheduled, type Schedule } from './schedules.ts';
import { ANY, type Fields } from './store.ts';
import type { WorkspaceRecord } from './workspaces.ts';

/** What `Workspaces` does with schedules: each method is one round trip, as those are. @throws StoreUnreachable */
export interface ScheduleStore {
  /** A new one, or one that is known written anew: its timing, its owner, its pause. @throws ChangedMeanwhile */
  saveSchedule(change: Change, schedule: Schedule): Promise<void>;
  /** It can be brought back for `UNDO`; nothing where it is gone already. @param at ms since the epoch @throws ChangedMeanwhile */
  removeSchedule(change: Change, id: string, at: number): Promise<void>;
  /** How its last delivery ended, as somebody sent it by hand; nothing where a delivery ended meanwhile, or it is gone. */
  noteSent(workspace: string, record: WorkspaceRecord, id: string, sent: LastSent): Promise<void>;
  /** Those that cannot be read; there is nothing to bring back. @throws ChangedMeanwhile */
  dropSchedules(change: Change, ids: readonly string[]): Promise<void>;
  /** What `removeSchedule` took away less than `UNDO` before `now`; undefined when there is nothing to bring back. */
  unscheduled(workspace: string, id: string, now: number): Promise<Schedule | undefined>;
  /** As it was, with its past: what fell due meanwhile is posted late. False when there is nothing to bring back. */
  restoreSchedule(change: Change, id: string): Promise<boolean>;
}

export function createScheduleStore(destination: Destination): ScheduleStore {
  return {
    async saveSchedule(change, schedule) {
      const field = SCHEDULE + schedule.id;
      const set = { [field]: JSON.stringify(schedule) };
      await commit(destination, change, (fields) => ({ seen: asIn(fields, field), set }));
    },
    async removeSchedule(change, id, at) {
      const schedule = change.record.schedule(id);
      if (schedule === undefined) return;
      await commit(destination, change, (fields) => ({
        seen: asIn(fields, SCHEDULE + id),
        remove: [SCHEDULE + id, SENT + id, ...lapsed(fields, at)],
        set: { [UNSCHEDULED + id]: JSON.stringify({ schedule, sent: fields[SENT + id], at }) },
      }));
    },
    async noteSent(workspace, { fields }, id, sent) {
      await destination.store.write(workspace, {
        seen: { ...asIn(fields, SENT + id), [SCHEDULE + id]: ANY },
        set: { [SENT + id]: JSON.stringify(sent) },
      });
    },
    async dropSchedules(change, ids) {
      await commit(destination, change, (fields) => ({
        seen: asIn(fields, ...ids.map((id) => SCHEDULE + id)),
        remove: ids.flatMap((id) => [SCHEDULE + id, SENT + id]),
      }));
    },
    async unscheduled(workspace, id, now) {
      const json = (await destination.store.read(workspace))[UNSCHEDULED + id];
      const removal = json === undefined ? undefined : readUnscheduled(json);
      return removal !== undefined && now - removal.at < UNDO ? removal.schedule : undefined;
    },
    async restoreSchedule(change, id) {
      const json = change.record.fields[UNSCHEDULED + id];
      if (json === undefined) return false;
      const { schedule, sent } = readUnscheduled(json);
      return commit(
        destination,
        change,
        (fields) => ({
          seen: { ...asIn(fields, UNSCHEDULED + id), [SCHEDULE + id]: undefined },
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
function lapsed(fields: Fields, now: number): readonly string[] {
  return Object.keys(fields).filter((field) => {
    if (!field.startsWith(UNSCHEDULED)) return false;
    const removal = readable(() => readUnscheduled(fields[field] ?? ''));
    return removal === undefined || now - removal.at >= UNDO;
  });
}
