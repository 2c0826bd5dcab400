import type { ThreadStore } from '../workspace/thread-store.ts';
import { createDeliveryLog } from './delivery-log.ts';
import { createPostsJob } from './posts/posts-job.ts';
import { createScheduleService } from './posts/schedule-service.ts';
import { remindersJob } from './reminders/reminders.ts';
import { type MakeReport, makeReport } from './reports/reports.ts';
import { createWorkspaceRunner, type RunnerParts } from './run.ts';
import { createWakeUps, type WakeUpParts } from './wake-ups.ts';
import { createWatchFiguresStore } from './watches/watch-figures.ts';
import { createWatchService } from './watches/watch-service.ts';
import { createWatchesJob } from './watches/watches-job.ts';

/** Everything that happens without a person, and what the features need of it. */
export type DeliveryService = ReturnType<typeof createDeliveryService>;

export interface DeliveryParts
  extends Omit<RunnerParts, 'jobs' | 'deliveryLog'>,
    Omit<WakeUpParts, 'runner' | 'workspaces'> {
  readonly threads: ThreadStore;
}

/** @param report replaces the ordinary reports in tests */
export function createDeliveryService(parts: DeliveryParts, report: MakeReport = makeReport) {
  const { redis } = parts;
  const deliveryLog = createDeliveryLog(redis);
  const figures = createWatchFiguresStore(redis);
  const jobs = [createPostsJob(report), remindersJob, createWatchesJob(figures)];
  const runner = createWorkspaceRunner({ ...parts, jobs, deliveryLog });
  const { changed, wake: _, ...wakeUps } = createWakeUps({ ...parts, runner });
  return {
    ...wakeUps,
    scheduling: createScheduleService({ ...parts, makeReport: report, deliveryLog, changed }),
    watching: createWatchService({ ...parts, deliveryLog, figures, changed }),
  };
}
