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
  /** Dates that were missed before it, oldest first: they are named in its post. */
  readonly earlier: readonly DueTime[];
  /** What the ledger has of it so far. */
  readonly line: DeliveryLogLine | undefined;
  /** Of the dates before: those that Slack may have taken. */
  readonly doubtful: readonly DeliveryLogLine[];
  /** Of the dates before: those whose lines say nothing more than that they were missed. */
  readonly superseded: readonly Day[];
}

export interface ScheduleLogEntry {
  readonly schedule: Schedule;
  readonly line: DeliveryLogLine;
}

export interface DeliveryPlan {
  readonly tasks: readonly DeliveryTask[];
  /** Tally paused them, and the reason is gone. */
  readonly resumed: readonly Schedule[];
  /** Posts whose figures are to be looked at again. */
  readonly looks: readonly ScheduleLogEntry[];
  /** Failures that somebody has to be told of. */
  readonly untold: readonly ScheduleLogEntry[];
  /** Begun, and not to be ended: the schedule was changed or paused meanwhile. */
  readonly stranded: readonly ScheduleLogEntry[];
  /** Not needed any more. */
  readonly stale: readonly DeliveryLogLine[];
  /** When there is something to do again beside the calendar, in ms; undefined for never. */
  readonly next: number | undefined;
}

/** A call to Slack that was under way when its process died has ended by then, one way or the other; in ms. */
export const SLACK_SETTLE_MS = 20_000;
/** How long after a post its figures are looked at again, in ms. */
export const CORRECTION_DELAYS: readonly number[] = [6, 24, 72].map((hours) => hours * 3_600_000);
/** Longer than any look back, in ms. */
const KEPT = 96 * 3_600_000;

const FINAL: readonly string[] = ['posted', 'skipped', 'failed'];
const isFinal = ({ entry }: DeliveryLogLine): boolean => FINAL.includes(entry.state);
/** Nothing of it is left to be said. */
const isSettled = (line: DeliveryLogLine): boolean => isFinal(line) && line.entry.isMissed !== true;
const isTold = ({ entry }: DeliveryLogLine): boolean => entry.untold === undefined;
/** Slack may have taken it, and nobody has seen it there. */
const isDoubtful = ({ entry }: DeliveryLogLine): boolean =>
  entry.state === 'sending' || (entry.state === 'failed' && entry.post !== undefined);

/** What is to be done for a workspace at `now` (ms), from what it told us and from what was done. */
export function planDeliveries(record: Workspace, book: DeliveryLogSnapshot, now: number): DeliveryPlan {
  const { schedules } = record;
  const known = new Set(record.scheduleIds);
  const each = schedules.map((schedule) => {
    const lines = book.lines.filter((line) => line.schedule === schedule.id).toSorted(byDate);
    return planFor(schedule, lines, { record, book, now });
  });
  const orphans = book.lines.filter(({ schedule, entry }) => !known.has(schedule) && now - entry.at > KEPT);
  const next = each.flatMap((one) => one.next);
  const plan = {
    tasks: each.flatMap(({ task }) => task ?? []),
    resumed: each.flatMap(({ resumed }) => resumed),
    looks: each.flatMap(({ looks }) => looks),
    untold: each.flatMap(({ untold }) => untold),
    stranded: each.flatMap(({ stranded }) => stranded),
    stale: [...orphans, ...each.flatMap(({ stale }) => stale)],
  };
  const quietUntil = unlessFar(book.quietUntil ?? 0, now, MAX_RETRY_DELAY);
  if (quietUntil <= now) return { ...plan, next: next.length === 0 ? undefined : Math.min(...next) };
  const waits = next.length > 0 || plan.tasks.length + plan.looks.length + plan.untold.length > 0;
  return { ...plan, tasks: [], looks: [], untold: [], next: waits ? quietUntil : undefined };
}

/** What is put off further than anything is was put off by a clock that has gone back since. */
const unlessFar = (at: number, now: number, farthest: number): number => (at - now > farthest ? 0 : at);

const byDate = (a: DeliveryLogLine, b: DeliveryLogLine): number => (a.date < b.date ? -1 : 1);

