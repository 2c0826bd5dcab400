/** What a watch has sent, as the delivery log has it, and pure changes of that. */

import { createHash } from 'node:crypto';
import * as z from 'zod';
import { storedFailure } from '../../domain/failure/index.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { HOUR, type Millis } from '../../domain/time/calendar.ts';
import { hashBucket } from '../../redis/keys.ts';
import type { Watch } from '../../workspace/owned/watch-record.ts';
import { tryParseRecord } from '../../workspace/record/parse-record.ts';
import type { Workspace } from '../../workspace/record/workspace.ts';
import type { DeliveryLogSnapshot } from '../log/delivery-log.ts';
import { storedMessageSchema } from '../log/delivery-log-entry.ts';
import { storedFacts } from './alert-facts.ts';

const level = z.enum(['threshold', '50', '80', 'forecast', '100']);

/** What happened to an alert, oldest first. Times are ms since the epoch, people Slack IDs. */
const event = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('crossed'), level, at: z.int(), facts: storedFacts }),
  z.object({ kind: z.literal('recovered'), level, at: z.int(), facts: storedFacts }),
  /** Billing now reports another amount for its day. */
  z.object({ kind: z.literal('corrected'), level, at: z.int(), facts: storedFacts }),
  z.object({ kind: z.literal('acknowledged'), at: z.int(), by: z.string() }),
  z.object({ kind: z.literal('snoozed'), at: z.int(), by: z.string(), until: z.int() }),
  /** Its watch's rule was changed. */
  z.object({ kind: z.literal('replaced'), at: z.int() }),
]);
export type AlertEvent = Readonly<z.infer<typeof event>>;
export type FiguresEvent = Extract<AlertEvent, { kind: 'crossed' | 'recovered' | 'corrected' }>;

/** One message to one channel or person, from the moment it is due. */
const alertMessage = storedMessageSchema.extend({
  /** Index of its event. The first message to a target is the alert; the others reply to it. */
  event: z.int(),
  /** How many events the alert shows. */
  drawn: z.int().default(0),
  /** Why it goes to the owner or a manager: the channel or person that it was for can't get it. */
  insteadOf: z
    .object({ to: z.string(), cause: storedFailure, tried: z.array(z.string()).readonly() })
    .exactOptional(),
});
export type AlertMessage = Readonly<z.infer<typeof alertMessage>>;

const alert = z.object({
  /** A budget's month, a spike's day, otherwise one crossing. */
  episode: z.string(),
  events: z.array(event).min(1).readonly(),
  messages: z.array(alertMessage).readonly(),
});
/** One alert: a message for each channel or person, and what happened since. */
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
  /** Oldest first. */
  alerts: z.array(alert).readonly().default([]),
});
/** What a watch has sent, in the delivery log. */
export type StoredWatchState = Readonly<z.infer<typeof state>>;

/** Undefined for none, and for a damaged one. */
export const parseWatchState = (json: string | undefined): StoredWatchState | undefined =>
  tryParseRecord(state, json);

/** Older alerts of a watch are forgotten: their buttons say so. */
const MAX_ALERTS = 6;

/** The first message to a channel or person, which the others reply to; undefined if it was not sent. */
export const alertMessageTo = ({ messages }: Alert, to: string): AlertMessage | undefined =>
  messages.find(
    (message) => message.state !== 'failed' && (message.to === to || message.insteadOf?.to === to),
  );

/** Whether a message is the alert itself and not an answer to it. */
export const isParent = (alert: Alert, message: AlertMessage): boolean =>
  alertMessageTo(alert, message.to) === message;

/** Answers go out for these events; the alert itself shows all. */
const ANSWERED: readonly AlertEvent['kind'][] = ['crossed', 'recovered'];

/** Adds an event, with the messages that tell people about it. */
function withEvent(alert: Alert, event: AlertEvent, targets: readonly string[]): Alert {
  const index = alert.events.length;
  const messages = targets.flatMap((target): readonly AlertMessage[] => {
    const parent = alertMessageTo(alert, target);
    const message = { event: index, state: 'due', at: event.at, tries: 0, drawn: 0 } as const;
    if (parent === undefined) return event.kind === 'crossed' ? [{ ...message, to: target }] : [];
    // An alert that is not sent yet will include the event.
    if (parent.state === 'due' || !ANSWERED.includes(event.kind)) return [];
    return [{ ...message, to: parent.to }];
  });
  // A muted watch that recovers before its alert was sent needs no alert any more.
  const isMoot = event.kind === 'recovered' && targets.length === 0;
  const before = isMoot ? alert.messages.filter(({ state }) => state !== 'due') : alert.messages;
  return { ...alert, events: [...alert.events, event], messages: [...before, ...messages] };
}

