/** Describes watches and their last value, in lists and in the audit. */
import type { WatchState } from '../../delivery/watches/watch-service.ts';
import { divide, formatEstimateBeside, formatFactor, formatShare } from '../../domain/money/amount.ts';
import { formatRunwayShort } from '../../domain/money/balance-and-runway.ts';
import type { WatchMeasurement } from '../../domain/money/watch-measurement.ts';
import type { WatchRule } from '../../domain/money/watch-rule.ts';
import { type Day, formatDays } from '../../domain/time/calendar.ts';
import { pluralize } from '../../domain/wording.ts';
import {
  canReadAutomation,
  PAUSED_TEXTS,
  pausedByMarkup,
  RESUMES_BY_ITSELF,
  stopReasonOf,
  targetMarkup,
} from '../../slack/automations/automation.ts';
import { escapeMarkup, instantMarkup, joinTexts, mention } from '../../slack/block-kit/blocks.ts';
import type { Request } from '../../slack/request/request.ts';
import {
  HIDDEN_PROJECT,
  type ProjectMoneyFormatter,
  projectLabel,
  projectMoneyFormatter,
} from '../../workspace/projects/chosen-project.ts';
import type { Watch } from '../../workspace/record/automation-records.ts';
import type { Workspace } from '../../workspace/record/workspace.ts';

/** `*prod*: balance below 50,000.00` */
export const watchMarkup = (
  { projects: [project], rule }: Watch,
  { workspace, locale }: Pick<Request, 'workspace' | 'locale'>,
): string =>
  `*${escapeMarkup(projectLabel(project, workspace))}*: ${escapeMarkup(ruleText(rule, projectMoneyFormatter(project, workspace, locale)))}`;

const FOR_MANAGERS = 'only Tally managers get its alerts: the project is limited to certain channels';

/** Lines of mrkdwn. They reveal nothing about a project that the reader may not ask about. */
export function describeWatch(watch: Watch, reader: Request, state: WatchState | undefined): string[] {
  if (!canReadAutomation(watch, reader))
    return [`A watch on ${HIDDEN_PROJECT} → ${targetMarkup(watch)}`, `owner ${mention(watch.owner)}`];
  return [
    `${watchMarkup(watch, reader)} → ${targetMarkup(watch)}`,
    stateLine(watch, state, reader),
    joinTexts(' · ', [checkLine(watch, state, reader), `owner ${mention(watch.owner)}`]),
  ];
}

/** `*Past the threshold* · now 48,210.00`, or why the watch sends no alerts; '' before the first check. */
function stateLine(watch: Watch, state: WatchState | undefined, { workspace, locale }: Request): string {
  const { paused } = watch;
  const money = projectMoneyFormatter(watch.projects[0], workspace, locale);
  const value = state?.measurement && measurementText(watch.rule, state.measurement, money);
  const stopped = stopReasonOf(watch, workspace);
  const isBlocked = stopped !== undefined && stopped !== 'managers-only';
  const problem = state?.problem !== undefined && !isBlocked && escapeMarkup(state.problem);
  return joinTexts(' · ', [
    paused !== undefined
      ? pausedByMarkup(paused)
      : isBlocked && `*${PAUSED_TEXTS[stopped]}*${RESUMES_BY_ITSELF}`,
    state?.isCrossed && `:warning: *${escapeMarkup(crossedText(watch.rule, state.measurement, money))}*`,
    value !== undefined && `${watch.rule.kind === 'spike' ? 'latest' : 'now'} ${escapeMarkup(value)}`,
    problem && (state?.isPaused ? `*paused:* ${problem}${RESUMES_BY_ITSELF}` : `*not checked:* ${problem}`),
    state?.undelivered !== undefined && `*alert not sent:* ${escapeMarkup(state.undelivered)}`,
  ]);
}

/** `Expected 21,760 of 20,000.00` while a budget is expected to be exceeded but hasn't been yet */
function crossedText(
  rule: WatchRule,
  measurement: WatchMeasurement | undefined,
  money: ProjectMoneyFormatter,
): string {
  const { spent, forecast } = (measurement?.kind === 'budget' && measurement.months.at(-1)) || {};
  const isExpected = rule.kind === 'budget' && spent?.lt(rule.amount) && forecast?.gt(rule.amount);
  return isExpected && forecast
    ? `Expected ${formatEstimateBeside(forecast, rule.amount, money)} of ${money(rule.amount)}`
    : 'Past the threshold';
}

/** `checked: 10:15 · next: 10:45`; '' if the watch is paused. */
function checkLine(watch: Watch, state: WatchState | undefined, { workspace, at }: Request): string {
  const stopped = stopReasonOf(watch, workspace);
  const isForManagers = stopped === 'managers-only';
  if (watch.paused !== undefined || (stopped !== undefined && !isForManagers)) return '';
  const { checkedAt, nextCheckAt } = state ?? {};
  const { snoozedUntil = 0 } = watch;
  return joinTexts(' · ', [
    isForManagers && FOR_MANAGERS,
    snoozedUntil > at && `*snoozed* until: ${instantMarkup(snoozedUntil)}`,
    checkedAt === undefined ? 'not checked yet' : `checked: ${instantMarkup(checkedAt)}`,
    nextCheckAt !== undefined && `next: ${instantMarkup(nextCheckAt)}`,
  ]);
}

function ruleText(rule: WatchRule, money: ProjectMoneyFormatter): string {
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

/** `prod: balance below 50,000.00 EUR → C012345` */
export function watchAuditText(watch: Watch, workspace: Workspace): string {
  const [project] = watch.projects;
  const rule = ruleText(watch.rule, projectMoneyFormatter(project, workspace, workspace.settings.locale));
  return `${projectLabel(project, workspace)}: ${rule} → ${watch.channel ?? watch.people.join(', ')}`;
}

/** What was last measured: `48,210.00 EUR`, `12 days`; undefined if unknown. */
export function measurementText(
  rule: WatchRule,
  measurement: WatchMeasurement,
  money: ProjectMoneyFormatter,
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

const dayText = (day: Day): string => formatDays(day, day, day.slice(0, 4));
