import { bucketOf } from '../../domain/bucket.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { nextDueTimes, type Timing } from '../../domain/time/cadence.ts';
import type { Millis } from '../../domain/time/calendar.ts';

/**
 * When a workspace's deliveries run, as the text that a job scheduler keeps in place of a cron expression: cron has neither
 * the last day of a month nor our rule for an hour that DST skips.
 *
 * @param timings in any order, with duplicates
 */
export function encodePattern(workspace: SlackId, timings: readonly Timing[]): string {
  const distinct = [
    ...new Set(timings.map(({ cadence, time, zone }) => JSON.stringify([cadence, time, zone]))),
  ];
  return JSON.stringify([
    bucketOf(workspace, SPREAD),
    ...distinct.sort().map((text) => JSON.parse(text) as unknown),
  ]);
}

type Pattern = readonly [spread: number, ...timings: (readonly [Timing['cadence'], string, string])[]];

/** The next instant (ms) after `after`; undefined for other patterns. */
export function nextOccurrence(pattern: string, after: Millis): number | undefined {
  try {
    const [spread, ...timings] = JSON.parse(pattern) as Pattern;
    const next = timings.flatMap(
      ([cadence, time, zone]) => nextDueTimes({ cadence, time, zone }, after - spread, 1)[0]?.at ?? [],
    );
    return next.length === 0 ? undefined : Math.min(...next) + spread;
  } catch {
    // An error here would end the job scheduler's chain silently.
    return undefined;
  }
}

/** Most schedules are due at 09:00, so each workspace gets its own delay, up to this many ms. */
const SPREAD = 20_000;

/** BullMQ uses the machine's clock, which may differ from this one. */
export const aheadOfMachine = (clock: () => Millis): number => clock() - Date.now();
