/** Judges whether a watch has crossed its threshold, when it may alert again, and how often it would have. */
import { addDays, type Day, daysBefore } from '../time/calendar.ts';
import { type Amount, type Money, sumMoney, toPlainDigits } from './amount.ts';
import {
  BUDGET_STEPS,
  type DaySpend,
  type MeasurementOf,
  type MonthSpend,
  measureWatch,
  type WatchFigures,
  type WatchKind,
  type WatchMeasurement,
  type WatchRule,
} from './watch-measurement.ts';

/** What can be crossed: of a budget its percentages and its forecast, of the others their one threshold. */
export type WatchLevel = 'threshold' | '50' | '80' | 'forecast' | '100';

/** A level that has alerted and not recovered; of a spike also after it recovered, so that no day alerts twice. */
export interface AlertedLevel {
  /** Groups what belongs to one alert: a budget's month, a spike's first day, otherwise one crossing. */
  readonly episode: string;
  readonly level: WatchLevel;
  readonly isOver?: boolean;
  /** Its day was corrected to less than the limit, so the same day can alert again. */
  readonly isRearmed?: boolean;
  /** What was last reported of a spike's day, as plain digits. */
  readonly amount?: string;
}

export interface Evaluation {
  /** False when there is too little data: then nothing changes. */
  readonly isKnown: boolean;
  /** The levels to alert about, oldest first: of each episode only the highest new one. */
  readonly crossings: readonly AlertedLevel[];
  /** Levels that have recovered, so that they can be crossed again. */
  readonly recoveries: readonly AlertedLevel[];
  /** Alerted days of which billing now reports another amount that is neither a crossing nor a recovery. */
  readonly corrections: readonly AlertedLevel[];
  /** The alerted levels after `crossings` were reported. */
  readonly alerted: readonly AlertedLevel[];
}

/** A judgement before it is decided whether anyone is alerted. */
interface Findings extends Omit<Evaluation, 'alerted'> {
  /** The levels that had alerted before and have not recovered. */
  readonly remaining: readonly AlertedLevel[];
  /** The levels that were crossed now. */
  readonly added: readonly AlertedLevel[];
}

export interface JudgementOptions {
  /** Names a new crossing of a balance or a runway: must differ from earlier ones. */
  readonly episode: string;
  /** The day when the rule was set: earlier days were spikes of another rule, and earlier months over. */
  readonly since: Day;
  /** Nobody is alerted now: recoveries count, and a crossing stays new until it can alert. */
  readonly isSuspended?: boolean;
}

/** A watch recovers 2 % beyond its threshold, or with one more day of runway, so that it doesn't alert again at once. */
const recoveryAbove = (threshold: Money): Money => threshold.times('1.02');
const recoveryBelow = (threshold: Money): Money => threshold.times('0.98');

/** Older days no longer alert when they are reported late. */
const LATE_DAYS = 7;
/** How long a spike's day counts as alerted. */
const KEPT_DAYS = 60;

/**
 * Compares what was measured with the rule. Alerts once a crossing, and again only after it recovered: the same result
 * whenever and however often it is called.
 *
 * @param measurement of the rule's kind
 * @param alerted as an earlier judgement of the same rule left it
 */
export function evaluateRule(
  rule: WatchRule,
  measurement: WatchMeasurement,
  alerted: readonly AlertedLevel[],
  options: JudgementOptions,
): Evaluation {
  const { remaining, added, ...findings } = judge(rule, measurement, alerted, options);
  if (options.isSuspended) return { ...findings, crossings: [], alerted: remaining };
  const isAdded = ({ episode, level }: AlertedLevel) =>
    added.some((other) => other.episode === episode && other.level === level);
  return { ...findings, alerted: [...remaining.filter((before) => !isAdded(before)), ...added] };
}

function judge(
  rule: WatchRule,
  measurement: WatchMeasurement,
  alerted: readonly AlertedLevel[],
  options: JudgementOptions,
): Findings {
  if (rule.kind === 'balance' && measurement.kind === 'balance') {
    const { balance } = measurement;
    if (balance === undefined) return unknownFindings(alerted);
    return judgeLevel(balance.lt(rule.below), balance.gte(recoveryAbove(rule.below)), alerted, options);
  }
  if (rule.kind === 'runway' && measurement.kind === 'runway') {
    const { runway } = measurement;
    if (runway === undefined || runway.kind === 'unknown') return unknownFindings(alerted);
    const days = runway.kind === 'overdrawn' ? 0 : runway.kind === 'estimate' ? runway.days : Infinity;
    return judgeLevel(days < rule.days, days >= rule.days + 1, alerted, options);
  }
  if (rule.kind === 'budget' && measurement.kind === 'budget')
    return judgeBudget(rule.amount, measurement.months, alerted, options.since);
  if (rule.kind === 'spike' && measurement.kind === 'spike')
    return judgeSpikes(rule, measurement, alerted, options);
  throw new RangeError('The measurement is of another kind than the rule.');
}

