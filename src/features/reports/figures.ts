import { type Amount, formatMoney, type Money } from '../../domain/money/amount.ts';
import {
  formatReportDays,
  type ReportFigures,
  type ReportPeriods,
} from '../../domain/money/report-figures.ts';
import { formatBalance } from '../../domain/money/runway-text.ts';
import type { ServiceNotice } from '../../domain/service-notice.ts';
import type { Millis } from '../../domain/time/calendar.ts';
import type { ProjectAnswers } from '../../slack/commands/project-answers.ts';
import type { ResolvedProject } from '../../workspace/projects/resolve-project.ts';

/** What is known of one project when a post goes out. */
export interface ProjectFigures {
  readonly target: ResolvedProject;
  readonly briefing: ReportFigures;
  /** BCP 47, the workspace's: posts are for everybody. */
  readonly locale: string;
  /** A sentence if the balance could not be had. */
  readonly balance: { readonly balance: Amount; readonly bonuses: Amount } | string;
  /** The service's remarks about its figures. */
  readonly remarks: readonly ServiceNotice[];
}

/** Which figure comes first. */
export type Headline = 'spent' | 'left';

export const formatterFor =
  ({ target, locale }: ProjectFigures) =>
  (value: Money): string =>
    formatMoney(value, locale, target.currency);

/** The main number; undefined when there is none. */
export function amountOf({ balance, briefing }: ProjectFigures, headline: Headline): Money | undefined {
  const { total } = briefing.main;
  if (headline === 'spent') return total.readable === 0 ? undefined : total.value;
  return typeof balance !== 'string' && 'value' in balance.balance ? balance.balance.value : undefined;
}

/** `30,677.33 spent on Fri 20 Nov`: a post that is late, or read later, still says which day it means. */
export function headlineOf(one: ProjectFigures, headline: Headline, brief: ReportPeriods): string {
  if (headline === 'left') return leftText(one);
  const { total } = one.briefing.main;
  if (total.readable === 0)
    return `nothing reported for ${formatReportDays(brief.main.window, brief.today)} yet`;
  return `${formatterFor(one)(total.value)} spent ${reportWhen(brief)}${total.incomplete ? ' (incomplete)' : ''}`;
}

export function leftText(one: ProjectFigures): string {
  const { balance } = one;
  return typeof balance === 'string' ? 'balance unknown' : formatBalance(balance.balance, formatterFor(one));
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
  readonly brief: ReportPeriods;
  readonly fetched: Millis;
}