/** A newer correction replaces the one before, and the alert is drawn again. */
function withCorrection(alert: Alert, event: AlertEvent): Alert {
  if (alert.events.at(-1)?.kind !== 'corrected') return withEvent(alert, event, []);
  const events = [...alert.events.slice(0, -1), event];
  const messages = alert.messages.map((message) => ({
    ...message,
    drawn: Math.min(message.drawn, events.length - 1),
  }));
  return { ...alert, events, messages };
}

/** An event of an episode; a crossing starts an alert if there is none. */
export function recordEvent(
  alerts: readonly Alert[],
  episode: string,
  event: AlertEvent,
  targets: readonly string[],
): readonly Alert[] {
  const known = alerts.find((other) => other.episode === episode);
  if (known === undefined) {
    if (event.kind !== 'crossed') return alerts;
    const fresh = withEvent({ episode, events: [], messages: [] } as unknown as Alert, event, targets);
    return [...alerts, fresh].slice(-MAX_ALERTS);
  }
  const after = event.kind === 'corrected' ? withCorrection(known, event) : withEvent(known, event, targets);
  return alerts.map((other) => (other === known ? after : other));
}

/** An alert's name: of the same month or day under another rule it is another alert. */
export const alertEpisode = ({ since }: Pick<Watch, 'since'>, episode: string): string =>
  `${since.toString(36)}-${episode}`;

/** Which month of a budget, or which day of a spike, an alert is about. */
export const episodeOf = ({ episode }: Pick<Alert, 'episode'>): string =>
  episode.slice(episode.indexOf('-') + 1);

/** The initial state: an edited rule has sent nothing, and its open alerts say that it was changed. */
export function stateFor(watch: Watch, stored: StoredWatchState | undefined, now: Millis): StoredWatchState {
  if (stored === undefined) return { since: watch.since, alerted: [], alerts: [] };
  if (stored.since === watch.since) return stored;
  const open = stored.alerted.filter(({ isOver = false }) => !isOver).map(({ episode }) => episode);
  const alerts = [...new Set(open)].reduce(
    (all, episode) => recordEvent(all, alertEpisode(stored, episode), { kind: 'replaced', at: now }, []),
    stored.alerts,
  );
  return { since: watch.since, alerted: [], alerts };
}

/** Changes one message of an alert; the alert may have got others since. */
export const withMessage = (
  state: StoredWatchState,
  { episode, event, to }: { readonly episode: string; readonly event: number; readonly to: string },
  change: (message: AlertMessage) => AlertMessage,
): StoredWatchState => ({
  ...state,
  alerts: state.alerts.map((alert) =>
    alert.episode === episode
      ? {
          ...alert,
          messages: alert.messages.map((message) =>
            message.event === event && message.to === to ? change(message) : message,
          ),
        }
      : alert,
  ),
});

/** In the delivery log: when the watches were last checked. */
export const LAST_CHECK_FIELD = 'check/watches';
export const WATCH_FIELD_PREFIX = 'watch/';

const schema = z.object({
  /** When the check began, and when the next one is due, in ms. */
  at: z.int(),
  next: z.int(),
  /** The watches, tokens and zone that it was made with: see `watchBasisOf`. */
  basis: z.string(),
});
export type LastCheck = Readonly<z.infer<typeof schema>>;

/** Watches are checked every hour, at a different time for each workspace. @returns ms since the epoch */
export function hourlyCheckAfter(teamId: SlackId, at: Millis): number {
  const spread = hashBucket(teamId, HOUR);
  return (Math.floor((at - spread) / HOUR) + 1) * HOUR + spread;
}

/** Paused or snoozed at `now` (ms): it is judged, and alerts nobody. */
export const isMuted = ({ paused, snoozedUntil = 0 }: Watch, now: Millis): boolean =>
  paused !== undefined || snoozedUntil > now;

/** The watches, tokens and time zone that a check was made with: when they change, the next check is due at once. */
export function watchBasisOf({ watches, connections, projects, settings }: Workspace): string {
  const parts = [
    watches.map(({ id, since, paused, snoozedUntil }) => [id, since, paused?.at, snoozedUntil]),
    [...connections.values()].map(({ name, fingerprint }) => [name, fingerprint]),
    projects.map(({ id, product, connection }) => [id, product, connection]),
    [settings.zone, settings.connection],
  ];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64').slice(0, 16);
}

/** When the watches are checked next, in ms: `now` or earlier if that is due; undefined for never. */
export function nextCheckAt(
  workspace: Workspace,
  snapshot: DeliveryLogSnapshot,
  now: Millis,
): number | undefined {
  // Undefined if there is none or it can't be read: then a check is due.
  const last = tryParseRecord(schema, snapshot.state(LAST_CHECK_FIELD));
  if (workspace.watches.length === 0) return undefined;
  // After the clock went back, the next check would otherwise come too late.
  if (last === undefined || last.at > now || last.basis !== watchBasisOf(workspace)) return now;
  return last.next;
}
