/** The messages of alerts: when they are sent and updated, what they show, and which question they answer. */
import * as z from 'zod';
import { PRODUCTS } from '../../domain/billing-products.ts';
import { commandText } from '../../domain/command-names.ts';
import { addDays } from '../../domain/time/calendar.ts';
import { FIELDS } from '../../redis/keys.ts';
import {
  actions,
  type Block,
  button,
  compact,
  context,
  escapeMarkup,
  header,
  instantMarkup,
  joinTexts,
  type Message,
  markup,
  mention,
  option,
  overflow,
  section,
} from '../../slack/block-kit/blocks.ts';
import { followUpQuestion } from '../../slack/commands/asked-projects.ts';
import { projectLabel } from '../../workspace/projects/chosen-project.ts';
import { hashOf } from '../../workspace/record/audited-change.ts';
import type { Watch } from '../../workspace/record/automation-records.ts';
import type { Workspace } from '../../workspace/record/workspace.ts';
import type { OutboxMessage } from '../delivery-log.ts';
import type { MessageKind } from '../outbox/message-kind.ts';
import type { RunView } from '../run-context.ts';
import { checkWatches, isPausedOrSnoozed, nextCheck } from './check-watches.ts';
import { type Alert, alertName, findAlert, isAlertOpen, watchAlertsOf, watchField } from './watch-alerts.ts';
import { figuresField, figuresSourceOf, needsBalance } from './watch-figures.ts';

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
    alert: findAlert(watchAlertsOf(id, snapshot), name),
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

export function alertMessage(alert: Alert, watch: Watch, workspace: Workspace): Message {
  const [project] = watch.projects;
  const label = projectLabel(project, workspace);
  const title = `${label}${alert.now?.says ?? alert.title}`;
  const why = alert.now === undefined ? alert.why : '';
  const lines = stateLines(alert, `${label}${alert.title}`);
  const { name } = PRODUCTS[project.product];
  const source = [name, `project ${project.id}`, workspace.settings.zone, alert.covers];
  return {
    text: joinTexts('. ', [title, why]),
    blocks: compact([
      header(title),
      why !== '' && section(why),
      isAlertOpen(alert) && section(NEXT_STEP[watch.rule.kind]),
      lines.length > 0 && markup(lines.join('\n')),
      context(`${escapeMarkup(joinTexts(' · ', source))} · set up by ${mention(watch.owner)}`),
      alertActions(alert, watch),
    ]),
  };
}

const NEXT_STEP: Readonly<Record<Watch['rule']['kind'], string>> = {
  balance: 'Top up the project, or see what changed.',
  runway: 'Top up the project, or see what changed.',
  budget: 'See which days cost most, or change the budget.',
  spike: 'Find out what ran that day. Tally only sees the amount.',
};

/**
 * What happened since the alert. If the header shows a newer figure, the first of these lines shows the original
 * figure.
 */
function stateLines({ at, state, now, acknowledged, snoozed }: Alert, title: string): readonly string[] {
  return compact([
    now !== undefined && `${instantMarkup(at)} · Alert · ${escapeMarkup(title)}`,
    acknowledged && `:eyes: ${instantMarkup(acknowledged.at)} · Acknowledged by ${mention(acknowledged.by)}`,
    snoozed &&
      `:zzz: ${instantMarkup(snoozed.at)} · Snoozed by ${mention(snoozed.by)} until: ${instantMarkup(snoozed.until)}`,
    now &&
      (state === 'open'
        ? `${instantMarkup(now.at)} · Corrected`
        : `:white_check_mark: ${instantMarkup(now.at)} · Recovered`),
  ]);
}

/** Includes today, because today's spend may have used up the money. */
const WEEK = 'last-7-days including today';

function alertActions(alert: Alert, watch: Watch): Block {
  const about = `${watch.id} ${alertName(alert)}`;
  const { rule, projects } = watch;
  const [project] = projects;
  const spent = (...words: string[]) =>
    [commandText('/spend'), project.id, PRODUCTS[project.product].word, ...words].join(' ');
  const { episode } = alert;
  const isDay = rule.kind === 'spike';
  const week = isDay ? `${addDays(episode, -6)}..${episode}` : WEEK;
  return actions(
    isAlertOpen(alert) &&
      alert.acknowledged === undefined &&
      button('watch-acknowledge', 'Acknowledge', { value: about, style: 'primary' }),
    button('run:days', 'See the days', { value: spent(rule.kind === 'budget' ? episode : week) }),
    rule.kind !== 'budget' &&
      button('run:why', 'What changed', {
        value: spent(isDay ? episode : `${WEEK} vs same-days-last-week`, 'why'),
      }),
    overflow('watch-more', [
      ...(isAlertOpen(alert)
        ? [
            option('Snooze for 1 day', `day ${about}`),
            option('Snooze for 7 days', `week ${about}`),
            option('Snooze until next month', `month ${about}`),
          ]
        : []),
      option(rule.kind === 'budget' ? 'Change budget…' : 'Change threshold…', `threshold ${watch.id}`),
      option('Manage', `manage ${watch.id}`),
    ]),
  );
}
