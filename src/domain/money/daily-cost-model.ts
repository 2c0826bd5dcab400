/**
 * What a day is expected to cost, from the days before it, in plain numbers. Each step is a known method:
 *
 * - Spikes are found with Hampel's identifier, median ± 3 × 1.4826 × MAD of the days around, and left out of the rest.
 * - A weekday's factor is the median of its ratios to the mean of its week, as in classical decomposition.
 * - The last change of level or growth is found by optimal partitioning with a BIC penalty, the problem that PELT solves
 *   (Killick, Fearnhead and Eckley 2012), on a scale where growth is a straight line.
 * - A trend is damped (Gardner and McKenzie 1985), φ as in Hyndman and Athanasopoulos, Forecasting, section 8.2.
 */
import { addDays, type Day, daysBetween } from '../time/calendar.ts';

/** The costs of consecutive days; undefined for one that is not reported. */
export interface CostHistory {
  readonly first: Day;
  readonly costs: readonly (number | undefined)[];
}

export interface DailyCostModel {
  /** @param day one to come, or an earlier one that is not reported */
  readonly expectedCost: (day: Day) => number;
  /** The level is the average of the days from this one on, the recent ones weighted more. */
  readonly since: Day;
  /** Single days far from the usual, ascending. */
  readonly spikes: readonly Spike[];
  /** By how much a day of each month, such as the day of an invoice, exceeds the others; 0 for most days. */
  readonly monthlyCharge: (day: Day) => number;
}

interface Spike {
  readonly day: Day;
  /** What the day cost above the median of those around; negative if it cost less. */
  readonly excess: number;
}

const WEEK = 7;
const LONGEST_MONTH = 31;
/** How many days or weeks to each side are compared; how far off a spike is, in MADs and as a share of the median. */
const SPIKE = { around: 7, beside: 3, weeks: 4, mads: 3 * 1.4826, share: 0.5 } as const;
/** From this many spikes on, they count as regular: their mean is added to each day. */
const FREQUENT_SPIKES = 3;
/** Ratios that each weekday needs; below this factor a day says nothing about the level. */
const WEEKDAY = { minRatios: 3, minFactor: 0.1 } as const;
/** Days that are looked at for a change; that make a level or a trend; that the level is averaged over at most. */
const DAYS = { searched: 84, level: 3, trend: 14, averaged: 28 } as const;
/** A day counts half as much as one this many days later: so even a change too small to be found is followed. */
const HALF_LIFE = 10;
/** A relative change below `minNoise` counts as none; `penalty` multiplies that of BIC. */
const CHANGE = { minNoise: 0.02, penalty: 1.5 } as const;
/** Growth a day is at most 5 %. */
const TREND = { damping: 0.98, max: 0.05 } as const;

type Costs = CostHistory['costs'];

export function modelDailyCosts({ first, costs }: CostHistory): DailyCostModel {
  const end = costs.length;
  const excesses = findSpikes(costs);
  const usual = costs.map((cost, n) => (excesses.has(n) ? undefined : cost));
  const factors = weekdayFactors(usual);
  const factorOf = (n: number): number => factors[n % WEEK] ?? 1;
  const { since, slope } = lastRegime(usual, factorOf);
  const growthTo = (n: number): number => Math.exp(slope * dampedDays(n - end + 1));
  const levelOf = (from: number, to: number): number => {
    let [cost, weight] = [0, 0];
    for (let n = Math.max(0, from); n < Math.min(to, end); n += 1) {
      const recency = 2 ** ((n - end) / HALF_LIFE);
      cost += (usual[n] ?? 0) * recency;
      weight += usual[n] === undefined ? 0 : factorOf(n) * growthTo(n) * recency;
    }
    return weight > 0 ? cost / weight : Number.NaN;
  };
  const from = Math.max(since, end - DAYS.averaged);
  const level = levelOf(from, end) || 0;
  /** A day before the last change costs what the days around it do. */
  const levelAt = (n: number): number => (n < since && levelOf(n - 3, n + 4)) || level;

  const spikes = [...excesses].map(([n, excess]) => ({ day: addDays(first, n), excess }));
  const monthlyCharge = (day: Day): number => {
    const sameDays = spikes.filter((spike) => spike.day < day && isSameDayOfMonth(spike.day, day));
    const [before, last] = sameDays.slice(-2);
    if (!before || !last || daysBetween(before.day, day) > 2 * LONGEST_MONTH) return 0;
    return (before.excess + last.excess) / 2;
  };
  const reported = costs.filter((cost) => cost !== undefined);
  const irregular = spikes.filter((spike) => !spikes.some((other) => isMonthAfter(spike.day, other.day)));
  const spikesPerDay =
    irregular.length < FREQUENT_SPIKES ? 0 : sum(irregular.map(({ excess }) => excess)) / reported.length;
  const least = reported.some((cost) => cost < 0) ? Number.NEGATIVE_INFINITY : 0;
  return {
    expectedCost: (day) => {
      const n = daysBetween(first, day);
      return Math.max(least, levelAt(n) * growthTo(n) * factorOf(n) + spikesPerDay + monthlyCharge(day));
    },
    since: addDays(first, from),
    spikes,
    monthlyCharge,
  };
}

export const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return ((sorted[middle] ?? Number.NaN) + (sorted[(sorted.length - 1) >> 1] ?? Number.NaN)) / 2;
}

