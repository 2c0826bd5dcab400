import type { DeliveryLogSnapshot } from '../../delivery/delivery-log.ts';
import { lastHandled, splitDueTimes } from '../../delivery/posts/post-record.ts';
import type { ScheduleService } from '../../delivery/posts/send-now.ts';
import { daysOfReport, type ReportName } from '../../domain/report.ts';
import {
  type DueTime,
  daysCovered,
  dueTimesBetween,
  formatTiming,
  type Timing,
} from '../../domain/time/cadence.ts';
import {
  addDays,
  type Day,
  formatDays,
  formatWallTime,
  HOUR,
  type Millis,
  startOfDay,
  type Zone,
} from '../../domain/time/calendar.ts';
import { type Block, compact, escapeMarkup, markup } from '../../slack/block-kit/blocks.ts';
import type { Request } from '../../slack/request/request.ts';
import type { Schedule } from '../../workspace/record/automation-records.ts';

interface PreviewInput {
  readonly timing: Timing;
  readonly outcome: EditOutcome;
  /** Nothing is posted until it is resumed. */
  readonly isPaused: boolean;
  readonly report: ReportName;
  /** Undefined when the settings are damaged. */
  readonly reportingZone: Zone | undefined;
}

/** What a form promises before it is saved: the next posts, and the days that the first one covers. */
export function previewBlocks(previewed: PreviewInput): Block[] {
  const { timing, outcome, isPaused, reportingZone } = previewed;
  const { owed, next } = outcome.sends;
  const first = (isPaused ? undefined : owed.at(-1)) ?? next[0];
  const covered = first && reportingZone && coverageText(first, reportingZone, previewed);
  const lines = compact([...next.map((due) => formatWallTime(due.at, timing.zone)), covered]);
  const warning = first && reportingZone && staleText(first, reportingZone, previewed);
  const title = `*Next three posts${isPaused ? ' once resumed' : ''}* (${escapeMarkup(timing.zone)})`;
  return [
    markup([title, ...lines.map(escapeMarkup)].join('\n')),
    ...(warning ? [markup(`:warning: ${escapeMarkup(warning)}`)] : []),
  ];
}

const formatRange = (days: readonly Day[], near?: Day): string => {
  const [from, to] = [days[0], days.at(-1)];
  return from === undefined || to === undefined ? '' : formatDays(from, to, near?.slice(0, 4));
};

function coverageText(first: DueTime, zone: Zone, previewed: PreviewInput): string | undefined {
  const days = coveredDays(first, first.at, zone, previewed);
  return days.length === 0 ? undefined : `The first post covers ${formatRange(days)} (${zone}).`;
}

/** The days that a post covers if it goes out at this instant. */
const coveredDays = (
  due: DueTime,
  at: Millis,
  zone: Zone,
  { timing, report }: Pick<PreviewInput, 'timing' | 'report'>,
): readonly Day[] => daysOfReport(report, at, zone, daysCovered(timing, due.at));

/** The first of the posts to come that goes out before the day it should cover is over in the reporting zone. */
function staleText(first: DueTime, zone: Zone, previewed: PreviewInput): string | undefined {
  const { timing, outcome } = previewed;
  for (const due of [first, ...outcome.sends.next]) {
    const covers = coveredDays(due, due.at, zone, previewed);
    const wanted = coveredDays(due, Math.max(due.at, startOfDay(due.date, zone)), zone, previewed);
    const misses = wanted.filter((day) => !covers.includes(day));
    if (misses.length === 0) continue;
    const which =
      due.date === first.date ? 'The first post' : `The post of ${formatDays(due.date, due.date)}`;
    const last = formatRange(misses.slice(-1), due.date);
    return `${which} misses ${formatRange(misses)}: at ${timing.time} in ${timing.zone}, ${last} isn’t over yet in ${zone}, this workspace’s reporting time zone.`;
  }
  return undefined;
}

const AHEAD = 3;

/** The posts to come, by the same function that plans deliveries. */
interface UpcomingSends {
  /** Already due and not posted yet, oldest first. */
  readonly owed: readonly DueTime[];
  readonly next: readonly DueTime[];
}

type UpcomingSendsOf = (schedule: Pick<Schedule, 'id' | 'timing' | 'since'>) => UpcomingSends;

/** @throws store-unavailable */
export const loadUpcomingSends = async (
  scheduling: ScheduleService,
  { user, at }: Request,
): Promise<UpcomingSendsOf> => upcomingSendsAt(await scheduling.loadLog(user.teamId), at);

/** @param now ms since the epoch */
export const upcomingSendsAt =
  (snapshot: Pick<DeliveryLogSnapshot, 'messagesOf'>, now: Millis): UpcomingSendsOf =>
  (schedule) => {
    const { overdue, next } = splitDueTimes(schedule, lastHandled(schedule.id, snapshot), now, AHEAD);
    return { owed: overdue, next };
  };

export interface EditOutcome {
  /** From when on the changed schedule posts, in ms. */
  readonly since: Millis;
  readonly sends: UpcomingSends;
}

/**
 * What an edit does to a schedule's posts. A post that is overdue is not lost: it goes out as the schedule is after the
 * edit, if the new timing has its date as well.
 * @param before undefined for a new schedule
 * @param now ms since the epoch
 */
export function planEdit(
  id: string,
  timing: Schedule['timing'],
  before: Schedule | undefined,
  sendsOf: UpcomingSendsOf,
  now: Millis,
): EditOutcome {
  if (before === undefined || before.paused !== undefined)
    return { since: now, sends: sendsOf({ id, timing, since: now }) };
  const since = sinceOf(timing, before, sendsOf(before).owed.at(-1)?.date, now);
  return { since, sends: sendsOf({ id, timing, since }) };
}

/** @param owed the newest date that is overdue */
function sinceOf(timing: Schedule['timing'], before: Schedule, owed: Day | undefined, now: Millis): number {
  if (formatTiming(timing) === formatTiming(before.timing)) return before.since;
  const moved = owed === undefined ? undefined : dueOn(timing, owed);
  if (moved === undefined || moved.at > now) return now;
  // Dates that only the new timing has were never promised, so none of them was missed.
  return dueTimesBetween(timing, moved.at, now).length > 0 ? now : moved.at - 1;
}

const dueOn = (timing: Schedule['timing'], date: Day): DueTime | undefined =>
  dueTimesBetween(
    timing,
    startOfDay(date, timing.zone) - 1,
    // A time that DST skips at midnight comes after it.
    startOfDay(addDays(date, 1), timing.zone) + HOUR,
  ).find((due) => due.date === date);
