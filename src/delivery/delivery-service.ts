import type { SlackId } from '../domain/slack-id.ts';
import { DAY, type Millis } from '../domain/time/calendar.ts';
import type { RedisConnection } from '../redis/connect.ts';
import { reportOutage } from '../redis/store-events.ts';
import { deleteOrphan } from '../workspace/record/deletion.ts';
import { createWorkspaceIndex } from '../workspace/record/workspace-index.ts';
import type { ThreadStore } from '../workspace/thread-store.ts';
import { createDeliveryLog } from './delivery-log.ts';
import { createPostsJob } from './posts/posts-job.ts';
import type { MakeReport } from './posts/run-report.ts';
import { createScheduleService } from './posts/schedule-service.ts';
import { remindersJob } from './reminders/reminders.ts';
import { makeReport } from './reports/reports.ts';
import { createWorkspaceRunner, type RunnerParts, type WorkspaceRunner } from './run.ts';
import { createWakeUps } from './wake-ups.ts';
import { createWatchFiguresStore } from './watches/watch-figures-store.ts';
import { createWatchService } from './watches/watch-service.ts';
import { createWatchesJob } from './watches/watches-job.ts';

/** Everything that happens without a person, and what the features need of it. */
export type DeliveryService = ReturnType<typeof createDeliveryService>;

export interface DeliveryParts extends Omit<RunnerParts, 'jobs' | 'deliveryLog'> {
  readonly redis: RedisConnection;
  /** As `connectQueue` opens it; the caller closes it. */
  readonly queue: RedisConnection;
  readonly threads: ThreadStore;
}

/** @param report replaces the ordinary reports in tests */
export function createDeliveryService(parts: DeliveryParts, report: MakeReport = makeReport) {
  const { redis } = parts;
  const deliveryLog = createDeliveryLog(redis);
  const figures = createWatchFiguresStore(redis);
  const jobs = [createPostsJob(report), remindersJob, createWatchesJob(figures)];
  const runner = createWorkspaceRunner({ ...parts, jobs, deliveryLog });
  const { changed, ...planner } = planWakeUps({ ...parts, runner });
  return {
    ...planner,
    scheduling: createScheduleService({ ...parts, makeReport: report, deliveryLog, changed }),
    watching: createWatchService({ ...parts, deliveryLog, figures, changed }),
  };
}

/** What is planned too far ahead may be overtaken, as by new rules of a time zone. */
const LONGEST: Millis = DAY;

/** Runs each workspace when it has something to do, and plans its next wake-up. */
export function planWakeUps({
  redis,
  queue,
  workspaces,
  clock,
  log,
  runner,
}: Pick<DeliveryParts, 'redis' | 'queue' | 'workspaces' | 'clock' | 'log'> & {
  readonly runner: WorkspaceRunner;
}) {
  const index = createWorkspaceIndex(redis);
  const wakeUps = createWakeUps({
    connection: queue,
    clock,
    onError(err) {
      reportOutage(err);
      log.debug({ err }, 'The delivery queue reported an error');
    },
    /** Those that have left are forgotten on the way. */
    async *workspaces() {
      for await (const workspace of index.list()) {
        const { fields } = await workspaces.load(workspace);
        const hasLeft = Object.keys(fields).length === 0 || (await deleteOrphan(redis, workspace, fields));
        if (hasLeft) await index.removeAbsent(workspace);
        else yield workspace;
      }
    },
  });
  return {
    /** The workspace's record changed: it is run at once. If that can't be planned now, the next sweep does. Never rejects. */
    changed: (workspace: SlackId): Promise<void> =>
      wakeUps
        .wake(workspace, clock())
        .catch((err: unknown) =>
          log.warn({ err, workspace }, 'Could not plan a wake-up; Tally looks for lost ones every hour'),
        ),
    /** For how many ms the run that waits longest has been due, over all workspaces; undefined if Redis doesn't say. Never rejects. */
    oldestOverdue: (): Promise<Millis | undefined> => wakeUps.oldestOverdue().catch(() => undefined),
    /** Delivers from now on, what is overdue first. */
    start(): void {
      wakeUps.start(async (workspace) => {
        const next = await runner.run(workspace);
        if (next !== undefined) await wakeUps.wake(workspace, Math.min(next, clock() + LONGEST));
        // This plan has replaced that of a change which was stored after the run had read.
        const now = await runner.nextRun(workspace);
        if (now !== undefined && (next === undefined || now < next)) await wakeUps.wake(workspace, now);
      });
    },
    /** Begins no further message, and lets running ones end within `patience` ms. */
    async stop(patience: Millis): Promise<void> {
      runner.stop();
      await wakeUps.stop(patience);
    },
    /** Leaves no wake-up that names the workspace. @throws StoreUnavailable */
    forget: wakeUps.forget,
  };
}
