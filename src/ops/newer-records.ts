import type { Logger } from 'pino';
import type { RedisConnection } from '../redis/connect.ts';
import { findNewerLayout, type LayoutMark, refuseWorkspaces } from '../redis/layout.ts';
import { onStoreError } from '../redis/store-events.ts';
import { VERSION } from './version.ts';

/**
 * Ends a bot's work once it finds records of a newer version of Tally. From then on it refuses every request for that reason.
 * @param onFound ends everything that happens without a person
 */
export function watchNewerRecords(redis: RedisConnection, log: Logger, onFound: () => Promise<unknown>) {
  let isFound = false;
  const found = (mark: LayoutMark | undefined): void => {
    if (isFound) return;
    isFound = true;
    refuseWorkspaces(redis);
    const says = `the records were written by Tally ${mark?.version ?? 'of a newer version'}, which this one, ${VERSION}, is too old for`;
    log.error(mark, `Tally does nothing here any more: ${says}`);
    onFound().catch((err: unknown) => log.error({ err }, 'Tally did not stop delivering cleanly'));
  };
  return {
    /** @returns whether records of a newer version were found, now or earlier @throws StoreUnavailable */
    async check(): Promise<boolean> {
      const mark = await findNewerLayout(redis);
      if (mark !== undefined) found(mark);
      return isFound;
    },
    /** Stops listening for records that are met by the way. */
    unwatch: onStoreError((kind) => {
      if (kind !== 'newer-records' || isFound) return;
      void findNewerLayout(redis).then(found, () => found(undefined));
    }),
  };
}