/** Days far from those around them, which fewer than two neighbours and fewer than half of the same weekdays resemble. */
function findSpikes(costs: Costs): ReadonlyMap<number, number> {
  const spikes = new Map<number, number>();
  costs.forEach((cost, n) => {
    if (cost === undefined) return;
    const near = (reach: number, step = 1): number[] => {
      const values: number[] = [];
      for (let k = -reach; k <= reach; k += 1) {
        const value = costs[n + k * step];
        if (k !== 0 && value !== undefined) values.push(value);
      }
      return values;
    };
    const around = near(SPIKE.around);
    const middle = median(around);
    const off = Math.abs(cost - middle);
    if (!(off > SPIKE.share * Math.abs(middle))) return;
    if (off <= SPIKE.mads * median(around.map((value) => Math.abs(value - middle)))) return;
    const isAlike = (value: number) => Math.abs(value - cost) < Math.abs(value - middle);
    const weeks = near(SPIKE.weeks, WEEK);
    const isUsualOnWeekday = weeks.length > 1 && weeks.filter(isAlike).length * 2 >= weeks.length;
    if (!isUsualOnWeekday && near(SPIKE.beside).filter(isAlike).length < 2) spikes.set(n, cost - middle);
  });
  return spikes;
}

/** @returns of the first day's weekday and the six after it, with the mean 1; all 1 if there are too few days to tell */
function weekdayFactors(usual: Costs): readonly number[] {
  const ratios: number[][] = Array.from({ length: WEEK }, () => []);
  usual.forEach((cost, n) => {
    const from = Math.max(0, Math.min(n - 3, usual.length - WEEK));
    const week = usual.slice(from, from + WEEK).filter((value) => value !== undefined);
    const mean = sum(week) / week.length;
    if (cost !== undefined && week.length >= WEEK - 1 && mean !== 0) ratios[n % WEEK]?.push(cost / mean);
  });
  const factors = ratios.map((each) => Math.max(0, median(each)));
  const all = sum(factors);
  const isKnown = all > 0 && ratios.every(({ length }) => length >= WEEKDAY.minRatios);
  return factors.map((factor) => (isKnown ? (factor * WEEK) / all : 1));
}

interface Regime {
  readonly since: number;
  /** The logarithm of the growth a day; 0 for a level. */
  readonly slope: number;
}

/** The last of the stretches, each of one level or one growth, that explain the days best. */
function lastRegime(usual: Costs, factorOf: (n: number) => number): Regime {
  const days = [...usual.keys()]
    .filter((n) => usual[n] !== undefined && factorOf(n) >= WEEKDAY.minFactor)
    .slice(-DAYS.searched);
  const levels = days.map((n) => (usual[n] ?? 0) / factorOf(n));
  const sizes = levels.map(Math.abs);
  // Like the logarithm for large amounts, and defined for zero and credits.
  const unit = (median(sizes) || Math.max(...sizes)) / 20 || 1;
  const values = levels.map((level) => Math.asinh(level / unit));
  const steps = values.slice(1).map((value, n) => Math.abs(value - (values[n] ?? 0)));
  const noise = Math.max(CHANGE.minNoise, (1.4826 / Math.SQRT2) * (median(steps) || 0));
  const penalty = CHANGE.penalty * Math.log(values.length) * noise ** 2;
  const best = [{ cost: 0, from: 0, slope: 0 }];
  for (let end = 1; end <= values.length; end += 1) {
    let [cost, start, slope] = [Number.POSITIVE_INFINITY, 0, 0];
    let [x, y, xx, xy, yy] = [0, 0, 0, 0, 0];
    for (let from = end - 1; from >= 0; from -= 1) {
      const [day, value] = [(days[from] ?? 0) - (days[end - 1] ?? 0), values[from] ?? 0];
      x += day;
      y += value;
      xx += day * day;
      xy += day * value;
      yy += value * value;
      const count = end - from;
      if (count < DAYS.level && from > 0) continue;
      const asLevel = (best[from]?.cost ?? 0) + Math.max(0, yy - (y * y) / count) + 2 * penalty;
      if (asLevel < cost) [cost, start, slope] = [asLevel, from, 0];
      if (count < DAYS.trend) continue;
      const [spread, joint] = [xx - (x * x) / count, xy - (x * y) / count];
      const asTrend = asLevel - (joint * joint) / spread + penalty;
      if (asTrend < cost) [cost, start, slope] = [asTrend, from, joint / spread];
    }
    best.push({ cost, from: start, slope });
  }
  const { from, slope } = best.at(-1) ?? { from: 0, slope: 0 };
  return { since: days[from] ?? 0, slope: Math.max(-TREND.max, Math.min(TREND.max, slope)) };
}

/** φ + φ² + … for days to come; those of the past count in full. */
const dampedDays = (days: number): number =>
  days <= 0 ? days : (TREND.damping * (1 - TREND.damping ** days)) / (1 - TREND.damping);

const isLastOfMonth = (day: Day): boolean => addDays(day, 1).endsWith('-01');

const isSameDayOfMonth = (a: Day, b: Day): boolean =>
  a.slice(8) === b.slice(8) || (isLastOfMonth(a) && isLastOfMonth(b));

/** Whether the two are the same day of consecutive months, in either order. */
const isMonthAfter = (a: Day, b: Day): boolean =>
  a !== b && isSameDayOfMonth(a, b) && Math.abs(daysBetween(a, b)) <= LONGEST_MONTH;
