import { type CsvCell, formatCsv } from '../../domain/csv.ts';
import { listNames } from '../../domain/language/text.ts';
import { type Amount, type Money, toPlacesOf, toPlainDigits } from '../../domain/money/amount.ts';
import { PRODUCTS } from '../../domain/product.ts';
import { failedSentence, type ProjectAnswers } from '../../slack/commands/several-projects.ts';
import { type Details, failedCsvRows } from '../../slack/reply/output-reply.ts';
import type { BalanceFigures } from './figures.ts';

const COLUMNS = ['project', 'product', 'balance', 'bonuses', 'average a day', 'days left', 'note'] as const;

/** A line a project after one with the names of the columns; amounts have billing's exact digits. */
export const formatBalanceCsv = ({ answered, failed }: ProjectAnswers<BalanceFigures>): string =>
  formatCsv([
    COLUMNS.map((text) => ({ text })),
    ...answered.map(lineOf),
    ...failedCsvRows(failed, COLUMNS.length),
  ]);

/** The sentences beside the file. @param answer as the message says it */
export const describeBalanceCsv = (
  answer: string,
  { answered, failed }: ProjectAnswers<BalanceFigures>,
): string =>
  [
    `${answer}.`,
    `A row for ${listNames(answered.map(({ target }) => target.label))}.`,
    failedSentence(failed),
  ]
    .filter(Boolean)
    .join(' ');

function lineOf({ target, balance, bonuses, runway }: BalanceFigures): CsvCell[] {
  const estimate = typeof runway !== 'string' && runway.kind === 'estimate' ? runway : undefined;
  const notes = [
    ...noteOf('balance', balance),
    ...noteOf('bonuses', bonuses),
    ...(typeof runway === 'string' ? [runway] : []),
  ];
  return [
    { digits: target.project },
    { text: PRODUCTS[target.product].word },
    { digits: digitsOf(balance) },
    { digits: digitsOf(bonuses) },
    { digits: estimate === undefined ? '' : averageDigits(estimate.average, balance, bonuses) },
    { digits: estimate === undefined ? '' : String(estimate.days) },
    { text: notes.join('; ') },
  ];
}

const digitsOf = (amount: Amount): string => ('value' in amount ? amount.raw : '');

const averageDigits = (average: Money, ...amounts: readonly Amount[]): string =>
  toPlacesOf(
    amounts.flatMap((one) => ('value' in one ? [one.value] : [])),
    average,
  );

const noteOf = (name: string, amount: Amount): string[] =>
  'unreadable' in amount ? [`${name} unreadable: ${amount.unreadable}`] : [];

/** The exact amounts, and what the runway rests on. @param fetched ms since the epoch */
export function balanceDetails(
  { target, connection, balance, bonuses, runway }: BalanceFigures,
  fetched: number,
): Details {
  const exact = (amount: Amount) =>
    'value' in amount ? toPlainDigits(amount.value) : `unreadable (${amount.unreadable})`;
  return {
    label: target.label,
    rows: [
      ['Project', target.project],
      ['Product', `${PRODUCTS[target.product].name} (${target.product})`],
      ['Balance', exact(balance)],
      ['Bonuses', exact(bonuses)],
      ...(typeof runway !== 'string' && runway.kind === 'estimate'
        ? ([
            ['Average a day', averageDigits(runway.average, balance, bonuses)],
            ['Rests on', `${runway.reported} of the last ${runway.of} days`],
          ] as const)
        : []),
      ['Connection', connection],
      ['Asked at', new Date(fetched).toISOString()],
    ],
  };
}
