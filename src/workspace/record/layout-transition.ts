import { setTimeout as sleep } from 'node:timers/promises';
import type { Millis } from '../../domain/time/calendar.ts';
import { gateCommands, isCluster, type OutgoingCommand, type RedisConnection } from '../../redis/connect.ts';
import { type Layout, layoutOf, shardOf } from './layout.ts';
import { moveWorkspace, oldNames, ownerOfKey } from './old-layout.ts';

/** How long what was read of the layout holds, in ms. */
const HOLDS_MS = 4_000;
/** How long the move is announced before it starts, in ms: by then every bot has read the layout again. */
export const ANNOUNCED_MS = 3 * HOLDS_MS;

/** For how long a command may be on its way to Redis, as a part of how long the layout holds. */
const IN_TRANSIT = 1 / 4;

/**
 * Lets a bot run on Redis while its keys move from the earlier layout to today's, beside bots of the earlier version until
 * then. Commands name today's keys everywhere; here
 *
 * - before the move they get the old names, so that bots of both versions see the same,
 * - during the move the keys of a workspace are moved first, by whoever needs them first,
 * - after it nothing is done any more.
 *
 * @param onOldLayout called once if the keys have yet to move
 * @param holds how long what was read of the layout holds, in ms
 */
export function followLayout(
  redis: RedisConnection,
  onOldLayout: () => void = () => undefined,
  holds = HOLDS_MS,
): void {
  if (isCluster(redis)) return;
  let layout: Layout | undefined;
  /** When the layout was asked for and when the answer came: Redis counted `movesIn` in between. */
  let readAt = 0;
  let answeredAt = 0;
  let reading: Promise<void> | undefined;
  let isOld = false;
  let isOpen = false;
  const moved = new Set<string>();

  const read = async (): Promise<void> => {
    const startedAt = performance.now();
    layout = await layoutOf(redis);
    readAt = startedAt;
    answeredAt = performance.now();
    if (layout.version > 1 && layout.movesIn === undefined) return release();
    if (!isOld) onOldLayout();
    isOld = true;
  };
  const readAgain = (): Promise<void> => {
    reading ??= read().finally(() => {
      reading = undefined;
    });
    return reading;
  };

  /** While it is not certain on which side of the move's beginning this is. In one promise, so that commands keep their order. */
  let uncertain: Promise<void> | undefined;
  const untilCertain = (ms: Millis): Promise<void> => {
    uncertain ??= sleep(ms).finally(() => {
      uncertain = undefined;
    });
    return uncertain;
  };

  const moveFirst = (ids: readonly string[], { shards }: Layout): void => {
    for (const id of ids) {
      if (moved.has(id)) continue;
      moved.add(id);
      // Sent before the command, on the same connection, and not held up by the gate.
      isOpen = true;
      moveWorkspace(redis, id, shardOf(id, shards)).catch(() => moved.delete(id));
      isOpen = false;
    }
  };

  /**
   * No bot may ask for old names once another one may have begun to move: a workspace would look empty. How exactly a bot
   * knows the beginning depends on how quickly Redis answered, so around it commands wait: a second, and as long as that took.
   */
  const prepare = (command: OutgoingCommand, ids: readonly string[]): Promise<void> | undefined => {
    if (layout === undefined || (layout.version > 1 && layout.movesIn === undefined)) return undefined;
    const { movesIn = Number.POSITIVE_INFINITY } = layout;
    const now = performance.now();
    if (uncertain === undefined && now < readAt + movesIn - holds * IN_TRANSIT) {
      for (const id of ids) command.rename(oldNames(id));
      return undefined;
    }
    const wait = answeredAt + movesIn - now;
    if (uncertain !== undefined || wait > 0) return untilCertain(wait).then(() => prepare(command, ids));
    moveFirst(ids, layout);
    return undefined;
  };

  const release = gateCommands(redis, (command) => {
    const ids = [...new Set(command.keys.flatMap((key) => ownerOfKey(key) ?? []))];
    if (isOpen || ids.length === 0) return undefined;
    if (layout !== undefined && performance.now() - readAt < holds) return prepare(command, ids);
    return readAgain().then(() => prepare(command, ids));
  });
}
