import pLimit from 'p-limit';
import type { SlackId } from '../../domain/slack-id.ts';
import { deliveryKey } from '../log/delivery-log.ts';
import { earliest } from '../log/due-dates.ts';
import { type Job, taskEach } from '../workspace-runner.ts';
import { correctPost, explainCorrections, planExplanations } from './corrections.ts';
import { notifyOwner, planNotices } from './notices.ts';
import { deliverPost } from './post.ts';
import { type DeliveryPlan, planDeliveries } from './post-plan.ts';
import type { PostContext, Reports } from './postable-report.ts';
import { abandonDelivery } from './record-delivery.ts';
import { resumePausedSchedule } from './schedule-pauses.ts';

/** Posts of schedules, their corrections, and notes to owners. */
export const createPostsJob = (reports: Reports): Job => ({
  plan(workspace, snapshot, now) {
    const posts = planDeliveries(workspace, snapshot, now);
    const explanations = planExplanations(workspace, snapshot, posts.correctionsDue, now);
    const notices = planNotices(posts.pendingNotices, snapshot, now);
    const hasPosts = posts.tasks.length > 0 || posts.correctionsDue.length > 0;
    return {
      next: earliest(posts.next, explanations.next, notices.next),
      nextDue: posts.nextDue,
      stale: posts.stale.map(({ schedule, date }) => deliveryKey(schedule, date)),
      tasks: [
        ...taskEach(explanations.due, explainCorrections),
        ...taskEach(posts.abandoned, abandonDelivery),
        ...taskEach(notices.due, (owner, context) => notifyOwner(owner, posts.pendingNotices, context)),
        // The next pass finds them running.
        ...taskEach(posts.resumed, resumePausedSchedule),
        ...taskEach(hasPosts ? [posts] : [], (plan, context) =>
          sendPosts(plan, { ...context, reports, probeFailures: new Map() }),
        ),
      ],
    };
  },
});

const CHANNELS = 5;

/** Channels in parallel; posts to the same channel one after the other. */
async function sendPosts({ tasks, correctionsDue }: DeliveryPlan, context: PostContext): Promise<void> {
  const byChannel = new Map<SlackId, (() => Promise<void>)[]>();
  const add = (channel: SlackId, send: () => Promise<void>): void => {
    byChannel.set(channel, [...(byChannel.get(channel) ?? []), send]);
  };
  for (const task of tasks) add(task.schedule.channel, () => deliverPost(task, context));
  for (const due of correctionsDue) add(due.line.entry.channel ?? '', () => correctPost(due, context));
  const limit = pLimit(CHANNELS);
  const inOrder = async (sends: readonly (() => Promise<void>)[]): Promise<void> => {
    for (const send of sends) if (!context.isOver()) await send();
  };
  const ended = await Promise.allSettled([...byChannel.values()].map((sends) => limit(inOrder, sends)));
  const failed = ended.find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}
