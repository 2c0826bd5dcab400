/** What an alert tells, to whom: pure changes of the stored state. */

import type { AlertedLevel } from '../../domain/money/thresholds.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import type { Watch } from '../../workspace/owned/watches.ts';
import type { Alert, AlertEvent, AlertMessage, StoredWatchState } from './watch-state.ts';

/** Older alerts of a watch are forgotten: their buttons say so. */
const MAX_ALERTS = 6;

export const targetsOf = ({ target }: Pick<Watch, 'target'>): readonly string[] =>
  'channel' in target ? [target.channel] : target.people;

/** The first message to a channel or person, which the others reply to; undefined if it was not sent. */
export const alertMessageTo = ({ messages }: Alert, to: string): AlertMessage | undefined =>
  messages.find((one) => one.state !== 'failed' && (one.to === to || one.insteadOf?.to === to));

/** Whether a message is the alert itself and not an answer to it. */
export const isParent = (alert: Alert, message: AlertMessage): boolean =>
  alertMessageTo(alert, message.to) === message;

/** Answers go out for these events; the alert itself shows all. */
const ANSWERED: readonly AlertEvent['kind'][] = ['crossed', 'recovered'];

/** Adds an event, with the messages that tell it. */
function withEvent(alert: Alert, event: AlertEvent, targets: readonly string[]): Alert {
  const index = alert.events.length;
  const messages = targets.flatMap((target): readonly AlertMessage[] => {
    const parent = alertMessageTo(alert, target);
    const message = { event: index, state: 'due', at: event.at, tries: 0, drawn: 0 } as const;
    if (parent === undefined) return event.kind === 'crossed' ? [{ ...message, to: target }] : [];
    // One that is not out yet will show it.
    if (parent.state === 'due' || !ANSWERED.includes(event.kind)) return [];
    return [{ ...message, to: parent.to }];
  });
  // Nobody may be alerted, so nobody has to hear of what is over by then.
  const isMoot = event.kind === 'recovered' && targets.length === 0;
  const before = isMoot ? alert.messages.filter(({ state }) => state !== 'due') : alert.messages;
  return { ...alert, events: [...alert.events, event], messages: [...before, ...messages] };
}

/** A newer correction replaces the one before, and the alert is drawn again. */
function withCorrection(alert: Alert, event: AlertEvent): Alert {
  if (alert.events.at(-1)?.kind !== 'corrected') return withEvent(alert, event, []);
  const events = [...alert.events.slice(0, -1), event];
  const messages = alert.messages.map((one) => ({ ...one, drawn: Math.min(one.drawn, events.length - 1) }));
  return { ...alert, events, messages };
}

/** An event of an episode; a crossing starts an alert if there is none. */
export function recordEvent(
  alerts: readonly Alert[],
  episode: string,
  event: AlertEvent,
  targets: readonly string[],
): readonly Alert[] {
  const known = alerts.find((one) => one.episode === episode);
  if (known === undefined) {
    if (event.kind !== 'crossed') return alerts;
    const fresh = withEvent({ episode, events: [], messages: [] } as unknown as Alert, event, targets);
    return [...alerts, fresh].slice(-MAX_ALERTS);
  }
  const after = event.kind === 'corrected' ? withCorrection(known, event) : withEvent(known, event, targets);
  return alerts.map((one) => (one === known ? after : one));
}

/** Episodes that have alerted and not recovered. */
const openEpisodes = (told: readonly AlertedLevel[]): readonly string[] => [
  ...new Set(told.filter(({ isOver = false }) => !isOver).map(({ episode }) => episode)),
];

/** An alert's name: of the same month or day under another rule it is another alert. */
export const alertEpisode = ({ since }: Pick<Watch, 'since'>, episode: string): string =>
  `${since.toString(36)}-${episode}`;

/** The episode that an alert's name stands for: a budget's month, a spike's day. */
export const episodeOf = ({ episode }: Pick<Alert, 'episode'>): string =>
  episode.slice(episode.indexOf('-') + 1);

/** The initial state: an edited rule has sent nothing, and its open alerts say that it was changed. */
export function stateFor(watch: Watch, stored: StoredWatchState | undefined, now: Millis): StoredWatchState {
  if (stored === undefined) return { since: watch.since, told: [], alerts: [] };
  if (stored.since === watch.since) return stored;
  const alerts = openEpisodes(stored.told).reduce(
    (all, episode) => recordEvent(all, alertEpisode(stored, episode), { kind: 'replaced', at: now }, []),
    stored.alerts,
  );
  return { since: watch.since, told: [], alerts };
}

/** Changes one message of an alert; the alert may have got others since. */
export const withMessage = (
  state: StoredWatchState,
  { episode, event, to }: { readonly episode: string; readonly event: number; readonly to: string },
  change: (message: AlertMessage, alert: Alert) => AlertMessage,
): StoredWatchState => ({
  ...state,
  alerts: state.alerts.map((alert) =>
    alert.episode === episode
      ? {
          ...alert,
          messages: alert.messages.map((one) =>
            one.event === event && one.to === to ? change(one, alert) : one,
          ),
        }
      : alert,
  ),
});
