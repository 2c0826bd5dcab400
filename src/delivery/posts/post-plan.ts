import type { DueTime } from '../../domain/time/cadence.ts';
import { type Day, earliest, HOUR, type Millis } from '../../domain/time/calendar.ts';
import type { Schedule } from '../../workspace/owned/schedule-record.ts';
import type { Workspace } from '../../workspace/record/workspace.ts';
import type { DeliveryLogSnapshot } from '../log/delivery-log.ts';
import {
  compareByDate,
  type DatedLogEntry,
  isFinal,
  isHandled,
  isNotified,
  isSettled,
  isStillOpen,
  mayBeInSlack,
  overdueTimes,
  splitDueTimes,
} from '../log/delivery-log-entry.ts';
import { MAX_RETRY_DELAY } from '../outbox/failures.ts';
import { backOffEnd, capWait, MAX_PROBE_DELAY, SLACK_SETTLE_MS } from '../outbox/send-state.ts';
import { lastSuccess, type RunState, runStateOf } from './schedule-pauses.ts';

/** One date of one schedule that is to be delivered. */
export interface DeliveryTask {
  readonly schedule: Schedule;
  readonly due: DueTime;
  /** Dates missed before it, oldest first: its post names them. */
  readonly earlier: readonly DueTime[];
  readonly line: DatedLogEntry | undefined;
  /** Of the dates before it: those whose post may be in Slack. */
  readonly doubtful: readonly DatedLogEntry[];
  /** Of the dates before it: those whose log lines say only that they were missed. */
  readonly superseded: readonly Day[];
}

export interface ScheduleLogEntry {
  readonly schedule: Schedule;
  readonly line: DatedLogEntry;
}

/** A date whose owner has not been notified of its outcome yet. */
export interface PendingNotice extends ScheduleLogEntry {
  /** Whether this pass tries or closes the date: then its owner is notified of that outcome instead. */
  readonly isInWork: boolean;
}

export type DeliveryPlan = Readonly<ReturnType<typeof planDeliveries>>;

/** How long after a post its figures are checked, in ms. */
export const CORRECTION_DELAYS: readonly number[] = [6, 24, 72].map((hours) => hours * HOUR);
/** Longer than any correction delay, in ms. */
const KEEP_MS = 96 * HOUR;

/** What to do for a workspace at `now` (ms), by its record and its delivery log. */
export function planDeliveries(workspace: Workspace, snapshot: DeliveryLogSnapshot, now: Millis) {
  const known = new Set(workspace.scheduleIds);
  const each = workspace.schedules.map((schedule) => {
    const lines = snapshot.entries.filter((line) => line.schedule === schedule.id).toSorted(compareByDate);
    return planSchedule(schedule, lines, { workspace, snapshot, now });
  });
  const orphans = snapshot.entries.filter(
    ({ schedule, entry }) => !known.has(schedule) && now - entry.at > KEEP_MS,
  );
  const next = each.flatMap((planned) => planned.next);
  const tasks = each.flatMap(({ task }) => task ?? []);
  const correctionsDue = each.flatMap((planned) => planned.correctionsDue);
  const backOffUntil = backOffEnd(snapshot, now);
  const isLimited = backOffUntil > now;
  const isWaiting = next.length + tasks.length + correctionsDue.length > 0;
  return {
    tasks: isLimited ? [] : tasks,
    /** Tally paused them, and the reason no longer holds. */
    resumed: each.flatMap(({ resumed }) => resumed),
    /** Posts whose figures are due for a check. */
    correctionsDue: isLimited ? [] : correctionsDue,
    pendingNotices: each.flatMap(({ pendingNotices }): readonly PendingNotice[] => pendingNotices),
    /** Begun, but the schedule was changed or paused before the post went out. */
    abandoned: each.flatMap(({ abandoned }) => abandoned),
    stale: [...orphans, ...each.flatMap(({ stale }) => stale)],
    /** When there is something to do besides the due dates, such as another try, in ms; undefined for never. */
    next: isLimited ? (isWaiting ? backOffUntil : undefined) : earliest(...next),
    /** When the next date of a schedule is due; undefined for none. */
    nextDue: earliest(...each.map(({ nextDue }) => nextDue)),
  };
}

interface PlanInput {
  readonly workspace: Workspace;
  readonly snapshot: DeliveryLogSnapshot;
  readonly now: Millis;
}

