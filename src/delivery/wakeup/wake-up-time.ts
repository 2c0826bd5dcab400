import { bucketOf } from '../../domain/bucket.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { MINUTE, type Millis } from '../../domain/time/calendar.ts';
import { earliest } from '../log/due-dates.ts';

/** When a workspace has something to do again. */
export interface NextWork {
  /** Besides the calendar; undefined for never. */
  readonly next?: Millis | undefined;
  /** The calendar's next date that is still ahead; undefined for none. */
  readonly nextDue?: Millis | undefined;
}

/** Most schedules are due at 09:00, so each workspace gets its own delay, up to this. */
const SPREAD: Millis = 20_000;
/** From here on what is due besides the calendar is rounded to minutes. */
const FAR: Millis = 10 * MINUTE;
const SECOND: Millis = 1_000;

/** When to wake a workspace: the same in every process, so that one wake-up is not planned twice. Undefined for never. */
export function wakeUpTime(teamId: SlackId, { next, nextDue }: NextWork, now: Millis): Millis | undefined {
  return earliest(
    next === undefined ? undefined : roundUp(Math.max(next, now), now),
    nextDue === undefined ? undefined : nextDue + bucketOf(teamId, SPREAD),
  );
}

/** So that one run serves what comes close together. */
function roundUp(at: Millis, now: Millis): Millis {
  const step = at - now > FAR ? MINUTE : SECOND;
  return Math.ceil(at / step) * step;
}
