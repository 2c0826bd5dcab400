import { pluralize } from '../../domain/language/text.ts';
import { divide, formatFactor, formatMoney, type Money } from '../../domain/money/amount.ts';
import { formatBonuses, type Runway } from '../../domain/money/runway.ts';
import { type AlertedLevel, spikeLimit } from '../../domain/money/thresholds.ts';
import type {
  DaySpend,
  MonthSpend,
  WatchFigures,
  WatchMeasurement,
} from '../../domain/money/watch-measurement.ts';
import type { WatchRule } from '../../domain/money/watch-rule.ts';
import { WEEKDAY_NAMES } from '../../domain/time/cadence.ts';
import { type Day, formatDays, isoWeekday } from '../../domain/time/calendar.ts';
import type { Watch } from '../../workspace/owned/watches.ts';
import { type ChosenProject, findNamed, projectLabel } from '../../workspace/projects/chosen-project.ts';
import type { Workspace } from '../../workspace/record/workspace.ts';

/** What an alert says, in plain text: its headline, and why with the arithmetic. */

/** Writes amounts in a locale, with a currency label. */
export interface WriteMoney {
  (value: Money): string;
  /** BCP 47 */
  readonly locale: string;
}

/** What an alert is about. */
export interface AlertFacts {
  readonly rule: WatchRule;
  readonly measurement: WatchMeasurement;
  readonly level: AlertedLevel;
  readonly account?: WatchFigures['account'];
  /** What a day costs on average, if enough of the last ones are reported. */
  readonly average?: Money;
  /** What the balance was on an earlier day. */
  readonly before?: { readonly day: Day; readonly balance: Money };
  /** As the project is called. */
  readonly label: string;
  readonly money: WriteMoney;
}

/** Writes amounts of a project with its currency label. @param locale BCP 47 */
export function moneyWriter(project: ChosenProject, workspace: Workspace, locale: string): WriteMoney {
  const label = currencyOf(project, workspace);
  return Object.assign((value: Money) => formatMoney(value, locale, label), { locale });
}

/** The currency label of a project; '' for none. */
export const currencyOf = (
  project: ChosenProject,
  workspace: Pick<Workspace, 'projects' | 'settings'>,
): string => findNamed(project, workspace)?.currency ?? workspace.settings.currency;

export const watchLabel = ({ project }: Pick<Watch, 'project'>, workspace: Workspace): string =>
  projectLabel(project, workspace);

/** `prod has 48,210.00 EUR left, below 50,000.00 EUR`, and the line under it. */
export function alertText(facts: AlertFacts): { readonly title: string; readonly why: string } {
  const { title, why } = textsOf(facts);
  return { title: `${facts.label}${title}`, why: sentence(why.filter(Boolean).join('; ')) };
}

/** The rest of a sentence that begins with the project, and what explains it. */
interface Texts {
  readonly title: string;
  readonly why: readonly string[];
}

function textsOf(facts: AlertFacts): Texts {
  const { rule, measurement, level } = facts;
  if (rule.kind === 'balance' && measurement.kind === 'balance' && measurement.balance !== undefined)
    return balanceTexts(rule.below, measurement.balance, measurement.runway, facts);
  if (rule.kind === 'runway' && measurement.kind === 'runway')
    return runwayTexts(rule.days, measurement.runway, facts);
  if (rule.kind === 'budget' && measurement.kind === 'budget') {
    const month = measurement.months.find((spend) => spend.month === level.episode);
    const name = monthText(level.episode, measurement.months);
    if (month !== undefined) return budgetTexts(rule.amount, month, name, facts);
  }
  if (rule.kind === 'spike' && measurement.kind === 'spike') {
    const day = measurement.days.find((spend) => spend.day === level.episode);
    if (day !== undefined) return spikeTexts(rule, day, facts);
  }
  return { title: ': threshold crossed', why: [] };
}

function balanceTexts(
  below: Money,
  balance: Money,
  runway: Runway | undefined,
  { money, before }: AlertFacts,
): Texts {
  const now = balance.lt(0) ? ` is overdrawn by ${money(balance.abs())}` : ` has ${money(balance)} left`;
  return {
    title: below.eq(0) ? now : `${now}, below ${money(below)}`,
    why: [
      before === undefined ? '' : `${money(before.balance)} on ${dayText(before.day)}`,
      runway?.kind === 'estimate'
        ? `at ${money(runway.average)} a day the balance reaches zero around ${dateText(runway.until)}`
        : '',
    ],
  };
}

function runwayTexts(days: number, runway: Runway | undefined, facts: AlertFacts): Texts {
  const { account, average, money } = facts;
  const left = runway !== undefined && 'left' in runway ? runway.left : undefined;
  const isLastDay =
    runway?.kind === 'overdrawn'
      ? left?.gt(0) && average?.gt(left)
      : runway?.kind === 'estimate' && runway.days === 0;
  const title = isLastDay
    ? ': less than a day left'
    : runway?.kind === 'estimate'
      ? `: about ${pluralize(runway.days, 'day')} left, fewer than ${days}`
      : ' is overdrawn';
  const until =
    runway?.kind === 'estimate' && runway.days > 0 ? `, until around ${dateText(runway.until)}` : '';
  const rate = average === undefined ? '' : `, at ${money(average)} a day${until}`;
  return { title, why: account === undefined ? [] : [`${fundsText(account, money)}${rate}`] };
}

