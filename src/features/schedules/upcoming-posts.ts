import type { DeliveryLogSnapshot } from '../../delivery/delivery-log.ts';
import { lastHandled, splitDueTimes } from '../../delivery/posts/post-record.ts';
import type { ScheduleService } from '../../delivery/posts/schedule-service.ts';
import { type DueTime, dueTimesBetween, formatTiming } from '../../domain/time/cadence.ts';
import { addDays, type Day, HOUR, type Millis, startOfDay } from '../../domain/time/calendar.ts';
import type { Request } from '../../slack/request/request.ts';
import type { Schedule } from '../../workspace/owned/schedule-record.ts';

const AHEAD = 3;

/** The posts to come, by the same function that plans deliveries. */
export interface UpcomingSends {
  /** Already due and not posted yet, oldest first. */
  readonly owed: readonly DueTime[];
  readonly next: readonly DueTime[];
}

export type UpcomingSendsOf = (schedule: Pick<Schedule, 'id' | 'timing' | 'since'>) => UpcomingSends;

/** @throws store-unavailable */
export const loadUpcomingSends = async (
  scheduling: ScheduleService,
  { user, at }: Request,
): Promise<UpcomingSendsOf> => upcomingSendsAt(await scheduling.loadLog(user.teamId), at);

/** @param now ms since the epoch */
export const upcomingSendsAt =
  (snapshot: Pick<DeliveryLogSnapshot, 'messages'>, now: Millis): UpcomingSendsOf =>
  (schedule) => {
    const { overdue, next } = splitDueTimes(schedule, lastHandled(schedule.id, snapshot), now, AHEAD);
    return { owed: overdue, next };
  };

export interface EditOutcome {
  /** From when on the changed schedule posts, in ms. */
  readonly since: Millis;
  readonly sends: UpcomingSends;
  /** Posts that will no longer come, at their former times, although they were due or the new timing has their dates. */
  readonly dropped: readonly DueTime[];
}

/**
 * What an edit does to a schedule's posts. A post that is overdue is not lost: it goes out as the schedule is after the
 * edit, if the new timing has its date as well.
 * @param before undefined for a new schedule
 * @param now ms since the epoch
 */
export function planEdit(
  id: string,
  timing: Schedule['timing'],
  before: Schedule | undefined,
  sendsOf: UpcomingSendsOf,
  now: Millis,
): EditOutcome {
  if (before === undefined || before.paused !== undefined)
    return { since: now, sends: sendsOf({ id, timing, since: now }), dropped: [] };
  const { owed, next } = sendsOf(before);
  const since = sinceOf(timing, before, owed.at(-1)?.date, now);
  const sends = sendsOf({ id, timing, since });
  const comes = new Set([...sends.owed, ...sends.next].map(({ date }) => date));
  const wanted = next.slice(0, 1).filter(({ date }) => dueOn(timing, date) !== undefined);
  return { since, sends, dropped: [...owed, ...wanted].filter(({ date }) => !comes.has(date)) };
}

/** @param owed the newest date that is overdue */
function sinceOf(timing: Schedule['timing'], before: Schedule, owed: Day | undefined, now: Millis): number {
  if (formatTiming(timing) === formatTiming(before.timing)) return before.since;
  const moved = owed === undefined ? undefined : dueOn(timing, owed);
  if (moved === undefined || moved.at > now) return now;
  // Dates that only the new timing has were never promised, so none of them was missed.
  return dueTimesBetween(timing, moved.at, now).length > 0 ? now : moved.at - 1;
}

const dueOn = (timing: Schedule['timing'], date: Day): DueTime | undefined =>
  dueTimesBetween(
    timing,
    startOfDay(date, timing.zone) - 1,
    // A time that DST skips at midnight comes after it.
    startOfDay(addDays(date, 1), timing.zone) + HOUR,
  ).find((due) => due.date === date);
