import type { BillingClient, Consumption, TimeRange } from '../../billing/client.ts';
import { collectRemarks, missedAnswer } from '../../domain/failure/index.ts';
import type { Output } from '../../domain/language/items.ts';
import { MAX_PERIOD_DAYS } from '../../domain/language/named-days.ts';
import { type ParsedCommand, rankText } from '../../domain/language/parsed-command.ts';
import { byLargest, type MoneyFormatter, moneyFormatter } from '../../domain/money/amount.ts';
import { type Forecast, forecastFrom, forecastMonth } from '../../domain/money/forecast.ts';
import {
  compareUsage,
  computeUsage,
  formatUncompared,
  isPoorlyReported,
  readableTotal,
  type Usage,
  type UsageChange,
  type UsageChangeFigures,
} from '../../domain/money/usage.ts';
import { findReport } from '../../domain/report.ts';
import {
  addDays,
  type Day,
  daysBetween,
  daysInRange,
  endOfDay,
  endOfUnit,
  formatMonth,
  formatRequestedDays,
  startOfDay,
  startOfUnit,
} from '../../domain/time/calendar.ts';
import { type ComparedPeriod, formatVersus } from '../../domain/time/named-comparison.ts';
import type { Period } from '../../domain/time/period.ts';
import { pluralize } from '../../domain/wording.ts';
import type { Command } from '../../slack/commands/command-buttons.ts';
import { askedText, hasOneCurrency } from '../../slack/commands/project-answers.ts';
import type { ConnectedAnswer } from '../../slack/reply/csv-and-details.ts';
import type { AnswerView } from '../../slack/reply/render-answer.ts';
import { openConnection, type ResolvedProject } from '../../workspace/projects/resolve-project.ts';
import type { Workspace } from '../../workspace/record/workspace.ts';

/** What one project spent in a period. */
export interface SpendFigures extends ConnectedAnswer {
  readonly usage: Usage;
  /** The previous period; a sentence if it could not be fetched; undefined if there is none to compare with. */
  readonly change: UsageChange | string | undefined;
  /** Of the days to compare with; undefined if there are none or they could not be fetched. */
  readonly before: Usage | undefined;
  /** Of the month that runs, if that is what was asked about and enough days are reported. */
  readonly forecast: Forecast | undefined;
}

/** Asks billing for the period and for what it is compared with, side by side. @throws Failure */
export async function fetchSpend(
  billing: BillingClient,
  workspace: Workspace,
  target: ResolvedProject,
  period: Period,
): Promise<SpendFigures> {
  const access = openConnection(workspace, target);
  const { from, to, dates, zone } = period;
  const span = { from, to, zone, days: period.requested };
  const earlier = historyOf(period);
  // Each is added up when it comes: both at a time would hold up everybody's requests for twice as long.
  const [{ usage, ...now }, before] = await Promise.all([
    billing.consumption(access, target, span).then(({ charges, ...answer }) => ({
      ...answer,
      usage: computeUsage(charges, period),
    })),
    earlier && fetchComparison(billing.consumption(access, target, { ...earlier, zone }), period),
  ]);
  return {
    target,
    connection: access.connection,
    usage,
    change: changeOf(usage, before, period),
    before: before && 'usage' in before ? before.usage : undefined,
    forecast: forecastOf(before, period),
    remarks: collectRemarks(
      [`the figures for ${dates}`, now],
      ...(before && earlier
        ? [[`the figures for ${formatRequestedDays(earlier.days)}`, before] as const]
        : []),
    ),
  };
}

/** `usage` is that of the days to compare with, if there are any: more may be asked about for the forecast. */
async function fetchComparison(consumption: Promise<Consumption>, { comparison }: Period) {
  const answer = await consumption.catch(missedAnswer);
  if ('why' in answer) return answer;
  if (comparison === undefined) return { ...answer, usage: undefined };
  const days = new Set(comparison.days);
  const charges = answer.charges.filter(({ day }) => day !== undefined && days.has(day));
  return { ...answer, usage: computeUsage(charges, { days: comparison.days }) };
}

