import { type DueTime, dueTimes } from '../domain/time/cadence.ts';
import type { Day } from '../domain/time/calendar.ts';
import { resolveProject } from '../workspace/resolve-project.ts';
import { type PauseReason, resumesByItself, type Schedule } from '../workspace/schedules.ts';
import type { Workspace } from '../workspace/workspaces.ts';
import type { DeliveryLogLine, DeliveryLogSnapshot } from './delivery-log.ts';
import { MAX_PROBE_DELAY, MAX_RETRY_DELAY } from './retry.ts';

/** One date of one schedule that is to be delivered. */
export interface DeliveryTask {
  readonly schedule: Schedule;
  readonly due: DueTime;
  /** Dates missed before it, oldest first: its post names them. */
  readonly earlier: readonly DueTime[];
  /** What the delivery log has of it so far. */
  readonly line: DeliveryLogLine | undefined;
  /** Of the dates before it: those whose post may be in Slack. */
  readonly doubtful: readonly DeliveryLogLine[];
  /** Of the dates before it: those whose log lines say only that they were missed. */
  readonly superseded: readonly Day[];
}

export interface ScheduleLogEntry {
  readonly schedule: Schedule;
  readonly line: DeliveryLogLine;
}

export interface DeliveryPlan {
  readonly tasks: readonly DeliveryTask[];
  /** Tally paused them, and the reason no longer holds. */
  readonly resumed: readonly Schedule[];
  /** Posts whose figures are due for a check. */
  readonly correctionsDue: readonly ScheduleLogEntry[];
  /** Failures that the owner has not been notified of yet. */
  readonly pendingNotifications: readonly ScheduleLogEntry[];
  /** Begun, but the schedule was changed or paused before the post went out. */
  readonly abandoned: readonly ScheduleLogEntry[];
  /** Log lines that are no longer needed. */
  readonly stale: readonly DeliveryLogLine[];
  /** When there is something to do besides the calendar, in ms; undefined for never. */
  readonly next: number | undefined;
}

/** A call to Slack that was under way when its process died has ended by then; in ms. */
export const SLACK_SETTLE_MS = 20_000;
/** How long after a post its figures are checked, in ms. */
export const CORRECTION_DELAYS: readonly number[] = [6, 24, 72].map((hours) => hours * 3_600_000);
/** Longer than any correction delay, in ms. */
const KEEP_MS = 96 * 3_600_000;

const FINAL: readonly string[] = ['posted', 'skipped', 'failed'];
const isFinal = ({ entry }: DeliveryLogLine): boolean => FINAL.includes(entry.state);
/** No earlier date is delivered any more. */
const isHandled = (line: DeliveryLogLine): boolean => isFinal(line) && line.entry.isDropped !== true;
/** No later post needs to name it. */
const isSettled = (line: DeliveryLogLine): boolean => isHandled(line) && line.entry.isMissed !== true;
const isNotified = ({ entry }: DeliveryLogLine): boolean => entry.untold === undefined;
/** Slack may have taken the post, and Tally has not found it there. */
const isDoubtful = ({ entry }: DeliveryLogLine): boolean =>
  entry.state === 'sending' || (entry.state === 'failed' && entry.post !== undefined);

/** What to do for a workspace at `now` (ms), by its record and its delivery log. */
export function planDeliveries(
  workspace: Workspace,
  snapshot: DeliveryLogSnapshot,
  now: number,
): DeliveryPlan {
  const known = new Set(workspace.scheduleIds);
  const each = workspace.schedules.map((schedule) => {
    const lines = snapshot.lines.filter((line) => line.schedule === schedule.id).toSorted(byDate);
    return planSchedule(schedule, lines, { workspace, snapshot, now });
  });
  const orphans = snapshot.lines.filter(
    ({ schedule, entry }) => !known.has(schedule) && now - entry.at > KEEP_MS,
  );
  const next = each.flatMap((one) => one.next);
  const plan = {
    tasks: each.flatMap(({ task }) => task ?? []),
    resumed: each.flatMap(({ resumed }) => resumed),
    correctionsDue: each.flatMap(({ correctionsDue }) => correctionsDue),
    pendingNotifications: each.flatMap(({ pendingNotifications }) => pendingNotifications),
    abandoned: each.flatMap(({ abandoned }) => abandoned),
    stale: [...orphans, ...each.flatMap(({ stale }) => stale)],
  };
  const backOffUntil = ignoreTooFar(snapshot.backOffUntil ?? 0, now, MAX_RETRY_DELAY);
  if (backOffUntil <= now) return { ...plan, next: next.length === 0 ? undefined : Math.min(...next) };
  const slackCalls = [plan.tasks, plan.correctionsDue, plan.pendingNotifications];
  const isWaiting = next.length > 0 || slackCalls.some((some) => some.length > 0);
  return {
    ...plan,
    tasks: [],
    correctionsDue: [],
    pendingNotifications: [],
    next: isWaiting ? backOffUntil : undefined,
  };
}

