import type { SlackId } from '../../domain/slack-id.ts';
import { dayAt, daysBefore } from '../../domain/time/calendar.ts';
import type { Watch } from '../../workspace/owned/watch-record.ts';
import { isPerson } from '../../workspace/record/parse-record.ts';
import type { StoredFailure } from '../../workspace/record/stored-failure.ts';
import { type DeliveryContext, openState, type StateDocument } from '../delivery-run.ts';
import { responsiblePeople } from '../outbox/check-recipient.ts';
import type { MessageTopic } from '../outbox/remember-topic.ts';
import { sendMessage } from '../outbox/send-message.ts';
import { newMessage, type OutboxMessage, sendsAt, withSendState } from '../outbox/send-state.ts';
import { updateMessage } from '../outbox/update-message.ts';
import { alertMessage, alertReply, hasRecovered, sourceText } from './alert-blocks.ts';
import { alertChart } from './alert-chart.ts';
import { alertWords } from './alert-wording.ts';
import {
  figuresField,
  knownBalances,
  needsBalance,
  parseWatchFigures,
  type StoredFigures,
} from './watch-figures.ts';
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
} from './watch-state.ts';

type Known = ReadonlyMap<string, StoredFigures>;

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

/** Sends what is due of a watch's alerts, and draws them as they are now. @throws LeaseLostError, StoreUnavailable */
export async function sendAlerts(watch: Watch, known: Known, context: DeliveryContext): Promise<void> {
  const document = openState(WATCH_FIELD_PREFIX + watch.id, parseStored, context);
  const figures = known.get(figuresField(watch.project));
  for (const { episode, messages } of document.value().alerts)
    for (const { event, to } of messages) {
      if (context.isOver()) return;
      const task = { watch, document, figures, place: { episode, event, to } };
      const found = findMessage(task);
      if (found === undefined) continue;
      const at = alertActionAt(found.alert, found.message, isMuted(watch, context.clock()));
      if (at === undefined || at > context.clock()) continue;
      if (found.message.state === 'posted') await redraw(task, found, context);
      else await send(task, found, context);
    }
}

const parseStored = (json: string | undefined): StoredWatchState =>
  parseWatchState(json) ?? { since: 0, alerted: [], alerts: [] };

interface AlertTask {
  readonly watch: Watch;
  readonly document: StateDocument<StoredWatchState>;
  readonly figures: StoredFigures | undefined;
  readonly place: Parameters<typeof withMessage>[1];
}

interface Found {
  readonly alert: Alert;
  readonly message: AlertMessage;
}

function findMessage({ document, place: { episode, event, to } }: Omit<AlertTask, 'figures'>) {
  const alert = document.value().alerts.find((other) => other.episode === episode);
  const message = alert?.messages.find((other) => other.event === event && other.to === to);
  return alert && message && { alert, message };
}

/** Identifies the message in its conversation. */
const keyOf = ({ watch, place: { episode, event } }: AlertTask): string =>
  `${WATCH_FIELD_PREFIX}${watch.id}/${episode}/${event}`;

async function send(task: AlertTask, { alert, message }: Found, context: DeliveryContext): Promise<void> {
  const { watch, document, place } = task;
  const isFirst = isParent(alert, message);
  const { ts } = (isFirst ? undefined : alertMessageTo(alert, place.to)) ?? {};
  const saveWith =
    (shown: Partial<Pick<AlertMessage, 'drawn'>>): OutboxMessage['save'] =>
    (change, step) =>
      document.update(
        (state) => withMessage(state, place, (now) => withSendState({ ...now, ...shown }, change(now))),
        step,
      );
  await sendMessage(
    {
      ...{ kind: 'alert', key: keyOf(task), to: place.to, watch: watch.id, stored: message },
      topic: () => topicOf(task),
      ...(ts !== undefined && {
        thread: { ts, isBroadcast: alert.events[place.event]?.kind === 'crossed' && !isPerson(place.to) },
      }),
      prepare: async () => ({
        projects: [watch.project],
        render() {
          const now = findMessage(task)?.alert ?? alert;
          const view = viewOf(task, { alert: now, message }, context);
          return {
            message: isFirst ? alertMessage(view) : alertReply(view),
            claim: saveWith({ drawn: now.events.length }),
          };
        },
      }),
      save: saveWith({}),
      async onRefused({ cause, isGone }, mayBeInSlack) {
        // A message that already replaces one to somebody else goes to the next manager.
        if (isGone || message.insteadOf !== undefined) return sendElsewhere(task, message, cause, context);
        return !mayBeInSlack && forget(task);
      },
    },
    context,
  );
}

