import { collectCharges, type WireCharge } from '../../src/domain/money/charges.ts';
import {
  computeUsage,
  type DayCharges,
  type Usage,
  type UsageQuestion,
} from '../../src/domain/money/usage.ts';

export const chargesOf = (items: Iterable<WireCharge>, zone = 'UTC'): readonly DayCharges[] =>
  collectCharges(items, zone);

/** The usage of items as billing sends them. */
export const usageOfItems = (
  items: Iterable<WireCharge>,
  { zone, ...question }: UsageQuestion & { readonly zone: string },
): Usage => computeUsage(chargesOf(items, zone), question);
