/** Which dates of a schedule are still to be delivered, and what the delivery log says of the others. */
import { type DueTime, dueTimes } from '../../domain/time/cadence.ts';
import type { Day, Millis } from '../../domain/time/calendar.ts';
import type { Schedule } from '../../workspace/owned/schedule-record.ts';
import type { DatedLogEntry, DeliveryLogSnapshot } from './delivery-log.ts';

/** Returns the first of these instants, in ms; undefined (never) if all are undefined. */
export const earliest = (...instants: readonly (number | undefined)[]): number | undefined => {
  const known = instants.filter((at) => at !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
};

const FINAL: readonly string[] = ['posted', 'skipped', 'failed'];
export const isFinal = ({ entry }: DatedLogEntry): boolean => FINAL.includes(entry.state);
/** Whether neither this date nor an earlier one of the schedule is delivered any more. */
export const isHandled = (line: DatedLogEntry): boolean => isFinal(line) && line.entry.isDropped !== true;
/** Whether no later post mentions this date, because nobody missed anything. */
export const isSettled = (line: DatedLogEntry): boolean => isHandled(line) && line.entry.isMissed !== true;
export const isNotified = ({ entry }: DatedLogEntry): boolean => entry.pendingNotice === undefined;
/** Whether Slack may have taken the post, and Tally has not found it there. */
export const mayBeInSlack = ({ entry }: DatedLogEntry): boolean =>
  entry.state === 'sending' || (entry.state === 'failed' && entry.channel !== undefined);

export const compareByDate = (a: DatedLogEntry, b: DatedLogEntry): number => (a.date < b.date ? -1 : 1);

/** The newest date of a schedule that was posted, skipped or given up. */
export const lastHandledLine = (schedule: string, snapshot: DeliveryLogSnapshot): DatedLogEntry | undefined =>
  snapshot.entries
    .filter((line) => line.schedule === schedule)
    .toSorted(compareByDate)
    .findLast(isHandled);

/**
 * The dates of a schedule that are still to be delivered, in order and without end. Posts, forms and lists all use it, so
 * that they agree. A date is never delivered after a later one, whatever the clock says.
 */
export function* openDueTimes(
  { timing, since }: Pick<Schedule, 'timing' | 'since'>,
  last: DatedLogEntry | undefined,
): Generator<DueTime> {
  for (const due of dueTimes(timing, Math.max(since, last?.entry.due ?? 0)))
    if (last === undefined || due.date > last.date) yield due;
}

/** The open dates that are due by `now`, and the first one that is not. */
export function splitDueTimes(
  schedule: Pick<Schedule, 'timing' | 'since'>,
  last: DatedLogEntry | undefined,
  now: Millis,
): { readonly overdue: readonly DueTime[]; readonly upcoming?: DueTime } {
  const overdue: DueTime[] = [];
  for (const due of openDueTimes(schedule, last)) {
    if (due.at > now) return { overdue, upcoming: due };
    overdue.push(due);
  }
  return { overdue };
}

/** The open dates that are due by `now`. */
export const overdueTimes = (...args: Parameters<typeof splitDueTimes>): readonly DueTime[] =>
  splitDueTimes(...args).overdue;

/** Whether the date is still to come although its delivery had begun, because an edit moved it. */
export function isStillAhead(schedule: Schedule, last: DatedLogEntry | undefined, date: Day): boolean {
  for (const due of openDueTimes(schedule, last)) if (due.date >= date) return due.date === date;
  return false;
}