const NOTHING = { crossings: [], recoveries: [], corrections: [], added: [] };

const unknownFindings = (remaining: readonly AlertedLevel[]): Findings => ({
  ...{ ...NOTHING, isKnown: false, remaining },
});

function judgeLevel(
  isCrossed: boolean,
  isRecovered: boolean,
  alerted: readonly AlertedLevel[],
  { episode }: JudgementOptions,
): Findings {
  if (isRecovered) return { ...NOTHING, isKnown: true, recoveries: alerted, remaining: [] };
  const added = isCrossed && alerted.length === 0 ? [{ episode, level: 'threshold' as const }] : [];
  return { ...NOTHING, isKnown: true, crossings: added, added, remaining: alerted };
}

/** From the least to the most urgent. */
const BUDGET_LEVELS: readonly WatchLevel[] = ['50', '80', 'forecast', '100'];

function judgeBudget(
  amount: Money,
  months: readonly MonthSpend[],
  alerted: readonly AlertedLevel[],
  since: Day,
): Findings {
  const each = months
    .filter(({ month }) => month >= since.slice(0, 7))
    .map((month) => judgeMonth(amount, month, alerted));
  return {
    isKnown: each.some(({ isKnown }) => isKnown),
    crossings: each.flatMap(({ crossings }) => crossings),
    recoveries: each.flatMap(({ recoveries }) => recoveries),
    corrections: [],
    // A month that is no longer checked never alerts again.
    remaining: each.flatMap(({ remaining }) => remaining),
    added: each.flatMap(({ added }) => added),
  };
}

function judgeMonth(amount: Money, spend: MonthSpend, all: readonly AlertedLevel[]): Findings {
  const episode = spend.month;
  const alerted = all.filter((before) => before.episode === episode);
  if (spend.reported === 0) return unknownFindings(alerted);
  const { spent, forecast } = spend;
  const isSpent = spent.gte(amount);
  const limitOf = (level: WatchLevel) =>
    amount.times(BUDGET_STEPS.find((step) => String(step) === level) ?? 100).times('0.01');
  const isCrossed = (level: WatchLevel): boolean =>
    level === 'forecast' ? isSpent || (forecast?.gt(amount) ?? false) : spent.gte(limitOf(level));
  const isRecovered = (level: WatchLevel): boolean =>
    level === 'forecast'
      ? !isSpent && (forecast?.lt(recoveryBelow(amount)) ?? false)
      : spent.lt(recoveryBelow(limitOf(level)));
  const added = BUDGET_LEVELS.filter(
    (level) => isCrossed(level) && !alerted.some((before) => before.level === level),
  ).map((level) => ({ episode, level }));
  return {
    ...NOTHING,
    isKnown: true,
    crossings: added.slice(-1),
    recoveries: alerted.filter(({ level }) => isRecovered(level)),
    remaining: alerted.filter(({ level }) => !isRecovered(level)),
    added,
  };
}

type SpikeRule = Extract<WatchRule, { readonly kind: 'spike' }>;

/** The amount from which a day is a spike: above the usual amount times the factor, and at least the floor. Undefined without a baseline. */
export function spikeLimit(
  { factor, floor }: SpikeRule,
  { baseline }: Pick<DaySpend, 'baseline'>,
): Money | undefined {
  if (baseline === undefined || baseline.lte(0)) return undefined;
  const usual = baseline.times(factor);
  return usual.gt(floor) ? usual : floor;
}

/** Days in a row that are one crossing. It ends with a reported day that is clearly below its limit, not with a missing day. */
interface SpikeRun {
  readonly spikes: Day[];
  isOver: boolean;
}

