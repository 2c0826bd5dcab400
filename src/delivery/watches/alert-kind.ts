/** Checks each watch once an hour and whenever what it rests on has changed, and finds what to alert about. */
import { createHash } from 'node:crypto';
import * as z from 'zod';
import { type AlertedLevel, evaluateRule } from '../../domain/money/watch-evaluation.ts';
import { averageDay, type WatchFigures } from '../../domain/money/watch-measurement.ts';
import type { SlackId } from '../../domain/slack-id.ts';
import { dayAt, daysBefore, earliest, HOUR, type Millis } from '../../domain/time/calendar.ts';
import { FIELDS, hashBucket } from '../../redis/keys.ts';
import { moneyWriter } from '../../workspace/projects/chosen-project.ts';
import { isShownTo } from '../../workspace/projects/resolve-project.ts';
import type { Watch } from '../../workspace/record/automation-records.ts';
import { tryParseRecord } from '../../workspace/record/parse-record.ts';
import { isDamaged, type Workspace } from '../../workspace/record/workspace.ts';
import { dueTime, type FieldWrite, type OutboxMessage, OvertakenError } from '../delivery-log.ts';
import type { DeliveryContext, RunView } from '../outbox/message-kind.ts';
import { askAbout, type MessageKind } from '../outbox/message-kind.ts';
import { type AlertBasis, alertText, correctionText, recoveryText } from './alert-wording.ts';
import {
  type Alert,
  type AlertAbout,
  alertAbout,
  alertKey,
  alertMessage,
  alertName,
  findAlert,
  isMuted,
  isOpen,
  MAX_ALERTS,
  messagesOfAlert,
  recordedWatches,
  recordFor,
  type WatchRecord,
  watchField,
  watchRecordOf,
  withChange,
  withoutUnseen,
} from './alerts.ts';
import {
  createMeasuring,
  fetchFigures,
  figuresField,
  figuresSourceOf,
  hasFigures,
  type MeasureFigures,
  needsBalance,
  parseWatchFigures,
  type StoredFigures,
  type WatchFiguresStore,
} from './watch-figures.ts';

/** What a message is about, as it was read; both are undefined for a watch that was removed. */
const subjectOf = (
  { about }: OutboxMessage<AlertAbout>,
  { workspace, snapshot }: Pick<RunView, 'workspace' | 'snapshot'>,
) => ({
  watch: workspace.watches.find(({ id }) => id === about.watch),
  alert: findAlert(watchRecordOf(about.watch, snapshot), about.alert),
});

/** @param figures what billing last said of the watched projects, for lists and charts */
export const createAlertKind = (figures: WatchFiguresStore): MessageKind<AlertAbout> => ({
  name: 'alert',
  about: alertAbout,
  plan(view) {
    const { workspace, snapshot, now } = view;
    const known = new Set(workspace.watchIds);
    const removed = recordedWatches(snapshot).filter((id) => !known.has(id));
    const times = nextChecks(view);
    const due = workspace.watches.filter(({ id }) => (times.get(id) ?? Infinity) <= now);
    const isDue = due.length > 0;
    return {
      task: isDue ? (context) => checkWatches(due, figures, context) : undefined,
      writes: removed.map((id) => {
        const name = watchField(id);
        return { name, before: snapshot.fields[name], after: undefined };
      }),
      next: isDue ? undefined : earliest(...times.values()),
    };
  },
  /** A paused or snoozed watch alerts nobody; a message that Slack has, or may have, is still updated. */
  dueAt(message, view) {
    const { watch, alert } = subjectOf(message, view);
    // Without its alert, preparing it deletes the message.
    if (alert === undefined) return view.now;
    if (watch === undefined) return undefined;
    if (message.state === 'posted')
      return message.about.shows === alert.changes ? undefined : (message.next ?? 0);
    return message.state === 'due' && isMuted(watch, view.now) ? undefined : dueTime(message, view.now);
  },
  async prepare(message, context) {
    const { watch, alert } = subjectOf(message, context);
    const { workspace } = context;
    if (watch === undefined || alert === undefined) return { outcome: 'skipped', message: undefined };
    const { projects } = watch;
    const source = figuresSourceOf(projects[0], workspace);
    const isNew = message.state !== 'posted';
    // What was never alerted doesn't recover, and figures of another account alert nobody.
    if (isNew && !(isOpen(alert) && alert.source === source))
      return { outcome: 'skipped', message: undefined };
    return {
      projects,
      render: (_, recipient) => alertMessage(alert, watch, recipient.workspace),
      about: { ...message.about, owner: watch.owner, shows: alert.changes },
      restsOn: FIELDS.watch + watch.id,
    };
  },
  questionOf(message, context) {
    const { watch, alert } = subjectOf(message, context);
    if (watch === undefined || alert === undefined) return undefined;
    const { rule, projects } = watch;
    // A budget's month or a spike's day.
    return needsBalance(rule)
      ? askAbout('/balance', projects, '', context.workspace)
      : askAbout('/spend', projects, alert.episode, context.workspace);
  },
  /** Nobody may see it there: without a message the alert is forgotten by the next check. */
  onRefused: ({ insteadOf }, { isGone }) =>
    isGone || insteadOf !== undefined ? undefined : { outcome: 'refused', message: undefined },
});

