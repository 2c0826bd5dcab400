import { type CsvCell, formatCsv } from '../../domain/csv.ts';
import { listNames } from '../../domain/language/text.ts';
import { toPlainDigits } from '../../domain/money/amount.ts';
import type { RowAmount } from '../../domain/money/charges.ts';
import type { UsageRow } from '../../domain/money/usage.ts';
import { formatReportedDays } from '../../domain/money/usage-change.ts';
import { PRODUCTS } from '../../domain/product.ts';
import { dayNamerFor } from '../../domain/time/day-groups.ts';
import type { Period } from '../../domain/time/period.ts';
import { failedSentence, type ProjectAnswers } from '../../slack/commands/several-projects.ts';
import { type Details, failedCsvRows } from '../../slack/reply/output-reply.ts';
import type { SpendFigures } from './figures.ts';

const COLUMNS = ['project', 'product', 'day', 'amount', 'bonuses', 'items', 'note'] as const;

/** A header line, then a line per day; amounts have billing's exact digits. */
export const formatSpendCsv = ({ answered, failed }: ProjectAnswers<SpendFigures>, period: Period): string =>
  formatCsv([
    COLUMNS.map((text) => ({ text })),
    ...answered.flatMap((one) => linesOf(one, period)),
    ...failedCsvRows(failed, COLUMNS.length),
  ]);

/** The sentences beside the file. @param answer as the message says it */
export function describeSpendCsv(
  answer: string,
  { answered, failed }: ProjectAnswers<SpendFigures>,
  { zone, days }: Period,
): string {
  const nameOf = dayNamerFor(days);
  const incomplete = answered.filter(({ usage }) => usage.missing.length > 0);
  return [
    `${answer}.`,
    `A row for each day (${zone}) of ${listNames(answered.map(({ target }) => target.label))}.`,
    failedSentence(failed),
    ...incomplete.map(({ target, usage }) => `${target.label}: ${formatReportedDays(usage, nameOf)}.`),
  ]
    .filter(Boolean)
    .join(' ');
}

function linesOf({ target, usage }: SpendFigures, { today }: Period): CsvCell[][] {
  const source: CsvCell[] = [{ digits: target.project }, { text: PRODUCTS[target.product].word }];
  const lines = [
    ...usage.rows.map((row) => ({ day: row.day ?? '~', cells: [...source, ...cellsOf(row, today)] })),
    ...usage.missing.map((day) => ({
      day,
      cells: [...source, { text: day }, { digits: '' }, { digits: '' }, { digits: '0' }, { text: 'no data' }],
    })),
  ];
  // Items without a day come last, in the order in which they came.
  return lines.sort((a, b) => (a.day < b.day ? -1 : a.day > b.day ? 1 : 0)).map(({ cells }) => cells);
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
    ...noteOf('amount', amount),
    ...noteOf('bonuses', bonuses),
  ];
  return [
    { text: day ?? shown },
    digitsOf(amount),
    digitsOf(bonuses),
    { digits: String(merged) },
    { text: notes.join('; ') },
  ];
}

const digitsOf = (amount: RowAmount): CsvCell => ({ digits: 'raw' in amount ? amount.raw : '' });

function noteOf(name: string, amount: RowAmount): string[] {
  if ('unreadable' in amount) return [`${name} unreadable: ${amount.unreadable}`];
  return amount.incomplete ? [`${name} incomplete`] : [];
}

/** The exact question, and the exact answer. @param fetched ms since the epoch */
export function spendDetails(
  { target, connection, usage }: SpendFigures,
  period: Period,
  fetched: number,
): Details {
  const { total, bonuses } = usage;
  return {
    label: target.label,
    rows: [
      ['Project', target.project],
      ['Product', `${PRODUCTS[target.product].name} (${target.product})`],
      ['Start', new Date(period.from).toISOString()],
      ['End', new Date(period.to).toISOString()],
      ['Total', `${toPlainDigits(total.value)}${total.incomplete ? ' (incomplete)' : ''}`],
      ['Bonuses', `${toPlainDigits(bonuses.value)}${bonuses.incomplete ? ' (incomplete)' : ''}`],
      ['Items', String(total.readable + total.unreadable)],
      ['Connection', connection],
      ['Asked at', new Date(fetched).toISOString()],
    ],
  };
}
