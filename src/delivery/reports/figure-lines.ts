import { remarkLead } from '../../domain/billing-remarks.ts';
import {
  formatPercent,
  type Money,
  type MoneyFormatter,
  moneyFormatter,
  ZERO,
} from '../../domain/money/amount.ts';
import { formatForecast } from '../../domain/money/forecast.ts';
import {
  type Account,
  formatBalance,
  formatBonuses,
  formatRunwayBasis,
  formatRunwayLine,
} from '../../domain/money/runway.ts';
import {
  describeUnreadable,
  formatBonusTotal,
  formatMissingDays,
  formatReportedDays,
  formatTotal,
  incompleteMark,
  readableTotal,
  type Usage,
} from '../../domain/money/usage.ts';
import {
  formatCoverage,
  formatCoverageOfBoth,
  formatUncompared,
  isFullyReported,
  type UsageChange,
} from '../../domain/money/usage-change.ts';
import {
  type ComparedWindows,
  type DayWindow,
  formatReportDays,
  type ReportFigures,
  type ReportPeriods,
} from '../../domain/report.ts';
import { type Day, formatDays, type Millis } from '../../domain/time/calendar.ts';
import type { DayNamer } from '../../domain/time/day-groups.ts';
import type { ProjectAnswer, ProjectAnswers } from '../../slack/commands/project-answers.ts';
import { type Chart, compact, escapeMarkup, joinTexts } from '../../slack/kit/blocks.ts';
import { spendChart } from '../../slack/kit/charts.ts';

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

/** The number that the report is about; undefined when there is none. */
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

/** `▲ 1.9 % vs 13–19 Nov (30,114.32 a day; 7 of 7 days reported now, 6 of 7 days reported before)`; of several days their average and highest as well. */
function figureLine(answer: ProjectFigures, { main, today }: ReportPeriods): string {
  const { main: usage, change } = answer.figures;
  const money = formatterFor(answer);
  const { average, highest, bonuses } = usage;
  const isOneDay = main.window.days.length === 1;
  return joinTexts(' · ', [
    !isOneDay && average && `*${money(average)}* a day`,
    ...formatChange(change, main, today, answer),
    !isOneDay &&
      highest &&
      usage.reported.length > 1 &&
      `highest ${dayName(today)(highest.day)}, ${money(highest.value)}`,
    formatBonusTotal(bonuses, money),
  ]);
}

/** A line of its own: a single fact that is a clause becomes a sentence. */
export const mainFigureLine = (answer: ProjectFigures, periods: ReportPeriods): string =>
  figureLine(answer, periods).replace(/^no comparison: [^·]*$/, (all) => `N${all.slice(1)}.`);

/** `Spent on Fri 20 Nov 150.00 · ▲ 1.9 % vs …`, when another figure comes first. */
export const spentLine = (answer: ProjectFigures, periods: ReportPeriods): string =>
  joinTexts(' · ', [
    `*Spent ${formatReportDays(periods.main.window, periods.today)}* ${totalText(answer.figures.main, formatterFor(answer))}`,
    figureLine(answer, periods),
  ]);

/** `This month 519,871.04 (1–20 Nov, 19 of 20 days reported) · ▼ 0.2 % a day vs 1–20 Oct` */
export function monthLine(answer: ProjectFigures, { month, today }: ReportPeriods): string {
  const { month: usage, monthChange } = answer.figures;
  const money = formatterFor(answer);
  const isWhole = monthChange === undefined || isFullyReported(monthChange);
  const covered = isWhole ? [] : [formatCoverage(monthChange.coverage.current)];
  const days = [month.window.label, ...covered].join(', ');
  return [
    `*${monthName(month.window, today)}* ${totalText(usage, money)} (${days})`,
    ...formatChange(monthChange, month, today, answer, true),
  ].join(' · ');
}

/** `Forecast: about 861,234.00 by 30 Nov (± 12,000.00), from …`; '' when there is none. */
export const forecastLine = (answer: ProjectFigures, { today }: ReportPeriods): string =>
  answer.figures.forecast === undefined
    ? ''
    : formatForecast(answer.figures.forecast, today, formatterFor(answer));

/** On the first day of a month, the name of the month before. */
export const monthName = ({ days }: DayWindow, today: Day): string =>
  days.at(-1)?.slice(0, 7) === today.slice(0, 7) ? 'This month' : 'Last month';

