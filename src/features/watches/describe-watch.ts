import type { WatchState } from '../../delivery/watches/watch-service.ts';
import { divide, formatFactor, formatShare } from '../../domain/money/amount.ts';
import { formatRunwayShort } from '../../domain/money/runway.ts';
import type { WatchMeasurement, WatchRule } from '../../domain/money/watch-measurement.ts';
import { type Day, dayAt, formatDays, type Millis } from '../../domain/time/calendar.ts';
import { pluralize } from '../../domain/wording.ts';
import {
  canReadAutomation,
  PAUSED_TEXTS,
  RESUMES_BY_ITSELF,
  targetMarkup,
} from '../../slack/automations/automation.ts';
import { escapeMarkup, formatInstant, joinTexts, mention } from '../../slack/block-kit/blocks.ts';
import type { Request } from '../../slack/request/request.ts';
import {
  HIDDEN_PROJECT,
  type ProjectMoneyFormatter,
  projectLabel,
  projectMoneyFormatter,
  stopReasonOf,
} from '../../workspace/projects/project-ref.ts';
import type { Watch } from '../../workspace/record/automation-records.ts';
import type { Workspace } from '../../workspace/record/workspace.ts';

/** The workspace's record, and the number format of the person who reads. */
type Reader = Pick<Request, 'workspace' | 'locale'>;

/** Names a watch in messages: `*prod*: balance below 50,000.00`, as mrkdwn. */
export const watchMarkup = ({ projects: [project], rule }: Watch, { workspace, locale }: Reader): string =>
  `*${escapeMarkup(projectLabel(project, workspace))}*: ${escapeMarkup(ruleText(rule, projectMoneyFormatter(project, workspace, locale)))}`;

/** Whether the watch is snoozed: it sends no alerts until a set time. @param at ms since the epoch */
export const isSnoozed = ({ snoozedUntil = 0 }: Watch, at: Millis): boolean => snoozedUntil > at;

const FOR_MANAGERS = 'only Tally managers get its alerts: the project is limited to certain channels';

export function isWatchBlocked(watch: Watch, workspace: Workspace): boolean {
  const why = stopReasonOf(watch, workspace);
  return why !== undefined && why !== 'managers-only';
}

/** The rule, its state, then details, as mrkdwn. Reveals nothing about projects that the reader may not ask about. */
export function describeWatch(watch: Watch, reader: Request, state: WatchState | undefined): string[] {
  if (!canReadAutomation(watch, reader))
    return [`A watch on ${HIDDEN_PROJECT} → ${targetMarkup(watch)}`, `owner ${mention(watch.owner)}`];
  return [
    `${watchMarkup(watch, reader)} → ${targetMarkup(watch)}`,
    stateLine(watch, state, reader),
    `${checkLine(watch, state, reader)}owner ${mention(watch.owner)}`,
  ];
}

/** `*Crossed* · now 48,210.00`, or why the watch sends no alerts; '' until it has been checked. */
function stateLine(watch: Watch, state: WatchState | undefined, { workspace, locale }: Request): string {
  const { paused } = watch;
  const money = projectMoneyFormatter(watch.projects[0], workspace, locale);
  const value = state?.measurement && measurementText(watch.rule, state.measurement, money);
  const stopped = stopReasonOf(watch, workspace);
  const isBlocked = stopped !== undefined && stopped !== 'managers-only';
  const problem = state?.problem !== undefined && !isBlocked && escapeMarkup(state.problem);
  return joinTexts(' · ', [
    paused !== undefined
      ? `*paused* by ${mention(paused.by)} since ${dayText(dayAt(paused.at, workspace.settings.zone))}`
      : isBlocked && `*${PAUSED_TEXTS[stopped]}*${RESUMES_BY_ITSELF}`,
    state?.isCrossed && ':warning: *Crossed*',
    value !== undefined && `${watch.rule.kind === 'spike' ? 'latest' : 'now'} ${escapeMarkup(value)}`,
    problem && (state?.isPaused ? `*paused:* ${problem}${RESUMES_BY_ITSELF}` : `*not checked:* ${problem}`),
    state?.undelivered !== undefined && `*alert not sent:* ${escapeMarkup(state.undelivered)}`,
  ]);
}

/** Until when the watch is snoozed, and when it is checked next; '' if it is paused. */
function checkLine(watch: Watch, state: WatchState | undefined, { workspace, at }: Request): string {
  if (watch.paused !== undefined || isWatchBlocked(watch, workspace)) return '';
  const { checkedAt, nextCheckAt } = state ?? {};
  return [
    stopReasonOf(watch, workspace) !== undefined && FOR_MANAGERS,
    isSnoozed(watch, at) && `*snoozed* until: ${formatInstant(watch.snoozedUntil ?? at)}`,
    checkedAt === undefined ? 'not checked yet' : `checked: ${formatInstant(checkedAt)}`,
    nextCheckAt !== undefined && `next: ${formatInstant(nextCheckAt)}`,
  ]
    .flatMap((part) => (part ? [`${part} · `] : []))
    .join('');
}

/** The watch's rule in words: `balance below 50,000.00 EUR`. */
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

/** What the audit calls a watch: `prod: balance below 50,000.00 EUR → C012345`. */
export function watchAuditText(watch: Watch, workspace: Workspace): string {
  const [project] = watch.projects;
  const rule = ruleText(watch.rule, projectMoneyFormatter(project, workspace, workspace.settings.locale));
  return `${projectLabel(project, workspace)}: ${rule} → ${watch.channel ?? watch.people.join(', ')}`;
}

/** What was last measured, to compare with the threshold: `48,210.00 EUR`, `12 days`; undefined if unknown. */
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

/** `Fri 20 Nov` */
const dayText = (day: Day): string => formatDays(day, day, day.slice(0, 4));