/** `waits`: Tally paused it, and tries now and then whether it works again. */
type Standing = 'runs' | 'paused' | 'waits' | 'resumes';

function standingOf(schedule: Schedule, lines: readonly DeliveryLogLine[], record: Workspace): Standing {
  const { paused } = schedule;
  if (paused === undefined) return 'runs';
  if (!resumesByItself(paused.why)) return 'paused';
  if (paused.asked !== undefined && pauseBasis(paused.why, schedule, record) !== paused.asked)
    return 'resumes';
  const isOut = lines.some(
    ({ entry: { state, at } }) => ['posted', 'skipped'].includes(state) && at > paused.at,
  );
  return isOut ? 'resumes' : 'waits';
}

/** Names of the connections that projects are asked by, in their order; '' for none. */
export function connectionsOf({ projects }: Pick<Schedule, 'projects'>, record: Workspace): string[] {
  return projects.map(({ id, product }) => {
    const project = record.projects.find((one) => one.id === id && one.product === product);
    return project?.connection ?? record.defaultConnection ?? '';
  });
}

/** What of the record a pause rests on: with another text the schedule resumes at once. Undefined for nothing. */
export function pauseBasis(why: PauseReason, schedule: Schedule, record: Workspace): string | undefined {
  if (why === 'token-rejected' || why === 'not-connected') return askedBy(schedule, record);
  return why === 'project-limited' ? (isOpen(schedule, record) ? 'open' : 'limited') : undefined;
}

/** `main 0123456789ab, storage -`: the connections of its projects, each once, with their tokens' fingerprints. */
function askedBy(schedule: Schedule, record: Workspace): string {
  const fingerprintOf = (name: string) => record.connections.get(name)?.fingerprint ?? '-';
  return [...new Set(connectionsOf(schedule, record))]
    .map((name) => `${name} ${fingerprintOf(name)}`)
    .join(', ');
}

interface Known {
  readonly record: Workspace;
  readonly book: DeliveryLogSnapshot;
  readonly now: number;
}

function planFor(schedule: Schedule, lines: readonly DeliveryLogLine[], { record, book, now }: Known) {
  const standing = standingOf(schedule, lines, record);
  const last = lines.findLast(isFinal);
  const owed = standing === 'paused' ? [] : overdueTimes(schedule, last, now);
  const due = owed.at(-1);
  // What was missed for good is named like what was not tried.
  const unnamed = overdueTimes(schedule, lines.findLast(isSettled), now);
  const isOwed = ({ date }: DeliveryLogLine) => owed.some((one) => one.date === date);
  const isUnnamed = ({ date }: DeliveryLogLine) => unnamed.some((one) => one.date === date);
  const line = lines.find(({ date }) => date === due?.date);
  const worked = standing === 'waits' ? lastSuccess(schedule, record, book) : Infinity;
  const at = line === undefined ? 0 : resumesAt(line, worked, now);
  const before = lines.filter((one) => one !== line && isUnnamed(one));
  const task: DeliveryTask | undefined =
    due === undefined || at > now || standing === 'resumes'
      ? undefined
      : {
          schedule,
          due,
          earlier: unnamed.filter(({ date }) => date < due.date),
          line,
          doubtful: before.filter(isDoubtful),
          superseded: before.filter((one) => !isDoubtful(one) && isTold(one)).map(({ date }) => date),
        };
  const isAwake = standing === 'runs' || standing === 'resumes';
  const looks = isAwake ? lines.filter((one) => lookAt(schedule, one, now) !== undefined) : [];
  const named = (some: readonly DeliveryLogLine[]): readonly ScheduleLogEntry[] =>
    some.map((one) => ({ schedule, line: one }));
  return {
    task,
    resumed: standing === 'resumes' ? [schedule] : [],
    looks: named(looks.filter((one) => (lookAt(schedule, one, now) ?? 0) <= now)),
    // Not before a try that is due now has failed as well.
    untold: named(lines.filter((one) => !isTold(one) && one !== task?.line)),
    stranded: named(
      lines.filter(
        (one) =>
          !isFinal(one) &&
          !isOwed(one) &&
          one.entry.due <= now &&
          (standing === 'paused' || !isAhead(schedule, last, one.date)),
      ),
    ),
    stale: lines.filter(
      (one) =>
        isFinal(one) && one !== last && (isSettled(one) || !isUnnamed(one)) && now - one.entry.at > KEPT,
    ),
    next: [
      ...(due !== undefined && at > now ? [at] : []),
      ...looks.flatMap((one) => lookAt(schedule, one, now) ?? []).filter((instant) => instant > now),
    ],
  };
}

