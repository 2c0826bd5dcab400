/** The answer of `/spend` about one project, and what the answer about several projects shares with it. */
import { type Output, rankText } from '../../domain/language/parsed-command.ts';
import {
  formatDifference,
  formatMoney,
  formatPercent,
  type MoneyFormatter,
  moneyFormatter,
} from '../../domain/money/amount.ts';
import {
  formatCoverage,
  formatUncompared,
  isWellReported,
  type UsageChange,
} from '../../domain/money/comparison.ts';
import { formatForecast, formatForecastBasis } from '../../domain/money/forecast.ts';
import {
  comparedRows,
  formatCost,
  formatLabel,
  periodRows,
  type Row,
  strayRows,
} from '../../domain/money/period-rows.ts';
import {
  describeUnreadable,
  formatBonusTotal,
  formatMissingDays,
  formatReportedDays,
  incompleteMark,
  type Usage,
} from '../../domain/money/usage.ts';
import { findReport } from '../../domain/report.ts';
import { dayNamerFor } from '../../domain/time/calendar.ts';
import { formatVersus } from '../../domain/time/period.ts';
import { pluralize } from '../../domain/wording.ts';
import {
  type Column,
  cellsOf,
  compact,
  escapeMarkup,
  fitsTable,
  joinTexts,
} from '../../slack/block-kit/blocks.ts';
import { spendChart, versusChart } from '../../slack/block-kit/charts.ts';
import { askedText } from '../../slack/commands/asked-projects.ts';
import type { Command } from '../../slack/commands/command-buttons.ts';
import { hasOneCurrency } from '../../slack/reply/project-answers.ts';
import {
  type Answer,
  type AnswerText,
  formatSpent,
  productFact,
  zoneFact,
} from '../../slack/reply/render-answer.ts';
import type { SpendFigures, SpendView } from './figures.ts';

export function projectAnswer(figures: SpendFigures, view: SpendView): AnswerText {
  const { usage, before, target, remarks } = figures;
  const { period, locale } = view;
  const { versus, comparison } = period;
  const isCompared = versus !== undefined && comparison !== undefined && before !== undefined;
  const uncompared = uncomparedNote(figures, period);
  const ranked = rankDays(figures, view);
  const chart =
    (isCompared && versusChart(usage, before, comparison)) || spendChart(usage, period, view.shape.unit);
  return {
    title: [target.label, period.dates, headline(figures, view)].join(' · '),
    lines: compact([
      ranked.line,
      versus && uncompared !== '' ? escapeMarkup(uncompared) : factLine(figures, view),
    ]),
    chart,
    rows:
      ranked.rows ??
      (isCompared ? versusTable(figures, view) : daysTable(figures, view, chart !== undefined)),
    remarks,
    facts: compact([
      ...reportedFacts(usage, view),
      figures.forecast && formatForecastBasis(figures.forecast, moneyFormatter(locale)),
      formatBonusTotal(usage.bonuses, moneyFormatter(locale)),
      productFact(figures),
      zoneFact(view, period.zone),
    ]),
    notes: spendNotes(figures, view),
  };
}

/** In a running period, these replace “spent” and “credited”. */
export const SO_FAR = ['so far', 'credited so far'] as const;

function headline(
  { usage, target, forecast }: SpendFigures,
  { period: { today }, locale }: SpendView,
): string {
  const { total, reported, fullDays } = usage;
  if (total.readable === 0) return 'no readable amounts';
  const days = hasGaps(usage) ? ` on ${reported.length} of ${fullDays} days` : '';
  const spent = formatSpent(total.value, moneyFormatter(locale, target.currency), today ? SO_FAR : undefined);
  const expected =
    forecast && today !== undefined && formatForecast(forecast.total, today, moneyFormatter(locale));
  return joinTexts(', ', [`${spent}${days}${incompleteMark(total.incomplete)}`, expected]);
}

/** If true, the title must say how many days are reported. */
const hasGaps = ({ reported, fullDays }: Usage): boolean =>
  fullDays > 1 && reported.length > 0 && !isWellReported(reported.length, fullDays);

/** Comparison, daily average and most expensive day, without amounts that the title already gives. */
function factLine(figures: SpendFigures, view: SpendView): string {
  const { average, highest, total } = figures.usage;
  const { period, shape, locale } = view;
  const money = moneyFormatter(locale);
  const isNews = (text: string) => text !== money(total.value);
  const change = comparedChange(figures);
  const isPeak = period.versus === undefined && !shape.isOfDays && average && highest;
  return joinTexts(' · ', [
    change && period.comparison && changeText(change, view),
    average && isNews(money(average)) && `${money(average)} a day`,
    isPeak &&
      isNews(money(highest.value)) &&
      money(highest.value) !== money(average) &&
      `most on ${dayNamerFor(period.days)(highest.day)}, ${money(highest.value)}`,
  ]);
}

