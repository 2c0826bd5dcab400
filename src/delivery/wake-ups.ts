import { Queue, Worker } from 'bullmq';
import { StoreUnavailable } from '../domain/failure/index.ts';
import type { SlackId } from '../domain/slack-id.ts';
import { HOUR, type Millis } from '../domain/time/calendar.ts';
import type { RedisConnection } from '../redis/connect.ts';
import { guardRead } from '../redis/guard.ts';
import { QUEUE_NAME, QUEUE_PREFIX } from '../redis/keys.ts';
import { reportOutage } from '../redis/store-events.ts';
import { withTimeout } from '../runtime/timers.ts';

interface WakeUpParts {
  /** As `connectQueue` opens it; the caller closes it. */
  readonly connection: RedisConnection;
  readonly clock: () => Millis;
  readonly onError: (error: Error) => void;
  /** Every workspace that has a record. */
  readonly workspaces: () => AsyncIterable<SlackId>;
  /** BullMQ waits for Redis for as long as it is away; callers wait no longer than this. */
  readonly patience?: Millis;
}

/** Does what is due in a workspace, plans what comes next by `wake`, and rejects to be run again. */
export type RunWorkspace = (workspace: SlackId) => Promise<void>;

/** Runs mostly wait: for Slack, for billing, and for the second between two messages to one channel. */
const CONCURRENCY = 100;
/** How often workspaces are looked for whose wake-up was lost. */
const SWEEP: Millis = HOUR;
/** Closing a connection that does not answer takes no longer than this. */
const CLOSING: Millis = 1_000;

export type WakeUps = ReturnType<typeof createWakeUps>;

/**
 * One wake-up a workspace, at the next instant when it has something to do, by BullMQ's deduplication: waking it again
 * replaces the one that waits; while its run goes on, one more follows it, never beside it. A run whose process dies runs
 * again elsewhere; one that fails is tried again by BullMQ. The records say what a run does, so one that comes late, twice
 * or for nothing does no harm.
 *
 * @throws StoreUnavailable from each method
 */
export function createWakeUps({ connection, clock, onError, workspaces, patience = 3_000 }: WakeUpParts) {
  const options = { connection, prefix: QUEUE_PREFIX };
  const queue = new Queue<{ readonly workspace: SlackId }>(QUEUE_NAME, {
    ...options,
    defaultJobOptions: {
      removeOnComplete: true,
      removeOnFail: true,
      attempts: 12,
      backoff: { type: 'exponential', delay: 2_000 },
    },
  });
  queue.on('error', onError);
  let worker: Worker<{ readonly workspace: SlackId }> | undefined;

  const bounded = <T>(work: () => Promise<T>): Promise<T> =>
    withTimeout(patience, guardRead(work), () => {
      const cause = new Error('The queue timed out.');
      reportOutage(cause);
      throw new StoreUnavailable({ cause });
    });
  /** @param at ms since the epoch */
  const add = async (workspace: SlackId, at: Millis): Promise<void> => {
    const deduplication = { id: workspace, replace: true, keepLastIfActive: true };
    await queue.add('wake', { workspace }, { delay: Math.max(0, at - clock()), deduplication });
  };
  /** Wakes every workspace that has no wake-up: it was lost, or its process ended before it was planned. */
  const sweep = async (): Promise<void> => {
    for await (const workspace of workspaces())
      if ((await queue.getDeduplicationJobId(workspace)) === null) await add(workspace, clock());
  };

  return {
    /** Wakes it once at `at` (ms), in place of an earlier plan. */
    wake: (workspace: SlackId, at: Millis): Promise<void> => bounded(() => add(workspace, at)),
    /** Leaves nothing that names the workspace. */
    forget: (workspace: SlackId): Promise<void> =>
      bounded(async () => {
        const job = await queue.getDeduplicationJobId(workspace);
        if (job !== null) await queue.remove(job);
        // BullMQ's stream of events names it.
        await connection.del(queue.toKey('events'));
      }),
    /** For how many ms the job that waits longest has been due, the running ones included; 0 if none is. */
    oldestOverdue: (): Promise<Millis> =>
      bounded(async () => {
        const first = async (state: 'delayed' | 'waiting' | 'active') => queue.getJobs([state], 0, 0, true);
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
        queue.upsertJobScheduler('sweep', { every: SWEEP }, { name: 'sweep' }),
        queue.add('sweep', { workspace: '' }, { deduplication: { id: 'sweep' } }),
      ]).catch(onError);
    },
    /** Begins no further run; running ones have `finishing` ms to finish. */
    async stop(finishing: Millis): Promise<void> {
      await withTimeout(finishing, worker?.close() ?? Promise.resolve(), () => undefined);
      const closed = Promise.all([worker?.close(true), queue.close()]);
      await withTimeout(CLOSING, closed, () => undefined);
    },
  };
}
