import { type Due, dues } from '../../domain/cadence.ts';
import type { Day } from '../../domain/calendar.ts';
import type { Book, Line } from '../../workspace/ledger.ts';
import { readable } from '../../workspace/record.ts';
import { endsByItself, type Pause, type Schedule } from '../../workspace/schedules.ts';
import { targetOf } from '../../workspace/target.ts';
import type { WorkspaceRecord } from '../../workspace/workspaces.ts';
import { FARTHEST, FARTHEST_PROBE } from './delivery-trouble.ts';

/** One date of one schedule that is to be delivered. */
export interface Task {
  readonly schedule: Schedule;
  readonly due: Due;
  /** Dates that were missed before it, oldest first: they are named in its post. */
  readonly earlier: readonly Due[];
  /** What the ledger has of it so far. */
  readonly line: Line | undefined;
  /** Of the dates before: those that Slack may have taken. */
  readonly doubtful: readonly Line[];
  /** Of the dates before: those whose lines say nothing more than that they were missed. */
  readonly superseded: readonly Day[];
}

export interface PostedLine {
  readonly schedule: Schedule;
  readonly line: Line;
}

export interface Plan {
  readonly tasks: readonly Task[];
  /** Tally paused them, and the reason is gone. */
  readonly resumed: readonly Schedule[];
  /** Posts whose figures are to be looked at again. */
  readonly looks: readonly PostedLine[];
  /** Failures that somebody has to be told of. */
  readonly untold: readonly PostedLine[];
  /** Begun, and not to be ended: the schedule was changed or paused meanwhile. */
  readonly stranded: readonly PostedLine[];
  /** Not needed any more. */
  readonly stale: readonly Line[];
  /** When there is something to do again beside the calendar, in ms; undefined for never. */
  readonly next: number | undefined;
}

/** A call to Slack that was under way when its process died has ended by then, one way or the other; in ms. */
export const SETTLED = 20_000;
/** How long after a post its figures are looked at again, in ms. */
export const LOOKS: readonly number[] = [6, 24, 72].map((hours) => hours * 3_600_000);
/** Longer than any look back, in ms. */
const KEPT = 96 * 3_600_000;

const FINAL: readonly string[] = ['posted', 'skipped', 'failed'];
const isFinal = ({ entry }: Line): boolean => FINAL.includes(entry.state);
/** Nothing of it is left to be said. */
const isSettled = (line: Line): boolean => isFinal(line) && line.entry.isMissed !== true;
const isTold = ({ entry }: Line): boolean => entry.untold === undefined;
/** Slack may have taken it, and nobody has seen it there. */
const isDoubtful = ({ entry }: Line): boolean =>
  entry.state === 'sending' || (entry.state === 'failed' && entry.post !== undefined);

/** What is to be done for a workspace at `now` (ms), from what it told us and from what was done. */
export function planOf(record: WorkspaceRecord, book: Book, now: number): Plan {
  const schedules = schedulesOf(record);
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
  const quietUntil = unlessFar(book.quietUntil ?? 0, now, FARTHEST);
  if (quietUntil <= now) return { ...plan, next: next.length === 0 ? undefined : Math.min(...next) };
  const waits = next.length > 0 || plan.tasks.length + plan.looks.length + plan.untold.length > 0;
  return { ...plan, tasks: [], looks: [], untold: [], next: waits ? quietUntil : undefined };
}

/** What is put off further than anything is was put off by a clock that has gone back since. */
const unlessFar = (at: number, now: number, farthest: number): number => (at - now > farthest ? 0 : at);

/** A damaged one is left out: the others go on. */
export const schedulesOf = (record: WorkspaceRecord): readonly Schedule[] =>
  record.scheduleIds.flatMap((id) => readable(() => record.schedule(id)) ?? []);

const byDate = (a: Line, b: Line): number => (a.date < b.date ? -1 : 1);

/** `waits`: Tally paused it, and tries now and then whether it works again. */
type Standing = 'runs' | 'paused' | 'waits' | 'resumes';

function standingOf(schedule: Schedule, lines: readonly Line[], record: WorkspaceRecord): Standing {
  const { paused } = schedule;
  if (paused === undefined) return 'runs';
  if (!endsByItself(paused.why)) return 'paused';
  if (paused.asked !== undefined && restsOn(paused.why, schedule, record) !== paused.asked) return 'resumes';
  const isOut = lines.some(
    ({ entry: { state, at } }) => ['posted', 'skipped'].includes(state) && at > paused.at,
  );
  return isOut ? 'resumes' : 'waits';
}

