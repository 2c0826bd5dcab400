/** Judges whether a watch has crossed its threshold, when it may alert again, and how often it would have. */
import { addDays, type Day, daysBefore } from '../time/calendar.ts';
import { type Amount, type Money, sumMoney, toPlainDigits } from './amount.ts';
import {
  BUDGET_STEPS,
  type DaySpend,
  type MeasurementOf,
  type MonthSpend,
  measureWatch,
  spendOf,
  spikeDays,
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
  readonly kept: readonly AlertedLevel[];
  /** The levels that were crossed now. */
  readonly fresh: readonly AlertedLevel[];
}

export interface JudgementOptions {
  /** Names a new crossing of a balance or a runway: must differ from earlier ones. */
  readonly episode: string;
  /** The day when the rule was set: earlier days were spikes of another rule, and earlier months over. */
  readonly since: Day;
  /** Nobody is alerted now: recoveries count, and a crossing stays new until it can alert. */
  readonly isSuspended?: boolean;
}

/** Recovery takes 2 % more than the threshold, or one more day of runway. */
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
  const judge = JUDGES[rule.kind] as Judge<WatchKind>;
  const { kept, fresh, ...findings } = judge(rule, measurement, alerted, options);
  if (options.isSuspended) return { ...findings, crossings: [], alerted: kept };
  const others = kept.filter(
    (before) => !fresh.some(({ episode, level }) => episode === before.episode && level === before.level),
  );
  return { ...findings, alerted: [...others, ...fresh] };
}

type RuleOf<K extends WatchKind> = Extract<WatchRule, { readonly kind: K }>;

type Judge<K extends WatchKind> = (
  rule: RuleOf<K>,
  measurement: MeasurementOf<K>,
  alerted: readonly AlertedLevel[],
  options: JudgementOptions,
) => Findings;

const JUDGES: { readonly [K in WatchKind]: Judge<K> } = {
  balance({ below }, { balance }, alerted, options) {
    if (balance === undefined) return unknownFindings(alerted);
    return judgeLevel(balance.lt(below), balance.gte(recoveryAbove(below)), alerted, options);
  },
  runway(rule, { runway }, alerted, options) {
    if (runway === undefined || runway.kind === 'unknown') return unknownFindings(alerted);
    const days = runway.kind === 'overdrawn' ? 0 : runway.kind === 'estimate' ? runway.days : Infinity;
    return judgeLevel(days < rule.days, days >= rule.days + 1, alerted, options);
  },
  budget: ({ amount }, { months }, alerted, { since }) => judgeBudget(amount, months, alerted, since),
  spike: (...judged) => judgeSpikes(...judged),
};

const NOTHING = { crossings: [], recoveries: [], corrections: [], fresh: [] };

const unknownFindings = (kept: readonly AlertedLevel[]): Findings => ({ ...NOTHING, isKnown: false, kept });

function judgeLevel(
  isCrossed: boolean,
  isRecovered: boolean,
  alerted: readonly AlertedLevel[],
  { episode }: JudgementOptions,
): Findings {
  if (isRecovered) return { ...NOTHING, isKnown: true, recoveries: alerted, kept: [] };
  const fresh = isCrossed && alerted.length === 0 ? [{ episode, level: 'threshold' as const }] : [];
  return { ...NOTHING, isKnown: true, crossings: fresh, fresh, kept: alerted };
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
    kept: each.flatMap(({ kept }) => kept),
    fresh: each.flatMap(({ fresh }) => fresh),
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
  const fresh = BUDGET_LEVELS.filter(
    (level) => isCrossed(level) && !alerted.some((before) => before.level === level),
  ).map((level) => ({ episode, level }));
  return {
    ...NOTHING,
    isKnown: true,
    crossings: fresh.slice(-1),
    recoveries: alerted.filter(({ level }) => isRecovered(level)),
    kept: alerted.filter(({ level }) => !isRecovered(level)),
    fresh,
  };
}

type SpikeRule = RuleOf<'spike'>;

/** What a day must exceed to be a spike; undefined when it has no baseline. */
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

const judgeSpikes: Judge<'spike'> = (rule, { days, today }, alerted, { since, isSuspended }) => {
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
  const fresh = runs.flatMap(({ spikes, isOver }) => {
    if (armed.some(({ episode }) => spikes.includes(episode))) return [];
    const day = spikes.find(isEligible);
    return day === undefined ? [] : [levelOf(day, isOver)];
  });
  const crossings = isSuspended ? [] : fresh;
  const isReported = (episode: string) => episode < first || dayOf(episode) !== undefined;
  const recoveries = armed.filter(
    ({ episode, isOver }) => !isOver && isReported(episode) && (runOf(episode)?.isOver ?? true),
  );
  const kept = alerted
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
    kept,
    fresh,
  };
};

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
