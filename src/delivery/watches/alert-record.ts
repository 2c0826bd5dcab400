/**
 * A watch's state and alerts in the delivery log. Each recipient gets a message, which is updated as the alert changes.
 */
import * as z from 'zod';
import type { SlackId } from '../../domain/slack-id.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import type { Watch } from '../../workspace/record/automation-records.ts';
import { tryParseRecord } from '../../workspace/record/parse-record.ts';
import { type DeliveryLogSnapshot, type FieldWrite, newMessage, putMessage } from '../delivery-log.ts';
import { hashOf } from '../outbox/message-kind.ts';

const level = z.enum(['threshold', '50', '80', 'forecast', '100']);

/** Stores sentences, not figures, so that another number format doesn't alter what people have read. */
const alert = z.object({
  /** The month of a budget or the day of a spike. For other rules, unique for each crossing of the threshold. */
  episode: z.string(),
  level,
  at: z.int(),
  /** The account that the figures are from: what `figuresSourceOf` returned. */
  source: z.string(),
  title: z.string(),
  /** The calculation behind the title, as sentences; '' if there is none. */
  why: z.string(),
  /** How many recent days were reported; '' if `why` says so. */
  covers: z.string(),
  state: z.enum(['open', 'recovered']),
  /** When the alert recovered or was corrected, and the new figure as a sentence. */
  now: z.object({ at: z.int(), says: z.string() }).exactOptional(),
  acknowledged: z.object({ by: z.string(), at: z.int() }).exactOptional(),
  snoozed: z.object({ by: z.string(), at: z.int(), until: z.int() }).exactOptional(),
});
export type Alert = Readonly<z.infer<typeof alert>>;

const state = z.object({
  /** The `since` of the watch when this was stored. An edit of the rule changes `since`, and the watch starts anew. */
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
  /** Oldest first. Alerts in an older format are dropped, not sent again. */
  alerts: z.array(alert).readonly().default([]).catch([]),
});
export type WatchRecord = Readonly<z.infer<typeof state>>;

export const watchField = (id: string): string => `watch/${id}`;

export const parseWatchRecord = (json: string | undefined): WatchRecord | undefined =>
  tryParseRecord(state, json);

export const watchRecordOf = (id: string, { fields }: Pick<DeliveryLogSnapshot, 'fields'>) =>
  parseWatchRecord(fields[watchField(id)]);

/** Names an alert in buttons and messages. If the threshold is crossed again, that is a new alert. */
export const alertName = ({ episode, level, at }: Pick<Alert, 'episode' | 'level' | 'at'>): string =>
  `${episode}-${level}-${at.toString(36)}`;

export const findAlert = (record: Pick<WatchRecord, 'alerts'> | undefined, name: string): Alert | undefined =>
  record?.alerts.find((alert) => alertName(alert) === name);

export const alertKey = (watch: string, name: string): string => `alert/${watch}/${name}/`;

export const isOpen = ({ state }: Pick<Alert, 'state'>): boolean => state === 'open';

/** How many alerts of a watch are kept. Buttons of older alerts say that they are gone. */
export const MAX_ALERTS = 6;

export const startingRecord = ({ since }: Watch, stored: WatchRecord | undefined): WatchRecord =>
  stored?.since === since ? stored : { since, alerted: [], alerts: [] };

/**
 * Drops alerts that no recipient was allowed to see. Their threshold then counts as not crossed, so that the recipients
 * get a new alert once they may see the project.
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

const targetsOf = ({ channel, people }: Watch): readonly SlackId[] => people ?? [channel];

/** A paused or snoozed watch is checked, but sends no alerts. */
export const isPausedOrSnoozed = ({ paused, snoozedUntil = 0 }: Watch, now: Millis): boolean =>
  paused !== undefined || snoozedUntil > now;

export const alertAbout = z.object({
  /** The watch's owner, who gets the message if its recipient can't. */
  owner: z.string(),
  /** A hash of the alert that Slack shows. If the alert has another hash now, the message is updated. */
  shows: z.string(),
});
export type AlertAbout = Readonly<z.infer<typeof alertAbout>>;

export const messagesOfAlert = (watch: Watch, alert: Alert): readonly FieldWrite[] =>
  targetsOf(watch).map((to) => {
    const about: AlertAbout = { owner: watch.owner, shows: hashOf(alert) };
    return putMessage(newMessage(alertKey(watch.id, alertName(alert)) + to, to, about, alert.at));
  });