const THEN = ['spent then', 'credited then'] as const;

/** `*▲ 7.9 %* vs 8–14 Nov (daily average, 6 of 7 days reported)`, as Slack markup */
export function changeText(change: ComparedChange, { period, projects, locale }: SpendView): string {
  const { comparison = { label: '', days: [] }, versus } = period;
  const { basis, percent, daily, current, before } = change.figures;
  if (current.eq(0) && before.eq(0)) return '';
  const money = moneyFormatter(locale);
  const isChanged = versus !== undefined && money(current) !== money(before);
  const spentThen = daily.before.times(change.coverage.before.reported);
  const isShown = percent !== undefined || !before.eq(daily.before);
  const notes = changeNotes(
    change,
    isChanged && basis === 'total' && formatDifference(current.minus(before), money),
    isChanged && isShown && !projects.isList && formatSpent(spentThen, money, THEN),
  );
  const against = escapeMarkup(`${comparison.label}${notes && ` (${notes})`}`);
  if (percent !== undefined) return `*${formatPercent(percent, locale)}* vs ${against}`;
  return `vs ${money(daily.before)}${comparison.days.length === 1 ? ' on' : ' a day in'} ${against}`;
}

const changeNotes = (
  { figures: { basis, percent }, coverage: { before } }: ComparedChange,
  ...amounts: readonly (string | false)[]
): string =>
  joinTexts(', ', [
    ...amounts,
    basis === 'average' && percent && 'daily average',
    before.reported < before.of && formatCoverage(before),
  ]);

/** `6 of 7 days reported, no data for Mon 16 Nov`, `today 1,234.00` */
function reportedFacts(usage: Usage, { period: { days, today }, locale }: SpendView): string[] {
  const isWhole = usage.missing.length === 0;
  const reported = isWhole
    ? ''
    : (hasGaps(usage) ? formatMissingDays : formatReportedDays)(usage, dayNamerFor(days));
  if (today === undefined) return [reported];
  if (usage.today === undefined) return [reported, 'no data for today yet'];
  return [reported, days.length === 1 ? '' : `today ${formatMoney(usage.today.value, locale)}`];
}

function spendNotes(figures: SpendFigures, { period }: SpendView): string[] {
  const { usage } = figures;
  const strayNote = ({ readable, unreadable }: Usage['outside'], what: string) => {
    const count = readable || unreadable;
    const where = readable === 0 ? 'not counted' : 'in the total, but not in any day';
    return count > 0 && `${pluralize(count, 'item')} ${what} ${count === 1 ? 'is' : 'are'} ${where}.`;
  };
  return compact([
    ...describeUnreadable(usage, dayNamerFor(period.days)),
    strayNote(usage.outside, 'outside this period'),
    strayNote(usage.unplaced, 'without a readable day'),
    period.versus === undefined && uncomparedNote(figures, period),
  ]);
}

/** Longer periods are shown by week, unless the question is about days. */
const MOST_DAYS = 31;
/** Slack's tables can have up to 100 rows; a few are left for items outside the period. */
const MOST_ASKED_DAYS = 92;
/** Up to 54 weeks overlap a year. */
const MOST_GROUPS = 54;

const labelled = (title: string): Column<Row> => ({ title, cell: formatLabel });
const foldedRows = (fold: string, cells: readonly (readonly string[])[]): Answer['rows'] =>
  fitsTable(cells) ? { fold: `${fold} (${cells.length - 1})`, cells } : undefined;

function daysTable(
  { usage }: SpendFigures,
  { period, shape, locale }: SpendView,
  hasChart: boolean,
): Answer['rows'] {
  const { rows: charged, missing, bonuses } = usage;
  const [first, ...others] = charged;
  if (first === undefined || (others.length + missing.length === 0 && first.merged === 1)) return undefined;
  const finest = shape.unit ?? (charged.length + missing.length <= MOST_DAYS ? 'day' : 'week');
  const money = moneyFormatter(locale);
  const bonusOf = ({ current }: Row) =>
    current?.bonuses ? formatCost({ ...current, amount: current.bonuses, days: [] }, money) : '';
  const { unit, rows } = periodRows(usage, period, finest === 'day' ? MOST_ASKED_DAYS : MOST_GROUPS, finest);
  const cells = cellsOf(
    [...rows, ...strayRows(usage)],
    [
      labelled(unit === 'day' ? 'Day' : `By ${unit}`),
      { title: 'Amount', cell: ({ current }) => formatCost(current, money) },
      ...(bonuses.value.eq(0) && !bonuses.incomplete ? [] : [{ title: 'Bonuses', cell: bonusOf }]),
    ],
  );
  // Rows that were asked for are the answer, unless a chart shows them.
  return shape.unit !== undefined && !hasChart ? { cells } : foldedRows(`Each ${unit}`, cells);
}

