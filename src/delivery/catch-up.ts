import type { DueTime } from '../domain/time/cadence.ts';
import type { Day } from '../domain/time/calendar.ts';
import { type DeliveryContext, runReport } from './context.ts';
import { deliveryKey, findPost } from './find-post.ts';
import type { DeliveryTask } from './plan.ts';
import { missedDateFailed, missedDateLine, missedDatesSummary } from './post-blocks.ts';
import { classifyFailure } from './retry.ts';

/** Dates before it that a post names; the rest is counted. */
const MOST_NAMED = 10;
const UNCLEAR = 'It may have been posted: Slack did not say.';

interface Earlier {
  readonly lines: readonly string[];
  /** Nothing was spent on any of them. */
  readonly isEmpty: boolean;
}

/** The dates that were missed, a line each, oldest first. */
export async function summarizeMissedDates(task: DeliveryTask, round: DeliveryContext): Promise<Earlier> {
  const missed: DueTime[] = [];
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
    lines: counted > 0 ? [missedDatesSummary(counted), ...lines] : lines,
    isEmpty: counted <= 0 && named.every(({ isEmpty }) => isEmpty),
  };
}

/** The post of an earlier date. Where nobody can tell whether Slack took it, the date is named once more. */
async function findEarlier({ date }: DueTime, { schedule, doubtful }: DeliveryTask, round: DeliveryContext) {
  const line = doubtful.find((one) => one.date === date);
  if (line === undefined) return 'absent';
  const channel = line.entry.post?.channel ?? schedule.channel;
  return findPost(await round.client(), channel, deliveryKey(schedule.id, date), line.entry.at);
}

async function lookBack({ date, at }: DueTime, { schedule }: DeliveryTask, round: DeliveryContext) {
  try {
    const finding = await runReport(schedule, at, round);
    return { date, line: missedDateLine(date, finding, round.workspace), isEmpty: finding.isEmpty };
  } catch (error) {
    const { cause } = classifyFailure(error);
    return { date, line: missedDateFailed(date, cause), isEmpty: false };
  }
}
