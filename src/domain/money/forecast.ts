/** Forecasts what the current month will cost, from the last three months. */
import { Big } from 'big.js';
import {
  addDays,
  type Day,
  daysBefore,
  daysBetween,
  daysInRange,
  endOfUnit,
  formatDays,
  shiftUnits,
  startOfUnit,
  type Zone,
} from '../time/calendar.ts';
import { formatEstimate, type Money, type MoneyFormatter, ZERO } from './amount.ts';
import { readableTotal, sumReported, type Usage } from './usage.ts';

export interface Forecast {
  readonly total: Money;
  /** What the month's complete days cost, as far as they are reported. */
  readonly spent: Money;
  /** How many days of the month are estimated: today, future days and unreported ones. */
  readonly left: number;
  /** The estimate is the average of `reported` days among the last `of`, since the daily cost last changed. */
  readonly reported: number;
  readonly of: number;
  /** How much more or less than `total` the month may cost; absent where this is uncertain. */
  readonly error?: Money;
}

const HISTORY = { months: 3, days: 28 } as const;
const BASIS = { days: 28, minReported: 7 } as const;
/**
 * A forecast's `error` is twice the third largest error of nine earlier forecasts, made a week apart, because one huge
 * day spoils up to two of them. Before the last quarter of a month, the error is too uncertain to show.
 */
const ERROR = {
  tests: 9,
  step: 7,
  rank: 3,
  factor: 2,
  leastShare: 0.05,
  mostShare: 0.2,
  leftShare: 0.25,
  levelDays: 7,
  calmDays: 3,
  history: 42,
} as const;

type Amounts = ReadonlyMap<Day, Money>;

/** @returns the first day of usage that a forecast made on `today` needs */
export const forecastFrom = (today: Day): Day =>
  addDays(shiftUnits('month', startOfUnit('month', today), -HISTORY.months), -HISTORY.days);

/**
 * @param amounts of the reported days from {@link forecastFrom} to yesterday
 * @param soFar what billing has reported of the current month, with today's part where that is known
 * @returns undefined if fewer than 7 of the last 28 complete days are reported
 */
export function forecastMonth(
  amounts: Amounts,
  today: Day,
  zone: Zone,
  soFar?: Pick<Usage, 'today' | 'total'>,
): Forecast | undefined {
  const estimate = estimateMonth(amounts, today, zone);
  if (estimate === undefined) return undefined;
  const { history, model, month, left, expected, spent } = estimate;
  const spentToday = soFar?.today?.value ?? ZERO;
  const unexpected = spentToday.minus(toMoney(model.expectedCost(today)));
  const isMore = spentToday.gt(0) && unexpected.gt(0);
  const total = isMore ? estimate.total.plus(unexpected) : estimate.total;
  const basis = daysInRange(model.since, addDays(today, -1), zone);
  const isLate = month.filter((day) => day >= today).length <= ERROR.leftShare * month.length;
  const error =
    isLate && basis.length >= ERROR.levelDays ? Math.abs(expected) * (relativeError(history, model) ?? 0) : 0;
  return {
    total: atLeast(soFar ? readableTotal(soFar) : spent, total),
    spent,
    left: left.length,
    reported: basis.filter((day) => amounts.has(day)).length,
    of: basis.length,
    ...(error > 0 && error <= ERROR.mostShare * Math.abs(total.toNumber()) && { error: toMoney(error) }),
  };
}

export function forecastTotal(amounts: Amounts, today: Day, zone: Zone): Money | undefined {
  const estimate = estimateMonth(amounts, today, zone);
  return estimate && atLeast(estimate.spent, estimate.total);
}

function estimateMonth(amounts: Amounts, today: Day, zone: Zone) {
  const recent = daysBefore(today, BASIS.days, zone).filter((day) => amounts.has(day));
  if (recent.length < BASIS.minReported) return undefined;
  const first = forecastFrom(today);
  const costs = Array.from({ length: daysBetween(first, today) }, (_, n) =>
    amounts.get(addDays(first, n))?.toNumber(),
  );
  const history: CostHistory = { first, costs };
  const model = modelDailyCosts(history);
  const month = daysInRange(startOfUnit('month', today), endOfUnit('month', today), zone);
  const { sum: spent } = sumReported(
    amounts,
    month.filter((day) => day < today),
  );
  const left = month.filter((day) => day >= today || !amounts.has(day));
  const expected = sum(left.map(model.expectedCost));
  return { history, model, month, left, expected, spent, total: spent.plus(toMoney(expected)) };
}

/** Expected credits must not make a month's total smaller than what is already spent. */
const atLeast = (spent: Money | undefined, total: Money): Money =>
  spent?.gt(0) && spent.gt(total) ? spent : total;

const toMoney = (estimate: number): Money => new Big(estimate.toPrecision(12));

