import { formatDifference, formatPercent, moneyFormatter } from '../../domain/money/amount.ts';
import { formatTotal } from '../../domain/money/usage.ts';
import {
  formatCoverage,
  formatUncompared,
  isPoorlyReported,
  type UsageChange,
  type UsageChangeFigures,
} from '../../domain/money/usage-change.ts';
import { compact, escapeMarkup } from '../../slack/kit/blocks.ts';
import type { SpendFigures, SpendReport, SpendView } from './figures.ts';

/** A change between two sides that have enough reported days. */
export type ComparableChange = UsageChange & { readonly figures: UsageChangeFigures };

/** @returns undefined if there is nothing to compare with, or too few days are reported */
export const comparable = ({ change }: Pick<SpendFigures, 'change'>): ComparableChange | undefined =>
  change === undefined || typeof change === 'string' || !hasFigures(change) || isPoorlyReported(change)
    ? undefined
    : change;

const hasFigures = (change: UsageChange): change is ComparableChange => change.figures !== undefined;

/** Why there is no comparison, a sentence; '' if there is one. The facts say how many of the period's days are reported. */
export function uncomparedNote(
  { change }: Pick<SpendFigures, 'change'>,
  { comparison, dates }: SpendView['period'],
): string {
  if (change === undefined || comparison === undefined) return '';
  if (typeof change === 'string') return `No comparison with ${comparison.label}: ${change}`;
  return formatUncompared(change, { current: dates, before: comparison.label });
}

/**
 * `*▲ 7.9 %* a day vs 8–14 Nov (6 of 7 days reported)`, mrkdwn; '' if too few days are reported to compare. Beside averages
 * the total of named days says that it is one.
 */
export function comparisonText(report: SpendReport): string {
  const { period, locale, target } = report;
  const change = comparable(report);
  if (change === undefined || period.comparison === undefined) return '';
  const { figures, coverage } = change;
  const { label, days } = period.comparison;
  const { reported, of, partial } = coverage.before;
  const isAverage = figures.basis === 'average';
  const unit = isAverage ? ' a day' : '';
  const then = totalThen(report);
  const beside = compact([
    then !== '' && isAverage && `${then} in total`,
    (reported < of || partial > 0) && formatCoverage(coverage.before),
  ]);
  const rests = beside.length === 0 ? '' : ` (${beside.join(', ')})`;
  if (period.versus !== undefined) {
    const change = `${formatChangeAmount(figures, locale)}${unit} vs ${label}${rests}`;
    return then === '' || isAverage ? change : `${change}, ${then} then`;
  }
  if (figures.percent === undefined) {
    const before = escapeMarkup(moneyFormatter(locale, target.currency)(figures.daily.before));
    return `vs ${before}${days.length === 1 ? ' on' : ' a day in'} ${label}${rests}`;
  }
  return `*${formatPercent(figures.percent, locale)}*${unit} vs ${label}${rests}`;
}

/** `*▲ 7.9 %* (+ 1,203.00)`, for a comparison that was named. */
export function formatChangeAmount({ current, before, percent }: UsageChangeFigures, locale: string): string {
  const value = current.minus(before);
  if (value.eq(0)) return '*unchanged*';
  const difference = escapeMarkup(formatDifference(value, moneyFormatter(locale)));
  return percent === undefined ? `*${difference}*` : `*${formatPercent(percent, locale)}* (${difference})`;
}

/** `170,123.00`, the total of days that were named; '' if that is the amount in the title. */
function totalThen({ usage, before, period, locale }: SpendReport): string {
  if (before === undefined || period.versus === undefined) return '';
  const [now, then = ''] = [usage, before].map(({ total }) => formatTotal(total, moneyFormatter(locale)));
  return now === then ? '' : escapeMarkup(then);
}

/** ` vs 1–30 Sep` where that was named. */
export const versusDates = ({ versus, comparison }: SpendView['period']): string =>
  versus === undefined ? '' : ` vs ${comparison?.label}`;
