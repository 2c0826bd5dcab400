import { guardRead, isCluster, type RedisConnection } from '../../redis/connect.ts';

/** BullMQ names each connection that waits for jobs after the prefix of its keys. */
const NAMES = { earlier: / name=tally:jobs:/, current: / name=\{tally-\d+\}:/ } as const;

/**
 * Whether bots of this or of the earlier version are connected to a Redis; undefined when Redis doesn't tell.
 *
 * @throws StoreUnavailable
 */
export async function hasBots(
  redis: RedisConnection,
  version: keyof typeof NAMES,
): Promise<boolean | undefined> {
  const servers = isCluster(redis) ? redis.nodes('master') : [redis];
  try {
    const lists = await Promise.all(servers.map((server) => server.client('LIST')));
    return lists.some((list) => NAMES[version].test(String(list)));
  } catch (error) {
    if (error instanceof Error && error.message.startsWith('NOPERM')) return undefined;
    return guardRead(() => Promise.reject(error));
  }
}