const CHECK_FIELD = 'check/watches';

const schema = z.object({
  /** When all watches were last checked, in ms. */
  at: z.int(),
  /** What each watch rested on when it was last checked, by its ID: see `basisOf`. */
  bases: z.record(z.string(), z.string()),
});

/** Watches are checked every hour, at a different time for each workspace. @returns ms since the epoch */
function hourlyCheckAfter(teamId: SlackId, at: Millis): Millis {
  const spread = hashBucket(teamId, HOUR);
  return (Math.floor((at - spread) / HOUR) + 1) * HOUR + spread;
}

/** Its rule, whether it alerts anyone, and whose figures it is judged by: when that changes it is checked at once. */
function basisOf(watch: Watch, workspace: Workspace, now: Millis): string {
  const source = figuresSourceOf(watch.projects[0], workspace);
  const parts = [
    watch.since,
    isMuted(watch, now),
    isLimited(watch, workspace),
    source,
    workspace.settings.zone,
  ];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64').slice(0, 8);
}

/** When each watch is checked next, by its ID, in ms: `now` or earlier if that is due. Empty for never. */
export function nextChecks({ workspace, snapshot, now }: RunView): ReadonlyMap<string, Millis> {
  const { teamId, watches } = workspace;
  // Damaged settings don't say the time zone, so nothing says which day it is.
  if (isDamaged(workspace, 'settings')) return new Map();
  const last = tryParseRecord(schema, snapshot.fields[CHECK_FIELD]);
  const next = (watch: Watch): Millis => {
    // After the clock went back, the next check would otherwise come too late.
    if (last === undefined || last.at > now) return now;
    if (last.bases[watch.id] !== basisOf(watch, workspace, now)) return now;
    const hourly = hourlyCheckAfter(teamId, last.at);
    const { paused, snoozedUntil = 0 } = watch;
    return paused === undefined && snoozedUntil > now ? Math.min(hourly, snoozedUntil) : hourly;
  };
  return new Map(watches.map((watch) => [watch.id, next(watch)]));
}

/**
 * Asks billing about the projects of these watches and judges each. Alerts are stored with the judgement in one step, so
 * that each goes out once even if the process dies in between.
 *
 * @throws OvertakenError, store-unavailable
 */
async function checkWatches(
  due: readonly Watch[],
  store: WatchFiguresStore,
  context: DeliveryContext,
): Promise<void> {
  const { workspace, snapshot, teamId, now, deliveryLog } = context;
  const { watches, settings } = workspace;
  const allowed = due.filter((watch) => !isLimited(watch, workspace));
  const figures = await fetchFigures(allowed, store, context);
  if (context.isEnding()) return;
  const measure = createMeasuring(dayAt(now, settings.zone), settings.zone);
  const judged = due.flatMap((watch) =>
    checkWatch(watch, figures.get(figuresField(watch.projects[0])), measure, context),
  );
  const before = snapshot.fields[CHECK_FIELD];
  const { at = now } = (due.length < watches.length && tryParseRecord(schema, before)) || {};
  const bases = Object.fromEntries(watches.map((watch) => [watch.id, basisOf(watch, workspace, now)]));
  const check = { name: CHECK_FIELD, before, after: JSON.stringify({ at, bases }) };
  if (!(await deliveryLog.write(teamId, [...judged, check]))) throw new OvertakenError();
}

/** The project can no longer be shown in the channel. */
export const isLimited = ({ channel, projects: [project] }: Watch, workspace: Workspace): boolean =>
  channel !== undefined && !isShownTo(project, workspace, { channel, isUnlimited: false });

