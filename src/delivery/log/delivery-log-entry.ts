/** The delivery log's records: how far a message has got, what became of a schedule's due dates, and which are still to be delivered. */

import * as z from 'zod';
import { storedFailure } from '../../domain/failure/index.ts';
import { type DueTime, dueTimes } from '../../domain/time/cadence.ts';
import type { Day, Millis } from '../../domain/time/calendar.ts';
import {
  PAUSE_REASONS,
  type Schedule,
  scheduleContentSchema,
} from '../../workspace/owned/schedule-record.ts';
import { tryParseRecord } from '../../workspace/record/parse-record.ts';

/** Part of every record of a message, also of a schedule's date. */
export const sendStateSchema = z.object({
  /**
   * `due`: not sent yet. `held`: not sent, because Tally paused its schedule; it is only tried to probe whether the
   * cause is gone. `sending`: claimed, so Slack may have it. The others are final.
   */
  state: z.enum(['due', 'held', 'sending', 'posted', 'skipped', 'failed']),
  /** In ms: when it became due, was claimed, or ended. */
  at: z.int(),
  /** How often it has failed, and when it is retried, in ms. */
  tries: z.int().default(0),
  next: z.int().exactOptional(),
  /** Sent again without knowing whether the first message arrived, so the conversation may show it twice. */
  isAgain: z.boolean().exactOptional(),
  /** Where Slack has it, or may have it: for a person, the direct message. */
  channel: z.string().exactOptional(),
  ts: z.string().exactOptional(),
  cause: storedFailure.exactOptional(),
});
export type SendState = Readonly<z.infer<typeof sendStateSchema>>;

export const storedMessageSchema = sendStateSchema.extend({
  /** Slack ID of a channel or a person. */
  to: z.string(),
});
export type StoredMessage = Readonly<z.infer<typeof storedMessageSchema>>;

/** The days that a post's figures cover, in this IANA time zone. */
const coveredDays = z.object({ first: z.iso.date(), last: z.iso.date(), zone: z.string() });
export type CoveredDays = Readonly<z.infer<typeof coveredDays>>;

/** What a post is about, as the schedule and the workspace were then; either may change later. */
const subject = scheduleContentSchema.extend({
  /** IANA: the reporting zone, which says what a day is. */
  zone: z.string(),
  covers: coveredDays,
  /** Names of the connections that were asked, in the projects' order. */
  connections: z.array(z.string()).readonly(),
});

const figures = z.record(z.string(), z.string());

const missed = { date: z.string(), /** Its post may be in the channel. */ isUnclear: z.boolean() };
/** What a post says about dates that were missed before it, oldest first. */
const missedDates = z.object({
  /** How many dates before those in `named` the post only counts. */
  counted: z.int(),
  /** With their figures, or why there are none. */
  named: z
    .array(
      z.union([
        z.object({ ...missed, covers: coveredDays, figures }),
        z.object({ ...missed, cause: storedFailure }),
      ]),
    )
    .readonly(),
});
export type MissedDates = Readonly<z.infer<typeof missedDates>>;

/** What the post of one date says. */
const postContent = z.object({
  isLate: z.boolean(),
  earlier: missedDates,
  figures,
  /** Figures that were corrected and that no reply has explained yet, with their value before ('' for none). */
  unexplained: figures.exactOptional(),
  /** `<project id>:<product>` → why it has no figure. */
  unanswered: z.record(z.string(), storedFailure).exactOptional(),
  /** How many planned checks for corrections are done. */
  checks: z.int(),
  /** The day missing from the post, because billing had not reported it in time. */
  without: z.string().exactOptional(),
  subject,
});
export type PostContent = Readonly<z.infer<typeof postContent>>;

/** What an owner is notified of: a failure, a pause, or projects that keep giving no answer. */
export const noticeReason = z.enum([...PAUSE_REASONS, 'failed', 'unanswered']);

