import { pluralize } from '../../domain/language/text.ts';
import { formatMoney, formatPercent } from '../../domain/money/amount.ts';
import type { Usage } from '../../domain/money/usage.ts';
import { isPoorlyReported } from '../../domain/money/usage-change.ts';
import { describeUnreadable, formatCoverage, formatReportedDays } from '../../domain/money/usage-text.ts';
import { dayNamerFor } from '../../domain/time/day-groups.ts';
import { moneyFormatter } from '../../slack/answer-message.ts';
import { escapeMarkup } from '../../slack/kit/atoms.ts';
import type { SpendReport } from './figures.ts';

/** The days that were asked about, and how many of them are reported: `14–20 Nov UTC`, `6 of 7 days reported`. */
export function periodFacts({ period, usage, locale }: SpendReport): string[] {
  const { dates, zone, days, today } = period;
  const reported = formatReportedDays(usage, dayNamerFor(days));
  const isWhole = days.length === 1;
  const soFar =
    usage.today && (isWhole ? 'so far' : `today so far ${formatMoney(usage.today.value, locale)}`);
  const running = today === undefined ? '' : (soFar ?? 'no data for today yet');
  return [`${dates} ${zone}`, [reported, running].filter(Boolean).join(reported === '' ? '' : ', ')];
}

/** What a reader must know to trust the figures, a sentence each. */
export function spendNotes(report: SpendReport): string[] {
  const { usage, period } = report;
  return [
    ...describeUnreadable(usage, dayNamerFor(period.days)),
    ...strayNotes(usage),
    ...uncompared(report),
  ];
}

/** An item without a readable amount is in no total, wherever it belongs. */
function strayNotes({ outside, unplaced }: Usage): string[] {
  return [
    ...strayNote(outside.readable, 'outside this period', 'in the total, not in the days'),
    ...strayNote(outside.unreadable, 'outside this period without a readable amount', 'not counted'),
    ...strayNote(unplaced.readable, 'without a readable day', 'in the total, not in the days'),
    ...strayNote(unplaced.unreadable, 'without a readable day or amount', 'not counted'),
  ];
}

const strayNote = (count: number, what: string, where: string): string[] =>
  count === 0 ? [] : [`${pluralize(count, 'item')} ${what} ${count === 1 ? 'is' : 'are'} ${where}.`];

/** Why there is no comparison. The facts already say how many days are reported. */
function uncompared({ change, period: { comparison } }: SpendReport): string[] {
  if (change === undefined || comparison === undefined) return [];
  if (typeof change === 'string') return [`No comparison with ${comparison.label}: ${change}`];
  if (change.figures !== undefined && !isPoorlyReported(change)) return [];
  const { before } = change.coverage;
  return [`Too few days reported to compare with ${comparison.label} (${formatCoverage(before)}).`];
}

/** `*▲ 7.9 %* a day vs 8–14 Nov (6 of 7 days reported)`, mrkdwn; '' where too few days are reported to compare. */
export function comparisonText(report: SpendReport): string {
  const { change, period, locale } = report;
  if (change === undefined || typeof change === 'string' || period.comparison === undefined) return '';
  const { figures, coverage } = change;
  if (figures === undefined || isPoorlyReported(change)) return '';
  const { label, days } = period.comparison;
  const { reported, of, partial } = coverage.before;
  const rests = reported === of && partial === 0 ? '' : ` (${formatCoverage(coverage.before)})`;
  if (figures.percent === undefined) {
    const before = escapeMarkup(moneyFormatter(report)(figures.daily.before));
    return `vs ${before}${days.length === 1 ? ' on' : ' a day in'} ${label}${rests}`;
  }
  const unit = figures.basis === 'average' ? ' a day' : '';
  return `*${formatPercent(figures.percent, locale)}*${unit} vs ${label}${rests}`;
}