/**
 * The dates of a schedule that are still to be delivered, in order and without end. It decides about every post, and so
 * about what forms and lists promise. A date not later than one that was dealt with is none, whatever the clock says.
 */
export function* openDueTimes(
  { timing, since }: Pick<Schedule, 'timing' | 'since'>,
  last: DeliveryLogLine | undefined,
): Generator<DueTime> {
  for (const due of dueTimes(timing, Math.max(since, last?.entry.due ?? 0)))
    if (last === undefined || due.date > last.date) yield due;
}

/** Those that are due by `now` (ms). */
export function overdueTimes(
  schedule: Pick<Schedule, 'timing' | 'since'>,
  last: DeliveryLogLine | undefined,
  now: number,
): readonly DueTime[] {
  const owed: DueTime[] = [];
  for (const due of openDueTimes(schedule, last)) {
    if (due.at > now) break;
    owed.push(due);
  }
  return owed;
}

/** Whether a date is still to fall due, although it was begun: an edit has put it off. */
function isAhead(schedule: Schedule, last: DeliveryLogLine | undefined, date: Day): boolean {
  for (const due of openDueTimes(schedule, last)) if (due.date >= date) return due.date === date;
  return false;
}

/** The newest date of a schedule that was dealt with: posted, skipped or failed. */
export const lastHandledLine = (schedule: string, book: DeliveryLogSnapshot): DeliveryLogLine | undefined =>
  book.lines
    .filter((line) => line.schedule === schedule)
    .toSorted(byDate)
    .findLast(isFinal);

/** When a date that was begun is taken up again, in ms. @param worked when what paused its schedule was last seen to work */
function resumesAt({ entry }: DeliveryLogLine, worked: number, now: number): number {
  if (entry.state === 'held' && worked > entry.at) return 0;
  const settled = entry.state === 'sending' ? entry.at + SLACK_SETTLE_MS : 0;
  const farthest = entry.probes === undefined ? MAX_RETRY_DELAY : MAX_PROBE_DELAY;
  return unlessFar(Math.max(settled, entry.next ?? 0), now, farthest);
}

/** When something last worked that a paused schedule could not do, in ms: then it is tried again at once. */
function lastSuccess(schedule: Schedule, record: Workspace, book: DeliveryLogSnapshot): number {
  const byHand = record.lastSent(schedule.id)?.byHand ?? 0;
  switch (schedule.paused?.why) {
    case 'token-rejected':
      return Math.max(byHand, ...connectionsOf(schedule, record).map((name) => record.lastUsed(name) ?? 0));
    case 'app-removed':
      return Math.max(byHand, book.lastPost() ?? 0);
    default:
      return Math.max(byHand, book.lastPost(schedule.channel) ?? 0);
  }
}

/** Whether all its projects may be asked about in its channel. */
const isOpen = ({ projects, channel }: Schedule, record: Workspace): boolean =>
  projects.every(({ id, product }) => {
    try {
      resolveProject({ project: id, product }, record, { channel, manager: false });
      return true;
    } catch {
      return false;
    }
  });

function lookAt({ correctsFrom }: Schedule, { entry }: DeliveryLogLine, now: number): number | undefined {
  const { post } = entry;
  if (entry.state !== 'posted' || post?.subject === undefined || post.ts === '' || correctsFrom === 0)
    return undefined;
  const pause = CORRECTION_DELAYS[post.looks];
  return pause === undefined || now - post.at > KEPT ? undefined : (entry.next ?? post.at + pause);
}
