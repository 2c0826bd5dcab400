import { InvalidResponse } from '../../domain/failure/index.ts';
import { formatMoney, moneyFormatter, toPlainDigits } from '../../domain/money/amount.ts';
import { formatRunway, formatRunwayBasis } from '../../domain/money/runway-text.ts';
import type { BalanceFigures } from './figures.ts';

/** What a workflow's step gets. @throws InvalidResponse without a readable balance: a workflow would go on with a zero */
export function stepBalance({ target, balance, bonuses, runway }: BalanceFigures, locale: string) {
  if ('unreadable' in balance) throw new InvalidResponse('billing', 'the balance is not a number');
  const money = moneyFormatter(locale, target.currency);
  const isKnown = typeof runway !== 'string';
  const runwayDays = isKnown ? daysOf(runway) : undefined;
  const basis = isKnown ? formatRunwayBasis(runway, money) : '';
  return {
    amount: money(balance.value),
    amount_exact: toPlainDigits(balance.value),
    bonuses: 'unreadable' in bonuses ? 'not readable' : formatMoney(bonuses.value, locale, target.currency),
    runway: isKnown ? formatRunway(runway, money) : `Runway unknown: ${runway}`,
    ...(runwayDays !== undefined && { runway_days: runwayDays }),
    ...(basis !== '' && { basis }),
  };
}

/** Overdrawn is no day left, so that “fewer than 14” holds. */
function daysOf(runway: Exclude<BalanceFigures['runway'], string>): number | undefined {
  if (runway.kind === 'overdrawn') return 0;
  return runway.kind === 'estimate' ? runway.days : undefined;
}
