/**
 * What a watch has found and whom it has alerted, as the delivery log keeps it, and the messages of its alerts: one for each
 * channel or person, drawn from the alert's state whenever that changes.
 */
import * as z from 'zod';
import { commandText } from '../../domain/command-names.ts';
import { PRODUCTS } from '../../domain/product.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { addDays, type Day, endOfUnit, type Millis } from '../../domain/time/calendar.ts';
import {
  actions,
  type Block,
  button,
  compact,
  context,
  escapeMarkup,
  formatInstant,
  header,
  joinTexts,
  markup,
  mention,
  option,
  overflow,
  type Message as SlackMessage,
  section,
} from '../../slack/block-kit/blocks.ts';
import { projectLabel } from '../../workspace/projects/chosen-project.ts';
import type { Watch } from '../../workspace/record/automation-records.ts';
import { tryParseRecord } from '../../workspace/record/parse-record.ts';
import type { Workspace } from '../../workspace/record/workspace.ts';
import type { DeliveryLogSnapshot, FieldWrite } from '../delivery-log.ts';
import { newMessage, putMessage } from '../delivery-log.ts';

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
  /** `passed`: a higher threshold of the same episode was crossed. `replaced`: the watch got another rule. */
  state: z.enum(['open', 'corrected', 'recovered', 'passed', 'replaced']),
  /** Since when it is no longer `open`, in ms, and what billing said then; '' if that is not about a figure. */
  now: z.object({ at: z.int(), says: z.string() }).exactOptional(),
  acknowledged: z.object({ by: z.string(), at: z.int() }).exactOptional(),
  snoozed: z.object({ by: z.string(), at: z.int(), until: z.int() }).exactOptional(),
  /** How often it has changed: a message that shows an earlier number is drawn again. */
  changes: z.int(),
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
        amount: z.string().exactOptional(),
      }),
    )
    .readonly()
    .default([]),
  /** Oldest first. Those of an earlier version are forgotten, and not sent again. */
  alerts: z.array(alert).readonly().default([]).catch([]),
});
export type WatchRecord = Readonly<z.infer<typeof state>>;

const PREFIX = 'watch/';
export const watchField = (id: string): string => PREFIX + id;

/** Undefined for none, and for a damaged one. */
export const parseWatchRecord = (json: string | undefined): WatchRecord | undefined =>
  tryParseRecord(state, json);

export const watchRecordOf = (id: string, { fields }: Pick<DeliveryLogSnapshot, 'fields'>) =>
  parseWatchRecord(fields[watchField(id)]);

/** The watches that have a record, also those that were removed. */
export const recordedWatches = ({ fields }: Pick<DeliveryLogSnapshot, 'fields'>): readonly string[] =>
  Object.keys(fields).flatMap((name) => (name.startsWith(PREFIX) ? name.slice(PREFIX.length) : []));

/** Names an alert of a watch in its buttons and messages: a threshold that is crossed again is another alert. */
export const alertName = ({ episode, level, at }: Pick<Alert, 'episode' | 'level' | 'at'>): string =>
  `${episode}-${level}-${at.toString(36)}`;

export const findAlert = (record: Pick<WatchRecord, 'alerts'> | undefined, name: string): Alert | undefined =>
  record?.alerts.find((alert) => alertName(alert) === name);

/** The beginning of the keys of its messages. */
export const alertKey = (watch: string, name: string): string => `alert/${watch}/${name}/`;

/** Whether it can still be acknowledged. */
export const isOpen = ({ state }: Pick<Alert, 'state'>): boolean => state === 'open' || state === 'corrected';

/** Older alerts of a watch are forgotten: their buttons say so. */
export const MAX_ALERTS = 6;

export const withChange = (alert: Alert, changed: Partial<Alert>): Alert => ({
  ...alert,
  ...changed,
  changes: alert.changes + 1,
});

/** The state that a check begins with. After an edit it has found nothing, and open alerts say that the rule was changed. */
export function recordFor(watch: Watch, stored: WatchRecord | undefined, now: Millis): WatchRecord {
  if (stored === undefined) return { since: watch.since, alerted: [], alerts: [] };
  if (stored.since === watch.since) return stored;
  const replaced = { state: 'replaced', now: { at: now, says: '' } } as const;
  const alerts = stored.alerts.map((alert) => (isOpen(alert) ? withChange(alert, replaced) : alert));
  return { since: watch.since, alerted: [], alerts };
}

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
  watch: z.string(),
  /** See `alertName`. */
  alert: z.string(),
  /** The watch's owner, who gets what its channel or people can't get. */
  owner: z.string(),
  /** `changes` of the alert as Slack shows it. */
  shows: z.int(),
});
export type AlertAbout = Readonly<z.infer<typeof alertAbout>>;

/** What tells people about a new alert: written with it in one step. */
export const messagesOfAlert = (watch: Watch, alert: Alert): readonly FieldWrite[] =>
  targetsOf(watch).map((to) => {
    const name = alertName(alert);
    const about: AlertAbout = { watch: watch.id, alert: name, owner: watch.owner, shows: alert.changes };
    return putMessage(newMessage(alertKey(watch.id, name) + to, to, about, alert.at));
  });

/** Drawn from what has become of the alert since. */
export function alertMessage(alert: Alert, watch: Watch, workspace: Workspace): SlackMessage {
  const [project] = watch.projects;
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
      isOpen(alert) && section(NEXT_STEP[watch.rule.kind]),
      lines.length > 0 && markup(lines.join('\n')),
      context(`${escapeMarkup(joinTexts(' · ', source))} · set up by ${mention(watch.owner)}`),
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

/** Nothing is left to acknowledge or snooze once it has recovered, or another alert has taken its place. */
function alertActions(alert: Alert, watch: Watch): Block {
  const about = `${watch.id} ${alertName(alert)}`;
  const { rule, projects } = watch;
  const [project] = projects;
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
