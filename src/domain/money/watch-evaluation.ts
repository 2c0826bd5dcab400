/** Decides when a watch alerts and recovers, and simulates which past days would have alerted. */
import { addDays, type Day, daysBefore } from '../time/calendar.ts';
import { type Money, sumMoney, toPlainDigits } from './amount.ts';
import {
  type DaySpend,
  type MeasurementOf,
  type MonthSpend,
  measureWatch,
  type WatchFigures,
  type WatchMeasurement,
} from './watch-measurement.ts';
import type { WatchRule } from './watch-rule.ts';

/** What alerts: percentages and forecast of a budget; `threshold` for every other rule. */
export type WatchLevel = 'threshold' | '50' | '80' | 'forecast' | '100';

/**
 * A level that has alerted and not recovered. Two kinds stay after they are over, so that they don't alert again: a
 * spike's day for 60 days, and a budget's forecast in a month that ended below the budget.
 */
export interface AlertedLevel {
  /** A budget's month, a spike's first day, or a unique name for a balance or runway below its limit. */
  readonly episode: string;
  readonly level: WatchLevel;
  readonly isOver?: boolean;
  /** What billing last reported for the day or the month. */
  readonly amount?: string;
}

export interface Evaluation {
  readonly isKnown: boolean;
  /** The levels to alert about, the oldest first: only the highest of each episode. */
  readonly crossings: readonly AlertedLevel[];
  readonly recoveries: readonly AlertedLevel[];
  /** Alerted spike days and ended months for which billing now reports another amount, without a recovery. */
  readonly corrections: readonly AlertedLevel[];
  /** What to pass to the next evaluation, once the alerts are sent. */
  readonly alerted: readonly AlertedLevel[];
}

export interface EvaluationOptions {
  readonly episode: string;
  /** The day when the rule was set. Earlier days and months don't alert. */
  readonly since: Day;
  readonly isSuspended?: boolean;
}

/** A small distance between alert and recovery keeps a watch from alerting again at once. */
const recoveryAbove = (threshold: Money): Money => threshold.times('1.02');
const recoveryBelow = (threshold: Money): Money => threshold.times('0.98');

/** Days that billing reports more than a week late don't alert. */
const LATE_DAYS = 7;
const KEPT_DAYS = 60;

const NOTHING = { isKnown: true, crossings: [], recoveries: [], corrections: [] };
const unknown = (alerted: readonly AlertedLevel[]): Evaluation => ({ ...NOTHING, isKnown: false, alerted });

/**
 * Compares a measurement with the rule. A level alerts once, and again only after a recovery.
 * @param measurement of the rule's kind
 * @param alerted the result of the last evaluation of the rule; [] at first
 */
export function evaluateRule(
  rule: WatchRule,
  measurement: WatchMeasurement,
  alerted: readonly AlertedLevel[],
  options: EvaluationOptions,
): Evaluation {
  if (rule.kind === 'balance' && measurement.kind === 'balance') {
    const { balance } = measurement;
    if (balance === undefined) return unknown(alerted);
    return evaluateLevel(balance.lt(rule.below), balance.gte(recoveryAbove(rule.below)), alerted, options);
  }
  if (rule.kind === 'runway' && measurement.kind === 'runway') {
    const { runway } = measurement;
    if (runway === undefined || runway.kind === 'unknown') return unknown(alerted);
    const days = runway.kind === 'overdrawn' ? 0 : runway.kind === 'estimate' ? runway.days : Infinity;
    return evaluateLevel(days < rule.days, days >= rule.days + 1, alerted, options);
  }
  if (rule.kind === 'budget' && measurement.kind === 'budget') {
    const months = measurement.months
      .filter(({ month }) => month >= options.since.slice(0, 7))
      .map((month) => evaluateMonth(rule.amount, month, alerted, options));
    return {
      isKnown: months.some(({ isKnown }) => isKnown),
      crossings: months.flatMap(({ crossings }) => crossings),
      recoveries: months.flatMap(({ recoveries }) => recoveries),
      corrections: months.flatMap(({ corrections }) => corrections),
      alerted: months.flatMap((month) => month.alerted),
    };
  }
  if (rule.kind === 'spike' && measurement.kind === 'spike')
    return evaluateSpikes(rule, measurement, alerted, options);
  throw new RangeError('The measurement is of another kind than the rule.');
}

