import { ChangedMeanwhile } from '../../domain/failure.ts';
import type { Deed } from '../../workspace/audit.ts';
import type { LedgerEntry } from '../../workspace/ledger.ts';
import {
  endsByItself,
  type LastSent,
  type Pause,
  REPORT_NAMES,
  type Schedule,
} from '../../workspace/schedules.ts';
import { askedBy, type PostedLine, SETTLED, type Task } from './delivery-plan.ts';
import type { Course } from './delivery-post.ts';
import type { Round } from './delivery-run.ts';
import { pauseAfter, type Trouble, troubleOf } from './delivery-trouble.ts';

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
export async function failed(task: Task, course: Course, error: unknown, round: Round): Promise<void> {
  const { schedule } = task;
  const trouble = troubleOf(error);
  const now = round.clock();
  const entry = entryAfter(trouble, course, now);
  const { failures = 0 } = round.record.lastSent(schedule.id) ?? {};
  const { cause = trouble.cause } = entry;
  const isOver = entry.state === 'failed' || entry.state === 'held';
  const sent: LastSent = {
    ...sentOf(task, now),
    failures: isOver ? failures + 1 : failures,
    ...(isOver
      ? { result: 'failed', cause }
      : { result: 'trying', cause, ...(entry.next !== undefined && { next: entry.next }) }),
  };
  const drop = isOver && entry.state === 'failed' ? task.earlier.map(({ date }) => date) : [];
  const { id } = schedule;
  await round.enter({ schedule: id, date: task.due.date, before: course.before, entry, drop, sent });
  if (trouble.kind === 'wait') await round.quiet(now + trouble.for);
  if (trouble.kind === 'pause') await pause(schedule, trouble.why, round);
}

function entryAfter(trouble: Trouble, { entry, isDoubtful }: Course, now: number): LedgerEntry {
  const { next: _, untold, post, ...rest } = entry;
  const { cause } = trouble;
  if (trouble.kind === 'pause') {
    const { why } = trouble;
    const isHeld = endsByItself(why);
    const state = isHeld && !isDoubtful ? 'held' : 'failed';
    return { ...rest, state, at: now, cause, untold: why, ...(isHeld && { tries: 0 }) };
  }
  // Slack's own pauses are no failures, unless they go on and on.
  const counts = trouble.kind !== 'wait' || now - entry.began > HOUR;
  const tries = entry.tries + (counts ? 1 : 0);
  const rest2 = { ...rest, tries, cause };
  const doubt = trouble.kind === 'unclear' || isDoubtful;
  const isEnough = trouble.kind === 'unclear' && post?.isAgain === true;
  const wait = isEnough ? undefined : counts ? pauseAfter(tries) : 0;
  if (wait === undefined)
    return {
      ...rest2,
      ...(doubt && post !== undefined && { post }),
      cause: doubt ? `${cause} ${MAY_BE_THERE}` : cause,
      state: 'failed',
      at: doubt ? entry.at : now,
      untold: 'failed',
    };
  // When it was sent is where Slack is asked about it, however often that fails.
  const at = doubt ? entry.at : now;
  const next =
    now + Math.max(wait, trouble.kind === 'wait' ? trouble.for : 0, trouble.kind === 'unclear' ? SETTLED : 0);
  return {
    ...rest2,
    state: doubt ? 'sending' : 'trying',
    at,
    next,
    ...(doubt && post !== undefined && { post }),
  };
}

/** Tally's own pause; where somebody changed the schedule meanwhile, the next try sees what they made of it. */
async function pause(schedule: Schedule, why: Pause, round: Round): Promise<void> {
  const at = round.clock();
  const isHeld = endsByItself(why);
  const asked = isHeld ? { asked: askedBy(schedule, round.record) } : {};
  await save({ ...schedule, paused: { why, at, ...asked } }, 'schedule paused', round);
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
  const { next, untold, post, ...rest } = entry;
  const { failures = 0 } = round.record.lastSent(schedule.id) ?? {};
  await round.enter({
    schedule: schedule.id,
    date,
    before: json,
    entry: { ...rest, state: 'failed', at, cause },
    sent: { ...sentOf({ due: { date, at: entry.due } }, at), result: 'failed', cause, failures },
  });
}
