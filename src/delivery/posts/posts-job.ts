import pLimit from 'p-limit';
import type { SlackId } from '../../domain/slack-id.ts';
import type { Job } from '../job.ts';
import { deliveryKey } from '../log/delivery-log.ts';
import { earliest } from '../log/due-dates.ts';
import { correctPost, explainCorrections, planExplanations } from './corrections.ts';
import { notifyOwner, planNotices } from './notices.ts';
import { deliverPost } from './post.ts';
import { type DeliveryPlan, isIdle, planDeliveries } from './post-plan.ts';
import type { PostContext, Reports } from './postable-report.ts';
import { abandonDelivery, resumePausedSchedule } from './record-delivery.ts';

/** Posts of schedules, their corrections, and notes to owners. */
export const createPostsJob = (reports: Reports): Job => ({
  plan(workspace, snapshot, now) {
    const posts = planDeliveries(workspace, snapshot, now);
    const explanations = planExplanations(workspace, snapshot, posts.correctionsDue, now);
    const notices = planNotices(posts.pendingNotices, snapshot, now);
    return {
      isIdle: isIdle(posts) && explanations.due.length === 0 && notices.due.length === 0,
      next: earliest(posts.next, explanations.next, notices.next),
      nextDue: posts.nextDue,
      stale: posts.stale.map(({ schedule, date }) => deliveryKey(schedule, date)),
      async run(pass) {
        const context = { ...pass, reports, probeFailures: new Map() };
        for (const channel of explanations.due)
          if (!context.isOver()) await explainCorrections(channel, context);
        for (const line of posts.abandoned) await abandonDelivery(line, context);
        for (const owner of notices.due)
          if (!context.isOver()) await notifyOwner(owner, posts.pendingNotices, context);
        // The next pass finds them running.
        for (const schedule of posts.resumed) await resumePausedSchedule(schedule, context);
        await sendPosts(posts, context);
      },
    };
  },
});

/** Channels of one workspace that are posted to in parallel. */
const CHANNELS = 5;

/** Channels in parallel; posts to the same channel one after the other. */
async function sendPosts({ tasks, correctionsDue }: DeliveryPlan, context: PostContext): Promise<void> {
  const byChannel = new Map<SlackId, (() => Promise<void>)[]>();
  const add = (channel: SlackId, send: () => Promise<void>): void => {
    byChannel.set(channel, [...(byChannel.get(channel) ?? []), send]);
  };
  for (const task of tasks) add(task.schedule.channel, () => deliverPost(task, context));
  for (const due of correctionsDue) add(due.line.entry.post?.channel ?? '', () => correctPost(due, context));
  const limit = pLimit(CHANNELS);
  const inOrder = async (sends: readonly (() => Promise<void>)[]): Promise<void> => {
    for (const send of sends) if (!context.isOver()) await send();
  };
  const ended = await Promise.allSettled([...byChannel.values()].map((sends) => limit(inOrder, sends)));
  const failed = ended.find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}
