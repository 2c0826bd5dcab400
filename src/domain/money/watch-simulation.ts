/** The alerts that a watch would have sent recently, so that people see how often a threshold alerts before they set it. */
import { Big } from 'big.js';
import { addDays, type Day, daysBefore } from '../time/calendar.ts';
import { type Amount, type Money, sumMoney, ZERO } from './amount.ts';
import { type AlertedLevel, evaluateRule } from './watch-evaluation.ts';
import {
  measureWatch,
  spendOf,
  spikeDays,
  type WatchFigures,
  type WatchMeasurement,
} from './watch-measurement.ts';
import type { WatchKind, WatchRule } from './watch-rule.ts';

/** How far back a simulation goes. */
const SIMULATED_DAYS = 90;
/** How many days before those are needed: for spikes that began earlier, and for the baselines of their days. */
const DAYS_BEFORE = 110;
const ALL_DAYS = SIMULATED_DAYS + DAYS_BEFORE;

/** @returns the first day of usage that a simulation made on `today` needs */
export const simulationFrom = (today: Day): Day => addDays(today, -ALL_DAYS);

export interface WatchHistory {
  readonly days: readonly { readonly day: Day; readonly measurement: WatchMeasurement }[];
  /** The balance of earlier days is today's plus what was spent since: nothing says when money was added. */
  readonly assumesNoTopUps: boolean;
}

/** @param figures with the amounts since {@link simulationFrom} */
export function measureHistory(kind: WatchKind, figures: WatchFigures): WatchHistory {
  const { today, zone, amounts, account } = figures;
  const checks = [...daysBefore(today, SIMULATED_DAYS, zone), today];
  // A day's baseline does not depend on when it is looked at.
  const spent = kind === 'spike' ? spendOf(daysBefore(today, ALL_DAYS, zone), amounts) : [];
  return {
    days: checks.map((check) => {
      if (kind === 'spike') {
        const [first = check] = spikeDays(check, zone);
        const days = spent.filter(({ day }) => first <= day && day < check);
        return { day: addDays(check, -1), measurement: { kind, today: check, days } };
      }
      const before = new Map([...amounts].filter(([day]) => day < check));
      const since = sumMoney([...amounts].flatMap(([day, amount]) => (day >= check ? amount : [])));
      const past = account && { ...account, balance: addTo(account.balance, since) };
      const measured = { today: check, zone, amounts: before, ...(past && { account: past }) };
      // A check on one day judges the days up to the day before.
      return { day: addDays(check, -1), measurement: measureWatch(kind, measured) };
    }),
    assumesNoTopUps: kind === 'balance' || kind === 'runway',
  };
}

const addTo = (amount: Amount, more: Money): Amount =>
  'value' in amount ? { ...amount, value: amount.value.plus(more) } : amount;

/**
 * The days that would have made the watch alert, ascending, with what is reported of them now. What was crossed before
 * the first day, and stayed so, is not among them.
 */
export function simulateWatch(rule: WatchRule, { days }: WatchHistory): readonly Day[] {
  const dates: Day[] = [];
  let alerted: readonly AlertedLevel[] = [];
  for (const [n, { day, measurement }] of days.entries()) {
    const judgement = evaluateRule(rule, measurement, alerted, { episode: String(n), since: '' });
    alerted = judgement.alerted;
    if (n > 0) dates.push(...judgement.crossings.map(() => day));
  }
  return dates;
}

/** How many thresholds are looked at: three powers of ten. */
const MAX_STEPS = 270;

/**
 * The nearest less sensitive threshold of two significant digits that would have alerted at most once a calendar month.
 *
 * @returns undefined when the rule itself did not alert more often, and if no threshold near it would help
 */
export function suggestRule(rule: WatchRule, history: WatchHistory): WatchRule | undefined {
  const isRare = (tried: WatchRule): boolean => {
    const dates = simulateWatch(tried, history);
    return new Set(dates.map((day) => day.slice(0, 7))).size === dates.length;
  };
  if (isRare(rule)) return undefined;
  const steps = lessSensitiveRules(rule);
  let [frequent, rare] = [-1, steps.length];
  while (rare - frequent > 1) {
    const middle = Math.floor((frequent + rare) / 2);
    const step = steps[middle];
    if (step !== undefined && isRare(step)) rare = middle;
    else frequent = middle;
  }
  return steps[rare];
}

function lessSensitiveRules(rule: WatchRule): readonly WatchRule[] {
  switch (rule.kind) {
    case 'balance':
      return stepsFrom(rule.below, nextLower).map((below) => ({ ...rule, below }));
    case 'runway':
      return stepsFrom(new Big(rule.days), nextLower).flatMap((days) =>
        days.gte(1) && days.round(0).eq(days) ? [{ ...rule, days: days.toNumber() }] : [],
      );
    case 'budget':
      return stepsFrom(rule.amount, nextHigher).map((amount) => ({ ...rule, amount }));
    case 'spike':
      return stepsFrom(rule.factor, nextHigher).map((factor) => ({ ...rule, factor }));
  }
}

function stepsFrom(from: Money, next: (value: Money) => Money): readonly Money[] {
  const found: Money[] = [];
  for (let value = from; found.length < MAX_STEPS && value.gt(ZERO); ) {
    value = next(value);
    found.push(value);
  }
  return found;
}

/** The next lower, or higher, value of two significant digits. */
const nextLower = (value: Money): Money => {
  const rounded = value.prec(2, Big.roundDown);
  if (rounded.lt(value)) return rounded;
  const isPower = value.prec(1, Big.roundDown).eq(value) && value.c[0] === 1;
  return value.minus(powerOfTen(value.e - (isPower ? 2 : 1)));
};
const nextHigher = (value: Money): Money => value.prec(2, Big.roundDown).plus(powerOfTen(value.e - 1));
const powerOfTen = (exponent: number): Money => new Big(`1e${exponent}`);
