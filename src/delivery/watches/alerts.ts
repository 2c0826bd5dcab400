/** The messages of alerts: one for each channel or person, drawn from the alert's state whenever that changes. */
import * as z from 'zod';
import type { SlackId } from '../../domain/slack-id.ts';
import { FIELDS } from '../../redis/keys.ts';
import type { Watch } from '../../workspace/owned/watch-record.ts';
import type { DeliveryContext, RunView } from '../context.ts';
import type { FieldWrite } from '../delivery-log.ts';
import { dueTime, type Message, newMessage } from '../outbox/message.ts';
import { type MessageKind, messagesOf } from '../outbox/message-kind.ts';
import { alertChart, alertMessage } from './alert-message.ts';
import { figuresField, needsBalance, sourceOf, type WatchFiguresStore } from './watch-figures.ts';
import {
  type Alert,
  alertKey,
  alertName,
  findAlert,
  isMuted,
  isOpen,
  targetsOf,
  watchRecords,
} from './watch-state.ts';

const about = z.object({
  watch: z.string(),
  /** See `alertName`. */
  alert: z.string(),
  /** Of the watch: gets what its channel or people can't get. */
  owner: z.string(),
  /** `changes` of the alert as Slack shows it. */
  shows: z.int(),
});
type AlertAbout = Readonly<z.infer<typeof about>>;

/** What tells people about a new alert: written with it in one step. */
export const messagesOfAlert = (watch: Watch, alert: Alert): readonly FieldWrite[] =>
  targetsOf(watch).map((to) => {
    const name = alertName(alert);
    const told: AlertAbout = { watch: watch.id, alert: name, owner: watch.owner, shows: alert.changes };
    const { key, json, ...value } = newMessage(alertKey(watch.id, name) + to, to, told, alert.at);
    return { name: key, before: json, value };
  });

/** The watch and the alert as they were read; undefined once either is gone. */
function findSubject(
  { about: told }: Message<AlertAbout>,
  { workspace, snapshot }: Pick<RunView, 'workspace' | 'snapshot'>,
) {
  const watch = workspace.watches.find(({ id }) => id === told.watch);
  const alert = findAlert(watchRecords(snapshot).get(told.watch), told.alert);
  return watch && alert && { watch, alert };
}

/** @param figures for the charts */
export const createAlertKind = (figures: WatchFiguresStore): MessageKind<AlertAbout> => ({
  name: 'alert',
  about,
  subject: ({ about: { watch } }) => ({ watch }),
  /** A paused or snoozed watch alerts nobody. What Slack has, or may have, goes on. */
  dueAt(message, view) {
    const subject = findSubject(message, view);
    if (subject === undefined) return undefined;
    const { watch, alert } = subject;
    if (message.state === 'posted')
      return message.about.shows === alert.changes ? undefined : (message.next ?? 0);
    return message.state === 'due' && isMuted(watch, view.now) ? undefined : dueTime(message, view.now);
  },
  async prepare(message, context) {
    const subject = findSubject(message, context);
    const isNew = message.state !== 'posted';
    if (subject === undefined || (isNew && !isWorthSending(subject, context)))
      return { outcome: 'skipped', message: undefined };
    const { watch, alert } = subject;
    const chart = await chartOf(subject, figures, context);
    const field = FIELDS.watch + watch.id;
    return {
      projects: watch.projects,
      render: (_, { workspace }) => alertMessage(alert, watch, workspace, chart),
      about: { ...message.about, owner: watch.owner, shows: alert.changes },
      ...(isNew && { expected: { field, value: context.workspace.fields[field] ?? '' } }),
      topic: topicOf(watch, alert),
    };
  },
  /** Nobody may see it there: without a message the alert is forgotten by the next check. */
  onRefused: ({ insteadOf }, { isGone }) =>
    isGone || insteadOf !== undefined ? undefined : { outcome: 'refused', message: undefined },
});

interface Subject {
  readonly watch: Watch;
  readonly alert: Alert;
}

/** What was never alerted doesn't recover, and figures of another account alert nobody. */
const isWorthSending = ({ watch, alert }: Subject, { workspace }: DeliveryContext): boolean =>
  isOpen(alert) && alert.source === sourceOf(watch.projects[0], workspace);

async function chartOf(
  { watch, alert }: Subject,
  figures: WatchFiguresStore,
  { workspace, teamId }: DeliveryContext,
) {
  if (needsBalance(watch.rule)) return undefined;
  const [project] = watch.projects;
  const known = await figures.find(teamId, figuresField(project));
  const isCurrent = known !== undefined && known.source === sourceOf(project, workspace);
  return isCurrent ? alertChart(alert, known) : undefined;
}

/** For follow-ups; `days` is a budget's month or a spike's day. */
const topicOf = ({ projects, rule }: Watch, { episode }: Alert) =>
  needsBalance(rule)
    ? ({ command: '/balance', projects } as const)
    : ({ command: '/spend', projects, days: episode } as const);

/** Messages whose watch or alert is gone. @param isKept whether the watch can be there again */
export const staleMessages = (
  kind: MessageKind<AlertAbout>,
  { snapshot }: RunView,
  isKept: (watch: SlackId) => boolean,
): readonly FieldWrite[] =>
  messagesOf(kind, snapshot)
    .filter(
      ({ about: { watch, alert } }) =>
        !isKept(watch) || findAlert(watchRecords(snapshot).get(watch), alert) === undefined,
    )
    .map(({ key, json }) => ({ name: key, before: json, value: undefined }));
