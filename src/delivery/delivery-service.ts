import type { SlackId } from '../domain/slack-id.ts';
import type { RedisConnection } from '../redis/connect.ts';
import { reportOutage } from '../redis/store-events.ts';
import { deleteOrphan } from '../workspace/record/deletion.ts';
import { createWorkspaceIndex } from '../workspace/record/workspace-index.ts';
import type { ThreadStore } from '../workspace/thread-store.ts';
import { createDeliveryLog } from './log/delivery-log.ts';
import { createPostsJob } from './posts/posts-job.ts';
import { createScheduleService } from './posts/schedule-service.ts';
import { remindersJob } from './reminders/reminders.ts';
import { makeReport } from './reports/reports.ts';
import { createRunPlanner } from './run-planner.ts';
import { createScheduler, loadOldestOverdue } from './wakeup/scheduler.ts';
import { createWatchFiguresStore } from './watches/watch-figures-store.ts';
import { createWatchService } from './watches/watch-service.ts';
import { createWatchesJob } from './watches/watches-job.ts';
import { createWorkspaceRunner, type RunnerParts } from './workspace-runner.ts';

/** Everything that happens without a person, and what the features need of it. */
export type DeliveryService = ReturnType<typeof createDeliveryService>;

export function createDeliveryService(
  parts: Omit<RunnerParts, 'jobs' | 'deliveryLog'> & {
    readonly redis: RedisConnection;
    /** As `connectQueue` opens it; the caller closes it. */
    readonly queue: RedisConnection;
    readonly threads: ThreadStore;
  },
) {
  const { redis, queue, clock, log } = parts;
  const deliveryLog = createDeliveryLog(redis);
  const figures = createWatchFiguresStore(redis);
  const scheduler = createScheduler({
    connection: queue,
    clock,
    onError(err) {
      reportOutage(err);
      log.debug({ err }, 'The delivery queue reported an error');
    },
  });
  const jobs = [createPostsJob(makeReport), remindersJob, createWatchesJob(figures)];
  const planner = createRunPlanner({
    ...parts,
    scheduler,
    jobs,
    deliveryLog,
    runner: createWorkspaceRunner({ ...parts, jobs, deliveryLog }),
    index: createWorkspaceIndex(redis),
    deleteOrphan: (workspace, fields) => deleteOrphan(redis, workspace, fields),
  });
  /** The change is already stored, so the next repair schedules a run that cannot be scheduled now. */
  const changed = (workspace: SlackId): Promise<void> =>
    planner
      .changed(workspace)
      .catch((err: unknown) =>
        log.warn({ err, workspace }, 'Could not reschedule a workspace; the next check for lost runs will'),
      );
  return {
    scheduling: createScheduleService({ ...parts, makeReport, deliveryLog, changed }),
    watching: createWatchService({ ...parts, deliveryLog, figures, changed }),
    /**
     * For how many ms the run that waits longest has been due, over all workspaces; undefined if Redis doesn't say.
     * Never rejects.
     */
    oldestOverdue: (): Promise<number | undefined> =>
      Promise.all([loadOldestOverdue(redis, clock), planner.oldestLost()]).then(
        (ages) => Math.max(...ages),
        () => undefined,
      ),
    /** Delivers from now on, overdue posts first. */
    start: planner.start,
    /** Begins no further post, and lets running ones end within `patience` ms. */
    stop: planner.stop,
    /** Leaves no run that names the workspace. @throws StoreUnavailable */
    forget: scheduler.forget,
  };
}