/** For follow-ups; `days` is a budget's month or a spike's day. */
const topicOf = ({ watch: { project, rule }, place }: AlertTask): MessageTopic => ({
  projects: [project],
  ...(needsBalance(rule) ? { command: '/balance' } : { command: '/spend', days: episodeOf(place) }),
});

function viewOf({ watch, figures }: AlertTask, { alert, message }: Found, context: DeliveryContext) {
  const { zone } = context.workspace.settings;
  const today = dayAt(context.clock(), zone);
  const judged = figures && parseWatchFigures(figures, today, zone);
  const week = daysBefore(today, 7, zone);
  const reported = judged === undefined ? 0 : week.filter((day) => judged.amounts.has(day)).length;
  const covered = reported === 0 ? [] : [`${reported} of the last ${week.length} days reported`];
  return {
    ...{ watch, alert, message },
    source: [sourceText(watch, zone), ...covered].join(' · '),
    words: alertWords(watch, context.workspace, today),
    chart:
      judged &&
      figures &&
      alertChart(watch.rule, judged, knownBalances(figures), episodeOf(alert), hasRecovered(alert)),
  };
}

async function redraw(task: AlertTask, { alert, message }: Found, context: DeliveryContext): Promise<void> {
  const { to, channel = to, ts = '', tries, isAgain } = message;
  const { watch, place, document } = task;
  const save = (change: (message: AlertMessage) => AlertMessage) =>
    document.update((state) => withMessage(state, place, change), { needsLease: true });
  const drawn = alert.events.length;
  // A recipient who may not see the project any more keeps the alert as it was.
  const close = () => save(({ next: _, ...shown }) => ({ ...shown, drawn, tries: 0 }));
  await updateMessage(
    {
      ...{
        kind: 'alert update',
        key: keyOf(task),
        to,
        watch: watch.id,
        posted: { channel, ts },
        tries,
        isAgain,
      },
      prepare: async () => ({
        projects: [watch.project],
        render: () => alertMessage(viewOf(task, { alert, message }, context)),
      }),
      save: close,
      retry: (tried) => (tried.next === undefined ? close() : save((shown) => ({ ...shown, ...tried }))),
    },
    context,
  );
}

/**
 * Forgets that the threshold was crossed, so that a later check alerts with its own figures if somebody may see them.
 *
 * @returns false for an alert that others have got or may get
 */
async function forget(task: AlertTask): Promise<boolean> {
  const { document, watch, place } = task;
  const { episode } = place;
  const { messages = [] } = findMessage(task)?.alert ?? {};
  if (messages.some(({ to, state }) => to !== place.to && state !== 'failed')) return false;
  await document.update(
    ({ alerted, alerts, ...state }) => ({
      ...state,
      alerted: alerted.filter((level) => alertEpisode(watch, level.episode) !== episode),
      alerts: alerts.filter((other) => other.episode !== episode),
    }),
    { needsLease: true },
  );
  return true;
}

/** Sent to the owner or, when that person has left, to a manager; the message says why. */
async function sendElsewhere(
  task: AlertTask,
  message: AlertMessage,
  cause: StoredFailure,
  context: DeliveryContext,
): Promise<boolean> {
  const { watch, document, place } = task;
  const { to, insteadOf } = message;
  const tried = [...(insteadOf?.tried ?? []), to];
  const taken = findMessage(task)?.alert.messages ?? [];
  const isTaken = (person: SlackId) =>
    tried.includes(person) || taken.some((other) => other.to === person && other.event === place.event);
  const next = [watch.owner, ...responsiblePeople(context.workspace)].find((person) => !isTaken(person));
  if (next === undefined) return false;
  const { to: wanted, cause: first } = insteadOf ?? { to, cause };
  await document.update(
    (state) =>
      withMessage(state, place, ({ event, drawn }) => ({
        ...{ ...newMessage(next, context.clock()), event, drawn },
        insteadOf: { to: wanted, cause: first, tried },
      })),
    { needsLease: true },
  );
  return true;
}
