import { setTimeout as sleep } from 'node:timers/promises';
import { pluralize } from '../domain/language/text.ts';
import type { RedisConnection } from '../redis/connect.ts';
import { hasBots } from '../workspace/credentials/connected-bots.ts';
import { createLayout, finishLayout, layoutOf, shardOf } from '../workspace/record/layout.ts';
import { ANNOUNCED_MS } from '../workspace/record/layout-transition.ts';
import { deleteOldQueue, hasOldKeys, listOldIds, moveWorkspace } from '../workspace/record/old-layout.ts';

export interface MigrateParts {
  readonly redis: RedisConnection;
  /** Prints a line of progress. */
  readonly printLine: (line: string) => void;
  /** How long bots have to hear of the move before it begins, in ms. */
  readonly announced?: number;
}

/** Prints a progress line after this many workspaces. */
const PROGRESS_INTERVAL = 1_000;

/**
 * Moves all keys from the names of an earlier version to today's, one workspace at a time and each at once, while bots of
 * this version run. It can be interrupted at any step: a second run continues when the first one ended, and also takes in
 * what a bot of the earlier version wrote since.
 *
 * @returns whether everything is moved: not while bots of the earlier version run
 * @throws StoreUnavailable
 */
export async function migrateKeys({
  redis,
  printLine,
  announced = ANNOUNCED_MS,
}: MigrateParts): Promise<boolean> {
  const { version } = await layoutOf(redis);
  if (version > 1 && (await isDone(redis))) {
    printLine('All keys have the names of this version. Nothing to do.');
    return true;
  }
  const isOldRunning = await hasBots(redis, 'earlier');
  if (isOldRunning) {
    printLine(
      'A bot of the earlier version is still connected and would lose sight of what moves. Update every bot, then run this again.',
    );
    return false;
  }
  if (isOldRunning === undefined)
    printLine('Redis doesn’t allow CLIENT LIST. Make sure that no bot of the earlier version runs.');
  if (version === 1) await createLayout(redis, announced);
  await untilBegun(redis, printLine);
  const moved = await moveAll(redis, printLine);
  const queue = await deleteOldQueue(redis);
  await finishLayout(redis);
  printLine(
    `${pluralize(moved, 'workspace')} moved, ${pluralize(queue, 'key')} of the earlier queue deleted.`,
  );
  return true;
}

async function isDone(redis: RedisConnection): Promise<boolean> {
  return (await layoutOf(redis)).movesIn === undefined && !(await hasOldKeys(redis));
}

/** Until then a running bot may still use the old names. */
async function untilBegun(redis: RedisConnection, printLine: (line: string) => void): Promise<void> {
  const { movesIn = 0 } = await layoutOf(redis);
  if (movesIn === 0) return;
  printLine(`Running bots have ${Math.ceil(movesIn / 1_000)} s to learn of the move.`);
  for (let left = movesIn; left > 0; left = (await layoutOf(redis)).movesIn ?? 0) await sleep(left);
}

/** Repeats until no old name is found, because bots can move or write a workspace at the same time. */
async function moveAll(redis: RedisConnection, printLine: (line: string) => void): Promise<number> {
  const { shards } = await layoutOf(redis);
  const moved = new Set<string>();
  for (let isComplete = false; !isComplete; ) {
    isComplete = true;
    for await (const id of listOldIds(redis)) {
      isComplete = false;
      await moveWorkspace(redis, id, shardOf(id, shards));
      if (!moved.has(id) && moved.size % PROGRESS_INTERVAL === PROGRESS_INTERVAL - 1)
        printLine(`${moved.size + 1} workspaces so far`);
      moved.add(id);
    }
  }
  return moved.size;
}
