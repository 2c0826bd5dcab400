import { needsBalance } from '../../delivery/watches/watch-figures.ts';
import type { WatchPreview, WatchState } from '../../delivery/watches/watch-service.ts';
import { type Failure, isFailure } from '../../domain/failure/index.ts';
import { divide, formatFactor, formatShare } from '../../domain/money/amount.ts';
import { formatBalance, formatBonuses, formatRunway, formatRunwayShort } from '../../domain/money/runway.ts';
import type { WatchMeasurement, WatchRule } from '../../domain/money/watch-measurement.ts';
import { type Day, dayAt, formatDays, type Millis } from '../../domain/time/calendar.ts';
import { pluralize } from '../../domain/wording.ts';
import {
  canReadAutomation,
  PAUSED_TEXTS,
  RESUMES_BY_ITSELF,
  targetMarkup,
} from '../../slack/automations/automation.ts';
import {
  actions,
  type Block,
  button,
  compact,
  context,
  escapeMarkup,
  formatInstant,
  joinTexts,
  markup,
  mention,
} from '../../slack/block-kit/blocks.ts';
import type { Request } from '../../slack/request/request.ts';
import {
  HIDDEN_PROJECT,
  moneyWriter,
  projectLabel,
  stopReasonOf,
  type WriteMoney,
} from '../../workspace/projects/chosen-project.ts';
import type { Watch } from '../../workspace/record/automation-records.ts';
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

/** What it is, how it is, and the rest, as mrkdwn. A reader who may not ask about its project learns nothing about that. */
export function describeWatch(
  watch: Watch,
  reader: Request,
  stateOf: (watch: Watch) => WatchState | undefined,
): string[] {
  if (!canReadAutomation(watch, reader))
    return [`A watch on ${HIDDEN_PROJECT} → ${targetMarkup(watch)}`, `owner ${mention(watch.owner)}`];
  const state = stateOf(watch);
  return [
    `${watchMarkup(watch, reader)} → ${targetMarkup(watch)}`,
    stateLine(watch, state, reader),
    `${checkLine(watch, state, reader)}owner ${mention(watch.owner)}`,
  ];
}

/** `*Crossed* · now 48,210.00`, or why it sends nothing; '' before it was checked. */
function stateLine(watch: Watch, state: WatchState | undefined, { workspace, locale }: Request): string {
  const { paused } = watch;
  const money = moneyWriter(watch.projects[0], workspace, locale);
  const value = state?.measurement && measurementText(watch.rule, state.measurement, money);
  const stopped = stopReasonOf(watch, workspace);
  const isBlocked = stopped !== undefined && stopped !== 'managers-only';
  const problem = state?.problem !== undefined && !isBlocked && escapeMarkup(state.problem);
  return joinTexts(' · ', [
    paused !== undefined
      ? `*paused* by ${mention(paused.by)} since ${dayText(dayAt(paused.at, workspace.settings.zone))}`
      : isBlocked && `*${PAUSED_TEXTS[stopped]}*${RESUMES_BY_ITSELF}`,
    state?.isCrossed && ':warning: *Crossed*',
    value !== undefined && `${currentValueLabel(watch.rule).toLowerCase()} ${escapeMarkup(value)}`,
    problem && (state?.isPaused ? `*paused:* ${problem}${RESUMES_BY_ITSELF}` : `*not checked:* ${problem}`),
    state?.undelivered !== undefined && `*alert not sent:* ${escapeMarkup(state.undelivered)}`,
  ]);
}

/** Until when it sends nothing, and when it is checked; '' while it is paused. */
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
function measurementText(
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
const currentValueLabel = ({ kind }: WatchRule): string => (kind === 'spike' ? 'Latest' : 'Now');

/** `Fri 20 Nov` */
const dayText = (day: Day): string => formatDays(day, day, day.slice(0, 4));

/** What billing was asked for a form; a failure if it gave no answer. */
export interface PreviewOutcome {
  readonly rule: WatchRule;
  /** False where the form's rule can't be judged yet: then only what the project has is shown. */
  readonly isWhole: boolean;
  readonly result: WatchPreview | Failure;
}

export const PREVIEWING = 'Asking the billing service when this would have alerted…';

/** Days of the simulation. */
const DAYS = 90;
const MOST_DATES = 8;

/** When the watch would have alerted, and whether it would now. Plain text, one sentence per line. */
function previewLines({ isWhole, result }: PreviewOutcome, money: WriteMoney): string[] {
  if (isFailure(result)) return [result.message];
  const { dates, isCrossed, isKnown, reported, funds } = result;
  if (reported === 0 && !isKnown)
    return [
      `No data in the last ${DAYS} days, so nothing can be previewed. Check the project and its product.`,
    ];
  if (!isWhole) return [fundsText(funds, money)];
  return compact([
    fundsText(funds, money),
    // What was crossed before these days, and still is, did not begin on one of them.
    (!isCrossed || dates.length > 0) && countText(dates.map(dateText)),
    isCrossed && 'It would alert at once.',
  ]);
}

/** `1,242,713.39 EUR left · about 41 days, until around 1 Jan 2027`; '' if billing gave no balance. */
function fundsText(funds: WatchPreview['funds'], money: WriteMoney): string {
  if (funds === undefined) return '';
  const lasts = funds.runway && formatRunway(funds.runway, money);
  return joinTexts(' · ', [
    formatBalance(funds.balance, money),
    formatBonuses(funds.bonuses, money),
    lasts && lasts.charAt(0).toLowerCase() + lasts.slice(1),
  ]);
}

function countText(dates: readonly string[]): string {
  if (dates.length === 0) return `It wouldn’t have alerted in the last ${DAYS} days.`;
  const shown = dates.slice(-MOST_DATES);
  const more = dates.length - shown.length;
  const times = dates.length === 1 ? 'once' : `${dates.length} times`;
  return `It would have alerted ${times} in the last ${DAYS} days: ${more > 0 ? `${more} earlier, ` : ''}${shown.join(', ')}.`;
}

/** `2 Oct`: the day of the week says nothing about a threshold. */
const dateText = (day: Day): string => formatDays(day, day, day.slice(0, 4)).slice(4);

const NO_TOP_UPS = 'Earlier balances are estimated from the spend, as if no money had been added.';

export function watchPreviewBlocks(previewed: PreviewOutcome | undefined, money: WriteMoney): Block[] {
  const refresh = button('watch-form:preview', previewed === undefined ? 'Preview' : 'Preview again');
  if (previewed === undefined) return [actions(refresh)];
  const [first = '', ...more] = previewLines(previewed, money).filter(Boolean);
  const isEstimated = needsBalance(previewed.rule) && previewed.isWhole && !isFailure(previewed.result);
  return compact([
    first !== '' && markup([`*${escapeMarkup(first)}*`, ...more.map(escapeMarkup)].join('\n')),
    isEstimated && context(NO_TOP_UPS),
    actions(refresh),
  ]);
}
