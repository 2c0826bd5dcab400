import type { Due } from '../../domain/cadence.ts';
import type { Day } from '../../domain/calendar.ts';
import { earlierCounted, earlierFailed, earlierLine } from './delivery-blocks.ts';
import { deliveryKey, findPost } from './delivery-history.ts';
import type { Task } from './delivery-plan.ts';
import { type Round, runReport } from './delivery-run.ts';
import { troubleOf } from './delivery-trouble.ts';

/** Dates before it that a post names; the rest is counted. */
const MOST_NAMED = 10;
const UNCLEAR = 'It may have been posted: Slack did not say.';

interface Earlier {
  readonly lines: readonly string[];
  /** Nothing was spent on any of them. */
  readonly isEmpty: boolean;
}

/** The dates that were missed, a line each, oldest first. */
export async function earlierOf(task: Task, round: Round): Promise<Earlier> {
  const missed: Due[] = [];
  const unclear = new Set<Day>();
  for (const due of task.earlier) {
    const found = await findEarlier(due, task, round);
    if (typeof found !== 'string') continue;
    missed.push(due);
    if (found === 'unknown') unclear.add(due.date);
  }
  // What is left now was not left then, and nobody tells what was.
  const most = task.schedule.report === 'balance' ? 0 : MOST_NAMED;
  const counted = missed.length - most;
  const named = await Promise.all(
    missed.slice(Math.max(0, counted)).map((due) => lookBack(due, task, round)),
  );
  const lines = named.map(({ date, line }) => (unclear.has(date) ? `${line} ${UNCLEAR}` : line));
  return {
    lines: counted > 0 ? [earlierCounted(counted), ...lines] : lines,
    isEmpty: counted <= 0 && named.every(({ isEmpty }) => isEmpty),
  };
}

/** The post of an earlier date. Where nobody can tell whether Slack took it, the date is named once more. */
async function findEarlier({ date }: Due, { schedule, doubtful }: Task, round: Round) {
  const line = doubtful.find((one) => one.date === date);
  if (line === undefined) return 'absent';
  const channel = line.entry.post?.channel ?? schedule.channel;
  return findPost(await round.client(), channel, deliveryKey(schedule.id, date), line.entry.at);
}

async function lookBack({ date, at }: Due, { schedule }: Task, round: Round) {
  try {
    const finding = await runReport(schedule, at, round);
    return { date, line: earlierLine(date, finding, round.record), isEmpty: finding.isEmpty };
  } catch (error) {
    const { cause } = troubleOf(error);
    return { date, line: earlierFailed(date, cause), isEmpty: false };
  }
}
