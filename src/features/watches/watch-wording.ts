import type { WatchState } from '../../delivery/watches/watch-service.ts';
import { divide, formatFactor, formatShare } from '../../domain/money/amount.ts';
import { formatRunwayShort } from '../../domain/money/runway.ts';
import type { WatchMeasurement } from '../../domain/money/watch-measurement.ts';
import type { WatchRule } from '../../domain/money/watch-rule.ts';
import { type Day, dayAt, formatDays, type Millis } from '../../domain/time/calendar.ts';
import { pluralize } from '../../domain/wording.ts';
import { escapeMarkup, formatInstant, joinTexts, mention } from '../../slack/kit/blocks.ts';
import { canReadOwned, PAUSED_TEXTS, RESUMES_BY_ITSELF, targetMarkup } from '../../slack/owned/owned-kind.ts';
import type { Request } from '../../slack/request/request.ts';
import { stopReasonOf } from '../../workspace/owned/stop-reason.ts';
import type { Watch } from '../../workspace/owned/watch-record.ts';
import {
  HIDDEN_PROJECT,
  moneyWriter,
  projectLabel,
  type WriteMoney,
} from '../../workspace/projects/chosen-project.ts';
import type { Workspace } from '../../workspace/record/workspace.ts';

/** The record, and how the person who reads it writes numbers. */
type Reader = Pick<Request, 'workspace' | 'locale'>;

/** `*prod*: balance below 50,000.00`, as mrkdwn. */
export const watchMarkup = ({ projects: [project], rule }: Watch, { workspace, locale }: Reader): string =>
  `*${escapeMarkup(projectLabel(project, workspace))}*: ${escapeMarkup(ruleText(rule, moneyWriter(project, workspace, locale)))}`;

/** Whether it is snoozed. @param at ms since the epoch */
export const isSnoozed = ({ snoozedUntil = 0 }: Watch, at: Millis): boolean => snoozedUntil > at;

const FOR_MANAGERS = 'only Tally managers get its alerts: the project is limited to certain channels';

export function isWatchBlocked(watch: Watch, workspace: Workspace): boolean {
  const why = stopReasonOf(watch, workspace);
  return why !== undefined && why !== 'managers-only';
}

/** One watch as three lines of mrkdwn. A reader who may not ask about its project learns nothing about that. */
export function describeWatch(
  watch: Watch,
  reader: Request,
  stateOf: (watch: Watch) => WatchState | undefined,
): string {
  if (!canReadOwned(watch, reader))
    return `A watch on ${HIDDEN_PROJECT} → ${targetMarkup(watch)}\nowner ${mention(watch.owner)}`;
  const state = stateOf(watch);
  return joinTexts('\n', [
    `${watchMarkup(watch, reader)} → ${targetMarkup(watch)}`,
    valueLine(watch, state, reader),
    `${checkLine(watch, state, reader)} · owner ${mention(watch.owner)}`,
  ]);
}

/** `*Crossed* · now 48,210.00` */
function valueLine(watch: Watch, state: WatchState | undefined, { workspace, locale }: Request): string {
  const money = moneyWriter(watch.projects[0], workspace, locale);
  const value = state?.measurement && measurementText(watch.rule, state.measurement, money);
  return joinTexts(' · ', [
    state?.isCrossed && ':warning: *Crossed*',
    value !== undefined && `${currentValueLabel(watch.rule).toLowerCase()} ${escapeMarkup(value)}`,
    state?.problem !== undefined &&
      !isWatchBlocked(watch, workspace) &&
      (state.isPaused
        ? `*paused:* ${escapeMarkup(state.problem)}${RESUMES_BY_ITSELF}`
        : `*not checked:* ${escapeMarkup(state.problem)}`),
    state?.undelivered !== undefined && `*alert not sent:* ${escapeMarkup(state.undelivered)}`,
  ]);
}

