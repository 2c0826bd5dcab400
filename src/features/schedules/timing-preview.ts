import { daysOfReport, type ReportName } from '../../domain/report.ts';
import {
  clockChangeAt,
  type DueTime,
  daysCovered,
  dueTimesBetween,
  type Timing,
} from '../../domain/time/cadence.ts';
import {
  DAY,
  type Day,
  formatDays,
  formatWallTime,
  type Millis,
  startOfDay,
  type Zone,
} from '../../domain/time/calendar.ts';
import { listNames } from '../../domain/wording.ts';
import { type Block, compact, escapeMarkup, markup } from '../../slack/kit/blocks.ts';
import type { EditOutcome } from './upcoming-posts.ts';

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
