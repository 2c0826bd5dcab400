import { collectCharges, type DayCharges, type WireCharge } from '../../src/domain/money/charges.ts';
import { computeUsage, type Usage, type UsageQuestion } from '../../src/domain/money/usage.ts';

/** Runs work that pauses itself to its end, without the pauses. */
export function finish<T>(work: Generator<void, T>): T {
  for (let part = work.next(); ; part = work.next()) if (part.done) return part.value;
}

export const chargesOf = (items: Iterable<WireCharge>, zone = 'UTC'): readonly DayCharges[] =>
  finish(collectCharges(items, zone));

/** The usage of items as billing sends them. */
export const usageOfItems = (
  items: Iterable<WireCharge>,
  { zone, ...question }: UsageQuestion & { readonly zone: string },
): Usage => computeUsage(chargesOf(items, zone), question);