function checkLine(watch: Watch, state: WatchState | undefined, { workspace, at }: Request): string {
  const { paused, snoozedUntil } = watch;
  if (paused !== undefined)
    return `*paused* by ${mention(paused.by)} since ${dayText(dayAt(paused.at, workspace.settings.zone))}`;
  const stopped = stopReasonOf(watch, workspace);
  if (stopped !== undefined && stopped !== 'managers-only')
    return `*${PAUSED_TEXTS[stopped]}*${RESUMES_BY_ITSELF}`;
  return joinTexts(' · ', [
    stopped !== undefined && FOR_MANAGERS,
    isSnoozed(watch, at) && `*snoozed* until: ${formatInstant(snoozedUntil ?? at)}`,
    state?.checkedAt === undefined ? 'not checked yet' : `checked: ${formatInstant(state.checkedAt)}`,
    state?.nextCheckAt !== undefined && `next: ${formatInstant(state.nextCheckAt)}`,
  ]);
}

/** `balance below 50,000.00 EUR` */
function ruleText(rule: WatchRule, money: WriteMoney): string {
  switch (rule.kind) {
    case 'balance':
      return `balance below ${money(rule.below)}`;
    case 'runway':
      return `runway under ${pluralize(rule.days, 'day')}`;
    case 'budget':
      return `budget of ${money(rule.amount)} a month`;
    case 'spike': {
      const floor = rule.floor.eq(0) ? '' : `, from ${money(rule.floor)}`;
      return `a day above ${formatFactor(rule.factor, money.locale)}× usual${floor}`;
    }
  }
}

/** `prod: balance below 50,000.00 EUR`, plain */
export const watchText = ({ projects: [project], rule }: Watch, { workspace, locale }: Reader): string =>
  `${projectLabel(project, workspace)}: ${ruleText(rule, moneyWriter(project, workspace, locale))}`;

/** For the audit trail. */
export const watchAuditText = (watch: Watch, workspace: Workspace): string =>
  `${watchText(watch, { workspace, locale: workspace.settings.locale })} → ${watch.channel ?? watch.people.join(', ')}`;

/** The last measurement, for comparison with the threshold: `48,210.00 EUR`, `12 days`; undefined if unknown. */
export function measurementText(
  rule: WatchRule,
  measurement: WatchMeasurement,
  money: WriteMoney,
): string | undefined {
  switch (measurement.kind) {
    case 'balance':
      return measurement.balance && money(measurement.balance);
    case 'runway': {
      const { runway } = measurement;
      return runway === undefined || runway.kind === 'unknown' ? undefined : formatRunwayShort(runway);
    }
    case 'budget': {
      const month = measurement.months.at(-1);
      if (month === undefined || month.reported === 0 || rule.kind !== 'budget') return undefined;
      const share = formatShare(divide(month.spent.times(100), rule.amount), money.locale);
      return `${money(month.spent)} this month, ${share}`;
    }
    case 'spike': {
      const last = measurement.days.at(-1);
      if (last === undefined) return undefined;
      const usual = last.baseline === undefined ? '' : `, usually ${money(last.baseline)}`;
      return `${money(last.amount)} on ${dayText(last.day)}${usual}`;
    }
  }
}

/** A spike is about the last reported day. */
export const currentValueLabel = ({ kind }: WatchRule): string => (kind === 'spike' ? 'Latest' : 'Now');

const isOverdrawn = (measurement: WatchMeasurement): boolean =>
  measurement.kind === 'runway' && measurement.runway?.kind === 'overdrawn';

/** Why it alerts: `48,210.00 EUR is below 50,000.00 EUR`. */
export function crossedText(rule: WatchRule, measurement: WatchMeasurement, money: WriteMoney): string {
  const now = measurementText(rule, measurement, money) ?? 'the threshold is crossed';
  switch (rule.kind) {
    case 'balance':
      return rule.below.eq(0) ? `the balance is ${now}` : `${now} is below ${money(rule.below)}`;
    case 'runway':
      return isOverdrawn(measurement) ? 'the project is overdrawn' : `${now} left, fewer than ${rule.days}`;
    case 'budget':
      return `${now} of ${money(rule.amount)}`;
    case 'spike':
      return now;
  }
}

/** `Fri 20 Nov` */
const dayText = (day: Day): string => formatDays(day, day, day.slice(0, 4));
