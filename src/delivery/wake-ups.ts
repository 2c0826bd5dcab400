/** When each workspace is run: one wake-up each, at the next instant when it has something to do. */
import { Queue, Worker } from 'bullmq';
import type { Logger } from 'pino';
import { Failure } from '../domain/failure/index.ts';
import type { SlackId } from '../domain/slack-id.ts';
import { DAY, HOUR, type Millis } from '../domain/time/calendar.ts';
import type { RedisConnection } from '../redis/connect.ts';
import { guardRead, reportOutage } from '../redis/guard.ts';
import { QUEUE_NAME, QUEUE_PREFIX } from '../redis/keys.ts';
import { withTimeout } from '../timeout.ts';
import { createWorkspaceIndex, deleteOrphan } from '../workspace/record/workspace-store.ts';
import type { Workspaces } from '../workspace/record/workspaces.ts';
import type { WorkspaceRunner } from './run.ts';

export interface WakeUpParts {
  readonly redis: RedisConnection;
  /** As `connectQueue` opens it; the caller closes it. */
  readonly queue: RedisConnection;
  readonly workspaces: Pick<Workspaces, 'load'>;
  readonly clock: () => Millis;
  readonly log: Logger;
  readonly runner: WorkspaceRunner;
}

/** A process whose clock is wrong delays no workspace for longer. */
const LONGEST: Millis = DAY;
/** How often workspaces are looked for whose wake-up was lost. */
const SWEEP: Millis = HOUR;
/** BullMQ waits for Redis for as long as it is away; callers wait no longer than this, in ms. */
const PATIENCE: Millis = 3_000;
/** Closing a connection that does not answer takes no longer than this. */
const CLOSING: Millis = 1_000;

const JOB_OPTIONS = {
  removeOnComplete: true,
  removeOnFail: true,
  attempts: 12,
  backoff: { type: 'exponential', delay: 2_000 },
} as const;

const WORKER_OPTIONS = {
  // Runs mostly wait: for Slack, for billing, and for the second between two messages to one channel.
  concurrency: 100,
  // How soon the job of a process that was killed runs elsewhere, in ms.
  lockDuration: 6_000,
  stalledInterval: 3_000,
  // Running again does no harm, giving up would.
  maxStalledCount: 1_000,
  // How long to wait after an outage of Redis, in ms.
  runRetryDelay: 1_000,
} as const;

/**
 * One wake-up a workspace by BullMQ's deduplication: waking it again replaces the one that waits; while its run goes on, one
 * more follows it, never beside it. A run whose process dies runs again elsewhere; one that fails is tried again by BullMQ.
 * The records say what a run does, so one that comes late, twice or for nothing does no harm.
 */
export function createWakeUps({ redis, queue: connection, workspaces, clock, log, runner }: WakeUpParts) {
  const index = createWorkspaceIndex(redis);
  const options = { connection, prefix: QUEUE_PREFIX };
  const onError = (err: Error): void => {
    reportOutage(err);
    log.debug({ err }, 'The delivery queue reported an error');
  };
  let worker: Worker<{ readonly workspace: SlackId }> | undefined;
  let opened: Queue<{ readonly workspace: SlackId }> | undefined;
  /** Opened when it is first used: that writes into Redis, where another version's records may be. */
  const queueNow = () => {
    opened ??= new Queue(QUEUE_NAME, { ...options, defaultJobOptions: JOB_OPTIONS }).on('error', onError);
    return opened;
  };

  /** @throws store-unavailable */
  const bounded = <T>(work: () => Promise<T>): Promise<T> =>
    withTimeout(PATIENCE, guardRead(work), () => {
      const cause = new Error('The queue timed out.');
      reportOutage(cause);
      throw new Failure('store-unavailable', {}, { cause });
    });
  const add = async (workspace: SlackId, at: Millis): Promise<void> => {
    const deduplication = { id: workspace, replace: true, keepLastIfActive: true };
    await queueNow().add('wake', { workspace }, { delay: Math.max(0, at - clock()), deduplication });
  };
  const wake = (workspace: SlackId, at: Millis): Promise<void> => bounded(() => add(workspace, at));
  const forget = (workspace: SlackId): Promise<void> =>
    bounded(async () => {
      const job = await queueNow().getDeduplicationJobId(workspace);
      if (job !== null) await queueNow().remove(job);
      // BullMQ's stream of events names it.
      await connection.del(queueNow().toKey('events'));
    });
  const run = (workspace: SlackId) =>
    runner.run(workspace, (next) =>
      next === undefined ? forget(workspace) : wake(workspace, Math.min(next, clock() + LONGEST)),
    );
  /** Wakes every workspace whose wake-up was lost, or that has none yet; those that have left are forgotten on the way. */
  const sweep = async (): Promise<void> => {
    for await (const workspace of index.list()) {
      const { fields } = await workspaces.load(workspace);
      if (Object.keys(fields).length === 0 || (await deleteOrphan(redis, workspace, fields)))
        await index.removeAbsent(workspace);
      else if ((await queueNow().getDeduplicationJobId(workspace)) === null) await add(workspace, clock());
    }
  };

  return {
    /** Runs it once at `at` (ms), in place of an earlier plan. @throws store-unavailable */
    wake,
    /** Leaves no wake-up that names the workspace. @throws store-unavailable */
    forget,
    /** The workspace's record changed: it is run at once. If that can't be planned now, the next sweep does. Never rejects. */
    changed: (workspace: SlackId): Promise<void> =>
      wake(workspace, clock()).catch((err: unknown) =>
        log.warn({ err, workspace }, 'Could not plan a wake-up; Tally looks for lost ones every hour'),
      ),
    /** For how many ms the run that waits longest has been due, over all workspaces; undefined if Redis doesn't say. Never rejects. */
    oldestOverdue: (): Promise<Millis | undefined> =>
      bounded(async () => {
        const states = ['delayed', 'waiting', 'active'] as const;
        const jobs = await Promise.all(states.map((state) => queueNow().getJobs([state], 0, 0, true)));
        const now = clock();
        return Math.max(0, ...jobs.flat().map(({ timestamp, delay }) => now - timestamp - delay));
      }).catch(() => undefined),
    /** Delivers from now on, what is overdue first. */
    start(): void {
      worker = new Worker(
        QUEUE_NAME,
        async ({ name, data }) => void (await (name === 'wake' ? run(data.workspace) : sweep())),
        { ...options, ...WORKER_OPTIONS },
      );
      worker.on('error', onError).on('failed', (_, error) => onError(error));
      void Promise.all([
        queueNow().upsertJobScheduler('sweep', { every: SWEEP }, { name: 'sweep' }),
        queueNow().add('sweep', { workspace: '' }, { deduplication: { id: 'sweep' } }),
      ]).catch(onError);
    },
    /** Begins no further message, and lets running ones end within `finishing` ms. */
    async stop(finishing: Millis): Promise<void> {
      runner.stop();
      await withTimeout(finishing, worker?.close() ?? Promise.resolve(), () => undefined);
      const closed = Promise.all([worker?.close(true), opened?.close()]);
      await withTimeout(CLOSING, closed, () => undefined);
    },
  };
}
