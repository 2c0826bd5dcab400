import type { RedisConnection } from '../redis.ts';
import { layoutOf } from '../workspace/layout.ts';
import { hasOldKeys } from '../workspace/old-layout.ts';
import { type Finding, okFinding, warningFinding } from './finding.ts';

const ABOUT = 'Keys in Redis';

/** @returns no finding where Redis is unreachable: the check of Redis reports that */
export async function checkLayout(ready: Promise<RedisConnection>): Promise<readonly Finding[]> {
  const redis = await ready.catch(() => undefined);
  if (redis === undefined) return [];
  const { version, shards, movesIn } = await layoutOf(redis);
  const todo = 'Update every bot, then run npm run migrate.';
  if (version === 1) return [warningFinding(ABOUT, 'have the names of an earlier version', todo)];
  if (movesIn !== undefined)
    return [
      warningFinding(ABOUT, 'have not all moved to the names of this version', 'Run npm run migrate again.'),
    ];
  if (await hasOldKeys(redis))
    return [warningFinding(ABOUT, 'were also written by a bot of an earlier version', todo)];
  return [
    okFinding(ABOUT, `have the names of this version, in ${shards} ${shards === 1 ? 'shard' : 'shards'}`),
  ];
}