type Before = Awaited<ReturnType<typeof fetchComparison>> | undefined;

/** Whether the question is about the current month, whose cost can be forecast. */
const isRunningMonth = ({ days, today, phrase }: Period): boolean =>
  today !== undefined && phrase !== 'today' && days[0] === startOfUnit('month', today);

/** What is asked besides: the days to compare with, and for a forecast the months before, in one question. */
function historyOf(period: Period): Omit<TimeRange, 'zone'> | undefined {
  const { today, zone, comparison } = period;
  const compared = comparison && { from: comparison.from, to: comparison.to, days: comparison.requested };
  if (today === undefined || !isRunningMonth(period)) return compared;
  const [from, last] = [forecastFrom(today), addDays(today, -1)];
  const first = compared !== undefined && compared.days.first < from ? compared.days.first : from;
  // That would be too long for one question, so the answer has no forecast.
  if (compared !== undefined && daysBetween(first, last) >= MAX_PERIOD_DAYS) return compared;
  return {
    from: startOfDay(first, zone),
    to: endOfDay(last, zone),
    // If this fails, the answer says so about the compared days only.
    days: comparison?.requested ?? { first, last, today },
  };
}

function forecastOf(before: Before, period: Period): Forecast | undefined {
  const { today, zone } = period;
  if (today === undefined || !isRunningMonth(period) || before === undefined || 'why' in before)
    return undefined;
  const days = daysInRange(forecastFrom(today), addDays(today, -1), zone);
  return forecastMonth(computeUsage(before.charges, { days }), today, zone);
}

/** Without the window before there is still an answer: a sentence says why nothing is compared. */
function changeOf(usage: Usage, before: Before, { comparison }: Period): SpendFigures['change'] {
  if (comparison === undefined || before === undefined) return undefined;
  if ('why' in before) return before.why;
  const { currentDays: current, days } = comparison;
  return before.usage && compareUsage(usage, before.usage, { current, before: days });
}

/** Everything that an answer to `/spend` says. */
export interface SpendView extends AnswerView<SpendFigures> {
  readonly period: ComparedPeriod;
  /** How its rows are ordered and put together, if that was asked. */
  readonly shape?: Shape;
  /** Where only the projects that spent most are shown. */
  readonly top?: TopProjects | undefined;
}

/** The order of rows, and what days are put together by. */
type Shape = {
  readonly [Name in 'top' | 'isLowest' | 'isOfDays' | 'unit']?: ParsedCommand[Name] | undefined;
};

/** Sorts the projects that spent most first, or least. */
export const bySpendIn = (shape: SpendView['shape']) => (a: SpendFigures, b: SpendFigures) =>
  (shape?.isLowest ? -1 : 1) * byLargest(readableTotal(a.usage), readableTotal(b.usage));

/** The command that gives this answer again, of another period or in another form. */
export const spendCommand = (
  { projects, period, shape = {} }: Pick<SpendView, 'projects' | 'period' | 'shape'>,
  { phrase = period.phrase, output }: { readonly phrase?: string; readonly output?: Output } = {},
): Command => ({
  command: '/spend',
  text: [
    askedText(projects, rankOf(projects, shape), phrase, ...versusWords(period)),
    shape.unit && `by ${shape.unit}`,
    output,
  ]
    .filter(Boolean)
    .join(' '),
});

/** The order of the rows where the word for the projects doesn't say it. */
const rankOf = (
  { top }: SpendView['projects'],
  { isOfDays, ...rank }: NonNullable<SpendView['shape']>,
): string => (top === undefined || isOfDays ? rankText({ ...rank, isOfDays }) : '');

const versusWords = ({ versus }: SpendView['period']): string[] =>
  versus === undefined ? [] : [`vs ${formatVersus(versus)}`];

