/** The messages of alerts: when they are sent and updated, and which question they answer. */
import * as z from 'zod';
import { FIELDS } from '../../redis/keys.ts';
import { followUpQuestion } from '../../slack/commands/asked-projects.ts';
import { hashOf } from '../../workspace/record/audited-change.ts';
import type { OutboxMessage } from '../delivery-log.ts';
import type { MessageKind, RunView } from '../outbox/message-kind.ts';
import { alertMessage } from './alert-message.ts';
import { checkWatches, isPausedOrSnoozed, nextCheck } from './check-watches.ts';
import { figuresField, figuresSourceOf, needsBalance } from './watch-figures.ts';
import { findAlert, isAlertOpen, watchField, watchRecordOf } from './watch-record.ts';

const alertAbout = z.object({
  /** The watch's owner, who gets the message if its recipient can't. */
  owner: z.string(),
  /** A hash of the alert that Slack shows. If the alert now has a different hash, the message is updated. */
  shows: z.string(),
});
type AlertAbout = Readonly<z.infer<typeof alertAbout>>;

function subjectOf({ key }: OutboxMessage, { workspace, snapshot }: Pick<RunView, 'workspace' | 'snapshot'>) {
  const [, id = '', name = ''] = key.split('/');
  return {
    watch: workspace.watches.find((watch) => watch.id === id),
    alert: findAlert(watchRecordOf(id, snapshot), name),
  };
}

export const alertKind: MessageKind<AlertAbout> = {
  name: 'alert',
  about: alertAbout,
  plan(view) {
    const { workspace, snapshot, now } = view;
    const current = new Set([
      ...workspace.watchIds.map(watchField),
      ...workspace.watches.map(({ projects }) => figuresField(projects[0])),
    ]);
    const removed = Object.entries(snapshot.fields).filter(
      ([name]) => /^(watch|figures)\//.test(name) && !current.has(name),
    );
    const next = nextCheck(view);
    const isDue = next !== undefined && next <= now;
    return {
      task: isDue ? checkWatches : undefined,
      writes: removed.map(([name, before]) => ({ name, before, after: undefined })),
      next: isDue ? undefined : next,
    };
  },
  /** A paused or snoozed watch sends nothing. A message that Slack has, or may have, is still updated. */
  dueAt(message, view, planned) {
    const { watch, alert } = subjectOf(message, view);
    if (alert === undefined) return view.now;
    if (watch === undefined) return undefined;
    if (message.state === 'posted')
      return message.about.shows === hashOf(alert) ? undefined : (message.next ?? 0);
    return message.state === 'due' && isPausedOrSnoozed(watch, view.now) ? undefined : planned;
  },
  async prepare(message, context) {
    const { watch, alert } = subjectOf(message, context);
    const { workspace } = context;
    if (watch === undefined || alert === undefined) return { outcome: 'skipped', message: undefined };
    const { projects } = watch;
    const source = figuresSourceOf(projects[0], workspace);
    const isNew = message.state !== 'posted';
    // An alert isn't sent if it is already over, or if its figures come from another account.
    if (isNew && !(isAlertOpen(alert) && alert.source === source))
      return { outcome: 'skipped', message: undefined };
    return {
      projects,
      render: (_, recipient) => alertMessage(alert, watch, recipient.workspace),
      about: { owner: watch.owner, shows: hashOf(alert) },
      restsOn: FIELDS.watch + watch.id,
    };
  },
  questionOf(message, context) {
    const { watch, alert } = subjectOf(message, context);
    if (watch === undefined || alert === undefined) return undefined;
    const { rule, projects } = watch;
    return needsBalance(rule)
      ? followUpQuestion('/balance', projects, '', context.workspace)
      : followUpQuestion('/spend', projects, alert.episode, context.workspace);
  },
  /** A refused alert is deleted, and the next check removes the alert from the watch's record. */
  onRefused: ({ insteadOf }, { isGone }) =>
    isGone || insteadOf !== undefined ? undefined : { outcome: 'refused', message: undefined },
};
