import { addDays, type Day } from '../time/calendar.ts';
import { type Amount, divide, divideToInteger, type Money } from './amount.ts';
import { sumSpentOn, type Usage } from './usage.ts';

/** What an estimate rests on: `average` a day over `reported` of the last `of` complete days. */
interface Basis {
  readonly average: Money;
  readonly reported: number;
  readonly of: number;
  /** How many of the reported days lack an unreadable item, so that the average is too low. */
  readonly partial: number;
}

/** What is there to spend. Bonuses that came as null or unreadable are not in `left`, and that is worth saying. */
interface Means {
  readonly left: Money;
  readonly bonusesCounted: boolean;
}

export type Runway =
  /** Whole days, cut: the money lasts through none of the day it runs out on, which is about `until`. */
  | ({ readonly kind: 'estimate'; readonly days: number; readonly until: Day } & Basis & Means)
  /** More than `years` years: a date that far away would pretend. */
  | ({ readonly kind: 'beyond'; readonly years: number } & Basis & Means)
  /** `which` is negative: the balance, whatever bonuses there are beside it, or only the sum of both. */
  | ({ readonly kind: 'overdrawn'; readonly which: 'balance' | 'sum'; readonly balance: Money } & Means)
  /** An average of zero or less: nothing is being spent. */
  | ({ readonly kind: 'no-spend' } & Basis & Means)
  | { readonly kind: 'unknown'; readonly reason: 'unreadable' }
  | ({
      readonly kind: 'unknown';
      readonly reason: 'too-few-days';
      readonly reported: number;
      readonly of: number;
    } & Means);

/** Fewer reported days than this are no average. */
const FEWEST_DAYS = 3;
const FARTHEST = { years: 10, days: 3652 } as const;

/** `week` is the usage of the last complete days, 7 of them; the estimate counts from `today`. */
export function computeRunway(
  has: { readonly balance: Amount; readonly bonuses: Amount },
  week: Usage,
  today: Day,
): Runway {
  if ('unreadable' in has.balance) return { kind: 'unknown', reason: 'unreadable' };
  const balance = has.balance.value;
  const means = meansOf(balance, has.bonuses);
  if (balance.lt(0)) return { kind: 'overdrawn', which: 'balance', balance, ...means };
  if (means.left.lt(0)) return { kind: 'overdrawn', which: 'sum', balance, ...means };
  return estimate(means, week, today);
}

function meansOf(balance: Money, bonuses: Amount): Means {
  return 'value' in bonuses
    ? { left: balance.plus(bonuses.value), bonusesCounted: true }
    : { left: balance, bonusesCounted: false };
}

function estimate(means: Means, week: Usage, today: Day): Runway {
  const spent = sumSpentOn(week, week.reported);
  const { reported } = spent;
  const of = week.fullDays;
  if (reported < FEWEST_DAYS) return { kind: 'unknown', reason: 'too-few-days', reported, of, ...means };

  const basis = {
    average: divide(spent.sum, reported),
    reported,
    of,
    partial: week.partialDays.length,
    ...means,
  };
  if (spent.sum.lte(0)) return { kind: 'no-spend', ...basis };
  // Not by the average: that one is rounded, and a hair's breadth would make or lose a day.
  const days = divideToInteger(means.left.times(reported), spent.sum);
  if (days.gt(FARTHEST.days)) return { kind: 'beyond', years: FARTHEST.years, ...basis };
  return { kind: 'estimate', days: days.toNumber(), until: addDays(today, days.toNumber()), ...basis };
}
