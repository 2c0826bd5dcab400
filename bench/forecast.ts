/** Measures the forecast of a month beside three naive ones, over months of several kinds. */

import { Big } from 'big.js';
import { forecastFrom, forecastFromAmounts } from '../src/domain/money/forecast.ts';
import {
  addDays,
  type Day,
  daysBetween,
  daysInRange,
  endOfUnit,
  isoWeekday,
  shiftUnits,
} from '../src/domain/time/calendar.ts';
import { seededRandom } from '../test/support/seeded-random.ts';
import { columns } from './table.ts';

/** The true cost of each day of a month and of the months before; of the days not in `reported` nobody knows it. */
interface Costs {
  readonly first: Day;
  readonly cost: ReadonlyMap<Day, number>;
  readonly isReported: (day: Day) => boolean;
}

/** @param n days since the 1st of the month that is forecast, negative before it */
type Pattern = (n: number, day: Day) => number;

interface Kind {
  readonly name: string;
  /** Made anew for each month. */
  readonly pattern: (random: () => number) => Pattern;
  /** The share of the noise, 0.1 if absent: each day costs up to this much more or less. */
  readonly noise?: number;
  /** The share of days that are not reported, none if absent. */
  readonly missing?: number;
  /** How many days before the month there is data of; all that a forecast may use if absent. */
  readonly history?: number;
}

const between = (random: () => number, low: number, high: number): number => low + random() * (high - low);
const dayBetween = (random: () => number, low: number, high: number): number =>
  Math.floor(between(random, low, high + 1));
const weekday: Pattern = (_, day) => (isoWeekday(day) > 5 ? 0.35 : 1);
const invoice: Pattern = (_, day) => (day.endsWith('-01') ? 15 : 0);
const step =
  (from: number, factor: number): Pattern =>
  (n) =>
    n >= from ? factor : 1;

export const KINDS: readonly Kind[] = [
  { name: 'steady', pattern: () => () => 1 },
  { name: 'weekday pattern', pattern: () => weekday },
  { name: 'step a week before the month', pattern: (random) => step(-7, between(random, 1.5, 4)) },
  {
    name: 'step in the month',
    pattern: (random) => step(dayBetween(random, 4, 19), between(random, 1.5, 4)),
  },
  {
    name: 'one 20× day',
    pattern: (random) => {
      const huge = dayBetween(random, 1, 19);
      return (n) => (n === huge ? 20 : 1);
    },
  },
  { name: '2 % growth a day', pattern: () => (n) => 1.02 ** n },
  { name: '2 % decline a day', pattern: () => (n) => 0.98 ** n },
  { name: 'invoice on the 1st', pattern: () => (n, day) => 1 + invoice(n, day) },
];

const MIXED_KINDS: readonly Kind[] = [
  ...KINDS.map((kind) => ({ ...kind, name: `${kind.name}, no noise`, noise: 0 })),
  ...KINDS.map((kind) => ({ ...kind, name: `${kind.name}, much noise`, noise: 0.4 })),
  ...KINDS.map((kind) => ({ ...kind, name: `${kind.name}, 1 of 12 days missing`, missing: 1 / 12 })),
  ...KINDS.map((kind) => ({ ...kind, name: `${kind.name}, data of 3 weeks`, history: 21 })),
  { name: 'weekday pattern, growth', pattern: () => (n, day) => weekday(n, day) * 1.02 ** n },
  {
    name: 'weekday pattern, step before',
    pattern: () => (n, day) => weekday(n, day) * step(-7, 2)(n, day),
  },
  {
    name: 'weekday pattern, step in the month',
    pattern: (random) => {
      const level = step(dayBetween(random, 4, 19), 2.5);
      return (n, day) => weekday(n, day) * level(n, day);
    },
  },
  { name: 'invoice, step before', pattern: () => (n, day) => step(-7, 2)(n, day) + invoice(n, day) },
  { name: 'invoice, weekday pattern', pattern: () => (n, day) => weekday(n, day) + invoice(n, day) },
  {
    name: 'step down in the month',
    pattern: (random) => step(dayBetween(random, 4, 19), 0.4),
  },
  {
    name: 'a credit a quarter',
    pattern: (random) => {
      const credits = new Set([-100, -10].map((n) => n + dayBetween(random, 0, 29)));
      return (n) => (credits.has(n) ? -2 : 1);
    },
  },
  {
    name: 'a costly day a week, any',
    pattern: (random) => () => (random() < 1 / 7 ? 5 : 1),
  },
  { name: 'nothing on weekends', pattern: () => (_, day) => (isoWeekday(day) > 5 ? 0 : 1) },
  { name: 'one day a week', pattern: () => (_, day) => (isoWeekday(day) === 3 ? 5 : 0) },
  { name: 'invoice on the last day', pattern: () => (_, day) => (addDays(day, 1).endsWith('-01') ? 15 : 1) },
  {
    name: '5 % growth a month',
    pattern: () => (n) => 1.05 ** (n / 30),
  },
  {
    name: 'a drift',
    pattern: (random) => {
      let level = 0;
      return () => {
        level += between(random, -0.08, 0.08);
        return Math.exp(level);
      };
    },
  },
];

