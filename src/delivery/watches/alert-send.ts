import type { StoredFailure } from '../../domain/failure/index.ts';
import { dayAt, daysBefore } from '../../domain/time/calendar.ts';
import type { Watch } from '../../workspace/owned/watch-record.ts';
import { isPerson } from '../../workspace/record/parse-record.ts';
import {
  type DeliveryContext,
  openState,
  type StateDocument,
  type WriteConditions,
} from '../delivery-run.ts';
import { responsiblePeople } from '../outbox/check-recipient.ts';
import type { MessageTopic } from '../outbox/remember-topic.ts';
import { sendMessage } from '../outbox/send-message.ts';
import { newMessage, sendsAt, withSendState } from '../outbox/send-state.ts';
import { updateMessage } from '../outbox/update-message.ts';
import { type AlertView, alertMessage, alertReply, hasRecovered, sourceText } from './alert-blocks.ts';
import { alertChart } from './alert-chart.ts';
import { alertWords } from './alert-wording.ts';
import {
  type Alert,
  type AlertMessage,
  alertEpisode,
  alertMessageTo,
  episodeOf,
  isMuted,
  isParent,
  parseWatchState,
  type StoredWatchState,
  WATCH_FIELD_PREFIX,
  withMessage,
} from './sent-alerts.ts';
import {
  figuresField,
  knownBalances,
  needsBalance,
  parseWatchFigures,
  type StoredFigures,
} from './watch-figures-store.ts';

/**
 * When a message of an alert is to be sent or drawn again, in ms; undefined for never.
 *
 * @param isWatchSuspended paused or snoozed: what Slack may have taken is still looked for, and nothing else is sent
 */
export function alertActionAt(
  alert: Alert,
  message: AlertMessage,
  isWatchSuspended: boolean,
): number | undefined {
  const at = sendsAt(message);
  if (at !== undefined && isWatchSuspended && message.state === 'due') return undefined;
  if (at !== undefined) return waitsForParent(alert, message) ? undefined : at;
  return needsDrawing(alert, message) ? (message.next ?? 0) : undefined;
}

const needsDrawing = (alert: Alert, message: AlertMessage): boolean =>
  message.state === 'posted' && isParent(alert, message) && message.drawn < alert.events.length;

/** Whether it waits to be a reply to the alert itself, which is not posted yet. */
const waitsForParent = (alert: Alert, message: AlertMessage): boolean =>
  !isParent(alert, message) && alertMessageTo(alert, message.to)?.state !== 'posted';

/**
 * Sends what is due of a watch's alerts, and draws them as they are now.
 *
 * @param known by `figuresField` @throws LeaseLostError, StoreUnavailable
 */
export async function sendAlerts(
  watch: Watch,
  known: ReadonlyMap<string, StoredFigures>,
  context: DeliveryContext,
): Promise<void> {
  const parse = (json: string | undefined): StoredWatchState =>
    parseWatchState(json) ?? { since: 0, alerted: [], alerts: [] };
  const document = openState(WATCH_FIELD_PREFIX + watch.id, parse, context);
  const figures = known.get(figuresField(watch.projects[0]));
  for (const { episode, messages } of document.value().alerts)
    for (const { event, to } of messages) {
      if (context.isOver()) return;
      await new AlertDelivery(watch, document, figures, { episode, event, to }, context).run();
    }
}

/** Sends one message of an alert, or draws it again. Others may change the alert at the same time, so it is looked up again. */
class AlertDelivery {
  constructor(
    private readonly watch: Watch,
    private readonly document: StateDocument<StoredWatchState>,
    private readonly figures: StoredFigures | undefined,
    private readonly place: Parameters<typeof withMessage>[1],
    private readonly context: DeliveryContext,
  ) {}

  async run(): Promise<void> {
    const now = this.context.clock();
    const alert = this.findAlert();
    const { event, to } = this.place;
    const message = alert?.messages.find((other) => other.event === event && other.to === to);
    if (alert === undefined || message === undefined) return;
    const at = alertActionAt(alert, message, isMuted(this.watch, now));
    if (at === undefined || at > now) return;
    await (message.state === 'posted' ? this.redraw(alert, message) : this.send(alert, message));
  }

  private findAlert(): Alert | undefined {
    return this.document.value().alerts.find(({ episode }) => episode === this.place.episode);
  }

  /** Identifies the message in its conversation. */
  private get key(): string {
    const { episode, event } = this.place;
    return `${WATCH_FIELD_PREFIX}${this.watch.id}/${episode}/${event}`;
  }

  private change(change: (message: AlertMessage) => AlertMessage, step: WriteConditions): Promise<void> {
    return this.document.update((state) => withMessage(state, this.place, change), step);
  }

