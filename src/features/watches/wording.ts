import { moneyWriter, type WriteMoney } from '../../delivery/watches/alert-wording.ts';
import { pluralize } from '../../domain/language/text.ts';
import { divide, formatFactor, formatShare } from '../../domain/money/amount.ts';
import { formatRunwayShort } from '../../domain/money/runway-text.ts';
import type { WatchMeasurement } from '../../domain/money/watch-measurement.ts';
import type { WatchRule } from '../../domain/money/watch-rule.ts';
import { type Day, formatDays } from '../../domain/time/calendar.ts';
import { channelLink, mention } from '../../slack/kit/atoms.ts';
import type { Watch } from '../../workspace/owned/watches.ts';
import { projectLabel } from '../../workspace/projects/chosen-project.ts';
import type { Workspace } from '../../workspace/record/workspace.ts';

/** `balance below 50,000.00 EUR` */
export function ruleText(rule: WatchRule, money: WriteMoney): string {
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
export const watchText = (
  { project, rule }: Pick<Watch, 'project' | 'rule'>,
  workspace: Workspace,
  locale: string,
) => `${projectLabel(project, workspace)}: ${ruleText(rule, moneyWriter(project, workspace, locale))}`;

/** For the audit trail. */
export const watchAuditText = (watch: Watch, workspace: Workspace): string =>
  `${watch.id}: ${watchText(watch, workspace, workspace.settings.locale)} to ${
    'channel' in watch.target ? watch.target.channel : watch.target.people.join(', ')
  }`;

/** As mrkdwn. */
export const targetMarkup = (target: Watch['target']): string =>
  'channel' in target ? channelLink(target.channel) : target.people.map(mention).join(', ');

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
export const dayText = (day: Day): string => formatDays(day, day, day.slice(0, 4));
