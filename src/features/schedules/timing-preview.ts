import type { DeliveryLogEntry } from '../../delivery/log/delivery-log-entry.ts';
import { listNames } from '../../domain/language/text.ts';
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
  MINUTE,
  type Millis,
  startOfDay,
  wallClockAt,
  type Zone,
} from '../../domain/time/calendar.ts';
import { actions, type Block, button, compact, escapeMarkup, markup } from '../../slack/kit/blocks.ts';
import type { EditOutcome } from './upcoming-posts.ts';

/** What a form promises before it is saved, and again after. Plain text, not escaped. */
export interface SchedulePreview {
  readonly title: string;
  /** The next posts, then dates without one, then the days that the first post covers. */
  readonly lines: readonly string[];
  readonly stale: StaleWarning | undefined;
}

/** Posts that go out before the day they should cover is over in the reporting zone. */
export interface StaleWarning {
  readonly title: string;
  readonly text: string;
  /** A time of day, 'HH:mm', without such posts in the same zone; undefined if there is none. */
  readonly time: string | undefined;
  /** A zone in which a post at the same time of day would not be stale. */
  readonly zone: Zone;
}

/** What the form shows, with buttons that fill in a time or a zone that works. */
export const previewBlocks = (preview: SchedulePreview, zone: Zone): Block[] => [
  previewBlock(preview, ` (${zone})`),
  ...(preview.stale === undefined ? [] : [staleBlock(preview.stale), staleButtons(preview.stale)]),
];

/** What the form shows below “Saved”. */
export const savedPreviewBlocks = (preview: SchedulePreview): Block[] =>
  compact([previewBlock(preview), preview.stale && staleBlock(preview.stale)]);

const previewBlock = ({ title, lines }: SchedulePreview, more = ''): Block =>
  markup([`*${title}*${escapeMarkup(more)}`, ...lines.map(escapeMarkup)].join('\n'));

const staleBlock = ({ title, text }: StaleWarning): Block =>
  markup(`:warning: *${escapeMarkup(title)}* ${escapeMarkup(text)}`);

const staleButtons = ({ time, zone }: StaleWarning): Block =>
  actions(
    time !== undefined && button('schedule-time', `Post at ${time}`, { value: time }),
    button('schedule-zone', `Use ${zone} time`, { value: zone }),
  );

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
    stale: found === undefined ? undefined : staleOf(previewed, found),
  };
}

/** In the schedule's zone, and in UTC where that differs, with a change of the clocks that night. */
function sendText(due: DueTime, timing: Timing): string {
  const { zone } = timing;
  const here = formatWallTime(due.at, zone);
  const [utc, local] = [wallClockAt(due.at, 'UTC'), wallClockAt(due.at, zone)];
  const known = local.day.slice(0, 4);
  const day = utc.day === local.day ? '' : `${formatDays(utc.day, utc.day, known)}, `;
  const inUtc = utc.day === local.day && utc.time === local.time ? '' : ` · ${day}${utc.time} UTC`;
  return `${here}${inUtc}${clockChangeText(due, timing)}`;
}

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

/** A time that passed less than this ago may seem still ahead; in ms. */
const JUST = 10 * MINUTE;

/** Dates that people might expect among the next ones. */
function remarkLines({ timing, outcome, now }: PreviewInput): string[] {
  const { sends, dropped, since } = outcome;
  const { owed, passedOver, last } = sends;
  const latest = owed.at(-1);
  const known = new Set([...owed, ...dropped].map(({ date }) => date));
  const isOpen = ({ date }: DueTime) => !known.has(date) && (last === undefined || date > last.date);
  const passed = since < now ? undefined : dueTimesBetween(timing, now - JUST, now).findLast(isOpen);
  return compact([
    latest && `The post due ${formatWallTime(latest.at, timing.zone)} hasn’t been sent yet.`,
    dropped.length > 0 && `With this change, nothing is posted for ${datesOf(dropped)}.`,
    passedOver.length > 0 &&
      last &&
      `Nothing is posted for ${datesOf(passedOver)}: this schedule ${handledText(last.entry, last.date)}.`,
    passed && `${formatWallTime(passed.at, timing.zone)} has just passed, so nothing is posted for it.`,
  ]);
}

const MOST_NAMED = 3;

const datesOf = (dues: readonly DueTime[]): string =>
  listNames(
    dues.map(({ date }) => formatDays(date, date)),
    MOST_NAMED,
  );

function handledText({ state }: DeliveryLogEntry, date: Day): string {
  const day = formatDays(date, date);
  if (state === 'skipped') return `already had nothing to post for ${day}`;
  return state === 'failed' ? `already failed for ${day}` : `already posted for ${day}`;
}

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
const coveredDays = (due: DueTime, timing: Timing, { report, zone }: Found, at: Millis): readonly Day[] =>
  daysOfReport(report, at, zone, daysCovered(timing, due.at));

/** Long enough for every change of clocks. */
const YEAR = 366 * DAY;
/** Whether a post misses a day depends on its weekday at most, so two weeks are enough. */
const EXAMPLES = 14;

function staleOf({ timing, now }: PreviewInput, found: Found): StaleWarning | undefined {
  const { first, zone } = found;
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
    return {
      title: `${which} misses ${formatRange(misses)}.`,
      text: `At ${timing.time} in ${timing.zone}, ${last} isn’t over yet in ${zone}, this workspace’s reporting time zone.`,
      time: timeAfter(early, timing),
      zone,
    };
  }
  return undefined;
}

/** The first time of day at which the reporting zone has always reached that day; undefined if there is none. */
function timeAfter(
  early: readonly { readonly due: DueTime; readonly begins: number }[],
  { zone }: Timing,
): string | undefined {
  const walls = early.map(({ due, begins }) => ({ due, wall: wallClockAt(begins, zone) }));
  if (walls.some(({ due, wall }) => wall.day !== due.date)) return undefined;
  return walls
    .map(({ wall }) => wall.time)
    .toSorted()
    .at(-1);
}
