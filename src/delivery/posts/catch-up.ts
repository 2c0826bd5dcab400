import { REPORTS } from '../../domain/report.ts';
import type { DueTime } from '../../domain/time/cadence.ts';
import { deliveryKey } from '../log/delivery-log.ts';
import type { MissedDates } from '../log/delivery-log-entry.ts';
import { findPost } from '../outbox/find-post.ts';
import { classifyFailure } from '../outbox/retry.ts';
import type { DeliveryTask } from './post-plan.ts';
import { type PostContext, runReport } from './postable-report.ts';

/** A post names this many missed dates and counts the rest. */
const MAX_NAMED = 10;

/** @returns what the post says about the dates before it; `isEmpty` if nothing was spent on any of them */
export async function summarizeMissedDates(
  task: DeliveryTask,
  context: PostContext,
): Promise<{ readonly earlier: MissedDates; readonly isEmpty: boolean }> {
  const missed: (DueTime & { readonly isUnclear: boolean })[] = [];
  for (const due of task.earlier) {
    const found = await findEarlierPost(due, task, context);
    if (typeof found === 'string') missed.push({ ...due, isUnclear: found === 'unknown' });
  }
  // The balance of an earlier date is unknown.
  const maxNamed = REPORTS[task.schedule.report].coversDays ? MAX_NAMED : 0;
  const counted = Math.max(0, missed.length - maxNamed);
  const named = await Promise.all(
    missed.slice(counted).map(async ({ date, at, isUnclear }) => {
      try {
        const { covers, figures, isEmpty } = await runReport(task.schedule, at, context);
        return { missed: { date, isUnclear, covers, figures }, isEmpty };
      } catch (error) {
        return { missed: { date, isUnclear, cause: classifyFailure(error).cause }, isEmpty: false };
      }
    }),
  );
  return {
    earlier: { counted, named: named.map(({ missed }) => missed) },
    isEmpty: counted === 0 && named.every(({ isEmpty }) => isEmpty),
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
