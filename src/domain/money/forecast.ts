/** Estimates what the running month will cost. */
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
import type { Money, MoneyFormatter } from './amount.ts';
import { type CostHistory, type DailyCostModel, modelDailyCosts, sum } from './daily-cost-model.ts';
import { reportedAmounts, sumReported, type Usage } from './usage.ts';

/** An estimate, and the figures it is based on. */
export interface Forecast {
  /** The whole month: `spent`, plus the expected cost of the `left` days. */
  readonly total: Money;
  /** The month's complete days that are reported. */
  readonly spent: Money;
  /** How many days are estimated: future ones, today, and missing ones. */
  readonly left: number;
  /** The current level is the average of `reported` of the last `of` complete days: those since it last changed. */
  readonly reported: number;
  readonly of: number;
  /** `total` ± this, above zero. Absent where it cannot be relied on. */
  readonly error?: Money;
}

/** How far back usage is asked for, and how many of the last complete days must be reported. */
const HISTORY = { months: 3, days: 28 } as const;
const BASIS = { days: 28, minReported: 7 } as const;
/**
 * The error is twice the third largest of nine earlier forecasts for as many days, a week apart, so that a single
 * change or huge day, which spoils two of them at most, doesn't count. There is none before the month's last quarter,
 * as changes of the days to come can't be foreseen, nor in the first days of another level.
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
 * @param usage of the days from {@link forecastFrom} to yesterday; without all of them there may be no `error`
 * @returns undefined if fewer than 7 of the last 28 complete days are reported
 */
export const forecastMonth = (usage: Usage, today: Day, zone: Zone): Forecast | undefined =>
  forecastFromAmounts(reportedAmounts(usage), today, zone);

/** @param amounts of the reported days from {@link forecastFrom} to yesterday @returns as {@link forecastMonth} */
export function forecastFromAmounts(amounts: Amounts, today: Day, zone: Zone): Forecast | undefined {
  const estimate = estimateMonth(amounts, today, zone);
  if (estimate === undefined) return undefined;
  const { history, model, month, left, expected, total, spent } = estimate;
  const basis = daysInRange(model.since, addDays(today, -1), zone);
  const isLate = month.filter((day) => day >= today).length <= ERROR.leftShare * month.length;
  const error =
    isLate && basis.length >= ERROR.levelDays ? Math.abs(expected) * (relativeError(history, model) ?? 0) : 0;
  return {
    total,
    spent,
    left: left.length,
    reported: basis.filter((day) => amounts.has(day)).length,
    of: basis.length,
    ...(error > 0 && error <= ERROR.mostShare * Math.abs(total.toNumber()) && { error: toMoney(error) }),
  };
}

/** The `total` of {@link forecastFromAmounts} alone, in a third of the time. */
export const forecastTotal = (amounts: Amounts, today: Day, zone: Zone): Money | undefined =>
  estimateMonth(amounts, today, zone)?.total;

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

/** No digit after the twelfth means anything in an estimate. */
const toMoney = (estimate: number): Money => new Big(estimate.toPrecision(12));

/** @returns the error of the days from the end of `costs` to the month's as a share of their cost, if it is known */
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

/**
 * `Forecast: about 861,234.00 by 30 Nov (± 12,000.00), from 27 of the last 28 days`. Our own words and figures alone.
 * @param today a day of the month
 */
export function formatForecast(
  { total, error, reported, of }: Forecast,
  today: Day,
  money: MoneyFormatter,
): string {
  const range = error === undefined ? '' : ` (± ${money(error)})`;
  const basis = reported === of ? `the last ${of} days` : `${reported} of the last ${of} days`;
  return `Forecast: about ${money(total)} by ${forecastDay(today)}${range}, from ${basis}`;
}

/** `30 Nov` */
export function forecastDay(today: Day): string {
  const last = endOfUnit('month', today);
  return formatDays(last, last, last.slice(0, 4)).slice('Mon '.length);
}
