import type { Redis } from 'ioredis';
import { UnsealFailed } from '../domain/failure/index.ts';
import { guardRead } from '../redis.ts';
import { type ChangeTarget, commitChange, fieldValues, type WorkspaceChange } from './change.ts';
import { FIELDS } from './fields.ts';
import { recordKey } from './keys.ts';
import { UNDO_MS } from './projects.ts';
import { type LastDelivery, parseRemovedSchedule, type Schedule } from './schedules.ts';
import { findSchedule, type Workspace } from './workspace.ts';
import { ANY_VALUE, type RecordFields } from './workspace-store.ts';

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
  findRemovedSchedule(workspace: string, id: string, now: number): Promise<Schedule | undefined>;
  /** As it was, with its past: what fell due meanwhile is posted late. False when there is nothing to bring back. */
  restoreSchedule(change: WorkspaceChange, id: string): Promise<boolean>;
}

export function createScheduleStore(destination: ChangeTarget): ScheduleStore {
  return {
    async saveSchedule(change, schedule) {
      const field = FIELDS.schedule + schedule.id;
      const set = { [field]: JSON.stringify(schedule) };
      await commitChange(destination, change, (fields) => ({ seen: fieldValues(fields, field), set }));
    },
    async removeSchedule(change, id, at) {
      const schedule = findSchedule(change.workspace, id);
      if (schedule === undefined) return;
      await commitChange(destination, change, (fields) => ({
        seen: fieldValues(fields, FIELDS.schedule + id),
        remove: [FIELDS.schedule + id, FIELDS.sent + id, ...expiredRemovals(fields, at)],
        set: {
          [FIELDS.removedSchedule + id]: JSON.stringify({ schedule, sent: fields[FIELDS.sent + id], at }),
        },
      }));
    },
    async noteSent(workspace, { fields }, id, sent) {
      await destination.store.write(workspace, {
        seen: { ...fieldValues(fields, FIELDS.sent + id), [FIELDS.schedule + id]: ANY_VALUE },
        set: { [FIELDS.sent + id]: JSON.stringify(sent) },
      });
    },
    async dropSchedules(change, ids) {
      await commitChange(destination, change, (fields) => ({
        seen: fieldValues(fields, ...ids.map((id) => FIELDS.schedule + id)),
        remove: ids.flatMap((id) => [FIELDS.schedule + id, FIELDS.sent + id]),
      }));
    },
    async findRemovedSchedule(workspace, id, now) {
      const json = (await destination.store.read(workspace))[FIELDS.removedSchedule + id];
      const removal = json === undefined ? undefined : parseRemovedSchedule(json);
      return removal !== undefined && now - removal.at < UNDO_MS ? removal.schedule : undefined;
    },
    async restoreSchedule(change, id) {
      const json = change.workspace.fields[FIELDS.removedSchedule + id];
      if (json === undefined) return false;
      const { schedule, sent } = parseRemovedSchedule(json);
      return commitChange(
        destination,
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

/** Keys of one SCAN. */
const PAGE = 500;

/** IDs of all workspaces that have schedules, by a scan of their records. @throws StoreUnavailable */
export function listScheduledWorkspaces(redis: Redis): Promise<readonly string[]> {
  return guardRead(async () => {
    const found = new Set<string>();
    let cursor = '0';
    do {
      const [next, keys] = await redis.scan(
        cursor,
        'MATCH',
        `${recordKey('A').slice(0, -1)}*`,
        'COUNT',
        PAGE,
      );
      cursor = next;
      const names = await Promise.all(keys.map((key) => redis.hkeys(key)));
      keys.forEach((key, at) => {
        if (names[at]?.some((name) => name.startsWith(FIELDS.schedule)))
          found.add(key.slice(key.lastIndexOf(':') + 1));
      });
    } while (cursor !== '0');
    return [...found];
  });
}
