import type { Redis } from 'ioredis';
import { guardRead } from '../redis.ts';
import { FIELDS } from './fields.ts';
import { recordKey } from './keys.ts';

const PAGE = 500;

/** Every workspace that has schedules, found in the records themselves. @throws StoreUnavailable */
export function listScheduledWorkspaces(redis: Redis): Promise<readonly string[]> {
  return guardRead(async () => {
    const found = new Set<string>();
    let cursor = '0';
    do {
      const [next, keys] = await redis.scan(
        cursor,
        'MATCH',
        `${recordKey('A').slice(0, -1)}*`,
        'COUNT',
        PAGE,
      );
      cursor = next;
      const names = await Promise.all(keys.map((key) => redis.hkeys(key)));
      keys.forEach((key, at) => {
        if (names[at]?.some((name) => name.startsWith(FIELDS.schedule)))
          found.add(key.slice(key.lastIndexOf(':') + 1));
      });
    } while (cursor !== '0');
    return [...found];
  });
}
