/** Writes the sentences of alerts, which the delivery log stores. */
import {
  divide,
  formatEstimate,
  formatEstimateBeside,
  formatFactor,
  type Money,
} from '../../domain/money/amount.ts';
import { type Account, formatBonuses } from '../../domain/money/balance-and-runway.ts';
import { isCalm, spikeLimit, type WatchLevel } from '../../domain/money/watch-evaluation.ts';
import type {
  DaySpend,
  MeasurementOf,
  MonthSpend,
  WatchFigures,
  WatchMeasurement,
} from '../../domain/money/watch-measurement.ts';
import type { WatchKind, WatchRule } from '../../domain/money/watch-rule.ts';
import { WEEKDAY_NAMES } from '../../domain/time/cadence.ts';
import { type Day, formatDays, formatMonth, isoWeekday } from '../../domain/time/calendar.ts';
import { pluralize } from '../../domain/wording.ts';
import { joinTexts, type Optional } from '../../slack/block-kit/blocks.ts';
import type { ProjectMoneyFormatter } from '../../workspace/projects/chosen-project.ts';

type SpikeRule = Extract<WatchRule, { readonly kind: 'spike' }>;

export interface AlertBasis extends Pick<WatchFigures, 'account' | 'today'> {
  readonly rule: WatchRule;
  readonly measurement: WatchMeasurement;
  readonly episode: string;
  /** The average daily cost; absent if too few recent days are reported. */
  readonly average?: Money;
}

/** `title` follows the project's name: ` has 48,210.00 EUR left, below 50,000.00 EUR`. */
export function alertText(
  level: WatchLevel,
  basis: AlertBasis,
  money: ProjectMoneyFormatter,
): { readonly title: string; readonly why: string } {
  const { title, why } = textsOf(level, basis, money) ?? { title: ' crossed its threshold', why: [] };
  return { title, why: withFullStop(joinTexts('; ', why)) };
}

interface Texts {
  readonly title: string;
  readonly why: readonly Optional<string>[];
}

function textsOf(level: WatchLevel, basis: AlertBasis, money: ProjectMoneyFormatter): Texts | undefined {
  const { rule } = basis;
  switch (rule.kind) {
    case 'balance':
      return balanceTexts(rule.below, measuredAs('balance', basis), money);
    case 'runway':
      return runwayTexts(rule.days, basis, money);
    case 'budget': {
      const spend = monthOf(basis);
      return spend && budgetTexts(level, rule.amount, spend, basis.today, money);
    }
    case 'spike': {
      const spend = daySpendOf(basis);
      return spend && spikeTexts(rule, spend, money);
    }
  }
}

const measuredAs = <K extends WatchKind>(_: K, { measurement }: Pick<AlertBasis, 'measurement'>) =>
  measurement as MeasurementOf<K>;

const monthOf = (basis: AlertBasis): MonthSpend | undefined =>
  measuredAs('budget', basis).months.find(({ month }) => month === basis.episode);

const daySpendOf = (basis: AlertBasis): DaySpend | undefined =>
  measuredAs('spike', basis).days.find(({ day }) => day === basis.episode);

function balanceTexts(
  below: Money,
  { balance, runway }: MeasurementOf<'balance'>,
  money: ProjectMoneyFormatter,
): Texts | undefined {
  if (balance === undefined) return undefined;
  const now = balance.lt(0) ? ` is overdrawn by ${money(balance.abs())}` : ` has ${money(balance)} left`;
  return {
    title: below.eq(0) ? now : `${now}, below ${money(below)}`,
    why: [
      runway?.kind === 'estimate' &&
        `${rateText(runway.average, money)}, the balance reaches zero around ${dateText(runway.until)}`,
    ],
  };
}

function runwayTexts(days: number, basis: AlertBasis, money: ProjectMoneyFormatter): Texts {
  const { runway } = measuredAs('runway', basis);
  const { account, average } = basis;
  const left = runway?.kind === 'estimate' ? runway.days : undefined;
  const isLastDay =
    left === 0 || (runway?.kind === 'overdrawn' && runway.left.gt(0) && average?.gt(runway.left));
  const title = isLastDay
    ? ': less than a day left'
    : left === undefined
      ? ' is overdrawn'
      : `: about ${pluralize(left, 'day')} left, under ${days}`;
  const until = left && runway?.kind === 'estimate' ? `, until around ${dateText(runway.until)}` : '';
  const rate = average === undefined ? '' : `, ${rateText(average, money)}${until}`;
  return { title, why: account === undefined ? [] : [`${fundsText(account, money)}${rate}`] };
}

const rateText = (average: Money, money: ProjectMoneyFormatter): string =>
  `at ${money(average)} a day (average of the last 7 days)`;

/** `balance 40.00, bonuses 5.00` */
const fundsText = ({ balance, bonuses }: Account, money: ProjectMoneyFormatter): string =>
  joinTexts(', ', [
    `balance ${'value' in balance ? money(balance.value) : 'unreadable'}`,
    formatBonuses(bonuses, money),
  ]);

