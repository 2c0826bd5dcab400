import type { Job, Queue, Worker } from 'bullmq';
import { Failure } from '../../domain/failure/index.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import type { RedisConnection } from '../../redis/connect.ts';
import { guardRead } from '../../redis/guard.ts';
import { QUEUE_NAME, queueKey, queueListKey, shardCount, shardOf, shardsOf } from '../../redis/keys.ts';
import { reportOutage } from '../../redis/store-events.ts';
import { repeat, withTimeout } from '../../runtime/timers.ts';
import type { DeliverWorkspace, Payload, QueueParts } from './queue.ts';

/**
 * Wakes workspaces for their deliveries. A run may come late, twice or for nothing: the records and the delivery log decide
 * what it does. So nothing takes back a wake-up that is no longer needed.
 *
 * @throws StoreUnavailable from each method
 */
export type Scheduler = ReturnType<typeof createScheduler>;

interface SchedulerParts extends QueueParts {
  /** BullMQ waits for Redis for as long as it is away; callers wait no longer than this. */
  readonly patience?: Millis;
  /** How often a process without queues looks whether another process has scheduled something; in ms. */
  readonly lookAgain?: Millis;
}

/**
 * Of all shards together. Runs mostly wait: for Slack, and for the second between two posts to one channel. With many more
 * of them, commands of a process that is short of CPU time out, and everything is tried again.
 */
const CONCURRENCY = 100;
/** The default of `SchedulerParts.lookAgain`. A process runs what it schedules, so this matters only after it has died. */
const LOOK_AGAIN: Millis = 30_000;
/** The lower bound for each shard: few workspaces are spread unevenly over the shards. */
const LEAST_CONCURRENCY = 40;
/** `LOOK_AGAIN` where Redis did not answer. */
const LOOK_RETRY: Millis = 1_000;
/** Closing a connection that does not answer takes no longer than this. */
const CLOSING: Millis = 1_000;

/** The bundler can only load a module of Tally's own later, and bullmq with it. */
const loadQueues = () => import('./queue.ts');

const hasQueue = async (connection: RedisConnection, shard: number): Promise<boolean> =>
  (await connection.exists(queueKey(shard))) === 1;

/**
 * BullMQ loads once anything is scheduled, in this process or another: it takes several MB, and each shard's worker a
 * connection that waits.
 */
export function createScheduler(parts: SchedulerParts) {
  const { connection, clock, onError, patience = 3_000 } = parts;
  const bounded = <T>(work: () => Promise<T>): Promise<T> =>
    withTimeout(patience, guardRead(work), () => {
      const cause = new Error('The queue timed out.');
      reportOutage(cause);
      throw new Failure('store-unavailable', {}, { cause });
    });
  const queues = new Map<number, Promise<Queue<Payload>>>();
  const queueOf = (shard: number): Promise<Queue<Payload>> => {
    const queue = queues.get(shard) ?? loadQueues().then(({ createQueue }) => createQueue(parts, shard));
    queues.set(shard, queue);
    return queue;
  };
  const workers = createWorkers(parts, async (shard) => {
    const queue = await queueOf(shard);
    await bounded(() => deleteEvents(connection, queue)).catch(onError);
  });

  return {
    /** Calls its argument with each workspace that is due, from now on. */
    start: workers.start,
    /** Runs once at `at`, or shortly after, however often and by whichever process that was asked for. */
    async runAt(workspace: SlackId, at: Millis): Promise<void> {
      const shard = shardOf(connection, workspace);
      const queue = await queueOf(shard);
      // This process may be the only one to know of the run.
      workers.ensure(shard);
      const delay = Math.max(0, at - clock());
      const jobId = workers.freeId(workspace, Math.max(at, clock()));
      await bounded(() => queue.add(QUEUE_NAME, { workspace }, { jobId, delay }));
    },
    /** Leaves nothing that names the workspace. */
    async forget(workspace: SlackId): Promise<void> {
      const shard = shardOf(connection, workspace);
      // Without a queue nothing was ever scheduled in the shard.
      if (!queues.has(shard) && !(await bounded(() => hasQueue(connection, shard)))) return;
      const queue = await queueOf(shard);
      await bounded(async () => {
        const ids = await findJobIds(connection, queue, `${workspace}.`);
        await Promise.all(ids.map((id) => queue.remove(id)));
        await deleteEvents(connection, queue);
      });
    },
    /** Begins no further run; running ones have `finishing` ms to finish. */
    async stop(finishing: Millis): Promise<void> {
      await workers.stop(finishing);
      const closed = [...queues.values()].map(async (queue) => (await queue).close());
      await withTimeout(CLOSING, Promise.all(closed), () => undefined);
    },
  };
}

