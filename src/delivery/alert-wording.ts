/** What an alert says, in plain text: its headline, and why with the arithmetic. */

import { pluralize } from '../domain/language/text.ts';
import { divide, formatMoney, type Money, toPlainDigits } from '../domain/money/amount.ts';
import type { Runway } from '../domain/money/runway.ts';
import { formatRunwayBasis } from '../domain/money/runway-text.ts';
import { spikeLimit, type ToldLevel } from '../domain/money/thresholds.ts';
import type { DaySpend, MonthSpend, WatchMeasurement } from '../domain/money/watch-measurement.ts';
import type { WatchRule } from '../domain/money/watch-rule.ts';
import { WEEKDAY_NAMES } from '../domain/time/cadence.ts';
import { type Day, formatDays, isoWeekday } from '../domain/time/calendar.ts';
import { findNamed } from '../workspace/chosen-project.ts';
import type { Watch } from '../workspace/watches.ts';
import { requireSettings, type Workspace } from '../workspace/workspace.ts';
import { projectLabel } from './schedule-wording.ts';

type Write = (value: Money) => string;

/** What an alert is about. */
export interface AlertFacts {
  readonly rule: WatchRule;
  readonly measurement: WatchMeasurement;
  readonly level: ToldLevel;
  /** The runway that a balance lasts, if it is known. */
  readonly runway?: Runway;
  /** What the balance was on an earlier day. */
  readonly before?: { readonly day: Day; readonly balance: Money };
  /** As the project is called. */
  readonly label: string;
  readonly money: Write;
}

/** Amounts as the workspace writes them, with the project's currency. */
export function watchMoney({ project }: Pick<Watch, 'project'>, workspace: Workspace): Write {
  const { locale, currency } = requireSettings(workspace);
  const known = findNamed(project, workspace);
  return (value) => formatMoney(value, locale, known?.currency ?? currency);
}

export const watchLabel = ({ project }: Pick<Watch, 'project'>, workspace: Workspace): string =>
  projectLabel(project, workspace);

/** `prod · 48,210.00 EUR left — below 50,000.00 EUR`, and the line under it. */
export function alertText(facts: AlertFacts): { readonly title: string; readonly why: string } {
  const { title, why } = textsOf(facts);
  return { title: `${facts.label} · ${title}`, why };
}

function textsOf(facts: AlertFacts): { readonly title: string; readonly why: string } {
  const { rule, measurement, level } = facts;
  if (rule.kind === 'balance' && measurement.kind === 'balance')
    return balanceTexts(rule.below, measurement.balance, facts);
  if (rule.kind === 'runway' && measurement.kind === 'runway')
    return runwayTexts(rule.days, measurement.runway, facts);
  if (rule.kind === 'budget' && measurement.kind === 'budget') {
    const month = measurement.months.find((one) => one.month === level.episode);
    if (month !== undefined) return budgetTexts(rule.amount, month, facts);
  }
  if (rule.kind === 'spike' && measurement.kind === 'spike') {
    const day = measurement.days.find((one) => one.day === level.episode);
    if (day !== undefined) return spikeTexts(rule, day, facts);
  }
  return { title: 'threshold crossed', why: '' };
}

function balanceTexts(below: Money, balance: Money | undefined, { money, runway, before }: AlertFacts) {
  const now = balance === undefined ? 'the balance' : leftText(balance, money);
  const was = before === undefined ? [] : [`${money(before.balance)} on ${dayText(before.day)}`];
  const lasts = runway?.kind === 'estimate' ? [lastsText(runway, money)] : [];
  const parts = [...was, ...lasts];
  return {
    title: `${now} — below ${money(below)}`,
    why: parts.length === 0 ? '' : sentence(parts.join('; ')),
  };
}

const leftText = (balance: Money, money: Write): string =>
  balance.lt(0) ? `${money(balance.abs())} overdrawn` : `${money(balance)} left`;

const lastsText = ({ average, until }: Extract<Runway, { kind: 'estimate' }>, money: Write): string =>
  `at ${money(average)} a day it reaches zero around ${dateText(until)}`;

