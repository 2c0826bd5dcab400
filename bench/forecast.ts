/** Measures the error of the month's forecast on each day of a year, beside two naive estimates. */

import { forecastFrom, forecastMonth } from '../src/domain/money/forecast.ts';
import {
  addDays,
  type Day,
  daysInRange,
  endOfUnit,
  isoWeekday,
  shiftUnits,
  startOfUnit,
} from '../src/domain/time/calendar.ts';
import { seededRandom } from '../test/support/seeded-random.ts';
import { usageOfItems } from '../test/support/usage.ts';

/** The true cost of each day, and which days the service reports. Precision does not matter, so amounts are numbers. */
export interface Year {
  readonly name: string;
  readonly cost: ReadonlyMap<Day, number>;
  readonly isReported: (day: Day) => boolean;
}

/** Mean absolute errors, in percent of the month's true cost. */
export interface Accuracy {
  readonly name: string;
  readonly points: number;
  readonly forecast: number;
  /** The average of the month's reported days × the days of the month. */
  readonly monthToDate: number;
  /** The reported total of the previous month. */
  readonly lastMonth: number;
}

const HISTORY = '2024-08-01';
const [FIRST, LAST] = ['2025-01-01', '2025-12-31'];

/** A steady project: some noise, a little growth. */
export const steadyYear = (seed: number): Year => {
  const random = seededRandom(seed);
  return year(
    'steady',
    (_, n) => 30_000 * 1.01 ** (n / 30) * (0.9 + 0.2 * random()),
    () => false,
  );
};

/** Quiet weekends, 5 % growth a month, 6 % of days and two longer gaps missing, and a large credit every quarter. */
export const irregularYear = (seed: number): Year => {
  const random = seededRandom(seed);
  const longGaps = [60, 250].map((n) => n + Math.floor(random() * 90));
  const isCredit = new Set([40, 130, 220, 310, 400].map((n) => n + Math.floor(random() * 80)));
  return year(
    'irregular',
    (day, n) => {
      const level = 30_000 * 1.05 ** (n / 30);
      const busy = isoWeekday(day) > 5 ? 0.35 : 1;
      return level * (busy * (0.85 + 0.3 * random()) - (isCredit.has(n) ? 2 : 0));
    },
    (n) => random() < 0.06 || longGaps.some((start) => n >= start && n < start + 6),
  );
};

function year(name: string, costOn: (day: Day, n: number) => number, isGap: (n: number) => boolean): Year {
  const days = daysInRange(HISTORY, LAST, 'UTC');
  const cost = new Map(days.map((day, n) => [day, costOn(day, n)]));
  const gaps = new Set(days.filter((_, n) => isGap(n)));
  return { name, cost, isReported: (day) => !gaps.has(day) };
}

/** Covers the days for which all three estimates exist: those after a reported day of their month. */
export function accuracyOf({ name, cost, isReported }: Year): Accuracy {
  const errors = daysInRange(FIRST, LAST, 'UTC').flatMap((today) => {
    const month = monthOf(today);
    const known = month.filter((day) => day < today && isReported(day));
    const forecast = forecastOn(today, { cost, isReported });
    if (known.length === 0 || forecast === undefined) return [];
    const costOf = (days: readonly Day[]) => days.reduce((all, day) => all + (cost.get(day) ?? 0), 0);
    const truth = costOf(month);
    const before = monthOf(shiftUnits('month', startOfUnit('month', today), -1)).filter(isReported);
    return [
      [forecast, (costOf(known) / known.length) * month.length, costOf(before)].map(
        (guess) => (100 * Math.abs(guess - truth)) / truth,
      ),
    ];
  });
  const mean = (column: number) =>
    errors.reduce((all, row) => all + (row[column] ?? Number.NaN), 0) / errors.length;
  return { name, points: errors.length, forecast: mean(0), monthToDate: mean(1), lastMonth: mean(2) };
}

const monthOf = (day: Day): readonly Day[] =>
  daysInRange(startOfUnit('month', day), endOfUnit('month', day), 'UTC');

function forecastOn(today: Day, { cost, isReported }: Pick<Year, 'cost' | 'isReported'>): number | undefined {
  const days = daysInRange(forecastFrom(today), addDays(today, -1), 'UTC');
  const items = days.filter(isReported).map((day) => ({
    day: { text: day },
    totalAmount: { text: (cost.get(day) ?? 0).toFixed(2) },
    totalBonuses: { text: '0' },
  }));
  return forecastMonth(usageOfItems(items, { days, zone: 'UTC' }), today, 'UTC')?.total.toNumber();
}

/** Returns a line for each kind of year, with means over several seeds. */
export function forecastNotes(): string[] {
  const seeds = [1, 2, 3, 4, 5];
  return [
    'Forecast of a month, made on each day of a year: mean absolute error in % of what the month cost',
    ...[steadyYear, irregularYear].map((make) => {
      const all = seeds.map((seed) => accuracyOf(make(seed)));
      const mean = (of: (accuracy: Accuracy) => number) =>
        (all.reduce((sum, accuracy) => sum + of(accuracy), 0) / all.length).toFixed(1);
      const [name, points] = [all[0]?.name, all.reduce((sum, accuracy) => sum + accuracy.points, 0)];
      return `  ${name} (${points} days): ${mean((accuracy) => accuracy.forecast)} %; month-to-date average × days: ${mean((accuracy) => accuracy.monthToDate)} %; last month’s total: ${mean((accuracy) => accuracy.lastMonth)} %`;
    }),
  ];
}