const ASKED = { first: 3, last: 25 } as const;

function costsOf({ pattern, noise = 0.1, missing = 0, history = 1_000 }: Kind, seed: number): Costs {
  const random = seededRandom(seed * 7_919 + 13);
  const first = shiftUnits('month', '2025-01-01', dayBetween(random, 0, 35));
  const scale = 10 ** between(random, 3, 6);
  const costOn = pattern(random);
  const days = daysInRange(forecastFrom(first), endOfUnit('month', first), 'UTC');
  const cost = new Map(
    days.map((day) => [
      day,
      scale * costOn(daysBetween(first, day), day) * between(random, 1 - noise, 1 + noise),
    ]),
  );
  const gaps = new Set(days.filter(() => random() < missing));
  const from = addDays(first, -history);
  return { first, cost, isReported: (day) => day >= from && !gaps.has(day) };
}

/** Means over the months of a kind, asked on each day from the 3rd to the 25th. */
export interface Accuracy {
  readonly name: string;
  /** Mean absolute errors in percent of what the month cost. */
  readonly tally: number;
  readonly naive: { readonly soFar: number; readonly lastWeek: number; readonly lastMonth: number };
  /** In how many of the forecasts there was a range, and in how many of these it held, in percent. */
  readonly ranged: number;
  readonly held: number;
  /** The mean width of a range to each side, in percent of the month. */
  readonly width: number;
}

export function accuracyOf(kind: Kind, seeds: readonly number[]): Accuracy {
  const asked = seeds.flatMap((seed) => forecastsOf(costsOf(kind, seed)));
  const ranges = asked.flatMap(({ range }) => range ?? []);
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  return {
    name: kind.name,
    tally: mean(asked.map(({ tally }) => tally)),
    naive: {
      soFar: mean(asked.map(({ soFar }) => soFar)),
      lastWeek: mean(asked.map(({ lastWeek }) => lastWeek)),
      lastMonth: mean(asked.map(({ lastMonth }) => lastMonth)),
    },
    ranged: (100 * ranges.length) / asked.length,
    held: mean(ranges.map(({ holds }) => (holds ? 100 : 0))),
    width: mean(ranges.map(({ width }) => width)),
  };
}

function forecastsOf({ first, cost, isReported }: Costs) {
  const month = daysInRange(first, endOfUnit('month', first), 'UTC');
  const costOf = (days: readonly Day[]) => days.reduce((sum, day) => sum + (cost.get(day) ?? 0), 0);
  const averageOf = (days: readonly Day[]) => costOf(days) / days.length;
  const truth = costOf(month);
  const errorOf = (estimate: number) => (100 * Math.abs(estimate - truth)) / Math.abs(truth);
  return daysInRange(addDays(first, ASKED.first - 1), addDays(first, ASKED.last - 1), 'UTC').flatMap(
    (today) => {
      const known = [...cost.keys()].filter((day) => day < today && isReported(day));
      const soFar = known.filter((day) => day >= first);
      const lastMonth = known.filter((day) => day < first && day >= shiftUnits('month', first, -1));
      const amounts = new Map(known.map((day) => [day, new Big((cost.get(day) ?? 0).toFixed(2))]));
      const forecast = forecastFromAmounts(amounts, today, 'UTC');
      if (forecast === undefined || soFar.length === 0) return [];
      const total = forecast.total.toNumber();
      const error = forecast.error?.toNumber();
      return [
        {
          tally: errorOf(total),
          soFar: errorOf(averageOf(soFar) * month.length),
          lastWeek: errorOf(costOf(soFar) + averageOf(known.slice(-7)) * (month.length - soFar.length)),
          lastMonth: errorOf(costOf(lastMonth)),
          range:
            error === undefined
              ? undefined
              : {
                  holds: Math.abs(total - truth) <= error,
                  width: (100 * error) / Math.abs(truth),
                },
        },
      ];
    },
  );
}

/** Tables over 30 months of each kind, and over 10 of each mixed one. */
export function forecastNotes(): string[] {
  const head = [
    ...['', 'Tally', 'average so far', 'last 7 days', 'last month', '÷ best'],
    ...['with ±', '± held', '± mean'],
  ];
  return [
    'Forecast of a month, asked on its days 3 to 25: mean absolute error in % of the month',
    columns([head, ...rowsOf(KINDS, 30)], head.length),
    '',
    columns([head, ...rowsOf(MIXED_KINDS, 10)], head.length),
  ];
}

function rowsOf(kinds: readonly Kind[], months: number): readonly string[][] {
  const seeds = Array.from({ length: months }, (_, n) => n + 1);
  const percent = (value: number) => (Number.isNaN(value) ? '' : value.toFixed(1));
  return kinds.map((kind) => {
    const { name, tally, naive, ranged, held, width } = accuracyOf(kind, seeds);
    const errors = [naive.soFar, naive.lastWeek, naive.lastMonth];
    const best = Math.min(...errors);
    // Without noise the best is exact.
    const ratio = best < 0.05 ? '' : (tally / best).toFixed(2);
    return [name, percent(tally), ...errors.map(percent), ratio, ...[ranged, held, width].map(percent)];
  });
}