function runwayTexts(days: number, runway: Runway | undefined, { money }: AlertFacts) {
  if (runway?.kind !== 'estimate') {
    const left = runway?.kind === 'overdrawn' ? ` Balance and bonuses are ${money(runway.left)}.` : '';
    return { title: `overdrawn — runway under ${pluralize(days, 'day')}`, why: left.trim() };
  }
  const lasts = runway.days === 0 ? 'less than a day left' : `about ${pluralize(runway.days, 'day')} left`;
  return {
    title: `${lasts} — under ${days}`,
    why: sentence(
      `${money(runway.left)} ${formatRunwayBasis(runway, money)} lasts until around ${dateText(runway.until)}`,
    ),
  };
}

function budgetTexts(amount: Money, spend: MonthSpend, { level, money }: AlertFacts) {
  const { month, spent, forecast, reported, of } = spend;
  const name = monthText(month);
  const covered = `${reported} of ${pluralize(of, 'day')} reported`;
  const expected =
    forecast === undefined ? [] : [`about ${money(forecast)} by the end of the month, an estimate`];
  if (level.level === 'forecast')
    return {
      title: `about ${money(forecast ?? spent)} expected in ${name} — over ${money(amount)}`,
      why: sentence(`${money(spent)} spent so far (${covered}); the rest of the month is an estimate`),
    };
  const share = level.level === '100' ? 'the budget' : `${level.level} %`;
  const title =
    level.level === '100'
      ? `${money(spent)} spent in ${name} — the budget is ${money(amount)}`
      : `${money(spent)} spent in ${name} — ${share} of ${money(amount)}`;
  return { title, why: sentence([covered, ...expected].join('; ')) };
}

function spikeTexts(rule: Extract<WatchRule, { kind: 'spike' }>, spend: DaySpend, { money }: AlertFacts) {
  const { day, amount, baseline, basis } = spend;
  const limit = spikeLimit(rule, spend);
  if (baseline === undefined || limit === undefined)
    return { title: `${money(amount)} on ${dayText(day)}`, why: '' };
  const times = toPlainDigits(divide(amount, baseline).round(1));
  const usual =
    basis === 'weekday'
      ? `${money(baseline)} is the median of the last 4 ${WEEKDAY_NAMES[isoWeekday(day) - 1]}s`
      : `${money(baseline)} is the average of the 14 reported days before`;
  const floor = limit.eq(rule.floor)
    ? `the floor of ${money(rule.floor)}`
    : `${toPlainDigits(rule.factor)} times that is ${money(limit)}`;
  return {
    title: `${money(amount)} on ${dayText(day)} — ${times} times the usual`,
    why: sentence(`${usual}; ${floor}`),
  };
}

/** What a thread says when it has recovered. */
export function recoveryText({ rule, measurement, level, money }: AlertFacts): string {
  if (measurement.kind === 'balance' && measurement.balance !== undefined)
    return `Recovered: ${leftText(measurement.balance, money)}.`;
  if (measurement.kind === 'runway' && measurement.runway !== undefined) {
    const { runway } = measurement;
    if (runway.kind === 'estimate')
      return `Recovered: the money lasts about ${pluralize(runway.days, 'day')}.`;
    return runway.kind === 'no-spend' ? 'Recovered: nothing is being spent.' : 'Recovered.';
  }
  if (measurement.kind === 'budget') {
    const month = measurement.months.find((one) => one.month === level.episode);
    if (month !== undefined)
      return level.level === 'forecast'
        ? `Recovered: about ${money(month.forecast ?? month.spent)} expected in ${monthText(month.month)}.`
        : `Recovered: billing now reports ${money(month.spent)} for ${monthText(month.month)}.`;
  }
  if (measurement.kind === 'spike' && rule.kind === 'spike') {
    const corrected = measurement.days.find(({ day }) => day === level.episode);
    const limit = corrected && spikeLimit(rule, corrected);
    if (corrected !== undefined && limit !== undefined && corrected.amount.lt(limit))
      return `Corrected: billing now reports ${money(corrected.amount)} for ${dayText(corrected.day)}.`;
    const calm = measurement.days.find((one) => one.day > level.episode && isBelow(rule, one));
    if (calm !== undefined) return `Recovered: ${money(calm.amount)} on ${dayText(calm.day)}.`;
  }
  return 'Recovered.';
}

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
/** `November 2026` */
const monthText = (month: string): string => {
  const names = 'January February March April May June July August September October November December';
  return `${names.split(' ')[Number(month.slice(5)) - 1]} ${month.slice(0, 4)}`;
};
