/** Measures the month's forecast beside three naive ones, over months of several kinds. */
import { Big } from 'big.js';
import { forecastFrom, forecastMonth } from '../src/domain/money/forecast.ts';
import {
  addDays,
  type Day,
  daysBetween,
  daysInRange,
  endOfUnit,
  isoWeekday,
  shiftUnits,
} from '../src/domain/time/calendar.ts';
import { seededRandom } from '../test/delivery/simulated-project.ts';

/** The true cost of each day of a month and of the months before. */
interface Costs {
  readonly first: Day;
  readonly cost: ReadonlyMap<Day, number>;
}

/** @param n days since the 1st of the forecast month; negative before it */
type Pattern = (n: number, day: Day) => number;

interface Kind {
  readonly name: string;
  readonly pattern: (random: () => number) => Pattern;
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

const ASKED = { first: 3, last: 25 } as const;

/** Each day costs up to this share more or less. */
const NOISE = 0.1;

function costsOf({ pattern }: Kind, seed: number): Costs {
  const random = seededRandom(seed * 7_919 + 13);
  const first = shiftUnits('month', '2025-01-01', dayBetween(random, 0, 35));
  const scale = 10 ** between(random, 3, 6);
  const costOn = pattern(random);
  const cost = daysInRange(forecastFrom(first), endOfUnit('month', first), 'UTC').map(
    (day): [Day, number] => [
      day,
      scale * costOn(daysBetween(first, day), day) * between(random, 1 - NOISE, 1 + NOISE),
    ],
  );
  return { first, cost: new Map(cost) };
}

/** Means over all months of a kind. Each month is forecast on each day from the 3rd to the 25th. */
export interface Accuracy {
  readonly name: string;
  /** The mean absolute error of Tally's forecasts, in percent of the month's cost. */
  readonly tally: number;
  readonly naive: { readonly soFar: number; readonly lastWeek: number; readonly lastMonth: number };
  /** How many forecasts had a range, and how many of these ranges held, in percent. */
  readonly ranged: number;
  readonly held: number;
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
  };
}

function forecastsOf({ first, cost }: Costs) {
  const month = daysInRange(first, endOfUnit('month', first), 'UTC');
  const costOf = (days: readonly Day[]) => days.reduce((sum, day) => sum + (cost.get(day) ?? 0), 0);
  const averageOf = (days: readonly Day[]) => costOf(days) / days.length;
  const truth = costOf(month);
  const errorOf = (estimate: number) => (100 * Math.abs(estimate - truth)) / Math.abs(truth);
  return daysInRange(addDays(first, ASKED.first - 1), addDays(first, ASKED.last - 1), 'UTC').flatMap(
    (today) => {
      const known = [...cost.keys()].filter((day) => day < today);
      const soFar = known.filter((day) => day >= first);
      const lastMonth = known.filter((day) => day < first && day >= shiftUnits('month', first, -1));
      const amounts = new Map(known.map((day) => [day, new Big((cost.get(day) ?? 0).toFixed(2))]));
      const forecast = forecastMonth(amounts, today, 'UTC');
      if (forecast === undefined || soFar.length === 0) return [];
      const total = forecast.total.toNumber();
      const error = forecast.error?.toNumber();
      return [
        {
          tally: errorOf(total),
          soFar: errorOf(averageOf(soFar) * month.length),
          lastWeek: errorOf(costOf(soFar) + averageOf(known.slice(-7)) * (month.length - soFar.length)),
          lastMonth: errorOf(costOf(lastMonth)),
          range: error === undefined ? undefined : { holds: Math.abs(total - truth) <= error },
        },
      ];
    },
  );
}
export function forecastNotes(): string[][] {
  const seeds = Array.from({ length: 30 }, (_, n) => n + 1);
  const head = ['', 'Tally', 'average so far', 'last 7 days', 'last month', 'with ±', '± held'];
  const rows = KINDS.map((kind) => {
    const { name, tally, naive, ranged, held } = accuracyOf(kind, seeds);
    const figures = [tally, naive.soFar, naive.lastWeek, naive.lastMonth, ranged, held];
    return [name, ...figures.map((value) => value.toFixed(1))];
  });
  return [head, ...rows];
}