function planSchedule(schedule: Schedule, lines: readonly DatedLogEntry[], input: PlanInput) {
  const { workspace, now } = input;
  const state = runStateOf(schedule, lines, workspace);
  const last = lines.findLast(isHandled);
  const lastSettled = lines.findLast(isSettled);
  const open = splitDueTimes(schedule, last, now);
  const { overdue, upcoming } = state === 'paused' ? { overdue: [], upcoming: undefined } : open;
  // A date that finally failed is named in the next post, like one that was never attempted.
  const unnamed = lastSettled === last ? open.overdue : overdueTimes(schedule, lastSettled, now);
  const isUnnamed = ({ date }: DatedLogEntry) => unnamed.some((due) => due.date === date);
  const { task, retryAt } = planTask(schedule, lines, { state, overdue, unnamed }, input);
  const isActive = state === 'runs' || state === 'resumes';
  const corrections = isActive
    ? lines.flatMap((line) => {
        const at = nextCorrectionAt(schedule, line, now);
        return at === undefined ? [] : [{ schedule, line, at }];
      })
    : [];
  const isAbandoned = (line: DatedLogEntry) =>
    !isFinal(line) &&
    line.entry.due <= now &&
    (state === 'paused' || !isStillOpen(schedule, last, line.date));
  const isStale = (line: DatedLogEntry) =>
    isFinal(line) && line !== last && (isSettled(line) || !isUnnamed(line)) && now - line.entry.at > KEEP_MS;
  const pendingNotices = lines.flatMap((line) =>
    isNotified(line) ? [] : [{ schedule, line, isInWork: line === task?.line || isAbandoned(line) }],
  );
  return {
    task,
    resumed: state === 'resumes' ? [schedule] : [],
    correctionsDue: corrections.filter(({ at }) => at <= now),
    pendingNotices,
    abandoned: lines.filter(isAbandoned).map((line): ScheduleLogEntry => ({ schedule, line })),
    stale: lines.filter(isStale),
    nextDue: upcoming?.at,
    next: [
      ...(retryAt === undefined ? [] : [retryAt]),
      ...corrections.map(({ at }) => at).filter((at) => at > now),
    ],
  };
}

/** The newest overdue date: to deliver now, or not before `retryAt` (ms). */
function planTask(
  schedule: Schedule,
  lines: readonly DatedLogEntry[],
  { state, overdue, unnamed }: { state: RunState; overdue: readonly DueTime[]; unnamed: readonly DueTime[] },
  { workspace, snapshot, now }: PlanInput,
): { readonly task?: DeliveryTask; readonly retryAt?: Millis } {
  const due = overdue.at(-1);
  if (due === undefined) return {};
  const line = lines.find(({ date }) => date === due.date);
  const worked = state === 'probing' ? lastSuccess(schedule, workspace, snapshot) : Infinity;
  const at = line === undefined ? 0 : resumesAt(line, worked, now);
  if (at > now) return { retryAt: at };
  if (state === 'resumes') return {};
  const before = lines.filter(
    (earlier) => earlier !== line && unnamed.some(({ date }) => date === earlier.date),
  );
  return {
    task: {
      schedule,
      due,
      earlier: unnamed.filter(({ date }) => date < due.date),
      line,
      doubtful: before.filter(mayBeInSlack),
      superseded: before
        .filter((earlier) => !mayBeInSlack(earlier) && isNotified(earlier))
        .map(({ date }) => date),
    },
  };
}

/** When a started date is retried, in ms. @param worked when the cause of its pause was last absent */
function resumesAt({ entry }: DatedLogEntry, worked: number, now: Millis): number {
  if (entry.state === 'held' && worked > entry.at) return 0;
  const settled = entry.state === 'sending' ? entry.at + SLACK_SETTLE_MS : 0;
  const farthest = entry.probes === undefined ? MAX_RETRY_DELAY : MAX_PROBE_DELAY;
  return capWait(Math.max(settled, entry.next ?? 0), now, farthest);
}

/** In ms; undefined for a post that is no longer checked. */
function nextCorrectionAt(
  { correctsFrom }: Schedule,
  { entry }: DatedLogEntry,
  now: Millis,
): number | undefined {
  const { state, at, post, next } = entry;
  if (state !== 'posted' || post === undefined || correctsFrom === 0) return undefined;
  const pause = CORRECTION_DELAYS[post.checks];
  return pause === undefined || now - at > KEEP_MS ? undefined : (next ?? at + pause);
}
