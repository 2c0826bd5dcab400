import { Queue, Worker } from 'bullmq';
import type { Logger } from 'pino';
import { Failure } from '../domain/failure/index.ts';
import type { SlackId } from '../domain/slack-id.ts';
import { DAY, HOUR, type Millis } from '../domain/time/calendar.ts';
import type { RedisConnection } from '../redis/connect.ts';
import { guardRead } from '../redis/guard.ts';
import { QUEUE_NAME, QUEUE_PREFIX } from '../redis/keys.ts';
import { reportOutage } from '../redis/store-events.ts';
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

/** What is planned too far ahead may be overtaken, as by new rules of a time zone. */
const LONGEST: Millis = DAY;

/** Runs each workspace when it has something to do, and plans its next wake-up. */
export function planWakeUps({ redis, queue, workspaces, clock, log, runner }: WakeUpParts) {
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
        await runner.run(workspace, (next) =>
          next === undefined
            ? wakeUps.forget(workspace)
            : wakeUps.wake(workspace, Math.min(next, clock() + LONGEST)),
        );
      });
    },
    /** Begins no further message, and lets running ones end within `patience` ms. */
    async stop(patience: Millis): Promise<void> {
      runner.stop();
      await wakeUps.stop(patience);
    },
    /** Leaves no wake-up that names the workspace. @throws store-unavailable */
    forget: wakeUps.forget,
  };
}

interface QueueParts {
  /** As `connectQueue` opens it; the caller closes it. */
  readonly connection: RedisConnection;
  readonly clock: () => Millis;
  readonly onError: (error: Error) => void;
  /** Every workspace that has a record. */
  readonly workspaces: () => AsyncIterable<SlackId>;
}

/** Does what is due in a workspace, plans what comes next by `wake`, and rejects to be run again. */
type RunWorkspace = (workspace: SlackId) => Promise<void>;

/** Runs mostly wait: for Slack, for billing, and for the second between two messages to one channel. */
const CONCURRENCY = 100;
/** How often workspaces are looked for whose wake-up was lost. */
const SWEEP: Millis = HOUR;
/** BullMQ waits for Redis for as long as it is away; callers wait no longer than this, in ms. */
const PATIENCE: Millis = 3_000;
/** Closing a connection that does not answer takes no longer than this. */
const CLOSING: Millis = 1_000;

/**
 * One wake-up a workspace, at the next instant when it has something to do, by BullMQ's deduplication: waking it again
 * replaces the one that waits; while its run goes on, one more follows it, never beside it. A run whose process dies runs
 * again elsewhere; one that fails is tried again by BullMQ. The records say what a run does, so one that comes late, twice
 * or for nothing does no harm.
 *
 * @throws store-unavailable from each method
 */
export function createWakeUps({ connection, clock, onError, workspaces }: QueueParts) {
  const options = { connection, prefix: QUEUE_PREFIX };
  let opened: Queue<{ readonly workspace: SlackId }> | undefined;
  /** Opened when it is first used: that writes into Redis, where another version's records may be. */
  const queueNow = () => {
    if (opened !== undefined) return opened;
    const defaultJobOptions = {
      removeOnComplete: true,
      removeOnFail: true,
      attempts: 12,
      backoff: { type: 'exponential', delay: 2_000 },
    };
    opened = new Queue(QUEUE_NAME, { ...options, defaultJobOptions });
    opened.on('error', onError);
    return opened;
  };
  let worker: Worker<{ readonly workspace: SlackId }> | undefined;

  const bounded = <T>(work: () => Promise<T>): Promise<T> =>
    withTimeout(PATIENCE, guardRead(work), () => {
      const cause = new Error('The queue timed out.');
      reportOutage(cause);
      throw new Failure('store-unavailable', {}, { cause });
    });
  /** @param at ms since the epoch */
  const add = async (workspace: SlackId, at: Millis): Promise<void> => {
    const deduplication = { id: workspace, replace: true, keepLastIfActive: true };
    await queueNow().add('wake', { workspace }, { delay: Math.max(0, at - clock()), deduplication });
  };
  /** Wakes every workspace that has no wake-up: it was lost, or its process ended before it was planned. */
  const sweep = async (): Promise<void> => {
    for await (const workspace of workspaces())
      if ((await queueNow().getDeduplicationJobId(workspace)) === null) await add(workspace, clock());
  };

  return {
    /** Wakes it once at `at` (ms), in place of an earlier plan. */
    wake: (workspace: SlackId, at: Millis): Promise<void> => bounded(() => add(workspace, at)),
    /** Leaves nothing that names the workspace. */
    forget: (workspace: SlackId): Promise<void> =>
      bounded(async () => {
        const job = await queueNow().getDeduplicationJobId(workspace);
        if (job !== null) await queueNow().remove(job);
        // BullMQ's stream of events names it.
        await connection.del(queueNow().toKey('events'));
      }),
    /** For how many ms the job that waits longest has been due, the running ones included; 0 if none is. */
    oldestOverdue: (): Promise<Millis> =>
      bounded(async () => {
        const first = async (state: 'delayed' | 'waiting' | 'active') =>
          queueNow().getJobs([state], 0, 0, true);
        const jobs = (await Promise.all([first('delayed'), first('waiting'), first('active')])).flat();
        const now = clock();
        return Math.max(0, ...jobs.map(({ timestamp, delay }) => now - timestamp - delay));
      }),
    /** Runs each workspace that is due from now on, and sweeps for lost wake-ups, the first time now. */
    start(run: RunWorkspace): void {
      worker = new Worker(QUEUE_NAME, ({ name, data }) => (name === 'wake' ? run(data.workspace) : sweep()), {
        ...options,
        concurrency: CONCURRENCY,
        // How soon the job of a process that was killed runs elsewhere, in ms.
        lockDuration: 6_000,
        stalledInterval: 3_000,
        // Running again does no harm, giving up would.
        maxStalledCount: 1_000,
        // How long to wait after an outage of Redis, in ms.
        runRetryDelay: 1_000,
      });
      worker.on('error', onError);
      worker.on('failed', (_, error) => onError(error));
      void Promise.all([
        queueNow().upsertJobScheduler('sweep', { every: SWEEP }, { name: 'sweep' }),
        queueNow().add('sweep', { workspace: '' }, { deduplication: { id: 'sweep' } }),
      ]).catch(onError);
    },
    /** Begins no further run; running ones have `finishing` ms to finish. */
    async stop(finishing: Millis): Promise<void> {
      await withTimeout(finishing, worker?.close() ?? Promise.resolve(), () => undefined);
      const closed = Promise.all([worker?.close(true), opened?.close()]);
      await withTimeout(CLOSING, closed, () => undefined);
    },
  };
}
