import { pluralize } from '../../domain/language/text.ts';
import type { Money } from '../../domain/money/amount.ts';
import type { Usage } from '../../domain/money/usage.ts';
import { type Coverage, isFullyReported, isPoorlyReported } from '../../domain/money/usage-change.ts';
import { describeGaps, formatCoverage, formatCoverageOfBoth } from '../../domain/money/usage-text.ts';
import type { Period } from '../../domain/time/period.ts';
import { moneyFormatter } from '../../slack/answer-message.ts';
import type { SpendReport } from './blocks.ts';
import { dayNamerFor } from './granularity.ts';

/** What a reader must know to trust the figures, a sentence each. */
export function spendNotes(report: SpendReport): string[] {
  const { usage, period, change } = report;
  return [
    ...describeGaps(usage, dayNamerFor(period.days)),
    ...(period.today !== undefined && usage.today === undefined ? ['Nothing for today yet.'] : []),
    ...strayNotes(usage),
    ...compared(change, period, moneyFormatter(report)),
  ];
}

/** An item without a readable amount is in no total, wherever it belongs. */
function strayNotes({ outside, unplaced }: Usage): string[] {
  const inTotal = 'in the total, not in the average';
  return [
    ...strayNote(outside.readable, 'outside this period', inTotal),
    ...strayNote(outside.unreadable, 'outside this period without a readable amount', 'in no figure'),
    ...strayNote(unplaced.readable, 'without a readable day', inTotal),
    ...strayNote(unplaced.unreadable, 'without a readable day or amount', 'in no figure'),
  ];
}

const strayNote = (count: number, what: string, where: string): string[] =>
  count === 0 ? [] : [`${pluralize(count, 'item')} ${what} ${count === 1 ? 'is' : 'are'} ${where}.`];

function compared(
  change: SpendReport['change'],
  { comparison: window }: Period,
  money: (value: Money) => string,
): string[] {
  if (change === undefined || window === undefined) return [];
  if (typeof change === 'string') return [`No comparison with ${window.label}: ${change}`];
  const { figures, coverage } = change;
  if (figures === undefined) return [`No comparison with ${window.label}: ${formatCoverageOfBoth(change)}.`];
  const isAverage = figures.basis === 'average';
  const side = (value: Money, when: string, days: Coverage) =>
    `${money(value)} ${when}${isAverage || !isFullyReported(change) ? ` (${formatCoverage(days)})` : ''}`;
  const sides = [
    side(figures.current, 'now', coverage.current),
    side(figures.before, 'then', coverage.before),
  ];
  const how = isAverage ? ' by the average a day' : '';
  return [
    `Compared with ${window.basis} (${window.label})${how}: ${sides.join(', ')}.`,
    ...(isPoorlyReported(change) ? ['Too few days are reported for a percentage.'] : []),
  ];
}
