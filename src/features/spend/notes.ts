import type { Money } from '../../domain/money.ts';
import type { Period } from '../../domain/period.ts';
import { counted } from '../../domain/text.ts';
import { usageNotes } from '../../domain/usage-text.ts';
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
  if (change.basis === 'total')
    return [
      `Compared with ${window.basis} (${window.label}): ${money(change.current)} now, ${money(change.before)} then.`,
    ];
  return [
    `Compared with ${window.basis} (${window.label}) by the average a day, because ${counted(change.reported.current, 'day')} and ${change.reported.before} are reported: ${money(change.current)} now, ${money(change.before)} then.`,
  ];
}
