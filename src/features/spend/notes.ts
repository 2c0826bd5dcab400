import type { Money } from '../../domain/money.ts';
import type { Period } from '../../domain/period.ts';
import { counted } from '../../domain/text.ts';
import { moneyOf } from '../../slack/report.ts';
import type { SpendReport } from './blocks.ts';
import { type Namer, namerFor } from './grain.ts';

/** What a reader must know to trust the figures, a sentence each. */
export function notes(report: SpendReport): string[] {
  const { usage, period, change } = report;
  const list = (days: readonly string[]) => listDays(days, namerFor(period.days));
  const {
    missing,
    unreadableDays,
    partialDays,
    outside,
    unplaced,
    mergedDays,
    reported,
    fullDays,
    total: all,
    bonuses: credit,
  } = usage;
  return [
    ...(missing.length > 0
      ? [
          `${reported.length} of ${counted(fullDays, 'day')} reported: nothing for ${list(missing)} yet (not counted as zero).`,
        ]
      : []),
    ...(period.today !== undefined && usage.today === undefined ? ['Nothing for today yet.'] : []),
    ...(unreadableDays.length > 0
      ? [`No readable amount for ${list(unreadableDays)}: left out of total and average.`]
      : []),
    ...(partialDays.length > 0 ? [`Only a part of the amount for ${list(partialDays)} could be read.`] : []),
    ...(all.incomplete
      ? [`The total is incomplete: ${counted(all.unreadable, 'amount')} could not be read.`]
      : []),
    ...(credit.incomplete && credit.readable > 0
      ? [`The bonuses are incomplete: ${counted(credit.unreadable, 'amount')} could not be read.`]
      : []),
    ...(mergedDays > 0
      ? [`The service sent several items for ${counted(mergedDays, 'day')}; they are added up.`]
      : []),
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

const SHOWN_DAYS = 5;

function listDays(days: readonly string[], nameOf: Namer): string {
  const names = days.slice(0, SHOWN_DAYS).map(nameOf);
  const more = days.length - names.length;
  if (more > 0) return `${names.join(', ')} and ${more} more`;
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
