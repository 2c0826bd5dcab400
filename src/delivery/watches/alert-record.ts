/** A watch's state and alerts in the delivery log. Each recipient gets a message, updated as the alert changes. */
import * as z from 'zod';
import type { SlackId } from '../../domain/slack-id.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import type { Watch } from '../../workspace/record/automation-records.ts';
import { tryParseRecord } from '../../workspace/record/parse-record.ts';
import { type DeliveryLogSnapshot, type FieldWrite, newMessage, putMessage } from '../delivery-log.ts';
import { hashOf } from '../outbox/message-kind.ts';

const level = z.enum(['threshold', '50', '80', 'forecast', '100']);

/**
 * One alert, from which its messages are rendered. It stores sentences rather than figures, so that another number
 * format doesn't alter what people have read.
 */
const alert = z.object({
  /** The month of a budget or the day of a spike; for other kinds, unique for each time the threshold is crossed. */
  episode: z.string(),
  level,
  /** When the check found it, in ms since the epoch. */
  at: z.int(),
  /** The account that the figures are from: what `figuresSourceOf` returned. */
  source: z.string(),
  /** Follows the project's name: ` has 48,210.00 left, below 50,000.00`. */
  title: z.string(),
  /** The calculation behind the title, as sentences; '' if there is none. */
  why: z.string(),
  /** How many recent days were reported; '' if `why` says so. */
  covers: z.string(),
  state: z.enum(['open', 'recovered']),
  /** When the alert was over or was corrected (`at`), and the new figure as a sentence (`says`). */
  now: z.object({ at: z.int(), says: z.string() }).exactOptional(),
  acknowledged: z.object({ by: z.string(), at: z.int() }).exactOptional(),
  snoozed: z.object({ by: z.string(), at: z.int(), until: z.int() }).exactOptional(),
});
export type Alert = Readonly<z.infer<typeof alert>>;

const state = z.object({
  /** The `since` of the watch when this was stored. An edit of the rule changes it, and the watch starts anew. */
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
  /** The watch's alerts, oldest first. Those stored in an older format are dropped, not sent again. */
  alerts: z.array(alert).readonly().default([]).catch([]),
});
export type WatchRecord = Readonly<z.infer<typeof state>>;

export const watchField = (id: string): string => `watch/${id}`;

/** @returns undefined if the record is missing or damaged */
export const parseWatchRecord = (json: string | undefined): WatchRecord | undefined =>
  tryParseRecord(state, json);

export const watchRecordOf = (id: string, { fields }: Pick<DeliveryLogSnapshot, 'fields'>) =>
  parseWatchRecord(fields[watchField(id)]);

/** Identifies an alert in buttons and messages. If the threshold is crossed again, that is a new alert. */
export const alertName = ({ episode, level, at }: Pick<Alert, 'episode' | 'level' | 'at'>): string =>
  `${episode}-${level}-${at.toString(36)}`;

export const findAlert = (record: Pick<WatchRecord, 'alerts'> | undefined, name: string): Alert | undefined =>
  record?.alerts.find((alert) => alertName(alert) === name);

export const alertKey = (watch: string, name: string): string => `alert/${watch}/${name}/`;

/** Whether the alert isn't over, so that people can acknowledge it. */
export const isOpen = ({ state }: Pick<Alert, 'state'>): boolean => state === 'open';

/** How many alerts of a watch are kept. Buttons of older alerts say that they are gone. */
export const MAX_ALERTS = 6;

/** The record that a check starts with; empty after the rule was edited. */
export const startingRecord = ({ since }: Watch, stored: WatchRecord | undefined): WatchRecord =>
  stored?.since === since ? stored : { since, alerted: [], alerts: [] };

/**
 * Drops alerts that nobody received, because the recipients may not see the project. The threshold then counts as not
 * crossed, so that recipients are alerted with current figures once they may see the project.
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

/** The channel or the people that get the watch's alerts. */
const targetsOf = ({ channel, people }: Watch): readonly SlackId[] => people ?? [channel];

/** Whether the watch is paused or snoozed: it is checked, but sends no alerts. */
export const isPausedOrSnoozed = ({ paused, snoozedUntil = 0 }: Watch, now: Millis): boolean =>
  paused !== undefined || snoozedUntil > now;

export const alertAbout = z.object({
  /** The watch's owner, who gets the message if its recipient can't. */
  owner: z.string(),
  /** A hash of the alert as the message in Slack shows it. If the alert has changed, the message is updated. */
  shows: z.string(),
});
export type AlertAbout = Readonly<z.infer<typeof alertAbout>>;

/** The messages of a new alert, to be written in one step with it. */
export const messagesOfAlert = (watch: Watch, alert: Alert): readonly FieldWrite[] =>
  targetsOf(watch).map((to) => {
    const about: AlertAbout = { owner: watch.owner, shows: hashOf(alert) };
    return putMessage(newMessage(alertKey(watch.id, alertName(alert)) + to, to, about, alert.at));
  });
