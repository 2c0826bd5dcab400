/** The alerts that a watch would have sent recently, so that people see how often a threshold alerts before they set it. */
import { addDays, type Day, daysBefore } from '../time/calendar.ts';
import { type Amount, type Money, sumMoney } from './amount.ts';
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

interface MeasuredDay {
  readonly day: Day;
  readonly measurement: WatchMeasurement;
}

/**
 * The balance of earlier days is today's plus what was spent since: nothing says when money was added.
 * @param figures with the amounts since {@link simulationFrom}
 */
export function measureHistory(kind: WatchKind, figures: WatchFigures): readonly MeasuredDay[] {
  const { today, zone, amounts, account } = figures;
  const checks = [...daysBefore(today, SIMULATED_DAYS, zone), today];
  // A day's baseline does not depend on when it is looked at.
  const spent = kind === 'spike' ? spendOf(daysBefore(today, ALL_DAYS, zone), amounts) : [];
  return checks.map((check) => {
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
  });
}

const addTo = (amount: Amount, more: Money): Amount =>
  'value' in amount ? { ...amount, value: amount.value.plus(more) } : amount;

/**
 * The days that would have made the watch alert, ascending, with what is reported of them now. What was crossed before
 * the first day, and stayed so, is not among them.
 */
export function simulateWatch(rule: WatchRule, days: readonly MeasuredDay[]): readonly Day[] {
  const dates: Day[] = [];
  let alerted: readonly AlertedLevel[] = [];
  for (const [n, { day, measurement }] of days.entries()) {
    const judgement = evaluateRule(rule, measurement, alerted, { episode: String(n), since: '' });
    alerted = judgement.alerted;
    if (n > 0) dates.push(...judgement.crossings.map(() => day));
  }
  return dates;
}
