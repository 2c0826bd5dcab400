import { type Money, type MoneyFormatter, moneyFormatter } from '../../domain/money/amount.ts';
import { type Account, formatBalance } from '../../domain/money/runway.ts';
import { incompleteMark, readableTotal } from '../../domain/money/usage.ts';
import { formatReportDays, type ReportFigures, type ReportPeriods } from '../../domain/report.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import type { ProjectAnswer, ProjectAnswers } from '../../slack/commands/project-answers.ts';

/** What is known of one project when a post goes out. */
export interface ProjectFigures extends ProjectAnswer {
  readonly figures: ReportFigures;
  /** BCP 47, the workspace's: posts are for everybody. */
  readonly locale: string;
  /** A sentence if the balance could not be had. */
  readonly balance: Account | string;
}

/** Which figure comes first. */
export type Headline = 'spent' | 'left';

export const formatterFor = ({ target, locale }: ProjectFigures): MoneyFormatter =>
  moneyFormatter(locale, target.currency);

/** The main number; undefined when there is none. */
export function amountOf({ balance, figures }: ProjectFigures, headline: Headline): Money | undefined {
  if (headline === 'spent') return readableTotal(figures.main);
  return typeof balance !== 'string' && 'value' in balance.balance ? balance.balance.value : undefined;
}

/** `30,677.33 spent on Fri 20 Nov`: a post that is late, or read later, still says which day it means. */
export function headlineOf(answer: ProjectFigures, headline: Headline, periods: ReportPeriods): string {
  if (headline === 'left') return formatRemaining(answer);
  const { total } = answer.figures.main;
  if (total.readable === 0)
    return `nothing reported for ${formatReportDays(periods.main.window, periods.today)} yet`;
  return `${formatterFor(answer)(total.value)} spent ${reportWhen(periods)}${incompleteMark(total.incomplete)}`;
}

export function formatRemaining(answer: ProjectFigures): string {
  const { balance } = answer;
  return typeof balance === 'string'
    ? 'balance unknown'
    : formatBalance(balance.balance, formatterFor(answer));
}

/** `on Fri 20 Nov`, `9–15 Nov` */
export const reportWhen = ({ main, today }: ReportPeriods): string =>
  `${main.window.days.length === 1 ? 'on ' : ''}${formatReportDays(main.window, today)}`;

/** Whether a post is about the month, which then needs no extra line. */
export const isMonthReport = ({ main, month }: ReportPeriods): boolean =>
  main.window.days.length === month.window.days.length && main.window.days[0] === month.window.days[0];

/** What a scheduled post says. */
export interface ReportView extends ProjectAnswers<ProjectFigures> {
  readonly headline: Headline;
  readonly periods: ReportPeriods;
  readonly fetched: Millis;
}
