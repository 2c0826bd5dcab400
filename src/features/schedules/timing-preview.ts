import type { DeliveryLogSnapshot } from '../../delivery/delivery-log.ts';
import { lastHandled, splitDueTimes } from '../../delivery/posts/post-record.ts';
import type { ScheduleService } from '../../delivery/posts/schedule-service.ts';
import { daysOfReport, type ReportName } from '../../domain/report.ts';
import {
  clockChangeAt,
  type DueTime,
  daysCovered,
  dueTimesBetween,
  formatTiming,
  type Timing,
} from '../../domain/time/cadence.ts';
import {
  addDays,
  DAY,
  type Day,
  formatDays,
  formatWallTime,
  HOUR,
  type Millis,
  startOfDay,
  type Zone,
} from '../../domain/time/calendar.ts';
import { listNames } from '../../domain/wording.ts';
import { type Block, compact, escapeMarkup, markup } from '../../slack/kit/blocks.ts';
import type { Request } from '../../slack/request/request.ts';
import type { Schedule } from '../../workspace/owned/schedule-record.ts';

/** What a form promises before it is saved. Plain text, not escaped. */
export interface SchedulePreview {
  readonly title: string;
  /** The next posts, then dates without one, then the days that the first post covers. */
  readonly lines: readonly string[];
  /** That a post goes out before the day it should cover is over in the reporting zone. */
  readonly warning: string | undefined;
}

/** What the form shows of it. @param zone of the schedule */
export const previewBlocks = ({ title, lines, warning }: SchedulePreview, zone: Zone): Block[] =>
  compact([
    markup([`*${title}* (${escapeMarkup(zone)})`, ...lines.map(escapeMarkup)].join('\n')),
    warning !== undefined && markup(`:warning: ${escapeMarkup(warning)}`),
  ]);

interface PreviewInput {
  readonly timing: Timing;
  readonly outcome: EditOutcome;
  /** Nothing is posted until it is resumed. */
  readonly isPaused: boolean;
  readonly report: ReportName;
  /** Undefined when the settings are damaged. */
  readonly reportingZone: Zone | undefined;
  readonly now: Millis;
}

export function previewSchedule(previewed: PreviewInput): SchedulePreview {
  const { timing, outcome, isPaused, report, reportingZone } = previewed;
  const { owed, next } = outcome.sends;
  const first = (isPaused ? undefined : owed.at(-1)) ?? next[0];
  const found =
    first === undefined || reportingZone === undefined ? undefined : { first, report, zone: reportingZone };
  return {
    title: `Next three posts${isPaused ? ' once resumed' : ''}`,
    lines: [
      ...next.map((due) => sendText(due, timing)),
      ...(isPaused ? [] : remarkLines(previewed)),
      ...(found === undefined ? [] : coverageText(timing, found)),
    ],
    warning: found && staleText(previewed, found),
  };
}

/** In the schedule's zone, with a change of the clocks that night. */
const sendText = (due: DueTime, timing: Timing): string =>
  `${formatWallTime(due.at, timing.zone)}${clockChangeText(due, timing)}`;

function clockChangeText(due: DueTime, timing: Timing): string {
  switch (clockChangeAt(due, timing)) {
    case 'skipped':
      return ` (clocks go forward: ${timing.time} doesn’t exist that night)`;
    case 'doubled':
      return ` (clocks go back: ${timing.time} comes twice; the first one counts)`;
    default:
      return '';
  }
}

/** An overdue post, and dates that this edit leaves out. */
function remarkLines({ timing, outcome: { sends, dropped } }: PreviewInput): string[] {
  const latest = sends.owed.at(-1);
  return compact([
    latest && `The post due ${formatWallTime(latest.at, timing.zone)} hasn’t been sent yet.`,
    dropped.length > 0 && `With this change, nothing is posted for ${datesOf(dropped)}.`,
  ]);
}

const MOST_NAMED = 3;

const datesOf = (dues: readonly DueTime[]): string =>
  listNames(
    dues.map(({ date }) => formatDays(date, date)),
    MOST_NAMED,
  );

interface Found {
  readonly first: DueTime;
  readonly report: ReportName;
  /** The reporting zone. */
  readonly zone: Zone;
}

const formatRange = (days: readonly Day[], near?: Day): string => {
  const [from, to] = [days[0], days.at(-1)];
  return from === undefined || to === undefined ? '' : formatDays(from, to, near?.slice(0, 4));
};

function coverageText(timing: Timing, found: Found): string[] {
  const days = coveredDays(found.first, timing, found, found.first.at);
  return days.length === 0 ? [] : [`The first post covers ${formatRange(days)} (${found.zone}).`];
}

/** The days that a post covers if it goes out at this instant. */
const coveredDays = (
  due: DueTime,
  timing: Timing,
  { report, zone }: Omit<Found, 'first'>,
  at: Millis,
): readonly Day[] => daysOfReport(report, at, zone, daysCovered(timing, due.at));

/** Long enough for every change of clocks. */
const YEAR = 366 * DAY;
/** Whether a post misses a day depends on its weekday at most, so two weeks are enough. */
const EXAMPLES = 14;

function staleText({ timing, now }: PreviewInput, { first, ...found }: Found): string | undefined {
  const { zone } = found;
  const early = dueTimesBetween(timing, first.at - 1, now + YEAR).flatMap((due) => {
    const begins = startOfDay(due.date, zone);
    return begins > due.at ? [{ due, begins }] : [];
  });
  for (const { due, begins } of early.slice(0, EXAMPLES)) {
    const covers = coveredDays(due, timing, found, due.at);
    const misses = coveredDays(due, timing, found, begins).filter((day) => !covers.includes(day));
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
export interface UpcomingSends {
  /** Already due and not posted yet, oldest first. */
  readonly owed: readonly DueTime[];
  readonly next: readonly DueTime[];
}

export type UpcomingSendsOf = (schedule: Pick<Schedule, 'id' | 'timing' | 'since'>) => UpcomingSends;

/** @throws store-unavailable */
export const loadUpcomingSends = async (
  scheduling: ScheduleService,
  { user, at }: Request,
): Promise<UpcomingSendsOf> => upcomingSendsAt(await scheduling.loadLog(user.teamId), at);

/** @param now ms since the epoch */
export const upcomingSendsAt =
  (snapshot: Pick<DeliveryLogSnapshot, 'messages'>, now: Millis): UpcomingSendsOf =>
  (schedule) => {
    const { overdue, next } = splitDueTimes(schedule, lastHandled(schedule.id, snapshot), now, AHEAD);
    return { owed: overdue, next };
  };

export interface EditOutcome {
  /** From when on the changed schedule posts, in ms. */
  readonly since: Millis;
  readonly sends: UpcomingSends;
  /** Posts that will no longer come, at their former times, although they were due or the new timing has their dates. */
  readonly dropped: readonly DueTime[];
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
    return { since: now, sends: sendsOf({ id, timing, since: now }), dropped: [] };
  const { owed, next } = sendsOf(before);
  const since = sinceOf(timing, before, owed.at(-1)?.date, now);
  const sends = sendsOf({ id, timing, since });
  const comes = new Set([...sends.owed, ...sends.next].map(({ date }) => date));
  const wanted = next.slice(0, 1).filter(({ date }) => dueOn(timing, date) !== undefined);
  return { since, sends, dropped: [...owed, ...wanted].filter(({ date }) => !comes.has(date)) };
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