/** What **Schedule this…** begins with: the report of the same days, if there is one. */
export const reportOf = ({ projects, period }: Pick<SpendView, 'projects' | 'period'>): string | undefined =>
  projects.isList ? undefined : findReport(period.phrase) && period.phrase;

/** The projects that the answer shows, by their names: `/balance` knows no top. */
export const shownText = ({ projects, top }: SpendView): string =>
  askedText(
    top === undefined
      ? projects
      : { word: top.shown.map(({ target }) => target.word).join(','), product: projects.product },
  );

/** The projects that spent most, among all that gave figures; `of` counts those that failed too. */
export interface TopProjects {
  readonly shown: readonly SpendFigures[];
  readonly among: number;
  readonly of: number;
}

/**
 * Leaves as many projects as `top 3` says, besides those without a figure, which may belong there. Amounts with different
 * labels can't be ranked: then, and where there are no more, all of them stay.
 */
export function keepTopProjects<T extends Omit<SpendView, 'top'>>(view: T): T & Pick<SpendView, 'top'> {
  const { projects, answered, failed, shape } = view;
  const among = answered.filter(({ usage }) => readableTotal(usage) !== undefined).sort(bySpendIn(shape));
  const { top: count = among.length } = projects;
  if (count >= among.length || !hasOneCurrency(among)) return { ...view, top: undefined };
  const shown = among.slice(0, count);
  const others = answered.filter((figures) => !among.includes(figures));
  return {
    ...view,
    answered: [...shown, ...others],
    top: { shown, among: among.length, of: answered.length + failed.length },
  };
}

/** `Top 3 of 12 projects`, `Top 3 of 12 projects, 10 with figures` */
export function formatTop({ shown, among, of }: TopProjects, shape?: SpendView['shape']): string {
  const known = among === of ? '' : `, ${among} with figures`;
  return `${shape?.isLowest ? 'Lowest' : 'Top'} ${shown.length} of ${pluralize(of, 'project')}${known}`;
}

/** The month or the year that these days are, if they are a whole one. */
export const wholeUnit = ({ first, last }: Readonly<Record<'first' | 'last', Day>>) =>
  (['month', 'year'] as const).find(
    (unit) => startOfUnit(unit, first) === first && endOfUnit(unit, first) === last,
  );

/** `October`, `2025`, `14–20 Nov`: what a header calls the period. */
export function periodName({ requested, dates }: Pick<Period, 'requested' | 'dates'>): string {
  const { first, last, today } = requested;
  const unit = last === today ? undefined : wholeUnit(requested);
  if (unit === undefined) return dates;
  return unit === 'month' ? formatMonth(first, today) : first.slice(0, 4);
}

/** Writes amounts below a header that has their label; where they have several, with each its own. */
export const moneyIn =
  ({ answered, locale }: Pick<SpendView, 'answered' | 'locale'>) =>
  ({ target }: SpendFigures): MoneyFormatter =>
    moneyFormatter(locale, hasOneCurrency(answered) ? '' : target.currency);

/** A change between two sides that have enough reported days; undefined if there is none. */
export const comparableChange = ({
  change,
}: Pick<SpendFigures, 'change'>): (UsageChange & { readonly figures: UsageChangeFigures }) | undefined =>
  change === undefined || typeof change === 'string' || !change.figures || isPoorlyReported(change)
    ? undefined
    : { ...change, figures: change.figures };

/** Why there is no comparison, a sentence; '' if there is one. */
export function uncomparedNote(
  { change }: Pick<SpendFigures, 'change'>,
  { comparison, dates }: SpendView['period'],
): string {
  if (change === undefined || comparison === undefined) return '';
  if (typeof change === 'string') return `No comparison with ${comparison.label}: ${change}`;
  return formatUncompared(change, { current: dates, before: comparison.label });
}