function evaluateLevel(
  isCrossed: boolean,
  isRecovered: boolean,
  alerted: readonly AlertedLevel[],
  { episode, isSuspended }: EvaluationOptions,
): Evaluation {
  if (isRecovered) return { ...NOTHING, recoveries: alerted, alerted: [] };
  if (!isCrossed || isSuspended || alerted.length > 0) return { ...NOTHING, alerted };
  const crossings = [{ episode, level: 'threshold' as const }];
  return { ...NOTHING, crossings, alerted: crossings };
}

/** A budget's levels, the least urgent first. */
const BUDGET_LEVELS: readonly WatchLevel[] = ['50', '80', 'forecast', '100'];

function evaluateMonth(
  amount: Money,
  { month: episode, reported, spent, forecast, isFinal = false }: MonthSpend,
  all: readonly AlertedLevel[],
  { isSuspended }: EvaluationOptions,
): Evaluation {
  const alerted = all.filter((before) => before.episode === episode);
  if (reported === 0) return unknown(alerted);
  const isSpent = spent.gte(amount);
  const limitOf = (level: WatchLevel) => amount.times(level).times('0.01');
  const isCrossed = (level: WatchLevel): boolean =>
    level === 'forecast' ? isSpent || (forecast?.gt(amount) ?? false) : spent.gte(limitOf(level));
  const isRecovered = ({ level, isOver = false }: AlertedLevel): boolean =>
    level === 'forecast'
      ? !isSpent && !isOver && (isFinal || (forecast?.lt(recoveryBelow(amount)) ?? false))
      : spent.lt(recoveryBelow(limitOf(level)));
  const remaining = alerted.flatMap((before): readonly AlertedLevel[] => {
    const isEnded = isFinal && before.level === 'forecast' && isRecovered(before);
    if (isEnded || before.isOver) return [{ ...before, isOver: true, amount: toPlainDigits(spent) }];
    return isRecovered(before) ? [] : [before];
  });
  const added = BUDGET_LEVELS.filter(
    (level) => !isSuspended && isCrossed(level) && !alerted.some((before) => before.level === level),
  ).map((level) => ({ episode, level }));
  return {
    ...NOTHING,
    crossings: added.slice(-1),
    recoveries: alerted.filter(isRecovered),
    corrections: alerted.filter(({ amount: before }) => before !== undefined && !spent.eq(before)),
    alerted: [...remaining, ...added],
  };
}

type SpikeRule = Extract<WatchRule, { readonly kind: 'spike' }>;

/** @returns the usual amount times the factor, but at least the floor; undefined if no usual amount is known */
export function spikeLimit(
  { factor, floor }: SpikeRule,
  { baseline }: Pick<DaySpend, 'baseline'>,
): Money | undefined {
  if (baseline === undefined || baseline.lte(0)) return undefined;
  const usual = baseline.times(factor);
  return usual.gt(floor) ? usual : floor;
}

/** Whether a day's cost is so far below its limit that a spike is over. */
export function isCalm(rule: SpikeRule, spend: DaySpend | undefined): boolean {
  const limit = spend && spikeLimit(rule, spend);
  return limit !== undefined && spend?.amount.lt(recoveryBelow(limit)) === true;
}

interface SpikeRun {
  readonly spikes: Day[];
  isOver: boolean;
}

