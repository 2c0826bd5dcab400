import { toPlainDigits } from '../../domain/money/amount.ts';
import { PRODUCTS } from '../../domain/product.ts';
import type { Period } from '../../domain/time/period.ts';
import type { Details } from '../../slack/output-reply.ts';
import type { SpendFigures } from './figures.ts';

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