/** Nothing is put off further than `farthest` ms, unless the clock has gone back since. */
const ignoreTooFar = (at: number, now: number, farthest: number): number => (at - now > farthest ? 0 : at);

const byDate = (a: DeliveryLogLine, b: DeliveryLogLine): number => (a.date < b.date ? -1 : 1);

/** `waits`: Tally paused it and probes from time to time whether it works again. */
type RunState = 'runs' | 'paused' | 'waits' | 'resumes';

function runStateOf(schedule: Schedule, lines: readonly DeliveryLogLine[], workspace: Workspace): RunState {
  const { paused } = schedule;
  if (paused === undefined) return 'runs';
  if (!resumesByItself(paused.why)) return 'paused';
  if (paused.asked !== undefined && pauseBasis(paused.why, schedule, workspace) !== paused.asked)
    return 'resumes';
  const isOut = lines.some(
    ({ entry: { state, at } }) => ['posted', 'skipped'].includes(state) && at > paused.at,
  );
  return isOut ? 'resumes' : 'waits';
}

/** Names of the connections that the projects are asked by, in their order; '' for none. */
export function connectionsOf({ projects }: Pick<Schedule, 'projects'>, workspace: Workspace): string[] {
  const known = workspace.projects;
  return projects.map(({ id, product }) => {
    const project = known.find((one) => one.id === id && one.product === product);
    return project?.connection ?? workspace.defaultConnection ?? '';
  });
}

/** What a pause depends on, as text: once it differs, the schedule resumes. Undefined where it depends on no record. */
export function pauseBasis(why: PauseReason, schedule: Schedule, workspace: Workspace): string | undefined {
  if (why === 'token-rejected' || why === 'not-connected') return fingerprintsOf(schedule, workspace);
  return why === 'project-limited'
    ? isAllowedInChannel(schedule, workspace)
      ? 'open'
      : 'limited'
    : undefined;
}

/** `main 0123456789ab, storage -`: the connections of its projects, with the fingerprints of their tokens. */
function fingerprintsOf(schedule: Schedule, workspace: Workspace): string {
  const fingerprintOf = (name: string) => workspace.connections.get(name)?.fingerprint ?? '-';
  return [...new Set(connectionsOf(schedule, workspace))]
    .map((name) => `${name} ${fingerprintOf(name)}`)
    .join(', ');
}

/** What planning reads, at one instant (ms). */
interface PlanInput {
  readonly workspace: Workspace;
  readonly snapshot: DeliveryLogSnapshot;
  readonly now: number;
}

function planSchedule(schedule: Schedule, lines: readonly DeliveryLogLine[], input: PlanInput) {
  const { workspace, now } = input;
  const state = runStateOf(schedule, lines, workspace);
  const last = lines.findLast(isHandled);
  const overdue = state === 'paused' ? [] : overdueTimes(schedule, last, now);
  // A date that failed for good is named in the next post, like one that was never tried.
  const unnamed = overdueTimes(schedule, lines.findLast(isSettled), now);
  const isUnnamed = ({ date }: DeliveryLogLine) => unnamed.some((one) => one.date === date);
  const { task, retryAt } = planTask({ schedule, lines, state, overdue, unnamed }, input);
  const isActive = state === 'runs' || state === 'resumes';
  const corrections = isActive
    ? lines.flatMap((line) => {
        const at = nextCorrectionAt(schedule, line, now);
        return at === undefined ? [] : [{ schedule, line, at }];
      })
    : [];
  const isAbandoned = (line: DeliveryLogLine) =>
    !isFinal(line) &&
    !overdue.some(({ date }) => date === line.date) &&
    line.entry.due <= now &&
    (state === 'paused' || !isAhead(schedule, last, line.date));
  const isStale = (line: DeliveryLogLine) =>
    isFinal(line) && line !== last && (isSettled(line) || !isUnnamed(line)) && now - line.entry.at > KEEP_MS;
  const withSchedule = (some: readonly DeliveryLogLine[]): readonly ScheduleLogEntry[] =>
    some.map((line) => ({ schedule, line }));
  return {
    task,
    resumed: state === 'resumes' ? [schedule] : [],
    correctionsDue: corrections.filter(({ at }) => at <= now),
    // A try that is due now may still succeed, so its failure is not announced before.
    pendingNotifications: withSchedule(lines.filter((one) => !isNotified(one) && one !== task?.line)),
    abandoned: withSchedule(lines.filter(isAbandoned)),
    stale: lines.filter(isStale),
    next: [
      ...(retryAt === undefined ? [] : [retryAt]),
      ...corrections.map(({ at }) => at).filter((at) => at > now),
    ],
  };
}

