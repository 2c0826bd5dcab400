/** What a watch has found and whom it has alerted, as the delivery log keeps it. */
import * as z from 'zod';
import type { SlackId } from '../../domain/slack-id.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import type { Watch } from '../../workspace/record/automation-records.ts';
import { tryParseRecord } from '../../workspace/record/parse-record.ts';
import { type DeliveryLogSnapshot, type FieldWrite, newMessage, putMessage } from '../delivery-log.ts';
import { hashOf } from '../outbox/message-kind.ts';

const level = z.enum(['threshold', '50', '80', 'forecast', '100']);

/**
 * One crossing that people are alerted of, as it stands: its message is drawn from this. It keeps sentences and not
 * figures, because what people have read doesn't change with the locale; each goes on after the project's name.
 */
const alert = z.object({
  /** A budget's month, a spike's day, otherwise one crossing. */
  episode: z.string(),
  level,
  /** When it was found, in ms. */
  at: z.int(),
  /** Whose figures it rests on: see `figuresSourceOf`. */
  source: z.string(),
  /** ` has 48,210.00 left, below 50,000.00` */
  title: z.string(),
  /** The arithmetic, as sentences of their own; '' for none. */
  why: z.string(),
  /** How many of the last days were reported; '' where `why` says it. */
  covers: z.string(),
  state: z.enum(['open', 'recovered']),
  /** When it recovered or was corrected, in ms, and what billing said then. */
  now: z.object({ at: z.int(), says: z.string() }).exactOptional(),
  acknowledged: z.object({ by: z.string(), at: z.int() }).exactOptional(),
  snoozed: z.object({ by: z.string(), at: z.int(), until: z.int() }).exactOptional(),
});
export type Alert = Readonly<z.infer<typeof alert>>;

const state = z.object({
  /** The watch's `since`: an edited rule is judged from the start. */
  since: z.int(),
  alerted: z
    .array(
      z.object({
        episode: z.string(),
        level,
        isOver: z.boolean().exactOptional(),
        isRearmed: z.boolean().exactOptional(),
        amount: z.string().exactOptional(),
      }),
    )
    .readonly()
    .default([]),
  /** Oldest first. Those of an earlier version are forgotten, and not sent again. */
  alerts: z.array(alert).readonly().default([]).catch([]),
});
export type WatchRecord = Readonly<z.infer<typeof state>>;

export const watchField = (id: string): string => `watch/${id}`;

/** Undefined for none, and for a damaged one. */
export const parseWatchRecord = (json: string | undefined): WatchRecord | undefined =>
  tryParseRecord(state, json);

export const watchRecordOf = (id: string, { fields }: Pick<DeliveryLogSnapshot, 'fields'>) =>
  parseWatchRecord(fields[watchField(id)]);

/** Names an alert of a watch in its buttons and messages: a threshold that is crossed again is another alert. */
export const alertName = ({ episode, level, at }: Pick<Alert, 'episode' | 'level' | 'at'>): string =>
  `${episode}-${level}-${at.toString(36)}`;

export const findAlert = (record: Pick<WatchRecord, 'alerts'> | undefined, name: string): Alert | undefined =>
  record?.alerts.find((alert) => alertName(alert) === name);

/** The beginning of the keys of its messages. */
export const alertKey = (watch: string, name: string): string => `alert/${watch}/${name}/`;

/** Whether it can still be acknowledged. */
export const isOpen = ({ state }: Pick<Alert, 'state'>): boolean => state === 'open';

/** Older alerts of a watch are forgotten: their buttons say so. */
export const MAX_ALERTS = 6;

/** The state that a check begins with: after an edit of the rule nothing was found and nobody alerted. */
export const recordFor = ({ since }: Watch, stored: WatchRecord | undefined): WatchRecord =>
  stored?.since === since ? stored : { since, alerted: [], alerts: [] };

/**
 * Forgets an alert that nobody got, as its project may not be shown where it was to go: then the threshold counts as not
 * crossed, and whoever may see it later is alerted with the figures of then.
 */
export function withoutUnseen(record: WatchRecord, isSeen: (alert: Alert) => boolean): WatchRecord {
  const unseen = record.alerts.filter((alert) => isOpen(alert) && !isSeen(alert));
  if (unseen.length === 0) return record;
  const episodes = new Set(unseen.map(({ episode }) => episode));
  return {
    ...record,
    alerted: record.alerted.filter(({ episode }) => !episodes.has(episode)),
    alerts: record.alerts.filter((alert) => !unseen.includes(alert)),
  };
}

/** Who is alerted: a channel, or people. */
const targetsOf = ({ channel, people }: Watch): readonly SlackId[] => people ?? [channel];

/** Paused or snoozed at `now` (ms): it is judged, and alerts nobody. */
export const isMuted = ({ paused, snoozedUntil = 0 }: Watch, now: Millis): boolean =>
  paused !== undefined || snoozedUntil > now;

export const alertAbout = z.object({
  /** The watch's owner, who gets what its channel or people can't get. */
  owner: z.string(),
  /** A hash of the alert as Slack shows it: once that differs, it is drawn again. */
  shows: z.string(),
});
export type AlertAbout = Readonly<z.infer<typeof alertAbout>>;

/** What tells people about a new alert: written with it in one step. */
export const messagesOfAlert = (watch: Watch, alert: Alert): readonly FieldWrite[] =>
  targetsOf(watch).map((to) => {
    const about: AlertAbout = { owner: watch.owner, shows: hashOf(alert) };
    return putMessage(newMessage(alertKey(watch.id, alertName(alert)) + to, to, about, alert.at));
  });
