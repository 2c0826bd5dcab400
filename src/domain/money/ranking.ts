/** The orders in which projects are listed. Equal ones stay in the order that they had. */

import type { Money } from './amount.ts';

/** Sorts the largest amount first; what has no amount comes last. */
export const byLargest = (a: Money | undefined, b: Money | undefined): number =>
  inOrder(b, a) ?? missingLast(a, b);

/** How a project stands with its money. */
export interface Outlook {
  readonly overdrawn: boolean;
  /** What is left; undefined if it is not known. */
  readonly left: Money | undefined;
  /** How long that lasts, in days, Infinity beyond any date; undefined without an estimate. */
  readonly days: number | undefined;
}

/**
 * Sorts what runs out first to the front: overdrawn projects, the deepest first; then by days; then, without an estimate,
 * the smallest balance first; at last what is not known.
 */
export function bySoonestEnd(a: Outlook, b: Outlook): number {
  if (a.overdrawn !== b.overdrawn) return a.overdrawn ? -1 : 1;
  if (!a.overdrawn && a.days !== b.days) return missingLast(a.days, b.days) || (a.days ?? 0) - (b.days ?? 0);
  return inOrder(a.left, b.left) ?? missingLast(a.left, b.left);
}

const inOrder = (a: Money | undefined, b: Money | undefined): number | undefined =>
  a === undefined || b === undefined ? undefined : a.cmp(b);

const missingLast = (a: unknown, b: unknown): number => Number(a === undefined) - Number(b === undefined);