/** @returns the usual relative error of earlier forecasts, made equally long before the end of a month */
function relativeError({ first, costs }: CostHistory, model: DailyCostModel): number | undefined {
  const today = addDays(first, costs.length);
  if (model.spikes.some(({ day }) => day >= addDays(today, -ERROR.calmDays))) return undefined;
  const length = daysBetween(today, endOfUnit('month', today)) + 1;
  const usual = [...costs];
  for (const { day } of model.spikes)
    if (model.monthlyCharge(day) !== 0) usual[daysBetween(first, day)] = undefined;
  const errors = Array.from({ length: ERROR.tests }, (_, n) => {
    const end = costs.length - length - ERROR.step * n;
    const start = end - ERROR.history;
    const known = usual.slice(Math.max(0, start), Math.max(0, end));
    if (known.filter((cost) => cost !== undefined).length * 2 < ERROR.history)
      return Number.POSITIVE_INFINITY;
    const earlier = modelDailyCosts({ first: addDays(first, Math.max(0, start)), costs: known });
    const days = usual
      .slice(end, end + length)
      .flatMap((cost, k) => (cost === undefined ? [] : [{ cost, day: addDays(first, end + k) }]));
    const estimate = sum(days.map(({ day }) => earlier.expectedCost(day)));
    return Math.abs(sum(days.map(({ cost }) => cost)) / estimate - 1);
  });
  const error = errors.sort((a, b) => b - a)[ERROR.rank - 1] ?? Number.NaN;
  return Number.isFinite(error) ? ERROR.leastShare + ERROR.factor * error : undefined;
}

export const formatForecast = (total: Money, today: Day, money: MoneyFormatter): string =>
  `about ${formatEstimate(total, money)} by ${forecastDay(today)}`;

/** `estimated from 27 of the last 28 days, ± 12,000` */
export function formatForecastBasis(
  { error, reported, of }: Omit<Forecast, 'total'>,
  money: MoneyFormatter,
): string {
  const basis = reported === of ? `the last ${of} days` : `${reported} of the last ${of} days`;
  return `estimated from ${basis}${error === undefined ? '' : `, ± ${formatEstimate(error, money, 2)}`}`;
}

export function forecastDay(today: Day): string {
  const last = endOfUnit('month', today);
  return formatDays(last, last, last.slice(0, 4)).slice('Mon '.length);
}

interface CostHistory {
  readonly first: Day;
  readonly costs: readonly (number | undefined)[];
}

interface DailyCostModel {
  readonly expectedCost: (day: Day) => number;
  /** The usual daily cost is a weighted average of the days from this one on. */
  readonly since: Day;
  readonly spikes: readonly { readonly day: Day; readonly excess: number }[];
  /** The extra cost that recurs on this day of every month, such as an invoice; usually 0. */
  readonly monthlyCharge: (day: Day) => number;
}

const WEEK = 7;
const LONGEST_MONTH = 31;
/** A spike differs from the median of nearby days by more than `mads` median absolute deviations and by `share`. */
const SPIKE = { around: 7, beside: 3, weeks: 4, mads: 3 * 1.4826, share: 0.5 } as const;
/** This many spikes on irregular days will probably recur, so each future day includes a share of their cost. */
const FREQUENT_SPIKES = 3;
/** `minRatios`: days needed of each weekday. `minFactor`: weekdays that cost less don't show the usual daily cost. */
const WEEKDAY = { minRatios: 3, minFactor: 0.1 } as const;
/** `level`, `trend`: the fewest days that show a new level, or a trend. */
const DAYS = { searched: 84, level: 3, trend: 14, averaged: 28 } as const;
const HALF_LIFE = 10;
/** `minNoise`: smaller relative changes are ignored. `penalty`: a factor for the penalty of the Bayesian criterion. */
const CHANGE = { minNoise: 0.02, penalty: 1.5 } as const;
/** `max`: 5 % growth a day. `damping`: each day's growth as a share of the growth of the day before. */
const TREND = { damping: 0.98, max: 0.05 } as const;

type Costs = CostHistory['costs'];

/**
 * Predicts the cost of a day from the days before. Each step is a published method:
 *
 * - Spikes are found with Hampel's identifier, median ± 3 × 1.4826 × MAD of nearby days. The other steps ignore them.
 * - A weekday's factor is the median of its ratios to the mean of its week, as in classical decomposition.
 * - The last change of level or growth is found by optimal partitioning with a BIC penalty, the problem that PELT solves
 *   (Killick, Fearnhead and Eckley 2012), on a scale where growth is a straight line.
 * - A trend is damped (Gardner and McKenzie 1985), φ as in Hyndman and Athanasopoulos, Forecasting, section 8.2.
 */
function modelDailyCosts({ first, costs }: CostHistory): DailyCostModel {
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
  // An unreported day before the last change probably cost as much as the days around it.
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

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return ((sorted[middle] ?? Number.NaN) + (sorted[(sorted.length - 1) >> 1] ?? Number.NaN)) / 2;
}

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

/** Finds the last change of level or growth. @returns `slope`: the logarithm of the daily growth; 0 for a level */
function lastRegime(
  usual: Costs,
  factorOf: (n: number) => number,
): { readonly since: number; readonly slope: number } {
  const days = [...usual.keys()]
    .filter((n) => usual[n] !== undefined && factorOf(n) >= WEEKDAY.minFactor)
    .slice(-DAYS.searched);
  const levels = days.map((n) => (usual[n] ?? 0) / factorOf(n));
  const sizes = levels.map(Math.abs);
  // asinh is like the logarithm for large amounts, but also defined for zero and for credits.
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

/** @returns φ + φ² + … for future days, because growth slows down; past days count in full */
const dampedDays = (days: number): number =>
  days <= 0 ? days : (TREND.damping * (1 - TREND.damping ** days)) / (1 - TREND.damping);

const isLastOfMonth = (day: Day): boolean => addDays(day, 1).endsWith('-01');

const isSameDayOfMonth = (a: Day, b: Day): boolean =>
  a.slice(8) === b.slice(8) || (isLastOfMonth(a) && isLastOfMonth(b));

const isMonthAfter = (a: Day, b: Day): boolean =>
  a !== b && isSameDayOfMonth(a, b) && Math.abs(daysBetween(a, b)) <= LONGEST_MONTH;
