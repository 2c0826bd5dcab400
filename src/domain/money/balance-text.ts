import type { Amount, Money } from './amount.ts';

type Write = (value: Money) => string;

/** `1,234.00 left`. What could not be read is quoted: outside text, no mark-up. */
export function formatBalance(balance: Amount, money: Write): string {
  if ('unreadable' in balance) return `unreadable balance (${balance.unreadable})`;
  return balance.value.lt(0) ? `${money(balance.value.abs())} overdrawn` : `${money(balance.value)} left`;
}

/** `bonuses 12.00`, with outside text as above; '' where they are zero. */
export const formatBonuses = (bonuses: Amount, money: Write): string =>
  'unreadable' in bonuses
    ? `bonuses not readable (${bonuses.unreadable})`
    : bonuses.value.eq(0)
      ? ''
      : `bonuses ${money(bonuses.value)}`;
