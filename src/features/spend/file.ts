import { toPlainDigits } from '../../domain/money/amount.ts';
import { formatReportedDays, formatTotal, type Usage, type UsageRow } from '../../domain/money/usage.ts';
import type { Day, Millis } from '../../domain/time/calendar.ts';
import type { ComparisonWindow } from '../../domain/time/comparison-window.ts';
import { dayNamerFor } from '../../domain/time/day-groups.ts';
import { compact } from '../../slack/block-kit/blocks.ts';
import { amountNotes, fileSubject, rawDigits } from '../../slack/reply/csv-and-details.ts';
import type { AnswerFile, CsvCell } from '../../slack/reply/render-answer.ts';
import { type SpendFigures, type SpendView, wholeUnit } from './figures.ts';

const COMPARED = 'compared, not in the total';

/**
 * A row a day, and the exact question with the exact sums. The days of a named comparison have rows too, after those of
 * the period, each with a note: what finance adds up is the rows without it.
 */
export function spendFile(view: SpendView): AnswerFile<SpendFigures> {
  const { answered, period, projects } = view;
  const compared = period.versus && period.comparison;
  const names = [
    fileSubject(projects),
    [period.requested, ...(compared ? [compared.requested] : [])].map(fileDays).join('-vs-'),
  ];
  const gaps = answered
    .filter(({ usage }) => usage.missing.length > 0)
    .map(
      ({ target, usage }) =>
        `${projects.isList ? `${target.label}: ` : ''}${formatReportedDays(usage, dayNamerFor(period.days))}.`,
    );
  return {
    name: `spend-${names.join('-')}.csv`,
    columns: ['day', 'amount', 'bonuses', 'items'],
    each: `each day (${period.zone})`,
    gaps: [...gaps, ...(compared === undefined ? [] : comparedGaps(answered, compared))],
    rows: ({ usage, before }) => [
      ...dayRows(usage, period.today),
      ...(compared === undefined || before === undefined ? [] : dayRows(before, undefined, COMPARED)),
    ],
    details: ({ usage, before }) => [
      ...sums(usage, period),
      ...(compared === undefined || before === undefined
        ? []
        : sums(before, compared).map(([name, value]) => [`Compared ${name.toLowerCase()}`, value] as const)),
    ],
  };
}

/** `2026-10`, `2026`, `2026-11-20`, `2026-11-14_2026-11-20` */
function fileDays(days: Readonly<Record<'first' | 'last', Day>>): string {
  const { first, last } = days;
  const unit = wholeUnit(days);
  if (unit !== undefined) return first.slice(0, unit === 'month' ? 7 : 4);
  return first === last ? first : `${first}_${last}`;
}

function comparedGaps(answered: readonly SpendFigures[], { label, days }: ComparisonWindow): string[] {
  const nameOf = dayNamerFor(days);
  return [
    `Rows noted “${COMPARED}” are for ${label}.`,
    ...answered.flatMap(({ target, before, change }) => {
      if (typeof change === 'string') return [`${target.label}, ${label}: ${change}`];
      const isWhole = before === undefined || before.missing.length === 0;
      return isWhole ? [] : [`${target.label}, ${label}: ${formatReportedDays(before, nameOf)}.`];
    }),
  ];
}

const sums = ({ total, bonuses }: Usage, { from, to }: { readonly from: Millis; readonly to: Millis }) =>
  [
    ['Start', new Date(from).toISOString()],
    ['End', new Date(to).toISOString()],
    ['Total', formatTotal(total, toPlainDigits)],
    ['Bonuses', formatTotal(bonuses, toPlainDigits)],
    ['Items', String(total.readable + total.unreadable)],
  ] as const;

/** @param note before each row's own */
function dayRows({ rows, missing }: Usage, today?: Day, note?: string): CsvCell[][] {
  const notes = note === undefined ? [] : [note];
  const placed = [
    ...rows.map((row) => ({ day: row.day ?? '~', cells: cellsOf(row, notes, today) })),
    ...missing.map((day) => ({
      day,
      cells: [
        { text: day },
        { digits: '' },
        { digits: '' },
        { digits: '0' },
        { text: [...notes, 'no data'].join('; ') },
      ],
    })),
  ];
  // Items without a day come last, in the order in which they came.
  return placed.sort((a, b) => (a.day < b.day ? -1 : a.day > b.day ? 1 : 0)).map(({ cells }) => cells);
}

function cellsOf(
  { day, shown, outside, merged, amount, bonuses }: UsageRow,
  before: readonly string[],
  today: Day | undefined,
): CsvCell[] {
  const notes = compact([
    ...before,
    day !== undefined && day === today && 'so far',
    merged > 1 && `${merged} items added`,
    outside && 'outside this period',
    day === undefined && 'not a readable day',
    ...amountNotes('amount', amount),
    ...amountNotes('bonuses', bonuses),
  ]);
  return [
    { text: day ?? shown },
    rawDigits(amount),
    rawDigits(bonuses),
    { digits: String(merged) },
    { text: notes.join('; ') },
  ];
}
