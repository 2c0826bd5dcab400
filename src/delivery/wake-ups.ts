/** Starts each workspace's run when a message or check is due. A BullMQ job, the wake-up, waits for that time. */
import { Queue, Worker } from 'bullmq';
import type { Logger } from 'pino';
import { Failure } from '../domain/failure/index.ts';
import type { SlackId } from '../domain/slack-id.ts';
import { DAY, HOUR, type Millis } from '../domain/time/calendar.ts';
import type { RedisConnection } from '../redis/connect.ts';
import { QUEUE_NAME, QUEUE_PREFIX } from '../redis/keys.ts';
import { guardRedis, reportOutage } from '../redis/outages.ts';
import { withTimeout } from '../timeout.ts';
import { hashOf } from '../workspace/record/audited-change.ts';
import type { Workspaces } from '../workspace/record/workspace-repository.ts';
import { createWorkspaceIndex } from '../workspace/record/workspace-store.ts';
import type { WorkspaceRunner } from './run.ts';

export interface WakeUpServices {
  readonly redis: RedisConnection;
  readonly queue: RedisConnection;
  readonly workspaces: Pick<Workspaces, 'load'>;
  readonly clock: () => Millis;
  readonly log: Logger;
  readonly runner: WorkspaceRunner;
}

/** A process with a wrong clock can postpone a run by no more than this. */
const MAX_RUN_DELAY: Millis = DAY;
const SWEEP_INTERVAL: Millis = HOUR;
/** BullMQ waits for Redis without limit. Callers of this module wait only this long. */
const QUEUE_TIMEOUT: Millis = 3_000;
const CLOSE_TIMEOUT: Millis = 1_000;

const JOB_OPTIONS = {
  removeOnComplete: true,
  removeOnFail: true,
  attempts: 12,
  backoff: { type: 'exponential', delay: 2_000 },
} as const;

const WORKER_OPTIONS = {
  // A run mostly waits: for Slack, for billing, and between messages.
  concurrency: 100,
  // After this time another process takes over the jobs of a killed process.
  lockDuration: 6_000,
  stalledInterval: 3_000,
  // Practically without limit: repeating a run does no harm.
  maxStalledCount: 1_000,
  runRetryDelay: 1_000,
} as const;

interface WakeUp {
  readonly workspace: SlackId;
}

/** @throws store-unavailable unless stated otherwise */
export interface WakeUps {
  wake(workspace: SlackId, at: Millis): Promise<void>;
  forget(workspace: SlackId): Promise<void>;
  /**
   * Starts a run after a change to the workspace's record. If starting fails, the hourly sweep starts the run. Never
   * rejects.
   */
  changed(workspace: SlackId): Promise<void>;
  /** How long the most overdue workspace has waited; undefined if Redis doesn't answer. Never rejects. */
  oldestOverdue(): Promise<Millis | undefined>;
  start(): void;
  /** Sends no new messages, and waits up to `finishing` ms for those being sent. */
  stop(finishing: Millis): Promise<void>;
}

/**
 * BullMQ's deduplication keeps at most one wake-up of a workspace waiting: a new one replaces it, and during a run one
 * more is queued. BullMQ repeats crashed and failed runs. A late or repeated run does no harm, because what it does
 * depends only on the records.
 */
