import { type Coverage, isThin, isWhole } from '../../domain/comparison.ts';
import type { Money } from '../../domain/money.ts';
import type { Period } from '../../domain/period.ts';
import { counted } from '../../domain/text.ts';
import { coverageOfBoth, coverageText, usageNotes } from '../../domain/usage-text.ts';
import { moneyOf } from '../../slack/report.ts';
import type { SpendReport } from './blocks.ts';
import { namerFor } from './grain.ts';

/** What a reader must know to trust the figures, a sentence each. */
export function notes(report: SpendReport): string[] {
  const { usage, period, change } = report;
  const { outside, unplaced } = usage;
  return [
    ...usageNotes(usage, namerFor(period.days)),
    ...(period.today !== undefined && usage.today === undefined ? ['Nothing for today yet.'] : []),
    ...(outside > 0
      ? [
          `The service cuts its days its own way: ${counted(outside, 'row')} beyond the period asked about, counted in the total, not in the average.`,
        ]
      : []),
    ...(unplaced > 0
      ? [
          `${counted(unplaced, 'row')} without a day that Tally can read, counted in the total, not in the average.`,
        ]
      : []),
    ...compared(change, period, moneyOf(report)),
  ];
}

function compared(
  change: SpendReport['change'],
  { comparison: window }: Period,
  money: (value: Money) => string,
): string[] {
  if (change === undefined || window === undefined) return [];
  if (typeof change === 'string') return [`No comparison with ${window.label}: ${change}`];
  const { figures, coverage } = change;
  if (figures === undefined) return [`No comparison with ${window.label}: ${coverageOfBoth(change)}.`];
  const isAverage = figures.basis === 'average';
  const side = (value: Money, when: string, days: Coverage) =>
    `${money(value)} ${when}${isAverage || !isWhole(change) ? ` (${coverageText(days)})` : ''}`;
  const sides = [
    side(figures.current, 'now', coverage.current),
    side(figures.before, 'then', coverage.before),
  ];
  const how = isAverage ? ' by the average a day' : '';
  return [
    `Compared with ${window.basis} (${window.label})${how}: ${sides.join(', ')}.`,
    ...(isThin(change) ? ['Too few days are reported for a percentage.'] : []),
  ];
}
