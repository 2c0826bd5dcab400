/** The CSV file of `/spend`, and the exact figures of its **Details**. */
import { toPlainDigits } from '../../domain/money/amount.ts';
import { formatReportedDays, formatTotal, type Usage, type UsageRow } from '../../domain/money/usage.ts';
import {
  type Day,
  dayNamerFor,
  type Millis,
  type RequestedDays,
  wholeUnit,
} from '../../domain/time/calendar.ts';
import type { ComparisonWindow } from '../../domain/time/period.ts';
import { type Column, compact } from '../../slack/block-kit/blocks.ts';
import {
  type AnswerFile,
  amountNotes,
  type CsvCell,
  fileSubject,
  rawDigits,
} from '../../slack/reply/answer-file.ts';
import type { SpendFigures, SpendView } from './figures.ts';

const COMPARED = 'compared, not in the total';

export function spendFile({ answered, period, projects }: SpendView): AnswerFile<SpendFigures> {
  const compared = period.versus && period.comparison;
  const days = [period.requested, ...(compared ? [compared.requested] : [])].map(fileDays).join('-vs-');
  return {
    name: `spend-${fileSubject(projects)}-${days}.csv`,
    columns: COLUMNS.map(({ title }) => title),
    each: `each day (${period.zone})`,
    gaps: [
      ...answered.flatMap(({ usage, target }) =>
        gapOf(usage, period.days, projects.isList ? `${target.label}: ` : ''),
      ),
      ...(compared ? comparedGaps(answered, compared) : []),
    ],
    rows: ({ usage, before }) => [
      ...dayRows(usage, period.today),
      ...(compared && before ? dayRows(before, undefined, COMPARED) : []),
    ],
    details: ({ usage, before }) => [
      ...sums(usage, period),
      ...(compared && before
        ? sums(before, compared).map(([name, value]) => [`Compared ${name.toLowerCase()}`, value] as const)
        : []),
    ],
  };
}

function fileDays({ first, last }: RequestedDays): string {
  const unit = wholeUnit({ first, last });
  if (unit === 'month' || unit === 'year') return first.slice(0, unit === 'month' ? 7 : 4);
  return first === last ? first : `${first}_${last}`;
}

const gapOf = (usage: Usage | undefined, days: readonly Day[], lead: string): readonly string[] =>
  usage === undefined || usage.missing.length === 0
    ? []
    : [`${lead}${formatReportedDays(usage, dayNamerFor(days))}.`];

const comparedGaps = (answered: readonly SpendFigures[], { label, days }: ComparisonWindow): string[] => [
  `Rows noted “${COMPARED}” are for ${label}.`,
  ...answered.flatMap(({ target, before, change }) => {
    const lead = `${target.label}, ${label}: `;
    return typeof change === 'string' ? `${lead}${change}` : gapOf(before, days, lead);
  }),
];

const sums = ({ total, bonuses }: Usage, { from, to }: { readonly from: Millis; readonly to: Millis }) =>
  [
    ['Start', new Date(from).toISOString()],
    ['End', new Date(to).toISOString()],
    ['Total', formatTotal(total, toPlainDigits)],
    ['Bonuses', formatTotal(bonuses, toPlainDigits)],
    ['Items', String(total.readable + total.unreadable)],
  ] as const;

type FileRow = Pick<UsageRow, 'day' | 'shown' | 'outside' | 'merged'> &
  Partial<Pick<UsageRow, 'amount' | 'bonuses'>>;

const COLUMNS: readonly Column<FileRow, CsvCell>[] = [
  { title: 'day', cell: ({ day, shown }) => ({ text: day ?? shown }) },
  { title: 'amount', cell: ({ amount }) => rawDigits(amount) },
  { title: 'bonuses', cell: ({ bonuses }) => rawDigits(bonuses) },
  { title: 'items', cell: ({ merged }) => ({ digits: String(merged) }) },
];

/** Days without data have a row; items without a readable day come last. @param note begins each row's note */
function dayRows({ rows, missing }: Usage, today?: Day, note?: string): CsvCell[][] {
  const notesOf = ({ day, outside, merged, amount, bonuses }: FileRow): string[] =>
    compact([
      note,
      merged === 0 && 'no data',
      day !== undefined && day === today && 'so far',
      merged > 1 && `${merged} items added`,
      outside && 'outside this period',
      day === undefined && 'unreadable day',
      ...(amount ? amountNotes('amount', amount) : []),
      ...(bonuses ? amountNotes('bonuses', bonuses) : []),
    ]);
  const empty = missing.map((day): FileRow => ({ day, shown: day, outside: false, merged: 0 }));
  return [...rows, ...empty]
    .sort(({ day: a = '~' }, { day: b = '~' }) => (a < b ? -1 : a > b ? 1 : 0))
    .map((row) => [...COLUMNS.map(({ cell }) => cell(row)), { text: notesOf(row).join('; ') }]);
}
