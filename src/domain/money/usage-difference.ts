/** What made the difference between a period's usage and that of the window before it. */

import type { Day } from '../time/calendar.ts';
import { type Money, sumMoney } from './amount.ts';
import { type DayFigure, reportedAmounts, type Usage } from './usage.ts';
import type { Compared } from './usage-change.ts';

/** A part of a difference: what was spent in the period minus what was spent in the window before it. */
export interface Difference {
  readonly value: Money;
}

/** A day of the period and the day at the same place in the window, both reported. */
export interface DayDifference extends Difference, Compared<DayFigure> {}

/** `value` is exactly the sum of `pairs` and `unpaired.current`, minus `unpaired.before`. */
export interface UsageDifference extends Difference {
  /** The largest difference first; of equal ones the earliest day. */
  readonly pairs: readonly DayDifference[];
  /**
   * Reported days without a counterpart that count all the same: those for which a shorter window has no day, and, where
   * both windows have equally many reported days and so their totals are compared, all of them.
   */
  readonly unpaired: Compared<readonly DayFigure[]>;
  /** Reported days that don't count, because their counterpart is not reported: missing, not zero. */
  readonly uncompared: Compared<readonly DayFigure[]>;
}

/** Compares the first day with the first, the second with the second … @param days the complete days that each usage should cover, ascending */
export function compareDays(current: Usage, before: Usage, days: Compared<readonly Day[]>): UsageDifference {
  const amounts = { current: reportedAmounts(current), before: reportedAmounts(before) };
  const [pairs, unpaired, uncompared] = [[] as DayDifference[], emptySides(), emptySides()];
  const single = emptySides();
  for (let at = 0; at < Math.max(days.current.length, days.before.length); at++) {
    const [now, then] = [
      figureAt(at, days.current, amounts.current),
      figureAt(at, days.before, amounts.before),
    ];
    if (now && then) pairs.push({ current: now, before: then, value: now.value.minus(then.value) });
    else if (now) (at < days.before.length ? single : unpaired).current.push(now);
    else if (then) (at < days.current.length ? single : unpaired).before.push(then);
  }
  const lone = (side: keyof Compared<unknown>) => single[side].length + unpaired[side].length;
  const counted = lone('current') === lone('before') ? unpaired : uncompared;
  counted.current.push(...single.current);
  counted.before.push(...single.before);
  return {
    value: sumMoney(pairs.map(({ value }) => value))
      .plus(sumFigures(unpaired.current))
      .minus(sumFigures(unpaired.before)),
    pairs: pairs.sort(byDifference),
    unpaired: inOrder(unpaired),
    uncompared,
  };
}

const emptySides = () => ({ current: [] as DayFigure[], before: [] as DayFigure[] });

function figureAt(at: number, days: readonly Day[], amounts: ReadonlyMap<Day, Money>): DayFigure | undefined {
  const day = days[at];
  const value = day === undefined ? undefined : amounts.get(day);
  return day === undefined || value === undefined ? undefined : { day, value };
}

const byDay = (a: DayFigure, b: DayFigure): number => (a.day < b.day ? -1 : 1);

const inOrder = ({ current, before }: Compared<readonly DayFigure[]>): Compared<readonly DayFigure[]> => ({
  current: current.toSorted(byDay),
  before: before.toSorted(byDay),
});

export const sumFigures = (figures: readonly Pick<DayFigure, 'value'>[]): Money =>
  sumMoney(figures.map(({ value }) => value));

/** Sorts the largest difference first, whichever its sign; equal ones stay in their order. */
export const byDifference = (a: Difference, b: Difference): number => b.value.abs().cmp(a.value.abs());

/** Splits what is sorted by difference. @returns at most `most` that are not zero, and the others */
export function splitLargest<T extends Difference>(
  sorted: readonly T[],
  most: number,
): { readonly largest: readonly T[]; readonly rest: readonly T[] } {
  const changed = sorted.findIndex(({ value }) => value.eq(0));
  const count = Math.min(most, changed < 0 ? sorted.length : changed);
  return { largest: sorted.slice(0, count), rest: sorted.slice(count) };
}