interface ScheduleDates {
  readonly schedule: Schedule;
  readonly lines: readonly DeliveryLogLine[];
  readonly state: RunState;
  readonly overdue: readonly DueTime[];
  readonly unnamed: readonly DueTime[];
}

/** The newest overdue date: to deliver now, or not before `retryAt` (ms). */
function planTask(
  { schedule, lines, state, overdue, unnamed }: ScheduleDates,
  { workspace, snapshot, now }: PlanInput,
): { readonly task?: DeliveryTask; readonly retryAt?: number } {
  const due = overdue.at(-1);
  if (due === undefined) return {};
  const line = lines.find(({ date }) => date === due.date);
  const worked = state === 'waits' ? lastSuccess(schedule, workspace, snapshot) : Infinity;
  const at = line === undefined ? 0 : resumesAt(line, worked, now);
  if (at > now) return { retryAt: at };
  if (state === 'resumes') return {};
  const before = lines.filter((one) => one !== line && unnamed.some(({ date }) => date === one.date));
  return {
    task: {
      schedule,
      due,
      earlier: unnamed.filter(({ date }) => date < due.date),
      line,
      doubtful: before.filter(isDoubtful),
      superseded: before.filter((one) => !isDoubtful(one) && isNotified(one)).map(({ date }) => date),
    },
  };
}

/**
 * The dates of a schedule that are still to be delivered, in order and without end. Posts, forms and lists all use it, so
 * that they agree. A date is never delivered after a later one, whatever the clock says.
 */
export function* openDueTimes(
  { timing, since }: Pick<Schedule, 'timing' | 'since'>,
  last: DeliveryLogLine | undefined,
): Generator<DueTime> {
  for (const due of dueTimes(timing, Math.max(since, last?.entry.due ?? 0)))
    if (last === undefined || due.date > last.date) yield due;
}

/** The open dates that are due by `now` (ms). */
export function overdueTimes(
  schedule: Pick<Schedule, 'timing' | 'since'>,
  last: DeliveryLogLine | undefined,
  now: number,
): readonly DueTime[] {
  const overdue: DueTime[] = [];
  for (const due of openDueTimes(schedule, last)) {
    if (due.at > now) break;
    overdue.push(due);
  }
  return overdue;
}

/** Whether an edit has moved a date that was begun into the future. */
function isAhead(schedule: Schedule, last: DeliveryLogLine | undefined, date: Day): boolean {
  for (const due of openDueTimes(schedule, last)) if (due.date >= date) return due.date === date;
  return false;
}

/** The newest date of a schedule that was posted, skipped or given up. */
export const lastHandledLine = (
  schedule: string,
  snapshot: DeliveryLogSnapshot,
): DeliveryLogLine | undefined =>
  snapshot.lines
    .filter((line) => line.schedule === schedule)
    .toSorted(byDate)
    .findLast(isHandled);

/** When a date that was begun is tried again, in ms. @param worked when the cause of its pause was last seen to be gone */
function resumesAt({ entry }: DeliveryLogLine, worked: number, now: number): number {
  if (entry.state === 'held' && worked > entry.at) return 0;
  const settled = entry.state === 'sending' ? entry.at + SLACK_SETTLE_MS : 0;
  const farthest = entry.probes === undefined ? MAX_RETRY_DELAY : MAX_PROBE_DELAY;
  return ignoreTooFar(Math.max(settled, entry.next ?? 0), now, farthest);
}

/** When something that a paused schedule needs last worked, in ms: then it is tried again at once. */
function lastSuccess(schedule: Schedule, workspace: Workspace, snapshot: DeliveryLogSnapshot): number {
  const byHand = workspace.lastSent(schedule.id)?.byHand ?? 0;
  switch (schedule.paused?.why) {
    case 'token-rejected':
      return Math.max(
        byHand,
        ...connectionsOf(schedule, workspace).map((name) => workspace.lastUsed(name) ?? 0),
      );
    case 'app-removed':
      return Math.max(byHand, snapshot.lastPost() ?? 0);
    default:
      return Math.max(byHand, snapshot.lastPost(schedule.channel) ?? 0);
  }
}

/** Whether its channel may see all its projects. */
const isAllowedInChannel = ({ projects, channel }: Schedule, workspace: Workspace): boolean =>
  projects.every(({ id, product }) => {
    try {
      resolveProject({ project: id, product }, workspace, { channel, manager: false });
      return true;
    } catch {
      return false;
    }
  });

/** In ms; undefined for a post that is not checked any more. */
function nextCorrectionAt(
  { correctsFrom }: Schedule,
  { entry }: DeliveryLogLine,
  now: number,
): number | undefined {
  const { post } = entry;
  if (entry.state !== 'posted' || post?.subject === undefined || post.ts === '' || correctsFrom === 0)
    return undefined;
  const pause = CORRECTION_DELAYS[post.looks];
  return pause === undefined || now - post.at > KEEP_MS ? undefined : (entry.next ?? post.at + pause);
}
