import type { CsvCell } from '../../domain/csv.ts';
import { toPlainDigits } from '../../domain/money/amount.ts';
import type { Usage, UsageRow } from '../../domain/money/usage.ts';
import { formatReportedDays, formatTotal } from '../../domain/money/usage.ts';
import { dayNamerFor } from '../../domain/time/day-groups.ts';
import type { Period } from '../../domain/time/period.ts';
import { type AnswerFiles, amountNotes, rawDigits } from '../../slack/reply/csv-details.ts';
import type { SpendFigures, SpendView } from './figures.ts';

/** A row a day, and the exact question with the exact sums. */
export function spendFiles({ answered, period }: SpendView): AnswerFiles<SpendFigures> {
  const [days = ''] = period.phrase.split(' ');
  const nameOf = dayNamerFor(period.days);
  return {
    name: `spend-${days}.csv`,
    columns: ['day', 'amount', 'bonuses', 'items'],
    each: `each day (${period.zone}) of `,
    gaps: answered
      .filter(({ usage }) => usage.missing.length > 0)
      .map(({ target, usage }) => `${target.label}: ${formatReportedDays(usage, nameOf)}.`),
    rowsOf: ({ usage }) => dayRows(usage, period),
    detailsOf: ({ usage: { total, bonuses } }) => [
      ['Start', new Date(period.from).toISOString()],
      ['End', new Date(period.to).toISOString()],
      ['Total', formatTotal(total, toPlainDigits)],
      ['Bonuses', formatTotal(bonuses, toPlainDigits)],
      ['Items', String(total.readable + total.unreadable)],
    ],
  };
}

function dayRows({ rows, missing }: Usage, { today }: Period): CsvCell[][] {
  const placed = [
    ...rows.map((row) => ({ day: row.day ?? '~', cells: cellsOf(row, today) })),
    ...missing.map((day) => ({
      day,
      cells: [{ text: day }, { digits: '' }, { digits: '' }, { digits: '0' }, { text: 'no data' }],
    })),
  ];
  // Items without a day come last, in the order in which they came.
  return placed.sort((a, b) => (a.day < b.day ? -1 : a.day > b.day ? 1 : 0)).map(({ cells }) => cells);
}

function cellsOf(
  { day, shown, outside, merged, amount, bonuses }: UsageRow,
  today: string | undefined,
): CsvCell[] {
  const notes = [
    ...(day !== undefined && day === today ? ['so far'] : []),
    ...(merged > 1 ? [`${merged} items added`] : []),
    ...(outside ? ['outside this period'] : []),
    ...(day === undefined ? ['not a readable day'] : []),
    ...amountNotes('amount', amount),
    ...amountNotes('bonuses', bonuses),
  ];
  return [
    { text: day ?? shown },
    rawDigits(amount),
    rawDigits(bonuses),
    { digits: String(merged) },
    { text: notes.join('; ') },
  ];
}
