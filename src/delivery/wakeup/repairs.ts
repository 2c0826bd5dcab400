import { randomBytes } from 'node:crypto';
import pLimit from 'p-limit';
import { StoreUnavailable } from '../../domain/failure/index.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { MINUTE, type Millis } from '../../domain/time/calendar.ts';
import { repeat } from '../../runtime/timers.ts';
import type { IndexEntry, WorkspaceIndex } from '../../workspace/record/workspace-index.ts';
import type { RunnerParts } from '../workspace-runner.ts';

/** The interval between checks, and the delay after a failed check. */
const INTERVAL: Millis = MINUTE;
const RETRY: Millis = 5_000;
/** How often the log repeats that checks fail. */
const REMINDER: Millis = 10 * MINUTE;
/** How long a process keeps the checks of a shard unless it claims them again; shorter than the interval. */
const CLAIM: Millis = 40_000;
/** The pause before a workspace is checked again whose own check failed. */
const FAILED_PAUSE: Millis = 10 * MINUTE;
const PAGE = 200;
const PARALLEL = 20;

interface RepairParts extends Pick<RunnerParts, 'clock' | 'log'> {
  readonly index: WorkspaceIndex;
}

/**
 * Finds lost scheduled runs. Reads only workspaces whose check is due, in one process at a time.
 *
 * @param derive derives the runs of a workspace, and sets its next check @throws StoreUnavailable
 */
export function createRepairs(parts: RepairParts, derive: (workspace: SlackId) => Promise<void>) {
  const { index, clock, log } = parts;
  const owner = randomBytes(12).toString('base64url');
  const limit = pLimit(PARALLEL);
  let stop = (): void => undefined;

  const repairShard = async (shard: number, stopping?: AbortSignal): Promise<void> => {
    const until = clock();
    while (!stopping?.aborted && (await index.claimChecks(shard, owner, CLAIM))) {
      const due = await index.due(shard, until, PAGE);
      const repair = async (entry: IndexEntry) => {
        if (!stopping?.aborted) await repairEntry(parts, entry, derive);
      };
      await Promise.all(due.map((entry) => limit(repair, entry)));
      if (due.length < PAGE) return;
    }
  };

  const run = async (stopping?: AbortSignal): Promise<void> => {
    for (const shard of index.shards) if (!stopping?.aborted) await repairShard(shard, stopping);
  };

  return {
    /** Once, for every shard that no other process has. @throws StoreUnavailable */
    run: () => run(),
    start(): void {
      let logged: Millis | undefined;
      const check = async (stopping: AbortSignal): Promise<void> => {
        await run(stopping);
        if (logged !== undefined) log.info('Tally checks for lost runs again');
        logged = undefined;
      };
      stop = repeat(check, {
        // Random, so that processes that started together don't check at the same moment.
        pause: () => INTERVAL * (0.75 + Math.random() / 2),
        retry: RETRY,
        onError(err) {
          if (logged !== undefined && clock() < logged + REMINDER) return;
          logged = clock();
          log.warn({ err }, 'Could not check for lost runs; Tally tries again soon');
        },
      });
    },
    stop: () => stop(),
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
    // A workspace that can't be checked must not keep the others from it.
    log.error({ err, workspace }, 'Could not schedule the runs of a workspace');
    await index.setCheck(workspace, clock() + FAILED_PAUSE);
  }
}
