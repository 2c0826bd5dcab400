import { toPlainDigits } from '../../domain/money/amount.ts';
import { PRODUCTS } from '../../domain/product.ts';
import type { Period } from '../../domain/time/period.ts';
import { type Block, preformatted, section } from '../../slack/kit/atoms.ts';
import { modal } from '../../slack/kit/modal.ts';
import type { Request } from '../../slack/request.ts';
import type { SpendFigures } from './figures.ts';

/** What to compare with the console or an invoice: the exact question, and the exact answer. */
export async function showDetails(
  figures: readonly SpendFigures[],
  period: Period,
  fetched: number,
  request: Request,
): Promise<void> {
  const blocks = figures.flatMap((one) => detailsOf(one, period, fetched));
  if (request.reply.modal.canOpen) return request.reply.modal.open(modal({ title: 'Details', blocks }));
  await request.reply.private({ text: 'Details', blocks });
}

function detailsOf({ target, connection, usage }: SpendFigures, period: Period, fetched: number): Block[] {
  const { total, bonuses } = usage;
  const rows: readonly (readonly [string, string])[] = [
    ['Project', target.project],
    ['Product', `${PRODUCTS[target.product].name} (${target.product})`],
    ['Start', new Date(period.from).toISOString()],
    ['End', new Date(period.to).toISOString()],
    ['Total', `${toPlainDigits(total.value)}${total.incomplete ? ' (incomplete)' : ''}`],
    ['Bonuses', `${toPlainDigits(bonuses.value)}${bonuses.incomplete ? ' (incomplete)' : ''}`],
    ['Items', String(total.readable + total.unreadable)],
    ['Connection', connection],
    ['Asked at', new Date(fetched).toISOString()],
  ];
  return [
    section(target.label),
    preformatted(rows.map(([name, value]) => `${name.padEnd(11)}${value}`).join('\n')),
  ];
}
