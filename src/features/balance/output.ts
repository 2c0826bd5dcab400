import { type CsvCell, formatCsv } from '../../domain/csv.ts';
import { type Amount, toPlainDigits } from '../../domain/money/amount.ts';
import { PRODUCTS } from '../../domain/product.ts';
import type { Details } from '../../slack/output-reply.ts';
import type { BalanceFigures } from './figures.ts';

const COLUMNS = ['project', 'product', 'balance', 'bonuses', 'average a day', 'days left', 'note'] as const;

/** A line a project after one with the names of the columns; amounts are exact. */
export const formatBalanceCsv = (figures: readonly BalanceFigures[]): string =>
  formatCsv([COLUMNS.map((text) => ({ text })), ...figures.map(lineOf)]);

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
    { digits: estimate === undefined ? '' : toPlainDigits(estimate.average) },
    { digits: estimate === undefined ? '' : String(estimate.days) },
    { text: notes.join('; ') },
  ];
}

const digitsOf = (amount: Amount): string => ('value' in amount ? toPlainDigits(amount.value) : '');

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
            ['Average a day', toPlainDigits(runway.average)],
            ['Rests on', `${runway.reported} of the last ${runway.of} days`],
          ] as const)
        : []),
      ['Connection', connection],
      ['Asked at', new Date(fetched).toISOString()],
    ],
  };
}
