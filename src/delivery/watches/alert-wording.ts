import { pluralize } from '../../domain/language/text.ts';
import { divide, formatFactor, formatMoney, type Money } from '../../domain/money/amount.ts';
import { type Account, formatBonuses } from '../../domain/money/runway.ts';
import { spikeLimit, type WatchLevel } from '../../domain/money/watch-evaluation.ts';
import { WEEKDAY_NAMES } from '../../domain/time/cadence.ts';
import { type Day, formatDays, isoWeekday } from '../../domain/time/calendar.ts';
import { joinTexts, type Optional } from '../../slack/kit/blocks.ts';
import type { Watch } from '../../workspace/owned/watch-record.ts';
import { type ChosenProject, findNamed, projectLabel } from '../../workspace/projects/chosen-project.ts';
import type { Workspace } from '../../workspace/record/workspace.ts';
import { type AlertFacts, type FactsOf, parseFacts } from './alert-facts.ts';
import type { FiguresEvent } from './sent-alerts.ts';

/** What an alert says, in plain text: its headline, and why with the arithmetic. */

export type AlertWords = Readonly<ReturnType<typeof alertWords>>;

/** How the workspace names the project and writes amounts now: that may have changed since the facts were stored. */
export const alertWords = (
  { projects: [project] }: Pick<Watch, 'projects'>,
  workspace: Workspace,
  today: Day,
) => ({
  /** The project's name, or its ID. */
  label: projectLabel(project, workspace),
  money: moneyWriter(project, workspace, workspace.settings.locale),
  /** Months of its year are named without the year. */
  today,
});

/** Writes amounts in a locale, with a currency label. */
export type WriteMoney = ReturnType<typeof moneyWriter>;

/** Writes amounts of a project with its currency label. @param locale BCP 47 */
export function moneyWriter(project: ChosenProject, workspace: Workspace, locale: string) {
  const label = currencyOf(project, workspace);
  return Object.assign((value: Money) => formatMoney(value, locale, label), { locale });
}

/** The currency label of a project; '' for none. */
export const currencyOf = (
  project: ChosenProject,
  workspace: Pick<Workspace, 'projects' | 'settings'>,
): string => findNamed(project, workspace)?.currency ?? workspace.settings.currency;

type EventFigures = Pick<FiguresEvent, 'level' | 'facts'>;

/** `prod has 48,210.00 EUR left, below 50,000.00 EUR`, and the line under it. */
export function alertText(
  { level, facts }: EventFigures,
  words: AlertWords,
): { readonly title: string; readonly why: string } {
  const { title, why } = textsOf(level, parseFacts(facts), words);
  return { title: `${words.label}${title}`, why: withFullStop(joinTexts('; ', why)) };
}

/** The rest of a sentence that begins with the project, and what explains it. */
interface Texts {
  readonly title: string;
  readonly why: readonly Optional<string>[];
}

const WITHOUT_FIGURES: Texts = { title: ': threshold crossed', why: [] };

function textsOf(level: WatchLevel, facts: AlertFacts, words: AlertWords): Texts {
  switch (facts.kind) {
    case 'balance':
      return facts.balance === undefined ? WITHOUT_FIGURES : balanceTexts(facts.balance, facts, words);
    case 'runway':
      return runwayTexts(facts, words);
    case 'budget':
      return facts.spend === undefined ? WITHOUT_FIGURES : budgetTexts(level, facts.spend, facts, words);
    case 'spike':
      return facts.spend === undefined ? WITHOUT_FIGURES : spikeTexts(facts.spend, facts, words);
  }
}

function balanceTexts(
  balance: Money,
  { below, runway, before }: FactsOf<'balance'>,
  { money }: AlertWords,
): Texts {
  const now = balance.lt(0) ? ` is overdrawn by ${money(balance.abs())}` : ` has ${money(balance)} left`;
  return {
    title: below.eq(0) ? now : `${now}, below ${money(below)}`,
    why: [
      before && `${money(before.balance)} on ${dayText(before.day)}`,
      runway?.kind === 'estimate' &&
        `at ${money(runway.average)} a day the balance reaches zero around ${dateText(runway.until)}`,
    ],
  };
}

