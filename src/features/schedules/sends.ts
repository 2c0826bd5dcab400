import { type Due, duesBetween, timingWords } from '../../domain/cadence.ts';
import { addDays, type Day, formatDays, startOfDay, wallAt } from '../../domain/calendar.ts';
import type { Visit } from '../../slack/visit.ts';
import type { Book, Line } from '../../workspace/ledger.ts';
import { endsByItself, type Schedule } from '../../workspace/schedules.ts';
import { lastHandled, openDues, owedDues } from './delivery-plan.ts';
import type { Scheduling } from './scheduling.ts';

/** How many sends are worked out ahead. */
const AHEAD = 3;

/** What comes of a schedule, by the function that decides about each post. */
export interface Sends {
  /** Due by now and not dealt with yet, oldest first. */
  readonly owed: readonly Due[];
  /** The next three. */
  readonly next: readonly Due[];
  /** Dates before the next one that are passed over, because of `last`. */
  readonly passedOver: readonly Due[];
  /** The newest date that was dealt with. */
  readonly last: Line | undefined;
}

export type SendsOf = (schedule: Pick<Schedule, 'id' | 'timing' | 'since'>) => Sends;

/** @throws StoreUnreachable */
export const readSends = async (scheduling: Scheduling, { asker, at }: Visit): Promise<SendsOf> =>
  sendsAt(await scheduling.book(asker.workspace), at);

/** @param now ms since the epoch */
export const sendsAt =
  (book: Book, now: number): SendsOf =>
  (schedule) => {
    const last = lastHandled(schedule.id, book);
    const next: Due[] = [];
    for (const due of openDues(schedule, last)) if (due.at > now && next.push(due) >= AHEAD) break;
    const [first] = next;
    const from = Math.max(now, schedule.since);
    const before = first === undefined ? [] : duesBetween(schedule.timing, from, first.at - 1);
    return { owed: owedDues(schedule, last, now), next, passedOver: before, last };
  };

export interface CarriedOver {
  /** From when on the changed schedule posts, in ms. */
  readonly since: number;
  readonly sends: Sends;
  /** Posts that were to come and do not any more, at their former times, although their dates are wanted still or were due. */
  readonly dropped: readonly Due[];
}

/**
 * What an edit makes of a schedule's sends. What is due and not posted yet is not lost by it: it goes out as the schedule
 * is from now on, where the new times have its date as well.
 *
 * @param before undefined for a new schedule
 * @param now ms since the epoch
 */
export function carryOver(
  id: string,
  timing: Schedule['timing'],
  before: Schedule | undefined,
  sendsOf: SendsOf,
  now: number,
): CarriedOver {
  const isRunning = before !== undefined && (before.paused === undefined || endsByItself(before.paused.why));
  if (!isRunning) return { since: now, sends: sendsOf({ id, timing, since: now }), dropped: [] };
  const { owed, next } = sendsOf(before);
  const since = sinceOf(timing, before, owed.at(-1)?.date, now);
  const sends = sendsOf({ id, timing, since });
  const comes = new Set([...sends.owed, ...sends.next].map(({ date }) => date));
  const wanted = next.slice(0, 1).filter(({ date }) => dueOn(timing, date) !== undefined);
  return { since, sends, dropped: [...owed, ...wanted].filter(({ date }) => !comes.has(date)) };
}

/** @param owed the newest date that is due and not dealt with */
function sinceOf(timing: Schedule['timing'], before: Schedule, owed: Day | undefined, now: number): number {
  if (timingWords(timing) === timingWords(before.timing)) return before.since;
  const moved = owed === undefined ? undefined : dueOn(timing, owed);
  if (moved === undefined || moved.at > now) return now;
  // Dates that only the new times have were never promised, so none of them was missed.
  return duesBetween(timing, moved.at, now).length > 0 ? now : moved.at - 1;
}

const dueOn = (timing: Schedule['timing'], date: Day): Due | undefined =>
  duesBetween(
    timing,
    startOfDay(date, timing.zone) - 1,
    startOfDay(addDays(date, 1), timing.zone) + HOUR,
  ).find((due) => due.date === date);
/** A time that is skipped at midnight comes after it. */
const HOUR = 3_600_000;

/** `Mon 23 Nov 2026, 09:00` as the clocks of the zone show it. */
export function wallWords(at: number, zone: string): string {
  const { day, time } = wallAt(at, zone);
  return `${formatDays(day, day)}, ${time}`;
}
