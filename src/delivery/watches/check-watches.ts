/** Checks watches every hour and whenever something that they depend on changes, and creates alerts. */
import * as z from 'zod';
import { kindOf, type StoredFailure } from '../../domain/failure/index.ts';
import { type AlertedLevel, evaluateRule } from '../../domain/money/watch-evaluation.ts';
import { averageDay, measureWatch, type WatchFigures } from '../../domain/money/watch-measurement.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { dayAt, daysBefore, earliest, HOUR, type Millis } from '../../domain/time/calendar.ts';
import { projectMoneyFormatter } from '../../workspace/projects/chosen-project.ts';
import { isShownTo } from '../../workspace/projects/project-scope.ts';
import { hashOf, hashSetup } from '../../workspace/record/audited-change.ts';
import type { Watch } from '../../workspace/record/automation-records.ts';
import { tryParseRecord } from '../../workspace/record/record-schemas.ts';
import { isDamaged, type Workspace } from '../../workspace/record/workspace.ts';
import { type FieldWrite, newMessage, OvertakenError, putMessage } from '../delivery-log.ts';
import { CHANNEL_LIMITED } from '../outbox/retry-policy.ts';
import type { DeliveryContext, RunView } from '../run-context.ts';
import { hashBucket } from '../wake-ups.ts';
import { type AlertBasis, alertText, correctionText, recoveryText } from './alert-sentences.ts';
import {
  type Alert,
  alertKey,
  alertName,
  isAlertOpen,
  type WatchAlerts,
  watchAlertsOf,
  watchField,
} from './watch-alerts.ts';
import {
  fetchFigures,
  figuresField,
  figuresSourceOf,
  hasFigures,
  knownFigures,
  parseWatchFigures,
  type StoredFigures,
} from './watch-figures.ts';

const CHECK_FIELD = 'check/watches';

const schema = z.object({
  at: z.int(),
  setup: z.string(),
});

function hourlyCheckAfter(teamId: SlackId, at: Millis): Millis {
  const spread = hashBucket(teamId, HOUR);
  return (Math.floor((at - spread) / HOUR) + 1) * HOUR + spread;
}

export function nextCheck({ workspace, snapshot, now }: RunView): Millis | undefined {
  const { teamId, watches } = workspace;
  // Without settings there is no time zone, so nothing says which day is today.
  if (watches.length === 0 || isDamaged(workspace, 'settings')) return undefined;
  const last = tryParseRecord(schema, snapshot.fields[CHECK_FIELD]);
  // A last check in the future means that the clock was set back: check now.
  if (last === undefined || last.at > now || last.setup !== hashSetup(workspace, 'watch')) return now;
  const snoozes = watches.flatMap(({ paused, snoozedUntil = 0 }) =>
    paused === undefined && snoozedUntil > last.at ? snoozedUntil : [],
  );
  return earliest(hourlyCheckAfter(teamId, last.at), ...snoozes);
}

/**
 * Watch states and alerts are stored in one step, so that each alert is sent once even after a crash. @throws
 * OvertakenError, store-unavailable
 */
export async function checkWatches(context: DeliveryContext): Promise<void> {
  const { workspace, snapshot, teamId, now, deliveryLog } = context;
  const { watches } = workspace;
  const allowed = watches.filter((watch) => !isProjectLimited(watch, workspace));
  const figures = await fetchFigures(allowed, context);
  if (context.isEnding()) return;
  const checked = watches.flatMap((watch) =>
    checkWatch(watch, figures.get(figuresField(watch.projects[0]))?.now, context),
  );
  const write = (name: string, value: object): FieldWrite => ({
    name,
    before: snapshot.fields[name],
    after: JSON.stringify(value),
  });
  const writes = [
    ...checked,
    ...[...figures].map(([field, { stored }]) => write(field, stored)),
    write(CHECK_FIELD, { at: now, setup: hashSetup(workspace, 'watch') }),
  ];
  if (!(await deliveryLog.write(teamId, writes))) throw new OvertakenError();
}

const isProjectLimited = ({ channel, projects: [project] }: Watch, workspace: Workspace): boolean =>
  channel !== undefined && !isShownTo(project, workspace, { channel, isUnlimited: false });

/** Why the watch sends no alerts until a person fixes the cause; undefined if Tally can check it or will try again. */
export function pauseCauseOf(
  watch: Watch,
  view: Pick<RunView, 'workspace' | 'snapshot'>,
): StoredFailure | undefined {
  const { workspace } = view;
  if (isDamaged(workspace, 'settings') || isDamaged(workspace, 'project')) return undefined;
  if (isProjectLimited(watch, workspace)) return CHANNEL_LIMITED;
  const { problem } = knownFigures(watch, view) ?? {};
  return problem !== undefined && kindOf(problem.kind)?.fixedBy === 'manager' ? problem : undefined;
}

/** Whether billing answered the last check, so that the watch can alert. */
export const canCheck = (watch: Watch, view: Pick<RunView, 'workspace' | 'snapshot'>): boolean => {
  const figures = knownFigures(watch, view);
  return figures !== undefined && figures.problem === undefined && !isProjectLimited(watch, view.workspace);
};