/** Names of the connections that projects are asked by, in their order; '' for none. */
export function connectionsOf({ projects }: Pick<Schedule, 'projects'>, record: WorkspaceRecord): string[] {
  const known = readable(() => record.projects) ?? [];
  return projects.map(({ id, product }) => {
    const project = known.find((one) => one.id === id && one.product === product);
    return project?.connection ?? readable(() => record.defaultConnection) ?? '';
  });
}

/** What of the record a pause rests on: with another text the schedule resumes at once. Undefined for nothing. */
export function restsOn(why: Pause, schedule: Schedule, record: WorkspaceRecord): string | undefined {
  if (why === 'token-rejected' || why === 'not-connected') return askedBy(schedule, record);
  return why === 'project-limited' ? (isOpen(schedule, record) ? 'open' : 'limited') : undefined;
}

/** `main 0123456789ab, storage -`: the connections of its projects, each once, with their tokens' fingerprints. */
function askedBy(schedule: Schedule, record: WorkspaceRecord): string {
  const fingerprintOf = (name: string) => readable(() => record.connection(name))?.fingerprint ?? '-';
  return [...new Set(connectionsOf(schedule, record))]
    .map((name) => `${name} ${fingerprintOf(name)}`)
    .join(', ');
}

interface Known {
  readonly record: WorkspaceRecord;
  readonly book: Book;
  readonly now: number;
}

function planFor(schedule: Schedule, lines: readonly Line[], { record, book, now }: Known) {
  const standing = standingOf(schedule, lines, record);
  const last = lines.findLast(isFinal);
  const owed = standing === 'paused' ? [] : owedDues(schedule, last, now);
  const due = owed.at(-1);
  // What was missed for good is named like what was not tried.
  const unnamed = owedDues(schedule, lines.findLast(isSettled), now);
  const isOwed = ({ date }: Line) => owed.some((one) => one.date === date);
  const isUnnamed = ({ date }: Line) => unnamed.some((one) => one.date === date);
  const line = lines.find(({ date }) => date === due?.date);
  const worked = standing === 'waits' ? lastSuccess(schedule, record, book) : Infinity;
  const at = line === undefined ? 0 : resumesAt(line, worked, now);
  const before = lines.filter((one) => one !== line && isUnnamed(one));
  const task: Task | undefined =
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
  const named = (some: readonly Line[]): readonly PostedLine[] =>
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
export function* openDues(
  { timing, since }: Pick<Schedule, 'timing' | 'since'>,
  last: Line | undefined,
): Generator<Due> {
  for (const due of dues(timing, Math.max(since, last?.entry.due ?? 0)))
    if (last === undefined || due.date > last.date) yield due;
}

/** Those that are due by `now` (ms). */
export function owedDues(
  schedule: Pick<Schedule, 'timing' | 'since'>,
  last: Line | undefined,
  now: number,
): readonly Due[] {
  const owed: Due[] = [];
  for (const due of openDues(schedule, last)) {
    if (due.at > now) break;
    owed.push(due);
  }
  return owed;
}

/** Whether a date is still to fall due, although it was begun: an edit has put it off. */
function isAhead(schedule: Schedule, last: Line | undefined, date: Day): boolean {
  for (const due of openDues(schedule, last)) if (due.date >= date) return due.date === date;
  return false;
}

/** The newest date of a schedule that was dealt with: posted, skipped or failed. */
export const lastHandled = (schedule: string, book: Book): Line | undefined =>
  book.lines
    .filter((line) => line.schedule === schedule)
    .toSorted(byDate)
    .findLast(isFinal);

/** When a date that was begun is taken up again, in ms. @param worked when what paused its schedule was last seen to work */
function resumesAt({ entry }: Line, worked: number, now: number): number {
  if (entry.state === 'held' && worked > entry.at) return 0;
  const settled = entry.state === 'sending' ? entry.at + SETTLED : 0;
  const farthest = entry.probes === undefined ? FARTHEST : FARTHEST_PROBE;
  return unlessFar(Math.max(settled, entry.next ?? 0), now, farthest);
}

/** When something last worked that a paused schedule could not do, in ms: then it is tried again at once. */
function lastSuccess(schedule: Schedule, record: WorkspaceRecord, book: Book): number {
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
const isOpen = ({ projects, channel }: Schedule, record: WorkspaceRecord): boolean =>
  projects.every(({ id, product }) => {
    try {
      targetOf({ project: id, product }, record, { channel, manager: false });
      return true;
    } catch {
      return false;
    }
  });

function lookAt({ correctsFrom }: Schedule, { entry }: Line, now: number): number | undefined {
  const { post } = entry;
  if (entry.state !== 'posted' || post?.subject === undefined || post.ts === '' || correctsFrom === 0)
    return undefined;
  const pause = LOOKS[post.looks];
  return pause === undefined || now - post.at > KEPT ? undefined : (entry.next ?? post.at + pause);
}
