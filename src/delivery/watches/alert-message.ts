/** An alert as Slack shows it, drawn from its state. */
import { commandText } from '../../domain/command-names.ts';
import { collectCharges } from '../../domain/money/charges.ts';
import { computeUsage } from '../../domain/money/usage.ts';
import { PRODUCTS } from '../../domain/product.ts';
import { addDays, type Day, daysInRange, endOfUnit } from '../../domain/time/calendar.ts';
import {
  actions,
  type Block,
  button,
  type Chart,
  compact,
  context,
  escapeMarkup,
  formatInstant,
  header,
  joinTexts,
  type Message,
  markup,
  mention,
  option,
  overflow,
  section,
} from '../../slack/kit/blocks.ts';
import { spendChart } from '../../slack/kit/charts.ts';
import type { Watch } from '../../workspace/owned/watch-record.ts';
import { projectLabel } from '../../workspace/projects/chosen-project.ts';
import type { Workspace } from '../../workspace/record/workspace.ts';
import type { ProjectFigures } from './watch-figures.ts';
import { type Alert, alertName, isOpen } from './watch-state.ts';

/** @param chart as `alertChart` makes it */
export function alertMessage(
  alert: Alert,
  watch: Watch,
  workspace: Workspace,
  chart?: Chart | undefined,
): Message {
  const {
    projects: [project],
    rule,
    owner,
  } = watch;
  const says = alert.now?.says ?? '';
  const label = projectLabel(project, workspace);
  const title = `${label}${says === '' ? alert.title : says}`;
  const why = says === '' ? alert.why : '';
  const lines = stateLines(alert, `${label}${alert.title}`);
  const { name } = PRODUCTS[project.product];
  const source = [name, `project ${project.id}`, workspace.settings.zone, alert.covers];
  return {
    text: joinTexts('. ', [title, why]),
    blocks: compact([
      header(title),
      why !== '' && section(why),
      isOpen(alert) && section(NEXT_STEP[rule.kind]),
      lines.length > 0 && markup(lines.join('\n')),
      chart,
      context(`${escapeMarkup(joinTexts(' · ', source))} · set up by ${mention(owner)}`),
      alertActions(alert, watch),
    ]),
  };
}

const NEXT_STEP: Readonly<Record<Watch['rule']['kind'], string>> = {
  balance: 'Top up the project, or see what changed and cut it.',
  runway: 'Top up the project, or see what changed and cut it.',
  budget: 'See which days cost most, or change the budget.',
  spike: 'Find out what ran that day: Tally sees the amount, not the cause.',
};

/** What has happened to it. The header has the newest figure, so what it was about stands here then. */
function stateLines({ at, state, now, acknowledged, snoozed }: Alert, title: string): readonly string[] {
  return compact([
    now !== undefined && now.says !== '' && `${formatInstant(at)} · Alert: ${escapeMarkup(title)}`,
    acknowledged && `:eyes: ${formatInstant(acknowledged.at)} · Acknowledged by ${mention(acknowledged.by)}`,
    snoozed &&
      `:zzz: ${formatInstant(snoozed.at)} · Snoozed by ${mention(snoozed.by)} until: ${formatInstant(snoozed.until)}`,
    now !== undefined && state !== 'open' && SETTLED[state](formatInstant(now.at)),
  ]);
}

const SETTLED: Readonly<Record<Exclude<Alert['state'], 'open'>, (at: string) => string>> = {
  recovered: (at) => `:white_check_mark: ${at} · Recovered`,
  corrected: (at) => `${at} · Corrected`,
  passed: (at) => `${at} · A higher threshold was crossed. See the newer alert.`,
  replaced: (at) => `${at} · The threshold was changed. This alert is about the earlier one.`,
};

/** The days that an alert is about: a budget's month, or the week up to a spike; undefined for the others. */
function daysOf({ episode }: Pick<Alert, 'episode'>): readonly [first: Day, last: Day] | undefined {
  if (/^\d{4}-\d\d$/.test(episode)) return [`${episode}-01`, endOfUnit('month', `${episode}-01`)];
  return isDay(episode) ? [addDays(episode, -6), episode] : undefined;
}
const isDay = (episode: string): boolean => /^\d{4}-\d\d-\d\d$/.test(episode);

/** What the days that it is about have cost, as far as they are over; undefined if it is about none. */
export function alertChart(alert: Alert, { usage }: Pick<ProjectFigures, 'usage'>): Chart | undefined {
  const [first, last] = daysOf(alert) ?? [];
  if (usage === undefined || first === undefined || last === undefined) return undefined;
  const days = daysInRange(first, last, usage.zone).filter((day) => day <= usage.until);
  const charges = days.flatMap((day) => {
    const digits = usage.days[day];
    if (digits === undefined) return [];
    return { day: { text: day }, totalAmount: { text: digits }, totalBonuses: { text: '0' } };
  });
  return spendChart({ usage: computeUsage(collectCharges(charges, usage.zone), { days }), period: { days } });
}

/** Nothing is left to acknowledge or snooze once it has recovered, or another alert has taken its place. */
function alertActions(alert: Alert, watch: Watch): Block {
  const about = `${watch.id} ${alertName(alert)}`;
  const {
    projects: [project],
    rule,
  } = watch;
  const spent = (...words: string[]) =>
    [commandText('/spend'), project.id, PRODUCTS[project.product].word, ...words].join(' ');
  const { episode } = alert;
  const days = daysOf(alert);
  const period = days === undefined ? 'last-7-days' : isDay(episode) ? days.join('..') : episode;
  return actions(
    isOpen(alert) &&
      alert.acknowledged === undefined &&
      button('watch-acknowledge', 'Acknowledge', { value: about, style: 'primary' }),
    button('run:days', 'See the days', { value: spent(period) }),
    // A budget is not about what changed since the month before.
    rule.kind !== 'budget' &&
      button('run:why', 'What changed', {
        value: spent(isDay(episode) ? episode : period, 'why'),
      }),
    overflow('watch-more', [
      ...(isOpen(alert)
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