function checkWatch(
  watch: Watch,
  figures: StoredFigures | undefined,
  { workspace, snapshot, now }: RunView,
): readonly FieldWrite[] {
  const stored = watchAlertsOf(watch.id, snapshot);
  const source = figuresSourceOf(watch.projects[0], workspace);
  // An alert that wasn't sent counts as unseen if its figures come from another account.
  const isSeen = (alert: Alert) => {
    const key = alertKey(watch.id, alertName(alert));
    return snapshot.messages.some(
      (message) => message.key.startsWith(key) && (message.state !== 'due' || alert.source === source),
    );
  };
  const known = stored?.since === watch.since ? stored : { since: watch.since, alerted: [], alerts: [] };
  const before = withoutUnseenAlerts(known, isSeen);
  const canEvaluate = figures !== undefined && hasFigures(watch.rule, figures);
  const { record, added } = canEvaluate
    ? applyFindings(watch, before, figures, { workspace, now })
    : { record: before, added: [] };
  const name = watchField(watch.id);
  const json = snapshot.fields[name];
  const isNothing = json === undefined && record.alerted.length === 0;
  const after = JSON.stringify(record);
  if (isNothing || after === json) return [];
  return [{ name, before: json, after }, ...added.flatMap((alert) => messagesOfAlert(watch, alert))];
}

/** A paused or snoozed watch creates no alerts. Sent alerts are updated all the same. */
function applyFindings(
  watch: Watch,
  before: WatchAlerts,
  figures: StoredFigures,
  { workspace, now }: Pick<RunView, 'workspace' | 'now'>,
): { readonly record: WatchAlerts; readonly added: readonly Alert[] } {
  const { rule, since, projects } = watch;
  const { zone, locale } = workspace.settings;
  const judged = parseWatchFigures(figures, dayAt(now, zone), zone);
  const measurement = measureWatch(rule.kind, judged);
  const found = evaluateRule(rule, measurement, before.alerted, {
    episode: now.toString(36),
    since: dayAt(since, zone),
    isSuspended: isPausedOrSnoozed(watch, now),
  });
  if (!found.isKnown) return { record: before, added: [] };
  const money = projectMoneyFormatter(projects[0], workspace, locale);
  const average = averageDay(judged);
  const { today, account } = judged;
  const explained = { today, ...(account && { account }), ...(average && { average }) };
  const basisFor = (episode: string): AlertBasis => ({ ...explained, rule, measurement, episode });
  const added = found.crossings.map(({ episode, level }): Alert => {
    const text = alertText(level, basisFor(episode), money);
    const covers = rule.kind === 'budget' ? '' : coverageText(judged);
    return { episode, level, at: now, source: figures.source, ...text, covers, state: 'open' };
  });
  const known = before.alerts.map((alert, at): Alert => {
    const { episode, level } = alert;
    const isOf = (other: AlertedLevel) => other.episode === episode && other.level === level;
    const isRecovered = isAlertOpen(alert) && found.recoveries.some(isOf);
    const isNewest = !before.alerts.slice(at + 1).some(isOf);
    const isCorrected = isNewest && found.corrections.some(isOf);
    if (!isRecovered && !isCorrected) return alert;
    const basis = basisFor(episode);
    const says = isCorrected ? correctionText(basis, money) : recoveryText(level, basis, money);
    return { ...alert, ...(isRecovered && { state: 'recovered' }), now: { at: now, says } };
  });
  const alerts = [...known, ...added].slice(-MAX_ALERTS);
  return { record: { since: before.since, alerted: found.alerted, alerts }, added };
}

const WEEK = 7;
/** `6 of the last 7 days reported`; '' if all are, or none */
function coverageText({ amounts, today, zone }: WatchFigures): string {
  const reported = daysBefore(today, WEEK, zone).filter((day) => amounts.has(day)).length;
  return reported === 0 || reported === WEEK ? '' : `${reported} of the last ${WEEK} days reported`;
}

/** How many alerts of a watch are kept. The buttons of an older alert answer that the alert is gone. */
const MAX_ALERTS = 6;

/**
 * Drops alerts that no recipient was allowed to see. Their threshold then counts as not crossed, so that the recipients
 * get a new alert once they may see the project.
 */
function withoutUnseenAlerts(record: WatchAlerts, isSeen: (alert: Alert) => boolean): WatchAlerts {
  const unseen = record.alerts.filter((alert) => isAlertOpen(alert) && !isSeen(alert));
  if (unseen.length === 0) return record;
  const episodes = new Set(unseen.map(({ episode }) => episode));
  return {
    ...record,
    alerted: record.alerted.filter(({ episode }) => !episodes.has(episode)),
    alerts: record.alerts.filter((alert) => !unseen.includes(alert)),
  };
}

export const isPausedOrSnoozed = ({ paused, snoozedUntil = 0 }: Watch, now: Millis): boolean =>
  paused !== undefined || snoozedUntil > now;

const messagesOfAlert = (watch: Watch, alert: Alert): readonly FieldWrite[] =>
  (watch.people ?? [watch.channel]).map((to) => {
    const about = { owner: watch.owner, shows: hashOf(alert) };
    return putMessage(newMessage(alertKey(watch.id, alertName(alert)) + to, to, about, alert.at));
  });