function runwayTexts({ days, runway, account, average }: FactsOf<'runway'>, { money }: AlertWords): Texts {
  const isLastDay =
    runway?.kind === 'overdrawn'
      ? runway.left.gt(0) && average?.gt(runway.left)
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
const fundsText = ({ balance, bonuses }: Account, money: WriteMoney): string =>
  joinTexts(', ', [
    `balance ${'value' in balance ? money(balance.value) : 'not readable'}`,
    formatBonuses(bonuses, money),
  ]);

function budgetTexts(
  level: WatchLevel,
  { spent, forecast, reported, of }: NonNullable<FactsOf<'budget'>['spend']>,
  { amount, month }: FactsOf<'budget'>,
  { money, today }: AlertWords,
): Texts {
  const name = monthText(month, today);
  const covered = `${reported} of ${pluralize(of, 'day')} reported`;
  const expected = money(forecast ?? spent);
  if (level === 'forecast')
    return {
      title: ` is expected to pass its ${name} budget: about ${expected} of ${money(amount)}`,
      why: [`${money(spent)} spent so far (${covered})`, 'the rest of the month is an estimate'],
    };
  const share = level === '100' ? '' : `${level} % of `;
  const isExact = spent.times(100).eq(amount.times(level));
  return {
    title: ` ${isExact ? 'reached' : 'passed'} ${share}its ${name} budget: ${money(spent)} of ${money(amount)}`,
    why: [covered, forecast && `estimated ${expected} by the end of the month`],
  };
}

function spikeTexts(
  spend: NonNullable<FactsOf<'spike'>['spend']>,
  rule: FactsOf<'spike'>,
  { money }: AlertWords,
): Texts {
  const { day } = rule;
  const { amount, baseline, basis, basisDays = 0 } = spend;
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
export const recoveryText = ({ level, facts }: EventFigures, words: AlertWords): string =>
  `${joinTexts(': ', [`${words.label} recovered`, recoveredTo(level, parseFacts(facts), words)])}.`;

function recoveredTo(level: WatchLevel, facts: AlertFacts, words: AlertWords): string {
  const { money, today } = words;
  switch (facts.kind) {
    case 'balance':
      return facts.balance === undefined ? '' : `${money(facts.balance)} left`;
    case 'runway': {
      const { runway, account } = facts;
      if (runway?.kind === 'estimate')
        return `${hasBonuses(account) ? 'balance and bonuses last' : 'the balance lasts'} about ${pluralize(runway.days, 'day')}`;
      return runway?.kind === 'no-spend' ? 'nothing is being spent' : '';
    }
    case 'budget': {
      const { spend, month } = facts;
      if (spend === undefined) return '';
      return level === 'forecast'
        ? `about ${money(spend.forecast ?? spend.spent)} expected in ${monthText(month, today)}`
        : `billing now reports ${money(spend.spent)} for ${monthText(month, today)}`;
    }
    case 'spike': {
      const { spend, calm } = facts;
      const limit = spend && spikeLimit(facts, spend);
      if (limit !== undefined && spend?.amount.lt(limit)) return reportedNow(facts, words);
      return calm === undefined ? '' : `${money(calm.amount)} on ${dayText(calm.day)}`;
    }
  }
}

/** The alert's header when billing reports another amount for its day: `prod corrected: billing now reports 9.00 EUR for Wed 18 Nov.` */
export function correctionText({ facts }: EventFigures, words: AlertWords): string {
  const read = parseFacts(facts);
  return `${words.label} corrected: ${read.kind === 'spike' ? reportedNow(read, words) : 'billing now reports another amount'}.`;
}

const reportedNow = ({ day, spend }: FactsOf<'spike'>, { money }: AlertWords): string =>
  `billing now reports ${spend === undefined ? 'another amount' : money(spend.amount)} for ${dayText(day)}`;

const hasBonuses = (account: FactsOf<'runway'>['account']): boolean =>
  account !== undefined && 'value' in account.bonuses && !account.bonuses.value.eq(0);

const withFullStop = (text: string): string =>
  text === '' ? '' : `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
/** `Wed 18 Nov` */
export const dayText = (day: Day): string => formatDays(day, day, day.slice(0, 4));
/** `20 Dec 2026` */
const dateText = (day: Day): string => formatDays(day, day).slice(4);
/** `November`, with its year unless it is that of `today`. */
const monthText = (month: string, today: Day): string => {
  const names = 'January February March April May June July August September October November December';
  const [year = '', number] = month.split('-');
  const name = names.split(' ')[Number(number) - 1] ?? '';
  return today.startsWith(year) ? name : `${name} ${year}`;
};