/** Both periods side by side, for a typed comparison. Days without a counterpart, such as today, come last. */
function versusTable({ usage, before }: SpendFigures, { period, locale }: SpendView): Answer['rows'] {
  const { comparison, dates } = period;
  if (before === undefined || comparison === undefined) return undefined;
  const { currentDays, days, label } = comparison;
  const isShort = Math.max(currentDays.length, days.length) <= MOST_DAYS;
  const [most, finest] = isShort ? ([2 * MOST_DAYS, 'day'] as const) : ([MOST_GROUPS, 'week'] as const);
  const { paired, rows } = comparedRows(usage, before, comparison, most, finest);
  const today = period.today === undefined ? [] : [period.today];
  const others = [...periodRows(usage, { ...period, days: today }, 1).rows, ...strayRows(usage)];
  if (rows.length === 1 && others.length === 0) return undefined;
  const money = moneyFormatter(locale);
  const cells = cellsOf(
    [...rows, ...others],
    [
      labelled(paired.unit === 'day' ? 'Day' : 'Days'),
      { title: dates, cell: ({ current }) => formatCost(current, money) },
      { title: label, cell: ({ before }) => formatCost(before, money) },
    ],
  );
  const isUnit = paired.isCalendar || paired.unit === 'day';
  return foldedRows(isUnit ? `Each ${paired.unit}` : `Every ${paired.days} days`, cells);
}

const MOST_NAMED = 3;

function rankDays({ usage }: SpendFigures, { shape, period, locale }: SpendView) {
  if (!shape.isOfDays) return { line: '', rows: undefined };
  const sign = shape.isLowest ? 1 : -1;
  const nameOf = dayNamerFor(period.days);
  const days = [...usage.amounts]
    .sort(([, a], [, b]) => sign * a.cmp(b))
    .slice(0, shape.top ?? MOST_DAYS)
    .map(([day, amount]) => [nameOf(day), formatMoney(amount, locale)]);
  const named = days.slice(0, MOST_NAMED).map((day) => escapeMarkup(day.join(', ')));
  const order = shape.isLowest ? 'lowest' : 'highest';
  return {
    line: named.length === 0 ? '' : `*${shape.isLowest ? 'Lowest' : 'Highest'}:* ${named.join(' · ')}`,
    rows: days.length < 2 ? undefined : foldedRows(`By amount, ${order} first`, [['Day', 'Amount'], ...days]),
  };
}

/** The command that gives the same answer, or the answer for another period or in another form. */
export function spendCommand(
  { projects, period, shape }: Pick<SpendView, 'projects' | 'period' | 'shape'>,
  { phrase = period.phrase, output }: { readonly phrase?: string; readonly output?: Output } = {},
): Command {
  const rank = projects.top === undefined || shape.isOfDays ? rankText(shape) : '';
  const versus = period.versus ? [`vs ${formatVersus(period.versus)}`] : [];
  const words = [askedText(projects, rank, phrase, ...versus), shape.unit && `by ${shape.unit}`, output];
  return { command: '/spend', text: words.filter(Boolean).join(' ') };
}

/** What the **Schedule this…** form starts with; undefined if no report has these days. */
export const reportOf = ({ projects, period }: SpendView): string | undefined =>
  projects.isList ? undefined : findReport(period.phrase) && period.phrase;

/** Leaves out a currency that the title names. */
export const moneyIn =
  ({ answered, locale }: SpendView) =>
  ({ target }: SpendFigures): MoneyFormatter =>
    moneyFormatter(locale, hasOneCurrency(answered) ? '' : target.currency);

export type ComparedChange = Required<UsageChange>;
/** @returns undefined unless enough days are reported, in both periods */
export const comparedChange = ({ change }: SpendFigures): ComparedChange | undefined =>
  typeof change === 'object' && change.figures ? { ...change, figures: change.figures } : undefined;

export const NONE_COMPLETE = 'Only complete days are compared, and this period has none yet.';

/** A sentence that says why there is no comparison; '' if there is one, or if none was asked for */
export function uncomparedNote(
  { change }: Pick<SpendFigures, 'change'>,
  { comparison, versus, dates }: SpendView['period'],
): string {
  if (comparison === undefined) return versus ? NONE_COMPLETE : '';
  if (change === undefined) return '';
  if (typeof change === 'string') return `No comparison with ${comparison.label}: ${change}`;
  return formatUncompared(change, { current: dates, before: comparison.label });
}