  private async send(alert: Alert, message: AlertMessage): Promise<void> {
    const { watch, place } = this;
    const isFirst = isParent(alert, message);
    const { ts } = (isFirst ? undefined : alertMessageTo(alert, place.to)) ?? {};
    await sendMessage(
      {
        kind: 'alert',
        key: this.key,
        to: place.to,
        watch: watch.id,
        stored: message,
        topic: () => this.topic(),
        ...(ts !== undefined && {
          thread: { ts, isBroadcast: alert.events[place.event]?.kind === 'crossed' && !isPerson(place.to) },
        }),
        prepare: async () => ({
          projects: watch.projects,
          render: () => {
            const now = this.findAlert() ?? alert;
            const view = this.view(now, message);
            const drawn = now.events.length;
            return {
              message: isFirst ? alertMessage(view) : alertReply(view),
              claim: (change, step) =>
                this.change((stored) => withSendState({ ...stored, drawn }, change(stored)), step),
            };
          },
        }),
        save: (change, step) => this.change((stored) => withSendState(stored, change(stored)), step),
        onRefused: async ({ cause, isGone }, mayBeInSlack) => {
          // A message that already replaces one to somebody else goes to the next manager.
          if (isGone || message.insteadOf !== undefined) return this.sendElsewhere(message, cause);
          return !mayBeInSlack && this.forget();
        },
      },
      this.context,
    );
  }

  /** For follow-ups; `days` is a budget's month or a spike's day. */
  private topic(): MessageTopic {
    const { projects, rule } = this.watch;
    return needsBalance(rule)
      ? { command: '/balance', projects }
      : { command: '/spend', projects, days: episodeOf(this.place) };
  }

  private view(alert: Alert, message: AlertMessage): AlertView {
    const { watch, figures, context } = this;
    const { zone } = context.workspace.settings;
    const today = dayAt(context.clock(), zone);
    const judged = figures && parseWatchFigures(figures, today, zone);
    const week = daysBefore(today, 7, zone);
    const reported = judged === undefined ? 0 : week.filter((day) => judged.amounts.has(day)).length;
    // A budget's alert says how many days of its month are reported.
    const covered =
      reported === 0 || watch.rule.kind === 'budget'
        ? []
        : [`${reported} of the last ${week.length} days reported`];
    return {
      watch,
      alert,
      message,
      source: [sourceText(watch, zone), ...covered].join(' · '),
      words: alertWords(watch, context.workspace, today),
      chart:
        judged &&
        figures &&
        alertChart(watch.rule, judged, knownBalances(figures), episodeOf(alert), hasRecovered(alert)),
    };
  }

  private async redraw(alert: Alert, message: AlertMessage): Promise<void> {
    const { to, channel = to, ts = '', tries, isAgain } = message;
    const save = (change: (message: AlertMessage) => AlertMessage) =>
      this.change(change, { needsLease: true });
    const drawn = alert.events.length;
    // A recipient who may not see the project any more keeps the alert as it was.
    const close = () => save(({ next: _, ...shown }) => ({ ...shown, drawn, tries: 0 }));
    await updateMessage(
      {
        kind: 'alert update',
        key: this.key,
        to,
        watch: this.watch.id,
        posted: { channel, ts },
        tries,
        isAgain,
        prepare: async () => ({
          projects: this.watch.projects,
          render: () => alertMessage(this.view(alert, message)),
        }),
        save: close,
        retry: (tried) => (tried.next === undefined ? close() : save((shown) => ({ ...shown, ...tried }))),
      },
      this.context,
    );
  }

  /**
   * Forgets that the threshold was crossed, so that a later check alerts with its own figures if somebody may see them.
   *
   * @returns false for an alert that others have got or may get
   */
  private async forget(): Promise<boolean> {
    const { episode, to: refused } = this.place;
    const { messages = [] } = this.findAlert() ?? {};
    if (messages.some(({ to, state }) => to !== refused && state !== 'failed')) return false;
    await this.document.update(
      ({ alerted, alerts, ...state }) => ({
        ...state,
        alerted: alerted.filter((level) => alertEpisode(this.watch, level.episode) !== episode),
        alerts: alerts.filter((other) => other.episode !== episode),
      }),
      { needsLease: true },
    );
    return true;
  }

  /** Sent to the owner or, when that person has left, to a manager; the message says why. */
  private async sendElsewhere({ to, insteadOf }: AlertMessage, cause: StoredFailure): Promise<boolean> {
    const { workspace, clock } = this.context;
    const tried = [...(insteadOf?.tried ?? []), to];
    const others = this.findAlert()?.messages.filter(({ event }) => event === this.place.event) ?? [];
    const taken = [...tried, ...others.map((other) => other.to)];
    const next = [this.watch.owner, ...responsiblePeople(workspace)].find(
      (person) => !taken.includes(person),
    );
    if (next === undefined) return false;
    const { to: wanted, cause: first } = insteadOf ?? { to, cause };
    await this.change(
      ({ event, drawn }) => ({
        ...newMessage(next, clock()),
        event,
        drawn,
        insteadOf: { to: wanted, cause: first, tried },
      }),
      { needsLease: true },
    );
    return true;
  }
}
