import { type Job, Queue, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { StoreUnavailable } from '../domain/failure/index.ts';
import type { Timing } from '../domain/time/cadence.ts';
import { withTimeout } from '../timeout.ts';
import { encodePattern, nextOccurrence } from './recurrence-pattern.ts';

/**
 * Wakes whoever delivers a workspace's posts: by the calendar of its schedules, and at single instants. It may wake
 * late, twice, or for nothing; what is to be done then is the record's and the ledger's to say.
 *
 * @throws StoreUnavailable from each method
 */
export interface Scheduler {
  /** From now on `ring` is called. */
  start(ring: (workspace: string) => Promise<void>): void;
  /** Wakes the workspace by these timings from now on; by none where there are none. Writes on a change only. */
  set(workspace: string, timings: readonly Timing[]): Promise<void>;
  /** Wakes it once at `at` (ms), or shortly after: those of one second are one, of one minute where it is far off. */
  wake(workspace: string, at: number): Promise<void>;
  /** Whoever is woken by timings. */
  workspaces(): Promise<readonly string[]>;
  /** Leaves nothing that names the workspace. */
  forget(workspace: string): Promise<void>;
  /** Wakes nobody any more; those awake have `patience` ms to finish. */
  stop(patience: number): Promise<void>;
}

export interface SchedulerParts {
  /** For the queue and its worker; closed by whoever opened it. */
  readonly connection: Redis;
  /** ms since the epoch */
  readonly clock: () => number;
  readonly onError: (error: Error) => void;
  /** A queue's command waits for Redis as long as it is away; nobody else does. In ms. */
  readonly patience?: number;
  /** Until a run that failed runs again, in ms. */
  readonly pause?: number;
}

const QUEUE = 'deliver';
const PREFIX = 'tally:jobs';
/** Runs mostly wait, for Slack and for the second between two posts to one channel. */
const AT_ONCE = 300;
/** A scheduler that is this late has lost its job; in ms. */
const LOST = 120_000;
/** Between two readings of a clock, in ms. */
const LEEWAY = 1_000;
/** From here on a single wake-up is reckoned in minutes; in ms. */
const FAR = 600_000;
/** Closing a connection that does not answer takes no longer than this, in ms. */
const CLOSING = 1_000;

/** The workspace's id, and nothing else. */
interface Payload {
  readonly workspace: string;
}

export function createScheduler(parts: SchedulerParts): Scheduler {
  const { connection, clock, onError, patience = 3_000, pause = 5_000 } = parts;
  const bounded = <T>(work: () => Promise<T>): Promise<T> =>
    withTimeout(patience, work(), () => {
      throw new StoreUnavailable();
    });
  /** BullMQ reads the machine's clock: ours may be ahead of it. */
  const ahead = () => clock() - Date.now();
  const settings = {
    repeatStrategy: (millis: number, { pattern = '' }: { readonly pattern?: string }) => {
      const next = nextOccurrence(pattern, millis + ahead());
      return next === undefined ? undefined : next - ahead();
    },
  };
  const options = {
    connection,
    prefix: PREFIX,
    // The stream of events would go on naming workspaces that have left.
    streams: { events: { maxLen: 0 } },
    defaultJobOptions: {
      removeOnComplete: true,
      removeOnFail: true,
      attempts: 20,
      backoff: { type: 'fixed', delay: pause },
    },
  };
  /** A clock or a zone's rules may have changed since; but the same once more would drop a run that is overdue. */
  const isRight = (planned: number, wanted: number | undefined): boolean => {
    const late = Date.now() - planned;
    if (late >= 0) return late < LOST;
    return wanted !== undefined && Math.abs(planned + ahead() - wanted) < LEEWAY;
  };
  const queue = new Queue<Payload>(QUEUE, { ...options, settings: settings as never });
  queue.on('error', onError);
  let worker: Worker<Payload> | undefined;

  return {
    start(ring) {
      worker ??= new Worker<Payload>(QUEUE, (job: Job<Payload>) => ring(job.data.workspace), {
        connection,
        prefix: PREFIX,
        settings: settings as never,
        concurrency: AT_ONCE,
        // A process that was killed is noticed within this and the next look, in ms.
        lockDuration: 6_000,
        stalledInterval: 3_000,
        // Nothing is lost by running again, and something would be by giving up.
        maxStalledCount: 1_000,
      });
      worker.on('error', onError);
      worker.on('failed', (_, error) => onError(error));
      // The stream is cut before its last event is written, which may be of a workspace that left meanwhile.
      worker.on('completed', () => void bounded(() => queue.trimEvents(0)).catch(onError));
    },
    async set(workspace, timings) {
      if (timings.length === 0) {
        await bounded(() => queue.removeJobScheduler(workspace));
        return;
      }
      const pattern = encodePattern(workspace, timings);
      const known = await bounded(() => queue.getJobScheduler(workspace));
      if (known?.pattern === pattern && isRight(known.next ?? 0, nextOccurrence(pattern, clock()))) return;
      await bounded(() =>
        queue.upsertJobScheduler(workspace, { pattern }, { name: QUEUE, data: { workspace } }),
      );
    },
    async wake(workspace, at) {
      const delay = Math.max(0, at - clock());
      const step = delay > FAR ? 60_000 : 1_000;
      const instant = Math.ceil(Math.max(at, clock()) / step) * step;
      const jobId = `${workspace}.${instant / 1000}`;
      await bounded(() => queue.add(QUEUE, { workspace }, { jobId, delay: instant - clock() }));
    },
    workspaces: async () => (await bounded(() => queue.getJobSchedulers())).map(({ key }) => key),
    async forget(workspace) {
      await bounded(async () => {
        await queue.removeJobScheduler(workspace);
        const single = await idsOf(connection, queue, `${workspace}.`);
        await Promise.all(single.map((id) => queue.remove(id)));
        await queue.trimEvents(0);
      });
    },
    async stop(ending) {
      if (worker !== undefined) {
        await withTimeout(ending, worker.close(), () => undefined);
        await withTimeout(CLOSING, worker.close(true), () => undefined);
      }
      await withTimeout(CLOSING, queue.close(), () => undefined);
    },
  };
}

/** Those that wait: one that runs goes by itself. */
async function idsOf(connection: Redis, queue: Queue, prefix: string): Promise<readonly string[]> {
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
