import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { StoreUnavailable } from '../../domain/failure/index.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { MINUTE, type Millis } from '../../domain/time/calendar.ts';
import type { IndexEntry, WorkspaceIndex } from '../../workspace/record/workspace-index.ts';

export interface RepairParts {
  readonly index: WorkspaceIndex;
  readonly clock: () => Millis;
  readonly log: Logger;
}

/** Finds lost scheduled runs. Reads only workspaces whose check is due, in one process at a time. */
export interface Repairs {
  /** From now on, until it is stopped. */
  start(): void;
  stop(): void;
  /** Once, for every shard that no other process has. @throws StoreUnavailable */
  run(): Promise<void>;
}

/** The interval between checks, and the delay after a failed one; in ms. */
const INTERVAL = MINUTE;
const RETRY = 5_000;
/** How long a process has the checks of a shard without another word of it, in ms; shorter than the interval. */
const CLAIM_MS = 40_000;
/** Until a workspace is checked again whose check failed by itself, in ms. */
const FAILED_PAUSE = 600_000;
const PAGE = 200;
const PARALLEL = 20;

/** @param derive derives the runs of a workspace, and sets its next check @throws StoreUnavailable */
export function createRepairs(parts: RepairParts, derive: (workspace: SlackId) => Promise<void>): Repairs {
  const { index, clock, log } = parts;
  const owner = randomBytes(12).toString('base64url');
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  const repairShard = async (shard: number): Promise<void> => {
    const until = clock();
    while (!isStopped && (await index.claimChecks(shard, owner, CLAIM_MS))) {
      const due = await index.due(shard, until, PAGE);
      const queue = [...due];
      const work = async () => {
        for (let entry = queue.shift(); entry !== undefined && !isStopped; entry = queue.shift())
          await repairEntry(parts, entry, derive);
      };
      await Promise.all(Array.from({ length: PARALLEL }, work));
      if (due.length < PAGE) return;
    }
  };

  const run = async (): Promise<void> => {
    for (const shard of index.shards) if (!isStopped) await repairShard(shard);
  };

  const repeat = async (): Promise<void> => {
    const isDone = await run().then(
      () => true,
      (err: unknown) => {
        if (!isStopped) log.warn({ err }, 'could not check for lost runs; trying again soon');
        return false;
      },
    );
    if (isStopped) return;
    // At another moment than the processes that started together with this one.
    timer = setTimeout(() => void repeat(), isDone ? INTERVAL * (0.75 + Math.random() / 2) : RETRY);
    timer.unref();
  };

  return {
    run,
    start: () => void repeat(),
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

async function repairEntry(
  { index, clock, log }: RepairParts,
  { workspace }: IndexEntry,
  derive: (workspace: SlackId) => Promise<void>,
): Promise<void> {
  try {
    await derive(workspace);
  } catch (err) {
    if (err instanceof StoreUnavailable) throw err;
    // One workspace must not keep the others from being checked.
    log.error({ err, workspace }, 'could not derive the scheduled runs of a workspace');
    await index.setCheck(workspace, clock() + FAILED_PAUSE);
  }
}