/** @param figures of this check; undefined if billing wasn't asked @returns its state and its alerts, where they have changed */
function checkWatch(
  watch: Watch,
  figures: StoredFigures | undefined,
  measure: MeasureFigures,
  { workspace, snapshot, now }: RunView,
): readonly FieldWrite[] {
  const stored = watchRecordOf(watch.id, snapshot);
  const source = figuresSourceOf(watch.projects[0], workspace);
  // What was not sent yet and rests on another account's figures is never sent.
  const isSeen = (alert: Alert) => {
    const key = alertKey(watch.id, alertName(alert));
    return snapshot.messages.some(
      (message) => message.key.startsWith(key) && (message.state !== 'due' || alert.source === source),
    );
  };
  const before = withoutUnseen(recordFor(watch, stored, now), isSeen);
  const isJudged = figures !== undefined && hasFigures(watch.rule, figures);
  const { record, added } = isJudged
    ? applyFindings(watch, before, figures, measure, { workspace, now })
    : { record: before, added: [] };
  const name = watchField(watch.id);
  const json = snapshot.fields[name];
  const isNothing = json === undefined && record.alerted.length === 0;
  const after = JSON.stringify(record);
  if (isNothing || after === json) return [];
  return [{ name, before: json, after }, ...added.flatMap((alert) => messagesOfAlert(watch, alert))];
}

/** The state after a check, and the alerts that are new. Of a muted watch nothing is new, and what was sent goes on. */
function applyFindings(
  watch: Watch,
  before: WatchRecord,
  figures: StoredFigures,
  measure: MeasureFigures,
  { workspace, now }: Pick<RunView, 'workspace' | 'now'>,
): { readonly record: WatchRecord; readonly added: readonly Alert[] } {
  const { rule, since, projects } = watch;
  const { zone, locale } = workspace.settings;
  const judged = parseWatchFigures(figures, dayAt(now, zone), zone);
  const measurement = measure(rule.kind, figures);
  const found = evaluateRule(rule, measurement, before.alerted, {
    episode: now.toString(36),
    since: dayAt(since, zone),
    isSuspended: isMuted(watch, now),
  });
  if (!found.isKnown) return { record: before, added: [] };
  const money = moneyWriter(projects[0], workspace, locale);
  const average = averageDay(judged);
  const { today, account } = judged;
  const explained = { today, ...(account && { account }), ...(average && { average }) };
  const basisFor = (episode: string): AlertBasis => ({ ...explained, rule, measurement, episode });
  const added = found.crossings.map(({ episode, level }): Alert => {
    const text = alertText(level, basisFor(episode), money);
    const covers = rule.kind === 'budget' ? '' : coverageText(judged);
    return { episode, level, at: now, source: figures.source, ...text, covers, state: 'open', changes: 0 };
  });
  const known = before.alerts.map((alert, at) => {
    const { episode, level, state } = alert;
    const isOf = (other: AlertedLevel) => other.episode === episode && other.level === level;
    const isRecovered = found.recoveries.some(isOf) && (isOpen(alert) || state === 'passed');
    const isNewest = !before.alerts.slice(at + 1).some(isOf);
    const isCorrected = isNewest && found.corrections.some(isOf);
    const isPassed = isOpen(alert) && added.some((other) => other.episode === episode);
    if (!isRecovered && !isCorrected && !isPassed) return alert;
    const recovery = isRecovered ? recoveryText(level, basisFor(episode), money) : '';
    const says = isCorrected ? correctionText(basisFor(episode), money) : recovery;
    const unsettled = state === 'open' ? 'corrected' : state;
    const after = isRecovered ? 'recovered' : isPassed ? 'passed' : unsettled;
    return withChange(alert, { state: after, now: { at: now, says } });
  });
  const alerts = [...known, ...added].slice(-MAX_ALERTS);
  return { record: { since: before.since, alerted: found.alerted, alerts }, added };
}

const WEEK = 7;
/** `6 of the last 7 days reported`; '' where none is, as billing was not asked for them. */
function coverageText({ amounts, today, zone }: WatchFigures): string {
  const reported = daysBefore(today, WEEK, zone).filter((day) => amounts.has(day)).length;
  return reported === 0 ? '' : `${reported} of the last ${WEEK} days reported`;
}
