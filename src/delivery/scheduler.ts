import { type Job, Queue, Worker } from 'bullmq';
import { StoreUnavailable } from '../domain/failure/index.ts';
import type { Timing } from '../domain/time/cadence.ts';
import { guardRead, type RedisConnection } from '../redis.ts';
import { withTimeout } from '../timeout.ts';
import { queuePrefix } from '../workspace/keys.ts';
import { shardOf } from '../workspace/layout.ts';
import { encodePattern, nextOccurrence } from './recurrence-pattern.ts';

/**
 * Schedules delivery runs: by the calendar of a workspace's schedules, and at single instants. A run may come late, twice
 * or for nothing; what it does is decided by the records and the delivery log.
 *
 * @throws StoreUnavailable from each method
 */
export interface Scheduler {
  /** Calls `run` with each workspace that is due, from now on. */
  start(run: (workspace: string) => Promise<void>): void;
  /** Replaces the timings of a workspace; writes only if they differ. */
  setTimings(workspace: string, timings: readonly Timing[]): Promise<void>;
  /** Runs once at `at` (ms), or shortly after: runs of the same second, or of the same minute if far off, are merged. */
  runAt(workspace: string, at: number): Promise<void>;
  /** Leaves nothing that names the workspace. @param shard where it is; by itself the one that it belongs to */
  forget(workspace: string, shard?: number): Promise<void>;
  /** Begins no further run; running ones have `patience` ms to finish. */
  stop(patience: number): Promise<void>;
}

export interface SchedulerParts {
  /** For the queue and its worker; the caller closes it. */
  readonly connection: RedisConnection;
  /** Among how many shards workspaces are spread. @throws StoreUnavailable */
  readonly shards: () => Promise<number>;
  /** ms since the epoch */
  readonly clock: () => number;
  readonly onError: (error: Error) => void;
  /** BullMQ waits for Redis for as long as it is away; callers wait no longer than this, in ms. */
  readonly patience?: number;
  /** Until a run that failed runs again, in ms. */
  readonly pause?: number;
}

const QUEUE = 'deliver';
/** Of all shards together. Runs mostly wait: for Slack, and for the second between two posts to one channel. */
const CONCURRENCY = 300;
/** Of each shard at least: few workspaces do not spread evenly. */
const LEAST_CONCURRENCY = 40;
/** Until the start tries again if Redis does not answer, in ms. */
const START_RETRY = 1_000;
/** A job scheduler that is this late has lost its job; in ms. */
const LOST = 120_000;
/** Between two readings of a clock, in ms. */
const LEEWAY = 1_000;
/** From here on single runs are planned by the minute; in ms. */
const FAR = 600_000;
/** Closing a connection that does not answer takes no longer than this, in ms. */
const CLOSING = 1_000;

/** Only the workspace's ID. */
interface Payload {
  readonly workspace: string;
}

export function createScheduler(parts: SchedulerParts): Scheduler {
  const { connection, clock, onError, patience = 3_000 } = parts;
  const bounded = <T>(work: () => Promise<T>): Promise<T> =>
    withTimeout(patience, guardRead(work), () => {
      throw new StoreUnavailable();
    });
  const queues = new Map<number, Queue<Payload>>();
  const queueOf = (shard: number): Queue<Payload> => {
    const queue = queues.get(shard) ?? createQueue(parts, shard);
    queues.set(shard, queue);
    return queue;
  };
  const queueFor = async (workspace: string): Promise<Queue<Payload>> =>
    queueOf(shardOf(workspace, await parts.shards()));
  const workers = createWorkers(
    parts,
    (shard) => void bounded(() => queueOf(shard).trimEvents(0)).catch(onError),
  );

  return {
    start: workers.start,
    async setTimings(workspace, timings) {
      const queue = await queueFor(workspace);
      if (timings.length === 0) {
        await bounded(() => queue.removeJobScheduler(workspace));
        return;
      }
      const pattern = encodePattern(workspace, timings);
      const known = await bounded(() => queue.getJobScheduler(workspace));
      if (known?.pattern === pattern && isOnTime(known.next ?? 0, pattern, clock)) return;
      await bounded(() =>
        queue.upsertJobScheduler(workspace, { pattern }, { name: QUEUE, data: { workspace } }),
      );
    },
    async runAt(workspace, at) {
      const queue = await queueFor(workspace);
      const delay = Math.max(0, at - clock());
      const step = delay > FAR ? 60_000 : 1_000;
      const instant = Math.ceil((clock() + delay) / step) * step;
      const jobId = `${workspace}.${instant / 1000}`;
      await bounded(() => queue.add(QUEUE, { workspace }, { jobId, delay: instant - clock() }));
    },
    async forget(workspace, shard) {
      const queue = shard === undefined ? await queueFor(workspace) : queueOf(shard);
      await bounded(async () => {
        await queue.removeJobScheduler(workspace);
        const single = await findJobIds(connection, queue, `${workspace}.`);
        await Promise.all(single.map((id) => queue.remove(id)));
        await queue.trimEvents(0);
      });
    },
    async stop(finishing) {
      await workers.stop(finishing);
      const closed = [...queues.values()].map((queue) => queue.close());
      await withTimeout(CLOSING, Promise.all(closed), () => undefined);
    },
  };
}

