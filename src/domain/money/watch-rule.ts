import type { Money } from './amount.ts';

/** What a watch checks. Amounts are in the service's currency, which it does not name. */
export type WatchRule =
  /** The balance, without bonuses, falls below an amount, which may be zero. */
  | { readonly kind: 'balance'; readonly below: Money }
  /** Balance and bonuses last fewer than this many days. */
  | { readonly kind: 'runway'; readonly days: number }
  /** The month so far reaches a share of the budget, or its forecast exceeds the budget. */
  | { readonly kind: 'budget'; readonly amount: Money }
  /** A day costs more than `factor` times its baseline, and at least `floor`. */
  | { readonly kind: 'spike'; readonly factor: Money; readonly floor: Money };

export type WatchKind = WatchRule['kind'];

/** Longer thresholds are mistakes. */
export const MAX_THRESHOLD_DIGITS = 30;
/** The longest runway that is estimated in days. */
export const MAX_RUNWAY_DAYS = 3_650;
/** Percent of a budget at which its watch alerts. */
export const BUDGET_STEPS = [50, 80, 100] as const;
