import { gateCommands, isCluster, type OutgoingCommand, type RedisConnection } from '../redis.ts';
import { type Layout, layoutOf, shardOf } from './layout.ts';
import { moveWorkspace, oldNames, ownerOfKey } from './old-layout.ts';

/** How long what was read of the layout holds, in ms. */
const HOLDS_MS = 4_000;
/** How long the move is announced before it starts, in ms: by then every bot has read the layout again. */
export const ANNOUNCED_MS = 3 * HOLDS_MS;

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
  let readAt = 0;
  let reading: Promise<void> | undefined;
  let isOld = false;
  let isOpen = false;
  const moved = new Set<string>();

  const read = async (): Promise<void> => {
    const startedAt = performance.now();
    layout = await layoutOf(redis);
    readAt = startedAt;
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

  const prepare = (command: OutgoingCommand, ids: readonly string[], now: Layout): void => {
    const isMoving = now.movesIn !== undefined && performance.now() >= readAt + now.movesIn;
    for (const id of ids) {
      if (!isMoving) command.rename(oldNames(id));
      else if (!moved.has(id)) {
        moved.add(id);
        // Sent before the command, on the same connection, and not held up by the gate.
        isOpen = true;
        moveWorkspace(redis, id, shardOf(id, now.shards)).catch(() => moved.delete(id));
        isOpen = false;
      }
    }
  };

  const release = gateCommands(redis, (command) => {
    const ids = [...new Set(command.keys.flatMap((key) => ownerOfKey(key) ?? []))];
    if (isOpen || ids.length === 0) return undefined;
    const finish = () => {
      if (layout !== undefined && (layout.version === 1 || layout.movesIn !== undefined))
        prepare(command, ids, layout);
    };
    if (layout !== undefined && performance.now() - readAt < holds) return finish();
    return readAgain().then(finish);
  });
}
