/**
 * A watch's state and alerts in the delivery log. Each recipient gets a message, which is updated as the alert changes.
 */
import * as z from 'zod';
import { tryParseRecord } from '../../workspace/record/record-schemas.ts';
import type { DeliveryLogSnapshot } from '../delivery-log.ts';

const level = z.enum(['threshold', '50', '80', 'forecast', '100']);

/** Stores sentences, not figures, so that another number format doesn't alter what people have read. */
const alert = z.object({
  /** The month of a budget or the day of a spike. For other rules, unique for each crossing of the threshold. */
  episode: z.string(),
  level,
  at: z.int(),
  /** The connection and token that fetched the figures: what `figuresSourceOf` returned. */
  source: z.string(),
  title: z.string(),
  /** The calculation behind the title, as sentences; '' if there is none. */
  why: z.string(),
  /** How many recent days were reported; '' if `why` already says it. */
  covers: z.string(),
  state: z.enum(['open', 'recovered']),
  /** When the alert recovered or was corrected, and the new figure as a sentence. */
  now: z.object({ at: z.int(), says: z.string() }).exactOptional(),
  acknowledged: z.object({ by: z.string(), at: z.int() }).exactOptional(),
  snoozed: z.object({ by: z.string(), at: z.int(), until: z.int() }).exactOptional(),
});
export type Alert = Readonly<z.infer<typeof alert>>;

const state = z.object({
  /** The watch's `since` when this state was stored. Editing the rule changes `since`, and the watch starts anew. */
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
export type WatchAlerts = Readonly<z.infer<typeof state>>;

export const watchField = (id: string): string => `watch/${id}`;

export const parseWatchAlerts = (json: string | undefined): WatchAlerts | undefined =>
  tryParseRecord(state, json);

export const watchAlertsOf = (id: string, { fields }: Pick<DeliveryLogSnapshot, 'fields'>) =>
  parseWatchAlerts(fields[watchField(id)]);

/** An alert's name in buttons and in keys of messages. Each crossing of the threshold has its own alert. */
export const alertName = ({ episode, level, at }: Pick<Alert, 'episode' | 'level' | 'at'>): string =>
  `${episode}-${level}-${at.toString(36)}`;

export const findAlert = (record: Pick<WatchAlerts, 'alerts'> | undefined, name: string): Alert | undefined =>
  record?.alerts.find((alert) => alertName(alert) === name);

export const alertKey = (watch: string, name: string): string => `alert/${watch}/${name}/`;

export const isAlertOpen = ({ state }: Pick<Alert, 'state'>): boolean => state === 'open';
