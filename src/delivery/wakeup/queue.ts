/** BullMQ's part in delivery: a queue a shard, and the worker that runs its jobs. Loaded once it is needed. */

import { type Job, Queue, Worker } from 'bullmq';
import type { SlackId } from '../../domain/slack-id.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import type { RedisConnection } from '../../redis/connect.ts';
import { QUEUE_NAME, queuePrefix } from '../../redis/keys.ts';

/** Only the workspace's ID. */
export interface Payload {
  readonly workspace: SlackId;
}

export type DeliverWorkspace = (workspace: SlackId) => Promise<void>;

export interface QueueParts {
  /** For the queue and its worker; the caller closes it. */
  readonly connection: RedisConnection;
  readonly clock: () => Millis;
  readonly onError: (error: Error) => void;
  /** How long after a failure a run is tried again, in ms. */
  readonly pause?: number;
}

export function createQueue(parts: QueueParts, shard: number): Queue<Payload> {
  const { connection, onError, pause = 5_000 } = parts;
  const queue = new Queue<Payload>(QUEUE_NAME, {
    connection,
    prefix: queuePrefix(shard),
    // BullMQ's stream of events would keep the IDs of workspaces that uninstalled.
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

export function createQueueWorker(
  parts: QueueParts,
  shard: number,
  concurrency: number,
  run: (job: Job<Payload>) => Promise<void>,
): Worker<Payload> {
  const { connection, onError } = parts;
  const worker = new Worker<Payload>(QUEUE_NAME, run, {
    connection,
    prefix: queuePrefix(shard),
    concurrency: Math.ceil(concurrency),
    // How soon the job of a process that was killed runs elsewhere, in ms.
    lockDuration: 6_000,
    stalledInterval: 3_000,
    // Running again does no harm, giving up would.
    maxStalledCount: 1_000,
    // How long a worker waits for a job before it asks again, in s; a job that comes wakes it at once.
    drainDelay: 10,
    // How long to wait after an outage of Redis, in ms.
    runRetryDelay: 1_000,
  });
  worker.on('error', onError);
  worker.on('failed', (_, error) => onError(error));
  return worker;
}
