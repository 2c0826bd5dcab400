/** A watch's findings and alerts in the delivery log. An alert has a message for each channel or person, drawn again when it changes. */
import * as z from 'zod';
import type { SlackId } from '../../domain/slack-id.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import type { Watch } from '../../workspace/record/automation-records.ts';
import { tryParseRecord } from '../../workspace/record/parse-record.ts';
import { type DeliveryLogSnapshot, type FieldWrite, newMessage, putMessage } from '../delivery-log.ts';
import { hashOf } from '../outbox/message-kind.ts';

const level = z.enum(['threshold', '50', '80', 'forecast', '100']);

/**
 * One alert, from which its messages are rendered. It stores sentences rather than figures, so that a change of locale
 * doesn't alter what people have read. Sentences follow the project's name.
 */
const alert = z.object({
  /** The budget's month or the spike's day; other kinds: unique per crossing. */
  episode: z.string(),
  level,
  /** When it was found, in ms. */
  at: z.int(),
  /** Account it is based on, see `figuresSourceOf`. */
  source: z.string(),
  /** ` has 48,210.00 left, below 50,000.00` */
  title: z.string(),
  /** The arithmetic, as sentences; '' if none. */
  why: z.string(),
  /** How many recent days were reported; '' if `why` says so. */
  covers: z.string(),
  state: z.enum(['open', 'recovered']),
  /** When it recovered or was corrected, in ms, and what billing said then. */
  now: z.object({ at: z.int(), says: z.string() }).exactOptional(),
  acknowledged: z.object({ by: z.string(), at: z.int() }).exactOptional(),
  snoozed: z.object({ by: z.string(), at: z.int(), until: z.int() }).exactOptional(),
});
export type Alert = Readonly<z.infer<typeof alert>>;

const state = z.object({
  /** The watch's `since`; differs after the rule was edited, which restarts the evaluation. */
  since: z.int(),
  alerted: z
    .array(
      z.object({
        episode: z.string(),
        level,
        isOver: z.boolean().exactOptional(),
        amount: z.string().exactOptional(),
      }),
    )
    .readonly()
    .default([]),
  /** Oldest first. Alerts of an older format are dropped, not resent. */
  alerts: z.array(alert).readonly().default([]).catch([]),
});
export type WatchRecord = Readonly<z.infer<typeof state>>;

export const watchField = (id: string): string => `watch/${id}`;

/** Undefined if missing or damaged. */
export const parseWatchRecord = (json: string | undefined): WatchRecord | undefined =>
  tryParseRecord(state, json);

export const watchRecordOf = (id: string, { fields }: Pick<DeliveryLogSnapshot, 'fields'>) =>
  parseWatchRecord(fields[watchField(id)]);

/** Identifies an alert in buttons and messages. Crossing again makes a new alert. */
export const alertName = ({ episode, level, at }: Pick<Alert, 'episode' | 'level' | 'at'>): string =>
  `${episode}-${level}-${at.toString(36)}`;

export const findAlert = (record: Pick<WatchRecord, 'alerts'> | undefined, name: string): Alert | undefined =>
  record?.alerts.find((alert) => alertName(alert) === name);

export const alertKey = (watch: string, name: string): string => `alert/${watch}/${name}/`;

/** Whether it can be acknowledged. */
export const isOpen = ({ state }: Pick<Alert, 'state'>): boolean => state === 'open';

/** Only the newest are kept; buttons of older ones say so. */
export const MAX_ALERTS = 6;

/** The state to start a check with. After an edit of the rule it is empty. */
export const startingRecord = ({ since }: Watch, stored: WatchRecord | undefined): WatchRecord =>
  stored?.since === since ? stored : { since, alerted: [], alerts: [] };

/**
 * Drops alerts nobody received because the recipients may not see the project. The threshold then counts as not crossed, so
 * the next permitted reader is alerted with current figures.
 */
export function withoutUnseenAlerts(record: WatchRecord, isSeen: (alert: Alert) => boolean): WatchRecord {
  const unseen = record.alerts.filter((alert) => isOpen(alert) && !isSeen(alert));
  if (unseen.length === 0) return record;
  const episodes = new Set(unseen.map(({ episode }) => episode));
  return {
    ...record,
    alerted: record.alerted.filter(({ episode }) => !episodes.has(episode)),
    alerts: record.alerts.filter((alert) => !unseen.includes(alert)),
  };
}

/** The channel or people to alert. */
const targetsOf = ({ channel, people }: Watch): readonly SlackId[] => people ?? [channel];

/** Paused or snoozed: evaluated, but silent. */
export const isPausedOrSnoozed = ({ paused, snoozedUntil = 0 }: Watch, now: Millis): boolean =>
  paused !== undefined || snoozedUntil > now;

export const alertAbout = z.object({
  /** The watch's owner, who gets it if the recipients can't. */
  owner: z.string(),
  /** A hash of the alert as Slack shows it: once that differs, it is drawn again. */
  shows: z.string(),
});
export type AlertAbout = Readonly<z.infer<typeof alertAbout>>;

/** New messages for an alert, to write in the same step. */
export const messagesOfAlert = (watch: Watch, alert: Alert): readonly FieldWrite[] =>
  targetsOf(watch).map((to) => {
    const about: AlertAbout = { owner: watch.owner, shows: hashOf(alert) };
    return putMessage(newMessage(alertKey(watch.id, alertName(alert)) + to, to, about, alert.at));
  });