/** `balance 40.00, bonuses 5.00` */
const fundsText = ({ balance, bonuses }: NonNullable<AlertFacts['account']>, money: WriteMoney): string =>
  [`balance ${'value' in balance ? money(balance.value) : 'not readable'}`, formatBonuses(bonuses, money)]
    .filter(Boolean)
    .join(', ');

function budgetTexts(
  amount: Money,
  { spent, forecast, reported, of }: MonthSpend,
  name: string,
  { level, money }: AlertFacts,
): Texts {
  const covered = `${reported} of ${pluralize(of, 'day')} reported`;
  const expected = money(forecast ?? spent);
  if (level.level === 'forecast')
    return {
      title: ` is expected to pass its ${name} budget: about ${expected} of ${money(amount)}`,
      why: [`${money(spent)} spent so far (${covered})`, 'the rest of the month is an estimate'],
    };
  const share = level.level === '100' ? '' : `${level.level} % of `;
  const isExact = spent.times(100).eq(amount.times(level.level));
  return {
    title: ` ${isExact ? 'reached' : 'passed'} ${share}its ${name} budget: ${money(spent)} of ${money(amount)}`,
    why: [covered, forecast === undefined ? '' : `about ${expected} by the end of the month, an estimate`],
  };
}

function spikeTexts(
  rule: Extract<WatchRule, { kind: 'spike' }>,
  spend: DaySpend,
  { money }: AlertFacts,
): Texts {
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
  const floor = limit.eq(rule.floor)
    ? `the alert starts at ${money(rule.floor)}`
    : `${formatFactor(rule.factor, money.locale)} times that is ${money(limit)}`;
  return { title: `${title}, ${times} times the usual`, why: [`${money(baseline)} is ${usual}`, floor] };
}

/** `prod recovered: 51,000.00 EUR left.`: the alert's header then, and a reply in its thread. */
export const recoveryText = (facts: AlertFacts): string =>
  [`${facts.label} recovered`, recoveredTo(facts)].filter(Boolean).join(': ').concat('.');

function recoveredTo(facts: AlertFacts): string {
  const { rule, measurement, level, money, account } = facts;
  if (measurement.kind === 'balance' && measurement.balance !== undefined)
    return `${money(measurement.balance)} left`;
  if (measurement.kind === 'runway' && measurement.runway !== undefined) {
    const { runway } = measurement;
    if (runway.kind === 'estimate')
      return `${hasBonuses(account) ? 'balance and bonuses last' : 'the balance lasts'} about ${pluralize(runway.days, 'day')}`;
    return runway.kind === 'no-spend' ? 'nothing is being spent' : '';
  }
  if (measurement.kind === 'budget') {
    const month = measurement.months.find((spend) => spend.month === level.episode);
    const name = monthText(level.episode, measurement.months);
    if (month !== undefined)
      return level.level === 'forecast'
        ? `about ${money(month.forecast ?? month.spent)} expected in ${name}`
        : `billing now reports ${money(month.spent)} for ${name}`;
  }
  if (measurement.kind === 'spike' && rule.kind === 'spike') {
    const corrected = measurement.days.find(({ day }) => day === level.episode);
    const limit = corrected && spikeLimit(rule, corrected);
    if (limit !== undefined && corrected?.amount.lt(limit)) return reportedNow(facts);
    const calm = measurement.days.find((spend) => spend.day > level.episode && isBelow(rule, spend));
    if (calm !== undefined) return `${money(calm.amount)} on ${dayText(calm.day)}`;
  }
  return '';
}

/** What an alert about a day says when billing reports another amount for it. */
export const correctionText = (facts: AlertFacts): string => `Corrected: ${reportedNow(facts)}.`;

function reportedNow({ measurement, level, money }: AlertFacts): string {
  const days = measurement.kind === 'spike' ? measurement.days : [];
  const amount = days.find(({ day }) => day === level.episode)?.amount;
  const now = amount === undefined ? 'another amount' : money(amount);
  return `billing now reports ${now} for ${dayText(level.episode)}`;
}

const hasBonuses = (account: AlertFacts['account']): boolean =>
  account !== undefined && 'value' in account.bonuses && !account.bonuses.value.eq(0);

function isBelow(rule: Extract<WatchRule, { kind: 'spike' }>, day: DaySpend): boolean {
  const limit = spikeLimit(rule, day);
  return limit !== undefined && day.amount.lt(limit);
}

const sentence = (text: string): string =>
  text === '' ? '' : `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
/** `Wed 18 Nov` */
const dayText = (day: Day): string => formatDays(day, day, day.slice(0, 4));
/** `20 Dec 2026` */
const dateText = (day: Day): string => formatDays(day, day).slice(4);
/** `November`, with its year unless it is that of the newest of `months`. */
const monthText = (month: string, months: readonly MonthSpend[]): string => {
  const names = 'January February March April May June July August September October November December';
  const [year = '', number] = month.split('-');
  const name = names.split(' ')[Number(number) - 1] ?? '';
  return months.at(-1)?.month.startsWith(year) ? name : `${name} ${year}`;
};
