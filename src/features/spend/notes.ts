import { type Coverage, isThin, isWhole } from '../../domain/comparison.ts';
import type { Money } from '../../domain/money.ts';
import type { Period } from '../../domain/period.ts';
import { counted } from '../../domain/text.ts';
import type { Usage } from '../../domain/usage.ts';
import { coverageOfBoth, coverageText, usageNotes } from '../../domain/usage-text.ts';
import { moneyOf } from '../../slack/report.ts';
import type { SpendReport } from './blocks.ts';
import { namerFor } from './grain.ts';

/** What a reader must know to trust the figures, a sentence each. */
export function notes(report: SpendReport): string[] {
  const { usage, period, change } = report;
  return [
    ...usageNotes(usage, namerFor(period.days)),
    ...(period.today !== undefined && usage.today === undefined ? ['Nothing for today yet.'] : []),
    ...strayNotes(usage),
    ...compared(change, period, moneyOf(report)),
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
  count === 0 ? [] : [`${counted(count, 'item')} ${what} ${count === 1 ? 'is' : 'are'} ${where}.`];

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
