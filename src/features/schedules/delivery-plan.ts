import { type Due, dues } from '../../domain/cadence.ts';
import type { Day } from '../../domain/calendar.ts';
import type { Book, Line } from '../../workspace/ledger.ts';
import { readable } from '../../workspace/record.ts';
import { endsByItself, type Schedule } from '../../workspace/schedules.ts';
import type { WorkspaceRecord } from '../../workspace/workspaces.ts';
import { FARTHEST } from './delivery-trouble.ts';

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
  /** Its pause was Tally's own and has no reason any more. */
  readonly resumes: boolean;
}

export interface PostedLine {
  readonly schedule: Schedule;
  readonly line: Line;
}

export interface Plan {
  readonly tasks: readonly Task[];
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

/** What is to be done for a workspace at `now` (ms), from what it told us and from what was done. */
export function planOf(record: WorkspaceRecord, book: Book, now: number): Plan {
  const schedules = schedulesOf(record);
  const known = new Set(record.scheduleIds);
  const each = schedules.map((schedule) => {
    const lines = book.lines.filter((line) => line.schedule === schedule.id);
    return planFor(schedule, lines.toSorted(byDate), standingOf(schedule, record), now);
  });
  const orphans = book.lines.filter(({ schedule, entry }) => !known.has(schedule) && now - entry.at > KEPT);
  const next = each.flatMap((one) => one.next);
  const plan = {
    tasks: each.flatMap(({ task }) => task ?? []),
    looks: each.flatMap(({ looks }) => looks),
    untold: each.flatMap(({ untold }) => untold),
    stranded: each.flatMap(({ stranded }) => stranded),
    stale: [...orphans, ...each.flatMap(({ stale }) => stale)],
  };
  const quietUntil = unlessFar(book.quietUntil ?? 0, now);
  if (quietUntil <= now) return { ...plan, next: next.length === 0 ? undefined : Math.min(...next) };
  const waits = next.length > 0 || plan.tasks.length + plan.looks.length + plan.untold.length > 0;
  return { ...plan, tasks: [], looks: [], untold: [], next: waits ? quietUntil : undefined };
}

/** What is put off further than anything is was put off by a clock that has gone back since. */
const unlessFar = (at: number, now: number): number => (at - now > FARTHEST ? 0 : at);

/** A damaged one is left out: the others go on. */
export const schedulesOf = (record: WorkspaceRecord): readonly Schedule[] =>
  record.scheduleIds.flatMap((id) => readable(() => record.schedule(id)) ?? []);

const byDate = (a: Line, b: Line): number => (a.date < b.date ? -1 : 1);

type Standing = 'runs' | 'stands' | 'resumes';

/** A pause for want of a connection, or of another token, ends by itself. */
function standingOf(schedule: Schedule, record: WorkspaceRecord): Standing {
  const { paused } = schedule;
  if (paused === undefined) return 'runs';
  if (!endsByItself(paused.why)) return 'stands';
  return askedBy(schedule, record) === paused.asked ? 'stands' : 'resumes';
}

/** `main 0123456789ab, storage -`: the connections that its projects are asked by, with their tokens' fingerprints. */
export function askedBy({ projects }: Schedule, record: WorkspaceRecord): string {
  const known = readable(() => record.projects) ?? [];
  const names = projects.map(({ id, product }) => {
    const project = known.find((one) => one.id === id && one.product === product);
    return project?.connection ?? readable(() => record.defaultConnection) ?? '';
  });
  const fingerprintOf = (name: string) => readable(() => record.connection(name))?.fingerprint ?? '-';
  return [...new Set(names)].map((name) => `${name} ${fingerprintOf(name)}`).join(', ');
}

function planFor(schedule: Schedule, lines: readonly Line[], standing: Standing, now: number) {
  const last = lines.findLast(isFinal);
  const owed = standing === 'stands' ? [] : owedDues(schedule, last, now);
  const due = owed.at(-1);
  const open = lines.filter((line) => !isFinal(line));
  const line = open.find(({ date }) => date === due?.date);
  const at = line === undefined ? 0 : unlessFar(resumesAt(line), now);
  const isDue = (date: Day) => owed.some((one) => one.date === date);
  const looks = lines.filter((one) => lookAt(schedule, one) !== undefined);
  const named = (some: readonly Line[]): readonly PostedLine[] =>
    some.map((one) => ({ schedule, line: one }));
  const task: Task | undefined =
    due === undefined || at > now
      ? undefined
      : {
          schedule,
          due,
          earlier: owed.slice(0, -1),
          line,
          doubtful: open.filter(
            ({ date, entry }) => date !== due.date && entry.state === 'sending' && isDue(date),
          ),
          resumes: standing === 'resumes',
        };
  return {
    task,
    looks: named(looks.filter((one) => (lookAt(schedule, one) ?? 0) <= now)),
    untold: named(lines.filter(({ entry }) => entry.untold !== undefined)),
    stranded: named(
      open.filter(
        ({ date, entry }) =>
          !isDue(date) &&
          entry.due <= now &&
          (standing === 'stands' || !isAhead(schedule, last, date)) &&
          (entry.state !== 'held' || standing !== 'stands'),
      ),
    ),
    stale: lines.filter((one) => isFinal(one) && one !== last && now - one.entry.at > KEPT),
    next: [
      ...(due !== undefined && at > now ? [at] : []),
      ...looks.flatMap((one) => lookAt(schedule, one) ?? []).filter((instant) => instant > now),
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

/** When a date that was begun is taken up again, in ms. */
function resumesAt({ entry }: Line): number {
  const settled = entry.state === 'sending' ? entry.at + SETTLED : 0;
  return Math.max(settled, entry.next ?? 0);
}

function lookAt({ correctsFrom }: Schedule, { entry }: Line): number | undefined {
  const { post } = entry;
  if (entry.state !== 'posted' || post === undefined || post.ts === '' || correctsFrom === 0)
    return undefined;
  const pause = LOOKS[post.looks];
  return pause === undefined ? undefined : (entry.next ?? post.at + pause);
}
