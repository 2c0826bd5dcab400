import { ChangedMeanwhile } from '../../domain/failure.ts';
import type { Deed } from '../../workspace/audit.ts';
import type { LedgerEntry } from '../../workspace/ledger.ts';
import { type LastSent, type Pause, REPORT_NAMES, type Schedule } from '../../workspace/schedules.ts';
import { type PostedLine, restsOn, SETTLED, type Task } from './delivery-plan.ts';
import type { Course } from './delivery-post.ts';
import type { Round } from './delivery-run.ts';
import { pauseAfter, probeAfter, type Trouble } from './delivery-trouble.ts';

/** As the audit names Tally itself. */
const TALLY = 'tally';
const HOUR = 3_600_000;
const MAY_BE_THERE = 'It may be in the channel all the same: look there before it is sent again.';

export const sentOf = ({ due }: Pick<Task, 'due'>, at: number) => ({
  date: due.date,
  due: due.at,
  at,
  failures: 0,
});

/**
 * Notes that a delivery failed, and what comes of it: another try, a pause of the workspace or of the schedule, or the
 * end of it.
 *
 * @throws LeaseLost, StoreUnreachable
 */
export async function failed(task: Task, course: Course, trouble: Trouble, round: Round): Promise<void> {
  const { schedule, superseded } = task;
  const { id, paused } = schedule;
  const now = round.clock();
  const entry = entryAfter(trouble, course, paused?.why, now);
  const { failures = 0, unanswered } = round.record.lastSent(id) ?? {};
  const { cause = trouble.cause } = entry;
  const isOver = entry.state === 'failed';
  const sent: LastSent = {
    ...sentOf(task, now),
    failures: failures + (isOver ? 1 : 0),
    ...(unanswered && { unanswered }),
    ...(isOver
      ? { result: 'failed', cause }
      : { result: 'trying', cause, ...(entry.next !== undefined && { next: entry.next }) }),
  };
  const drop = isOver || entry.state === 'held' ? superseded : [];
  await round.enter({ schedule: id, date: task.due.date, before: course.before, entry, drop, sent });
  if (trouble.kind === 'wait') await round.quiet(now + trouble.for);
  if (trouble.kind === 'pause' && trouble.why !== paused?.why) await pause(schedule, trouble.why, round);
}

/** @param pausedBy why the schedule is paused already */
function entryAfter(
  trouble: Trouble,
  { entry, isDoubtful }: Course,
  pausedBy: Pause | undefined,
  now: number,
): LedgerEntry {
  const { cause } = trouble;
  const doubt = trouble.kind === 'unclear' || isDoubtful;
  if (trouble.kind === 'pause' || (pausedBy !== undefined && !doubt))
    return heldAfter(trouble, { entry, isDoubtful }, pausedBy, now);
  const { next: _, untold, probes, post, ...rest } = entry;
  // Slack's own pauses are no failures, unless they go on and on.
  const counts = trouble.kind !== 'wait' || now - entry.began > HOUR;
  const tries = entry.tries + (counts ? 1 : 0);
  const base = {
    ...rest,
    tries,
    // When it was sent is where Slack is asked about it, however often that fails.
    at: doubt ? entry.at : now,
    ...(doubt && post !== undefined && { post }),
  };
  const isEnough = trouble.kind === 'unclear' && post?.isAgain === true;
  const wait = isEnough ? undefined : counts ? pauseAfter(tries) : 0;
  if (wait === undefined) {
    const words = doubt ? `${cause} ${MAY_BE_THERE}` : cause;
    return { ...base, cause: words, state: 'failed', isMissed: true, untold: 'failed' };
  }
  const least = trouble.kind === 'wait' ? trouble.for : trouble.kind === 'unclear' ? SETTLED : 0;
  return { ...base, cause, state: doubt ? 'sending' : 'trying', next: now + Math.max(wait, least) };
}

/** Its schedule is paused: it waits, and is tried now and then. Somebody is told of a new reason, once. */
function heldAfter(
  trouble: Trouble,
  { entry, isDoubtful }: Pick<Course, 'entry' | 'isDoubtful'>,
  pausedBy: Pause | undefined,
  now: number,
): LedgerEntry {
  const { untold: before, post, ...rest } = entry;
  const probes = pausedBy === undefined ? 1 : (entry.probes ?? 0) + 1;
  const untold = trouble.kind === 'pause' && trouble.why !== pausedBy ? trouble.why : before;
  const wait = Math.max(probeAfter(probes), trouble.kind === 'wait' ? trouble.for : 0);
  return {
    ...rest,
    ...(isDoubtful
      ? { state: 'sending', ...(post !== undefined && { post }) }
      : { state: 'held', at: now, tries: 0 }),
    ...(untold !== undefined && { untold }),
    cause: trouble.cause,
    probes,
    next: now + wait,
  };
}

/** Tally's own pause; where somebody changed the schedule meanwhile, the next try sees what they made of it. */
async function pause(schedule: Schedule, why: Pause, round: Round): Promise<void> {
  const at = round.clock();
  const asked = restsOn(why, schedule, round.record);
  const paused = { why, at, ...(asked !== undefined && { asked }) };
  await save({ ...schedule, paused }, 'schedule paused', round);
}

/** What held it up is gone. */
export async function resume({ paused: _, ...schedule }: Schedule, round: Round): Promise<void> {
  await save(schedule, 'schedule resumed', round);
}

async function save(schedule: Schedule, deed: Deed, round: Round): Promise<void> {
  const { workspace, record, workspaces, clock } = round;
  const about = `${REPORT_NAMES[schedule.report]} · ${schedule.channel}`;
  const entries = [{ at: clock(), who: TALLY, deed, about }];
  try {
    await workspaces.saveSchedule({ workspace, record, entries }, schedule);
  } catch (error) {
    if (!(error instanceof ChangedMeanwhile)) throw error;
  }
}

/** It was begun, and whoever changed or paused the schedule since did not want it any more. */
export async function endStranded({ schedule, line }: PostedLine, round: Round): Promise<void> {
  const { date, json, entry } = line;
  const at = round.clock();
  const cause = 'The schedule was changed or paused before it could be posted.';
  const { next, untold, probes, post, ...rest } = entry;
  const { failures = 0 } = round.record.lastSent(schedule.id) ?? {};
  await round.enter({
    schedule: schedule.id,
    date,
    before: json,
    entry: { ...rest, state: 'failed', at, cause },
    sent: { ...sentOf({ due: { date, at: entry.due } }, at), result: 'failed', cause, failures },
  });
}