/** `1,234.00 left · About 41 days …` @param isHeadline the balance is already shown above */
export function balanceLine(answer: ProjectFigures, isHeadline = false): string {
  const { balance, figures } = answer;
  const money = formatterFor(answer);
  if (typeof balance === 'string') return `*Balance unknown*: ${escapeMarkup(balance)}`;
  const { runway } = figures;
  return joinTexts(' · ', [
    !isHeadline && `*${escapeMarkup(formatRemaining(answer))}*`,
    runway && formatRunwayLine(runway, money),
  ]);
}

/** What the runway rests on and the bonuses that are left, for the small print; mrkdwn. */
export function balanceFacts(answer: ProjectFigures): string[] {
  const { balance, figures } = answer;
  if (typeof balance === 'string') return [];
  const money = formatterFor(answer);
  const { runway } = figures;
  const basis = runway === undefined ? '' : formatRunwayBasis(runway, money);
  const bonuses = formatBonuses(balance.bonuses, money);
  return compact([
    basis !== '' && escapeMarkup(basis.startsWith('at ') ? `runway ${basis}` : basis),
    bonuses !== '' && escapeMarkup(`${bonuses} left`),
  ]);
}

const totalText = ({ total }: Usage, money: MoneyFormatter): string =>
  total.readable === 0 ? 'nothing reported yet' : formatTotal(total, money);

/**
 * Per day, so that periods of different length can be compared.
 * @param omitsBefore without the amount it is compared with; the coverage of the current days is said already
 */
export function formatChange(
  change: UsageChange | undefined,
  { window, before }: ComparedWindows,
  today: Day,
  answer: ProjectFigures,
  omitsBefore = false,
): string[] {
  if (change === undefined) return [];
  const { figures, coverage } = change;
  const { reported, of, partial } = coverage.before;
  const isSaid = isFullyReported(change) || (omitsBefore && reported === of && partial === 0);
  const said = omitsBefore ? formatCoverage(coverage.before) : formatCoverageOfBoth(change);
  const covered = isSaid ? '' : said;
  if (figures === undefined) {
    const labels = { current: formatReportDays(window, today), before: before.label };
    return [`no comparison: ${formatUncompared(change, labels)}`];
  }
  const { percent, daily } = figures;
  const isShort = omitsBefore && percent !== undefined;
  const amount = `${formatterFor(answer)(daily.before)}${before.days.length === 1 ? '' : ' a day'}`;
  const rests = joinTexts('; ', [!isShort && amount, covered]);
  const against = rests === '' ? before.label : `${before.label} (${rests})`;
  if (percent === undefined) return [`before: ${against}`];
  const isSame = percent.eq(ZERO);
  return [`*${formatPercent(percent, answer.locale)}*${isShort && !isSame ? ' a day' : ''} vs ${against}`];
}

/** As the chart of `/spend`: a day that is not reported keeps its place. */
export const reportChart = (
  { figures: { charted: usage } }: ProjectFigures,
  { charted: days }: ReportPeriods,
): Chart | undefined => spendChart({ usage, period: { days } });

/** `no data for Sat 21 Nov`: days without data that only the chart shows, as Slack may hide their labels; '' for none. */
export function chartGaps(answer: ProjectFigures, periods: ReportPeriods): string {
  if (reportChart(answer, periods) === undefined) return '';
  const { main, charted } = answer.figures;
  const missing = charted.missing.filter((day) => !main.missing.includes(day));
  return formatMissingDays({ missing }, dayName(periods.today));
}

/** What a reader must know to trust the figures. */
export const reportNotes = (answer: ProjectFigures, { today }: ReportPeriods): string[] => [
  // For a single day, the title says so already.
  ...(answer.figures.main.fullDays > 1 && answer.figures.main.missing.length > 0
    ? [`${formatReportedDays(answer.figures.main, dayName(today))}.`]
    : []),
  ...describeUnreadable(answer.figures.main, dayName(today)),
  ...straysNote(answer.figures.strays),
  ...remarkNotes(answer),
];

function straysNote(strays: number): string[] {
  if (strays === 0) return [];
  const [items, fall, are] = strays === 1 ? ['item', 'falls', 'is'] : ['items', 'fall', 'are'];
  return [
    `${strays} ${items} from the billing service ${fall} outside this post’s days and ${are} left out.`,
  ];
}

/** `The billing service reported a problem with the balance: “…”`: outside text, no mark-up. */
export const remarkNotes = ({ remarks }: ProjectFigures): string[] =>
  remarks.map((remark) => `${remarkLead(remark)} ${remark.messages.map((said) => `“${said}”`).join(', ')}`);

/** Names days without the year of `near`. */
const dayName =
  (near: Day): DayNamer =>
  (day, last = day) =>
    formatDays(day, last, near.slice(0, 4));