/** A worker for each shard with a queue; each holds a connection that waits for jobs. */
function createWorkers(parts: SchedulerParts, onCompleted: (shard: number) => Promise<void>) {
  const { connection, onError, lookAgain = LOOK_AGAIN } = parts;
  const concurrency = Math.max(LEAST_CONCURRENCY, CONCURRENCY / shardCount(connection));
  const workers = new Map<number, Promise<Worker<Payload>>>();
  const running = new Set<string>();
  let run: DeliverWorkspace | undefined;
  let stopLooking = (): void => undefined;

  const begin = async (shard: number, work: DeliverWorkspace): Promise<Worker<Payload>> => {
    const { createQueueWorker } = await loadQueues();
    const worker = createQueueWorker(parts, shard, concurrency, async ({ id = '', data }: Job<Payload>) => {
      running.add(id);
      await work(data.workspace).finally(() => running.delete(id));
    });
    // BullMQ trims the stream before it writes the last event, which may name a workspace that has left.
    worker.on('completed', () => void onCompleted(shard));
    return worker;
  };
  /** BullMQ takes no second job of one ID, not even while the first one runs: by a clock that went back it runs too early. */
  const freeId = (workspace: SlackId, at: Millis): string => {
    const id = `${workspace}.${at}`;
    return running.has(id) ? freeId(workspace, at + 1) : id;
  };
  const ensure = (shard: number): void => {
    if (run === undefined || workers.has(shard)) return;
    workers.set(shard, begin(shard, run));
  };
  const look = async (): Promise<void> => {
    const idle = shardsOf(connection).filter((shard) => !workers.has(shard));
    const found = await Promise.all(idle.map((shard) => guardRead(() => hasQueue(connection, shard))));
    for (const [at, shard] of idle.entries()) if (found[at]) ensure(shard);
  };

  return {
    ensure,
    freeId,
    start(work: DeliverWorkspace): void {
      run = work;
      stopLooking = repeat(look, { pause: () => lookAgain, retry: LOOK_RETRY, onError });
    },
    async stop(finishing: number): Promise<void> {
      run = undefined;
      stopLooking();
      const started = await Promise.all(workers.values());
      const close = (isForced: boolean) => Promise.all(started.map((worker) => worker.close(isForced)));
      await withTimeout(finishing, close(false), () => undefined);
      await withTimeout(CLOSING, close(true), () => undefined);
    },
  };
}

/** BullMQ's own `trimEvents` lets Redis keep some, and they can name a workspace that has left. */
const deleteEvents = (connection: RedisConnection, queue: Queue): Promise<number> =>
  connection.xtrim(queue.toKey('events'), 'MAXLEN', 0);

/** The waiting jobs of a workspace; a running job is removed when it ends. */
async function findJobIds(
  connection: RedisConnection,
  queue: Queue,
  prefix: string,
): Promise<readonly string[]> {
  const found = new Set<string>();
  let cursor = '0';
  do {
    const options = ['MATCH', `${prefix}*`, 'COUNT', 1_000] as const;
    const [next, page] = await connection.zscan(queue.toKey('delayed'), cursor, ...options);
    cursor = next;
    for (let at = 0; at < page.length; at += 2) found.add(page[at] ?? '');
  } while (cursor !== '0');
  for (const id of await connection.lrange(queue.toKey('wait'), 0, -1))
    if (id.startsWith(prefix)) found.add(id);
  return [...found];
}

/** How many of a shard's earliest runs are read. `FAILED_AHEAD`: a failed run is planned again a few seconds ahead, in ms. */
const FIRST = 100;
const FAILED_AHEAD = 10_000;
/** BullMQ orders delayed jobs by their instant in ms times this. */
const SCORE_PER_MS = 0x1000;

/**
 * Reads a few entries of each shard, however many workspaces there are: runs whose time has come and that no process has
 * taken, and runs that have not ended.
 *
 * @param clock ms since the epoch
 * @returns for how many ms the oldest of them has been due, 0 if none is @throws StoreUnavailable
 */
export async function loadOldestOverdue(redis: RedisConnection, clock: () => Millis): Promise<number> {
  const until = (Date.now() + FAILED_AHEAD) * SCORE_PER_MS;
  const overdueOf = async (shard: number): Promise<number> => {
    const [delayed, waiting, running] = await guardRead(() =>
      Promise.all([
        redis.zrangebyscore(queueListKey(shard, 'delayed'), '-inf', until, 'LIMIT', 0, FIRST),
        redis.lrange(queueListKey(shard, 'wait'), -FIRST, -1),
        redis.lrange(queueListKey(shard, 'active'), -FIRST, -1),
      ]),
    );
    const due = [...delayed, ...waiting, ...running].map(dueAt);
    const now = clock();
    return now - Math.min(now, ...due);
  };
  return Math.max(...(await Promise.all(shardsOf(redis).map(overdueOf))));
}

/** By its ID, as `runAt` names it: `T1.<ms>`. */
const dueAt = (job: string): Millis => Number(job.slice(job.indexOf('.') + 1));
