import type { Due } from '../../domain/cadence.ts';
import { earlierCounted, earlierFailed, earlierLine } from './delivery-blocks.ts';
import { deliveryKey, findPost } from './delivery-history.ts';
import type { Task } from './delivery-plan.ts';
import { type Round, runReport } from './delivery-run.ts';
import { troubleOf } from './delivery-trouble.ts';

/** Dates before it that a post names; the rest is counted. */
const MOST_NAMED = 10;

interface Earlier {
  readonly lines: readonly string[];
  /** Nothing was spent on any of them. */
  readonly isEmpty: boolean;
}

/** The dates that were missed, a line each, oldest first. */
export async function earlierOf(task: Task, round: Round): Promise<Earlier> {
  const missed: Due[] = [];
  for (const due of task.earlier) if (!(await wentOut(due, task, round))) missed.push(due);
  // What is left now was not left then, and nobody tells what was.
  const most = task.schedule.report === 'balance' ? 0 : MOST_NAMED;
  const counted = missed.length - most;
  const named = await Promise.all(
    missed.slice(Math.max(0, counted)).map((due) => lookBack(due, task, round)),
  );
  const lines = named.map(({ line }) => line);
  return {
    lines: counted > 0 ? [earlierCounted(counted), ...lines] : lines,
    isEmpty: counted <= 0 && named.every(({ isEmpty }) => isEmpty),
  };
}

/** Of an earlier date that Slack may have taken. Where nobody can tell, it is named once more. */
async function wentOut({ date }: Due, { schedule, doubtful }: Task, round: Round): Promise<boolean> {
  const line = doubtful.find((one) => one.date === date);
  if (line === undefined) return false;
  const channel = line.entry.post?.channel ?? schedule.channel;
  const key = deliveryKey(schedule.id, date);
  return typeof (await findPost(await round.client(), channel, key, line.entry.at)) !== 'string';
}

async function lookBack({ date, at }: Due, { schedule }: Task, round: Round) {
  try {
    const finding = await runReport(schedule, at, round);
    return { line: earlierLine(date, finding, round.record), isEmpty: finding.isEmpty };
  } catch (error) {
    const { cause } = troubleOf(error);
    return { line: earlierFailed(date, cause), isEmpty: false };
  }
}