export function createWakeUps(services: WakeUpServices): WakeUps {
  const { queue: connection, clock, log, runner } = services;
  const onError = (err: Error): void => {
    reportOutage(err);
    log.debug({ err }, 'The delivery queue reported an error');
  };
  const queue = openQueue(connection, clock, onError);
  let worker: Worker<WakeUp> | undefined;
  const wake = (workspace: SlackId, at: Millis) => bounded(() => queue.add(workspace, at));
  const forget = (workspace: SlackId) => bounded(() => queue.remove(workspace));
  const run = (workspace: SlackId) =>
    runner.run(workspace, (next) =>
      next === undefined ? forget(workspace) : wake(workspace, Math.min(next, clock() + MAX_RUN_DELAY)),
    );
  return {
    wake,
    forget,
    changed: (workspace) =>
      wake(workspace, clock()).catch((err: unknown) =>
        log.warn(
          { err, workspace },
          'Could not schedule the next run; Tally looks for missed runs every hour',
        ),
      ),
    oldestOverdue: () => bounded(queue.oldestOverdue).catch(() => undefined),
    start() {
      worker = new Worker(
        QUEUE_NAME,
        async ({ name, data }) =>
          void (await (name === 'wake' ? run(data.workspace) : sweep(queue, services))),
        { connection, prefix: QUEUE_PREFIX, ...WORKER_OPTIONS },
      );
      worker.on('error', onError).on('failed', (_, error) => onError(error));
      queue.startSweeps().catch(onError);
    },
    async stop(finishing) {
      runner.stop();
      await withTimeout(finishing, worker?.close() ?? Promise.resolve(), () => undefined);
      const closed = Promise.all([worker?.close(true), queue.close()]);
      await withTimeout(CLOSE_TIMEOUT, closed, () => undefined);
    },
  };
}

const bounded = <T>(work: () => Promise<T>): Promise<T> =>
  withTimeout(QUEUE_TIMEOUT, guardRedis(work), () => {
    const cause = new Error('The queue timed out.');
    reportOutage(cause);
    throw new Failure('store-unavailable', {}, { cause });
  });

/** Opens the queue at its first use: opening writes to Redis, which may have another version's data. */
function openQueue(connection: RedisConnection, clock: () => Millis, onError: (error: Error) => void) {
  let opened: Queue<WakeUp> | undefined;
  const queue = () => {
    const options = { connection, prefix: QUEUE_PREFIX, defaultJobOptions: JOB_OPTIONS };
    opened ??= new Queue<WakeUp>(QUEUE_NAME, options).on('error', onError);
    return opened;
  };
  return {
    async add(workspace: SlackId, at: Millis): Promise<void> {
      const deduplication = { id: workspace, replace: true, keepLastIfActive: true };
      await queue().add('wake', { workspace }, { delay: Math.max(0, at - clock()), deduplication });
    },
    has: async (workspace: SlackId) => (await queue().getDeduplicationJobId(workspace)) !== null,
    async remove(workspace: SlackId): Promise<void> {
      const job = await queue().getDeduplicationJobId(workspace);
      if (job !== null) await queue().remove(job);
      // BullMQ still stores the job that follows a running one (`dn`), and the workspace's ID in its event stream.
      await connection.del(queue().toKey(`dn:${workspace}`), queue().toKey('events'));
    },
    async oldestOverdue(): Promise<Millis> {
      const states = ['delayed', 'waiting', 'active'] as const;
      const jobs = await Promise.all(states.map((state) => queue().getJobs([state], 0, 0, true)));
      const now = clock();
      return Math.max(0, ...jobs.flat().map(({ timestamp, delay }) => now - timestamp - delay));
    },
    async startSweeps(): Promise<void> {
      await queue().upsertJobScheduler('sweep', { every: SWEEP_INTERVAL }, { name: 'sweep' });
      await queue().add('sweep', { workspace: '' }, { deduplication: { id: 'sweep' } });
    },
    close: async () => opened?.close(),
  };
}

async function sweep(
  queue: ReturnType<typeof openQueue>,
  { redis, workspaces, clock }: WakeUpServices,
): Promise<void> {
  const index = createWorkspaceIndex(redis);
  for await (const workspace of index.list()) {
    const { fields } = await workspaces.load(workspace);
    if (Object.keys(fields).length === 0) await index.removeAbsent(workspace);
    else if (!(await queue.has(workspace))) await queue.add(workspace, clock());
  }
}

/** All processes put the same text into the same bucket. @returns 0 to `count` - 1 */
export const hashBucket = (text: string, count: number): number =>
  Number.parseInt(hashOf(text).slice(0, 8), 16) % count;
