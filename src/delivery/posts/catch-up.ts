import { REPORTS } from '../../domain/report.ts';
import type { DueTime } from '../../domain/time/cadence.ts';
import type { Day } from '../../domain/time/calendar.ts';
import { dayAt } from '../../domain/time/calendar.ts';
import { wordFailure } from '../../workspace/record/stored-failure.ts';
import { deliveryKey } from '../log/delivery-log.ts';
import { findPost } from '../outbox/find-post.ts';
import { classifyFailure } from '../outbox/retry.ts';
import { missedDateFailed, missedDateLine, missedDatesSummary } from './post-blocks.ts';
import type { DeliveryTask } from './post-plan.ts';
import { type PostContext, runReport } from './run-report.ts';

/** A post names this many missed dates and counts the rest. */
const MAX_NAMED = 10;
const UNCLEAR = 'Slack didn’t confirm this post; it may be in the channel.';

interface MissedDates {
  readonly lines: readonly string[];
  /** Nothing was spent on any of them. */
  readonly isEmpty: boolean;
}

/** A line for each missed date, oldest first. */
export async function summarizeMissedDates(task: DeliveryTask, context: PostContext): Promise<MissedDates> {
  const missed: DueTime[] = [];
  const unclear = new Set<Day>();
  for (const due of task.earlier) {
    const found = await findEarlierPost(due, task, context);
    if (typeof found !== 'string') continue;
    missed.push(due);
    if (found === 'unknown') unclear.add(due.date);
  }
  // The balance of an earlier date is unknown.
  const maxNamed = REPORTS[task.schedule.report].coversDays ? MAX_NAMED : 0;
  const counted = missed.length - maxNamed;
  const named = await Promise.all(
    missed.slice(Math.max(0, counted)).map((due) => summarizeDate(due, task, context)),
  );
  const lines = named.map(({ date, line }) => (unclear.has(date) ? `${line} ${UNCLEAR}` : line));
  return {
    lines: counted > 0 ? [missedDatesSummary(counted), ...lines] : lines,
    isEmpty: counted <= 0 && named.every(({ isEmpty }) => isEmpty),
  };
}

/** The post of an earlier date. A date whose post may or may not be in Slack is named again. */
async function findEarlierPost(
  { date }: DueTime,
  { schedule, doubtful }: DeliveryTask,
  context: PostContext,
) {
  const line = doubtful.find((doubt) => doubt.date === date);
  if (line === undefined) return 'absent';
  const channel = line.entry.post?.channel ?? schedule.channel;
  return findPost(await context.client(), channel, deliveryKey(schedule.id, date), line.entry.at);
}

async function summarizeDate({ date, at }: DueTime, { schedule }: DeliveryTask, context: PostContext) {
  try {
    const result = await runReport(schedule, at, context);
    return {
      date,
      line: missedDateLine(date, result, schedule.projects, context.workspace),
      isEmpty: result.isEmpty,
    };
  } catch (error) {
    const { cause } = classifyFailure(error);
    return {
      date,
      line: missedDateFailed(date, wordFailure(cause, dayAt(context.clock(), schedule.timing.zone))),
      isEmpty: false,
    };
  }
}
