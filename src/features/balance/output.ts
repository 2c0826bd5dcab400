import { type Amount, type Money, toPlacesOf, toPlainDigits } from '../../domain/money/amount.ts';
import { type AnswerFiles, amountNotes, rawDigits } from '../../slack/reply/csv-details.ts';
import type { BalanceFigures } from './figures.ts';

/** A row a project, and the exact amounts with what the runway rests on. */
export const BALANCE_FILES: AnswerFiles<BalanceFigures> = {
  name: 'balance.csv',
  columns: ['balance', 'bonuses', 'average a day', 'days left'],
  each: '',
  rowsOf(figures) {
    const { balance, bonuses, runway } = figures;
    const estimate = estimateOf(figures);
    const notes = [
      ...amountNotes('balance', balance),
      ...amountNotes('bonuses', bonuses),
      ...(typeof runway === 'string' ? [runway] : []),
    ];
    return [
      [
        rawDigits(balance),
        rawDigits(bonuses),
        { digits: estimate === undefined ? '' : averageDigits(estimate.average, figures) },
        { digits: estimate === undefined ? '' : String(estimate.days) },
        { text: notes.join('; ') },
      ],
    ];
  },
  detailsOf(figures) {
    const estimate = estimateOf(figures);
    return [
      ['Balance', exact(figures.balance)],
      ['Bonuses', exact(figures.bonuses)],
      ...(estimate === undefined
        ? []
        : ([
            ['Average a day', averageDigits(estimate.average, figures)],
            ['Rests on', `${estimate.reported} of the last ${estimate.of} days`],
          ] as const)),
    ];
  },
};

const estimateOf = ({ runway }: BalanceFigures) =>
  typeof runway !== 'string' && runway.kind === 'estimate' ? runway : undefined;

const averageDigits = (average: Money, { balance, bonuses }: BalanceFigures): string =>
  toPlacesOf(
    [balance, bonuses].flatMap((amount) => ('value' in amount ? [amount.value] : [])),
    average,
  );

const exact = (amount: Amount): string =>
  'value' in amount ? toPlainDigits(amount.value) : `unreadable (${amount.unreadable})`;
