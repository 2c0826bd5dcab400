import type { WireScalar } from '../../src/domain/money/amount.ts';
import { collectCharges, type DayCharges, type WireCharge } from '../../src/domain/money/charges.ts';
import { computeUsage, type Usage, type UsageQuestion } from '../../src/domain/money/usage.ts';
import { addDays, type Day } from '../../src/domain/time/calendar.ts';
import type { AnswerView, ProjectAnswer } from '../../src/slack/reply/project-answers.ts';

export const daysFrom = (first: Day, count: number): readonly Day[] =>
  Array.from({ length: count }, (_, n) => addDays(first, n));

const sent = (value: string | null): WireScalar => (value === null ? { missing: true } : { text: value });

/** An item as billing sends it; null means that it has no value. */
export const item = (
  day: string | null,
  amount: string | null = '1',
  bonuses: string | null = '0',
): WireCharge => ({
  day: sent(day),
  totalAmount: sent(amount),
  totalBonuses: sent(bonuses),
});

/** Undefined means that billing hasn't reported the day. */
export const itemsOf = (
  days: readonly Day[],
  amountOf: (day: Day, at: number) => string | null | undefined,
): readonly WireCharge[] =>
  days.flatMap((day, at) => {
    const amount = amountOf(day, at);
    return amount === undefined ? [] : [item(day, amount)];
  });

export const chargesOf = (items: Iterable<WireCharge>, zone = 'UTC'): readonly DayCharges[] =>
  collectCharges(items, zone);

export const usageOfItems = (
  items: Iterable<WireCharge>,
  { zone, ...question }: UsageQuestion & { readonly zone: string },
): Usage => computeUsage(chargesOf(items, zone), question);

export const answerView = <T extends ProjectAnswer>(
  figures: T,
  now: number,
  details: Partial<Omit<AnswerView, 'answered'>> = {},
): AnswerView<T> => {
  const { target } = figures;
  const { word, product } = target;
  return {
    answered: [figures],
    failed: [],
    at: now,
    fetched: now,
    locale: 'en-US',
    sharedBy: undefined,
    user: { canManage: false, zone: 'UTC' },
    mayShare: () => true,
    projects: { word, product, targets: [target], isList: false },
    ...details,
  };
};