/** One worker a shard; each holds a connection that waits for jobs. */
function createWorkers(parts: SchedulerParts, onCompleted: (shard: number) => void) {
  const { shards, onError } = parts;
  const workers: Worker<Payload>[] = [];
  const stopped = new AbortController();
  const startAll = async (run: (workspace: string) => Promise<void>): Promise<void> => {
    const count = await shards();
    if (stopped.signal.aborted) return;
    for (let shard = 0; shard < count; shard += 1) {
      const worker = createWorker(parts, shard, Math.max(LEAST_CONCURRENCY, CONCURRENCY / count), run);
      // BullMQ trims the stream before it writes the last event, which may name a workspace that has left.
      worker.on('completed', () => onCompleted(shard));
      workers.push(worker);
    }
  };

  return {
    start(run: (workspace: string) => Promise<void>): void {
      const attempt = (): void =>
        void startAll(run).catch((error: Error) => {
          onError(error);
          setTimeout(() => !stopped.signal.aborted && attempt(), START_RETRY).unref();
        });
      attempt();
    },
    async stop(finishing: number): Promise<void> {
      stopped.abort();
      const close = (isForced: boolean) => Promise.all(workers.map((worker) => worker.close(isForced)));
      await withTimeout(finishing, close(false), () => undefined);
      await withTimeout(CLOSING, close(true), () => undefined);
    },
  };
}

function createQueue(parts: SchedulerParts, shard: number): Queue<Payload> {
  const { connection, onError, pause = 5_000 } = parts;
  const queue = new Queue<Payload>(QUEUE, {
    connection,
    prefix: queuePrefix(shard),
    settings: repeatSettings(parts) as never,
    // The stream of events would go on naming workspaces that have left.
    streams: { events: { maxLen: 0 } },
    defaultJobOptions: {
      removeOnComplete: true,
      removeOnFail: true,
      attempts: 20,
      backoff: { type: 'fixed', delay: pause },
    },
  });
  queue.on('error', onError);
  return queue;
}

function createWorker(
  parts: SchedulerParts,
  shard: number,
  concurrency: number,
  run: (workspace: string) => Promise<void>,
): Worker<Payload> {
  const { connection, onError } = parts;
  const worker = new Worker<Payload>(QUEUE, (job: Job<Payload>) => run(job.data.workspace), {
    connection,
    prefix: queuePrefix(shard),
    settings: repeatSettings(parts) as never,
    concurrency: Math.ceil(concurrency),
    // How soon the job of a process that was killed runs elsewhere, in ms.
    lockDuration: 6_000,
    stalledInterval: 3_000,
    // Running again does no harm, giving up would.
    maxStalledCount: 1_000,
    // How long a worker waits for a job before it asks again, in s; a job that comes wakes it at once.
    drainDelay: 10,
    // After an outage, in ms.
    runRetryDelay: 1_000,
  });
  worker.on('error', onError);
  worker.on('failed', (_, error) => onError(error));
  return worker;
}

/** BullMQ uses the machine's clock, which may differ from this one. */
const aheadOfMachine = (clock: () => number): number => clock() - Date.now();

const repeatSettings = ({ clock }: SchedulerParts) => ({
  repeatStrategy(millis: number, { pattern = '' }: { readonly pattern?: string }) {
    const next = nextOccurrence(pattern, millis + aheadOfMachine(clock));
    return next === undefined ? undefined : next - aheadOfMachine(clock);
  },
});

/** False if a clock or a zone's rules changed since. An overdue run counts as on time: setting it again would drop it. */
function isOnTime(planned: number, pattern: string, clock: () => number): boolean {
  const late = Date.now() - planned;
  if (late >= 0) return late < LOST;
  const wanted = nextOccurrence(pattern, clock());
  return wanted !== undefined && Math.abs(planned + aheadOfMachine(clock) - wanted) < LEEWAY;
}

/** Jobs that wait; a running one is removed when it ends. */
async function findJobIds(
  connection: RedisConnection,
  queue: Queue,
  prefix: string,
): Promise<readonly string[]> {
  const found = new Set<string>();
  let cursor = '0';
  do {
    const page = await connection.zscan(
      queue.toKey('delayed'),
      cursor,
      'MATCH',
      `${prefix}*`,
      'COUNT',
      1_000,
    );
    cursor = page[0];
    for (let at = 0; at < page[1].length; at += 2) found.add(page[1][at] ?? '');
  } while (cursor !== '0');
  for (const id of await connection.lrange(queue.toKey('wait'), 0, -1))
    if (id.startsWith(prefix)) found.add(id);
  return [...found];
}
