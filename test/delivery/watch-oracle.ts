/** A second, simple implementation of watches. It counts in whole cents and shares only the forecast with src. */
import { Big } from 'big.js';
import { forecastTotal } from '../../src/domain/money/forecast.ts';

type Day = string;
export type OracleRule =
  | { readonly kind: 'balance'; readonly below: number }
  | { readonly kind: 'runway'; readonly days: number }
  | { readonly kind: 'budget'; readonly amount: number }
  | { readonly kind: 'spike'; readonly factor: number; readonly floor: number };

/** What billing says at the moment of a check, in cents. */
export interface OracleFigures {
  readonly today: Day;
  readonly balance: number | undefined;
  readonly reported: ReadonlyMap<Day, number>;
  /** A paused or snoozed watch tells nothing, but notices recoveries. What is still crossed at the end is told then. */
  readonly isQuiet: boolean;
}

const shift = (day: Day, days: number): Day =>
  new Date(Date.parse(`${day}T00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
const lastDay = (month: string): Day =>
  new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 0)).toISOString().slice(0, 10);

/** @returns what each check tells */
export function createOracle(rule: OracleRule, since: Day): (figures: OracleFigures) => readonly string[] {
  switch (rule.kind) {
    case 'balance': {
      let isArmed = true;
      return ({ balance, isQuiet }) => {
        if (balance === undefined) return [];
        if (balance * 100 >= rule.below * 102) isArmed = true;
        if (balance >= rule.below || !isArmed || isQuiet) return [];
        isArmed = false;
        return ['threshold'];
      };
    }
    case 'runway': {
      let isArmed = true;
      return ({ balance, today, reported, isQuiet }) => {
        const days = balance === undefined ? undefined : daysLeft(balance, today, reported);
        if (days === undefined) return [];
        if (days >= rule.days + 1) isArmed = true;
        if (days >= rule.days || !isArmed || isQuiet) return [];
        isArmed = false;
        return ['threshold'];
      };
    }
    case 'budget':
      return budgetOracle(rule.amount, since);
    case 'spike':
      return spikeOracle(rule, since);
  }
}

function daysLeft(balance: number, today: Day, reported: ReadonlyMap<Day, number>): number | undefined {
  if (balance < 0) return 0;
  const week = [1, 2, 3, 4, 5, 6, 7].flatMap((n) => reported.get(shift(today, -n)) ?? []);
  if (week.length < 3) return undefined;
  const sum = week.reduce((a, b) => a + b, 0);
  return sum <= 0 ? Number.POSITIVE_INFINITY : Math.floor((balance * week.length) / sum);
}

function budgetOracle(amount: number, since: Day) {
  /** The months and steps that were told and haven't recovered. */
  const told = new Set<string>();
  const judged = (month: string, figures: OracleFigures, forecast: number | undefined): readonly string[] => {
    let spent = 0;
    let count = 0;
    for (let day = `${month}-01`; day < figures.today && day <= lastDay(month); day = shift(day, 1)) {
      const cost = figures.reported.get(day);
      if (cost === undefined) continue;
      spent += cost;
      count += 1;
    }
    if (count === 0) return [];
    const isOver = spent >= amount;
    const steps: readonly (readonly [string, boolean, boolean])[] = [
      ['50', spent * 2 >= amount, spent * 200 < amount * 98],
      ['80', spent * 100 >= amount * 80, spent * 10_000 < amount * 80 * 98],
      [
        'forecast',
        isOver || (forecast !== undefined && forecast > amount),
        !isOver && forecast !== undefined && forecast < amount * 0.98,
      ],
      ['100', isOver, spent * 100 < amount * 98],
    ];
    let highest: string | undefined;
    for (const [step, isCrossed, isBelow] of steps) {
      const key = `${month} ${step}`;
      if (isBelow) told.delete(key);
      if (!isCrossed || told.has(key) || figures.isQuiet) continue;
      told.add(key);
      highest = key;
    }
    return highest === undefined ? [] : [highest];
  };
  return (figures: OracleFigures): readonly string[] => {
    const month = figures.today.slice(0, 7);
    const before = shift(`${month}-01`, -1).slice(0, 7);
    const isEarly = Number(figures.today.slice(8)) <= 7;
    return [
      ...(isEarly && before >= since.slice(0, 7) ? judged(before, figures, undefined) : []),
      ...judged(month, figures, forecastOf(figures)),
    ];
  };
}

/** The forecast has tests of its own. */
function forecastOf({ today, reported }: OracleFigures): number | undefined {
  const amounts = new Map([...reported].map(([day, cents]) => [day, new Big(cents).div(100)]));
  const total = forecastTotal(amounts, today, 'UTC');
  return total?.times(100).toNumber();
}

function spikeOracle({ factor, floor }: Extract<OracleRule, { kind: 'spike' }>, since: Day) {
  const told = new Set<Day>();
  return ({ today, reported, isQuiet }: OracleFigures): readonly string[] => {
    const usual = (day: Day): number | undefined => {
      const weeks = [7, 14, 21, 28].flatMap((n) => reported.get(shift(day, -n)) ?? []).sort((a, b) => a - b);
      if (weeks.length === 4) return (weeks[1]! + weeks[2]!) / 2;
      if (weeks.length === 3) return weeks[1];
      const before = Array.from({ length: 60 }, (_, n) => reported.get(shift(day, -n - 1)))
        .filter((cost) => cost !== undefined)
        .slice(0, 14);
      return before.length < 14 ? undefined : before.reduce((a, b) => a + b, 0) / 14;
    };
    const classOf = (day: Day): 'missing' | 'spike' | 'calm' | 'between' => {
      const cost = reported.get(day);
      if (cost === undefined) return 'missing';
      const base = usual(day);
      if (base === undefined || base <= 0) return 'between';
      if (cost > base * factor && cost >= floor) return 'spike';
      return cost < Math.max(base * factor, floor) * 0.98 ? 'calm' : 'between';
    };
    /** Spikes on successive days count as one if no calm day lies between them. */
    const isTold = (day: Day): boolean => {
      if (told.has(day)) return true;
      for (const step of [-1, 1])
        for (
          let other = shift(day, step);
          other < today && other >= shift(today, -45);
          other = shift(other, step)
        ) {
          if (classOf(other) === 'calm') break;
          if (told.has(other)) return true;
        }
      return false;
    };
    // A day that was corrected to a usual amount counts as recovered.
    for (const day of told) if (day >= shift(today, -45) && classOf(day) === 'calm') told.delete(day);
    if (isQuiet) return [];
    const found: Day[] = [];
    for (let day = shift(today, -7); day < today; day = shift(day, 1)) {
      if (day < since || classOf(day) !== 'spike' || isTold(day)) continue;
      told.add(day);
      found.push(day);
    }
    return found;
  };
}