function evaluateSpikes(
  rule: SpikeRule,
  { days, today }: MeasurementOf<'spike'>,
  alerted: readonly AlertedLevel[],
  { since, isSuspended }: EvaluationOptions,
): Evaluation {
  const first = days[0]?.day ?? today;
  const spendOn = new Map(days.map((spend) => [spend.day, spend]));
  const runs = spikeRuns(rule, days, first, alerted);
  const levelOf = (day: Day, isOver: boolean): AlertedLevel => {
    const { amount } = spendOn.get(day) ?? {};
    return {
      episode: day,
      level: 'threshold',
      ...(isOver && { isOver }),
      ...(amount && { amount: toPlainDigits(amount) }),
    };
  };
  const hasAlerted = (day: Day) => alerted.some(({ episode }) => episode === day);
  const added = runs.flatMap(({ spikes, isOver }) => {
    const day = spikes.find((each) => each >= since && each >= addDays(today, -LATE_DAYS));
    return day === undefined || isSuspended || spikes.some(hasAlerted) ? [] : [levelOf(day, isOver)];
  });
  const recoveries = alerted.filter(({ episode, isOver }) => {
    const isReported = episode < first || spendOn.has(episode);
    return !isOver && isReported && (runs.find(({ spikes }) => spikes.includes(episode))?.isOver ?? true);
  });
  const isCorrected = (before: AlertedLevel) => {
    const spend = spendOn.get(before.episode);
    const isRecovery = recoveries.includes(before) && isCalm(rule, spend);
    return before.amount !== undefined && spend && !spend.amount.eq(before.amount) && !isRecovery;
  };
  const remaining = alerted
    // A day whose amount was corrected to a usual one may alert again.
    .filter(({ episode }) => !isCalm(rule, spendOn.get(episode)))
    .filter(({ episode, isOver }) => !isOver || episode >= addDays(today, -KEPT_DAYS))
    .map((before) => ({
      ...before,
      ...levelOf(before.episode, before.isOver === true || recoveries.includes(before)),
    }));
  return {
    isKnown: days.some((spend) => spikeLimit(rule, spend) !== undefined),
    crossings: added.map(({ episode, level }) => ({ episode, level })),
    recoveries,
    corrections: alerted.filter(isCorrected),
    alerted: [...remaining, ...added],
  };
}

function spikeRuns(
  rule: SpikeRule,
  days: readonly DaySpend[],
  first: Day,
  alerted: readonly AlertedLevel[],
): readonly SpikeRun[] {
  // A run of spikes may have begun before the first measured day.
  const earlier = alerted.filter(({ episode, isOver }) => !isOver && episode < first);
  const runs: SpikeRun[] =
    earlier.length === 0 ? [] : [{ spikes: earlier.map(({ episode }) => episode), isOver: false }];
  for (const spend of days) {
    const { day, amount } = spend;
    const isSpike =
      spikeLimit(rule, spend) !== undefined &&
      amount.gte(rule.floor) &&
      amount.gt(rule.factor.times(spend.baseline ?? 0));
    const run = runs.at(-1);
    const isOpen = run !== undefined && !run.isOver;
    // An alerted day that was corrected to slightly less than its limit still belongs to the run of spikes.
    const isPart = isSpike || (!isCalm(rule, spend) && alerted.some(({ episode }) => episode === day));
    if (isCalm(rule, spend) && isOpen) run.isOver = true;
    else if (isOpen && isPart) run.spikes.push(day);
    else if (isPart) runs.push({ spikes: [day], isOver: false });
  }
  return runs;
}

const SIMULATED_DAYS = 90;
const DAYS_BEFORE = 110;

/** @returns the first day of usage that {@link simulateWatch} needs */
export const simulationFrom = (today: Day): Day => addDays(today, -SIMULATED_DAYS - DAYS_BEFORE);

/** @returns the days of the last 90 on which the watch would have alerted, ascending */
export function simulateWatch(rule: WatchRule, figures: WatchFigures): readonly Day[] {
  const { today, zone } = figures;
  const dates: Day[] = [];
  let alerted: readonly AlertedLevel[] = [];
  for (const [n, check] of [...daysBefore(today, SIMULATED_DAYS, zone), today].entries()) {
    const measurement = measureWatch(rule.kind, figuresOn(check, figures));
    const evaluation = evaluateRule(rule, measurement, alerted, { episode: String(n), since: '' });
    alerted = evaluation.alerted;
    // Each check is about the day before. The first check also finds what began long ago.
    if (n > 0) dates.push(...evaluation.crossings.map(() => addDays(check, -1)));
  }
  return dates;
}

/** Billing reports neither past balances nor payments, so a past balance is today's plus what was spent since. */
function figuresOn(day: Day, { zone, amounts, account }: WatchFigures): WatchFigures {
  const before = new Map([...amounts].filter(([each]) => each < day));
  const since = sumMoney([...amounts].flatMap(([each, amount]) => (each >= day ? amount : [])));
  const figures = { today: day, zone, amounts: before };
  if (account === undefined) return figures;
  const { balance } = account;
  const past = 'value' in balance ? { ...balance, value: balance.value.plus(since) } : balance;
  return { ...figures, account: { ...account, balance: past } };
}