const entry = sendStateSchema.extend({
  /** ms since the epoch: when it was due, and when it was first attempted */
  due: z.int(),
  began: z.int(),
  /** It waits for a day that billing has not reported. */
  awaitsFigures: z.boolean().exactOptional(),
  /** How often it was probed while Tally paused its schedule. */
  probes: z.int().exactOptional(),
  /** It failed for good: the next post names the date, unless this post turns out to be in the channel. */
  isMissed: z.boolean().exactOptional(),
  /** An edit took the date out before anything was sent: earlier dates of the new times may still come. */
  isDropped: z.boolean().exactOptional(),
  /** For a pending notice `unanswered`: the projects without figures, and why, as in the post. */
  silent: z.record(z.string(), storedFailure).exactOptional(),
  /** The owner has not been notified of this yet. */
  pendingNotice: noticeReason.exactOptional(),
  /** When the owner's notice is tried again, in ms. */
  noticeNext: z.int().exactOptional(),
  post: postContent.exactOptional(),
});
/** What became of one date of one schedule. */
export type DeliveryLogEntry = Readonly<z.infer<typeof entry>>;

/** A damaged entry counts as a failure that is over, so that its date is not posted again. */
export const parseLogEntry = (json: string): DeliveryLogEntry => tryParseRecord(entry, json) ?? DAMAGED;

const DAMAGED: DeliveryLogEntry = { state: 'failed', due: 0, at: 0, began: 0, tries: 0 };

export interface DatedLogEntry {
  readonly schedule: string;
  readonly date: Day;
  readonly entry: DeliveryLogEntry;
  /** The JSON as it was read. A write is rejected if Redis holds another value at that moment. */
  readonly json: string;
}

const FINAL: readonly string[] = ['posted', 'skipped', 'failed'];
export const isFinal = ({ entry }: DatedLogEntry): boolean => FINAL.includes(entry.state);
/** Whether neither this date nor an earlier one of the schedule is delivered any more. */
export const isHandled = (line: DatedLogEntry): boolean => isFinal(line) && line.entry.isDropped !== true;
/** Whether no later post mentions this date, because nobody missed anything. */
export const isSettled = (line: DatedLogEntry): boolean => isHandled(line) && line.entry.isMissed !== true;
export const isNotified = ({ entry }: DatedLogEntry): boolean => entry.pendingNotice === undefined;
/** Whether Slack may have taken the post, and Tally has not found it there. */
export const mayBeInSlack = ({ entry }: DatedLogEntry): boolean =>
  entry.state === 'sending' || (entry.state === 'failed' && entry.channel !== undefined);

export const compareByDate = (a: DatedLogEntry, b: DatedLogEntry): number => (a.date < b.date ? -1 : 1);

/** The newest date of a schedule that was posted, skipped or given up. */
export const lastHandledLine = (
  schedule: string,
  { entries }: { readonly entries: readonly DatedLogEntry[] },
): DatedLogEntry | undefined =>
  entries
    .filter((line) => line.schedule === schedule)
    .toSorted(compareByDate)
    .findLast(isHandled);

/**
 * The dates of a schedule that are still to be delivered, in order and without end. Posts, forms and lists all use it, so
 * that they agree. A date is never delivered after a later one, whatever the clock says.
 */
export function* openDueTimes(
  { timing, since }: Pick<Schedule, 'timing' | 'since'>,
  last: DatedLogEntry | undefined,
): Generator<DueTime> {
  for (const due of dueTimes(timing, Math.max(since, last?.entry.due ?? 0)))
    if (last === undefined || due.date > last.date) yield due;
}

/** The open dates that are due by `now`, and the first one that is not. */
export function splitDueTimes(
  schedule: Pick<Schedule, 'timing' | 'since'>,
  last: DatedLogEntry | undefined,
  now: Millis,
): { readonly overdue: readonly DueTime[]; readonly upcoming?: DueTime } {
  const overdue: DueTime[] = [];
  for (const due of openDueTimes(schedule, last)) {
    if (due.at > now) return { overdue, upcoming: due };
    overdue.push(due);
  }
  return { overdue };
}

/** The open dates that are due by `now`. */
export const overdueTimes = (...args: Parameters<typeof splitDueTimes>): readonly DueTime[] =>
  splitDueTimes(...args).overdue;

/** Whether the schedule still has that date, overdue or to come. An edit can take it away after its delivery began. */
export function isStillOpen(schedule: Schedule, last: DatedLogEntry | undefined, date: Day): boolean {
  for (const due of openDueTimes(schedule, last)) if (due.date >= date) return due.date === date;
  return false;
}