function judgeSpikes(
  rule: SpikeRule,
  { days, today }: MeasurementOf<'spike'>,
  alerted: readonly AlertedLevel[],
  { since, isSuspended }: JudgementOptions,
): Findings {
  const first = days[0]?.day ?? today;
  const armed = alerted.filter(({ isRearmed }) => !isRearmed);
  const earlier = armed.filter(({ episode, isOver }) => episode < first && !isOver);
  const runs = spikeRuns(rule, days, armed, earlier);
  const runOf = (episode: string) => runs.find(({ spikes }) => spikes.includes(episode));
  const dayOf = (episode: string) => days.find(({ day }) => day === episode);
  const levelOf = (day: Day, isOver: boolean): AlertedLevel => {
    const { amount } = dayOf(day) ?? {};
    return {
      episode: day,
      level: 'threshold',
      ...(isOver && { isOver }),
      ...(amount && { amount: toPlainDigits(amount) }),
    };
  };
  const isEligible = (day: Day) => day >= since && day >= addDays(today, -LATE_DAYS);
  const added = runs.flatMap(({ spikes, isOver }) => {
    if (armed.some(({ episode }) => spikes.includes(episode))) return [];
    const day = spikes.find(isEligible);
    return day === undefined ? [] : [levelOf(day, isOver)];
  });
  const crossings = isSuspended ? [] : added;
  const isReported = (episode: string) => episode < first || dayOf(episode) !== undefined;
  const recoveries = armed.filter(
    ({ episode, isOver }) => !isOver && isReported(episode) && (runOf(episode)?.isOver ?? true),
  );
  const remaining = alerted
    .filter(({ episode, isOver }) => !isOver || episode >= addDays(today, -KEPT_DAYS))
    .map((before): AlertedLevel => {
      const day = dayOf(before.episode);
      const isOver = before.isOver === true || recoveries.includes(before);
      const isRearmed = before.isRearmed === true || (isOver && day !== undefined && isCalm(rule, day));
      return { ...before, ...levelOf(before.episode, isOver), ...(isRearmed && { isRearmed }) };
    });
  return {
    isKnown: days.some((day) => spikeLimit(rule, day) !== undefined),
    crossings: crossings.map(({ episode, level }) => ({ episode, level })),
    recoveries,
    corrections: alerted.filter((before) => {
      const day = dayOf(before.episode);
      const isSaid =
        crossings.some(({ episode }) => episode === before.episode) ||
        (recoveries.includes(before) && day !== undefined && isCalm(rule, day));
      return before.amount !== undefined && day !== undefined && !day.amount.eq(before.amount) && !isSaid;
    }),
    remaining,
    added,
  };
}

/** Whether a day is clearly below its limit. */
function isCalm(rule: SpikeRule, day: DaySpend): boolean {
  const limit = spikeLimit(rule, day);
  return limit !== undefined && day.amount.lt(recoveryBelow(limit));
}

/** @param earlier alerted levels of before the first day whose run may go on */
function spikeRuns(
  rule: SpikeRule,
  days: readonly DaySpend[],
  alerted: readonly AlertedLevel[],
  earlier: readonly AlertedLevel[],
): readonly SpikeRun[] {
  const runs: SpikeRun[] =
    earlier.length === 0 ? [] : [{ spikes: earlier.map(({ episode }) => episode), isOver: false }];
  for (const spend of days) {
    const { day, amount } = spend;
    const limit = spikeLimit(rule, spend);
    const isSpike =
      limit !== undefined && amount.gte(rule.floor) && amount.gt(rule.factor.times(spend.baseline ?? 0));
    const run = runs.at(-1);
    const isOpen = run !== undefined && !run.isOver;
    // A correction may leave an alerted day between the limit and its recovery: then it has not recovered.
    const hasAlerted = !isCalm(rule, spend) && alerted.some(({ episode }) => episode === day);
    if (isCalm(rule, spend) && isOpen) run.isOver = true;
    else if (isOpen && (isSpike || hasAlerted)) run.spikes.push(day);
    else if (isSpike || hasAlerted) runs.push({ spikes: [day], isOver: false });
  }
  return runs;
}

/** How far back a simulation goes. */
const SIMULATED_DAYS = 90;
/** How many days before those are needed: for spikes that began earlier, and for the baselines of their days. */
const DAYS_BEFORE = 110;

/** @returns the first day of usage that a simulation made on `today` needs */
export const simulationFrom = (today: Day): Day => addDays(today, -SIMULATED_DAYS - DAYS_BEFORE);

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
  return checks.map((check) => {
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