function budgetTexts(
  level: WatchLevel,
  amount: Money,
  spend: MonthSpend,
  today: Day,
  money: ProjectMoneyFormatter,
): Texts {
  const { month, spent, forecast } = spend;
  const name = formatMonth(month, today);
  const covered = monthCoverage(spend);
  const expected = formatEstimateBeside(forecast ?? spent, amount, money);
  if (level === 'forecast')
    return {
      title: ` is expected to pass its ${name} budget: about ${expected} of ${money(amount)}`,
      why: [
        `${money(spent)} spent so far${covered ? ` (${covered})` : ''}`,
        'the rest of the month is an estimate',
      ],
    };
  const share = level === '100' ? '' : `${level} % of `;
  const isExact = spent.times(100).eq(amount.times(level));
  return {
    title: ` ${isExact ? 'reached' : 'passed'} ${share}its ${name} budget: ${money(spent)} of ${money(amount)}`,
    why: [covered, forecast && `estimated ${expected} by the end of the month`],
  };
}

/** `29 of 30 days reported`; '' if all are */
const monthCoverage = ({ reported, of }: MonthSpend): string =>
  reported < of ? `${reported} of ${pluralize(of, 'day')} reported` : '';

function spikeTexts(rule: SpikeRule, spend: DaySpend, money: ProjectMoneyFormatter): Texts {
  const { day, amount, baseline, basis, basisDays = 0 } = spend;
  const limit = spikeLimit(rule, spend);
  const title = ` cost ${money(amount)} on ${dayText(day)}`;
  if (baseline === undefined || limit === undefined) return { title, why: [] };
  const times = formatFactor(divide(amount, baseline).round(1), money.locale);
  const weekdays = `the last 4 ${WEEKDAY_NAMES[isoWeekday(day) - 1]}s`;
  const usual =
    basis === 'weekday'
      ? `the median of ${basisDays < 4 ? `${basisDays} of ` : ''}${weekdays}`
      : `the average of the ${basisDays} reported days before`;
  const why = [`usual: ${money(baseline)}, ${usual}`, `the watch alerts from ${money(limit)}`];
  return { title: `${title}, ${times} times the usual`, why };
}

/** Follows the project's name: ` recovered: 51,000.00 EUR left`, `: November ended at 790.00 of 800.00 EUR`. */
export function recoveryText(level: WatchLevel, basis: AlertBasis, money: ProjectMoneyFormatter): string {
  const { rule, today } = basis;
  const spend = rule.kind === 'budget' && level === 'forecast' ? monthOf(basis) : undefined;
  if (rule.kind !== 'budget' || !spend?.isFinal)
    return joinTexts(': ', [' recovered', recoveredTo(level, basis, money)]);
  const covered = monthCoverage(spend);
  const cost = `${money(spend.spent)} of ${money(rule.amount)}${covered && ` (${covered})`}`;
  return `: ${formatMonth(spend.month, today)} ended at ${cost}`;
}

function recoveredTo(level: WatchLevel, basis: AlertBasis, money: ProjectMoneyFormatter): string {
  const { rule, account, today } = basis;
  switch (rule.kind) {
    case 'balance': {
      const { balance } = measuredAs('balance', basis);
      return balance === undefined ? '' : `${money(balance)} left`;
    }
    case 'runway': {
      const { runway } = measuredAs('runway', basis);
      if (runway?.kind === 'estimate')
        return `${hasBonuses(account) ? 'balance and bonuses last' : 'the balance lasts'} about ${pluralize(runway.days, 'day')}`;
      return runway?.kind === 'no-spend' ? 'nothing is being spent' : '';
    }
    case 'budget': {
      const spend = monthOf(basis);
      if (spend === undefined) return '';
      const { month, spent, forecast = spent } = spend;
      return level === 'forecast'
        ? `about ${formatEstimate(forecast, money)} expected in ${formatMonth(month, today)}`
        : reportedNow(basis, money);
    }
    case 'spike': {
      const spend = daySpendOf(basis);
      if (spend && isCalm(rule, spend)) return reportedNow(basis, money);
      const { days } = measuredAs('spike', basis);
      const calm = days.find((later) => later.day > basis.episode && isCalm(rule, later));
      return calm === undefined ? '' : `${money(calm.amount)} on ${dayText(calm.day)}`;
    }
  }
}

/** Follows the project's name: `: billing now reports 9.00 EUR for Wed 18 Nov`. */
export const correctionText = (basis: AlertBasis, money: ProjectMoneyFormatter): string =>
  `: ${reportedNow(basis, money)}`;

function reportedNow(basis: AlertBasis, money: ProjectMoneyFormatter): string {
  const { rule, episode, today } = basis;
  const isMonth = rule.kind === 'budget';
  const amount = isMonth ? monthOf(basis)?.spent : daySpendOf(basis)?.amount;
  const when = isMonth ? formatMonth(episode, today) : dayText(episode);
  return `billing now reports ${amount === undefined ? 'another amount' : money(amount)} for ${when}`;
}

const hasBonuses = (account: Account | undefined): boolean =>
  account !== undefined && 'value' in account.bonuses && !account.bonuses.value.eq(0);

const withFullStop = (text: string): string =>
  text === '' ? '' : `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
const dayText = (day: Day): string => formatDays(day, day, day.slice(0, 4));
const dateText = (day: Day): string => formatDays(day, day).slice(4);
