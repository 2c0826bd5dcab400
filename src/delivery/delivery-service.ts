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
import { createWakeUps, type WakeUps } from './wake-ups.ts';
import { createWatchFiguresStore } from './watches/watch-figures.ts';
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
  const { redis, queue, workspaces, clock, log } = parts;
  const deliveryLog = createDeliveryLog(redis);
  const index = createWorkspaceIndex(redis);
  const figures = createWatchFiguresStore(redis);
  const jobs = [createPostsJob(report), remindersJob, createWatchesJob(figures)];
  const runner = createWorkspaceRunner({ ...parts, jobs, deliveryLog });
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
  /** The change is stored already: if it can't be planned now, the next sweep does. */
  const changed = (workspace: SlackId): Promise<void> =>
    wakeUps
      .wake(workspace, clock())
      .catch((err: unknown) =>
        log.warn(
          { err, workspace },
          'Could not plan the wake-up of a workspace; Tally looks for it within the hour',
        ),
      );
  return {
    scheduling: createScheduleService({ ...parts, makeReport: report, deliveryLog, changed }),
    watching: createWatchService({ ...parts, deliveryLog, figures, changed }),
    /** For how many ms the run that waits longest has been due, over all workspaces; undefined if Redis doesn't say. Never rejects. */
    oldestOverdue: (): Promise<Millis | undefined> => wakeUps.oldestOverdue().catch(() => undefined),
    /** Delivers from now on, what is overdue first. */
    start: () => wakeUps.start((workspace) => runAndPlan(workspace, runner, wakeUps, clock)),
    /** Begins no further message, and lets running ones end within `patience` ms. */
    async stop(patience: Millis): Promise<void> {
      runner.stop();
      await wakeUps.stop(patience);
    },
    /** Leaves no wake-up that names the workspace. @throws StoreUnavailable */
    forget: wakeUps.forget,
  };
}

/** What is planned too far ahead may be overtaken, as by new rules of a time zone. */
const LONGEST: Millis = DAY;

async function runAndPlan(
  workspace: SlackId,
  runner: WorkspaceRunner,
  wakeUps: Pick<WakeUps, 'wake'>,
  clock: () => Millis,
): Promise<void> {
  const next = await runner.run(workspace);
  if (next !== undefined) await wakeUps.wake(workspace, Math.min(next, clock() + LONGEST));
  // A change that was stored after the run had read may have been planned before: this plan has replaced it.
  const now = await runner.nextRun(workspace);
  if (now !== undefined && (next === undefined || now < next)) await wakeUps.wake(workspace, now);
}
