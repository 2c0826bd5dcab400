/** Measures a project’s figures for the rules of its watches. */
import {
  addDays,
  type Day,
  daysBefore,
  daysInRange,
  endOfUnit,
  startOfUnit,
  type Zone,
} from '../time/calendar.ts';
import { type Amount, divide, type Money, median, sumMoney, ZERO } from './amount.ts';
import { type Account, type Runway, runwayFrom } from './balance-and-runway.ts';
import { forecastTotal } from './forecast.ts';
import { sumReported } from './usage.ts';
import type { WatchKind } from './watch-rule.ts';

export interface WatchFigures {
  readonly today: Day;
  readonly zone: Zone;
  readonly account?: Account;
  /** The cost of each complete day that is reported. The cost of other days is unknown, not zero. */
  readonly amounts: ReadonlyMap<Day, Money>;
}

/** What a month has cost up to yesterday, reported on `reported` of `of` days. */
export interface MonthSpend {
  readonly month: string;
  readonly spent: Money;
  readonly reported: number;
  readonly of: number;
  /** The month is over, and billing has reported all its days, or won't. */
  readonly isFinal?: boolean;
  /** The expected cost of the whole month; absent if the month is over or too few days are reported. */
  readonly forecast?: Money;
}

export interface DaySpend {
  readonly day: Day;
  readonly amount: Money;
  /** The usual amount; absent if too few earlier days are reported. */
  readonly baseline?: Money;
  /** `baseline` comes from the same weekday of earlier weeks, or from the days before: `basisDays` of them. */
  readonly basis?: 'weekday' | 'days';
  readonly basisDays?: number;
}

export type WatchMeasurement =
  /** `runway` is how long the balance lasts without bonuses. Both are absent if the balance isn't known. */
  | { readonly kind: 'balance'; readonly balance?: Money; readonly runway?: Runway }
  | { readonly kind: 'runway'; readonly runway?: Runway }
  /** The current month; in its first 7 days, the month before comes first. */
  | { readonly kind: 'budget'; readonly months: readonly MonthSpend[] }
  | { readonly kind: 'spike'; readonly today: Day; readonly days: readonly DaySpend[] };

/** Billing may report the last days of a month late. */
const LATE_DAYS = 7;
const SPIKE_DAYS = 45;
const WEEK = 7;

export type MeasurementOf<K extends WatchKind> = Extract<WatchMeasurement, { readonly kind: K }>;

export function measureWatch<K extends WatchKind>(kind: K, figures: WatchFigures): MeasurementOf<K>;
export function measureWatch(kind: WatchKind, figures: WatchFigures): WatchMeasurement {
  const { today, zone, amounts, account } = figures;
  switch (kind) {
    case 'balance': {
      const { balance } = account ?? {};
      if (balance === undefined || !('value' in balance)) return { kind };
      return { kind, balance: balance.value, runway: runwayOf({ balance, bonuses: NOTHING }, figures) };
    }
    case 'runway':
      return { kind, ...(account && { runway: runwayOf(account, figures) }) };
    case 'budget':
      return { kind, months: monthsOf(figures) };
    case 'spike':
      return { kind, today, days: spendOf(daysBefore(today, SPIKE_DAYS, zone), amounts) };
  }
}

const NOTHING: Amount = { value: ZERO, raw: '0' };

function runwayOf(account: Account, { amounts, today, zone }: WatchFigures): Runway {
  const days = daysBefore(today, WEEK, zone);
  return runwayFrom(account, { of: days.length, ...sumReported(amounts, days) }, today);
}

export function averageDay(figures: WatchFigures): Money | undefined {
  const runway = runwayOf({ balance: NOTHING, bonuses: NOTHING }, figures);
  return 'average' in runway ? runway.average : undefined;
}

function monthsOf(figures: WatchFigures): readonly MonthSpend[] {
  const { today, zone, amounts } = figures;
  const first = startOfUnit('month', today);
  const isEarly = Number(today.slice(8)) <= LATE_DAYS;
  const forecast = forecastTotal(amounts, today, zone);
  return [
    ...(isEarly ? [monthOf(addDays(first, -1), figures)] : []),
    { ...monthOf(first, figures), ...(forecast && { forecast }) },
  ];
}

function monthOf(day: Day, { today, zone, amounts }: WatchFigures): MonthSpend {
  const last = endOfUnit('month', day);
  const days = daysInRange(startOfUnit('month', day), last, zone).filter((over) => over < today);
  const { sum: spent, reported } = sumReported(amounts, days);
  const isWhole = reported === days.length;
  const isFinal = last < today && (isWhole || Number(today.slice(8)) >= LATE_DAYS);
  return { month: day.slice(0, 7), spent, reported, of: days.length, ...(isFinal && { isFinal }) };
}

export const spendOf = (days: readonly Day[], amounts: WatchFigures['amounts']): readonly DaySpend[] =>
  days.flatMap((day) => {
    const amount = amounts.get(day);
    if (amount === undefined) return [];
    const baseline = baselineOf(day, amounts);
    return [{ day, amount, ...baseline }];
  });

const SAME_WEEKDAYS = { weeks: 4, minReported: 3 } as const;
const DAYS_BEFORE = { reported: 14, within: 60 } as const;

function baselineOf(
  day: Day,
  amounts: WatchFigures['amounts'],
): Pick<DaySpend, 'baseline' | 'basis' | 'basisDays'> {
  const weeks = Array.from({ length: SAME_WEEKDAYS.weeks }, (_, n) => addDays(day, -WEEK * (n + 1)));
  const same = weeks.flatMap((earlier) => amounts.get(earlier) ?? []);
  if (same.length >= SAME_WEEKDAYS.minReported)
    return { baseline: median(same), basis: 'weekday', basisDays: same.length };
  const before: Money[] = [];
  for (let n = 1; n <= DAYS_BEFORE.within && before.length < DAYS_BEFORE.reported; n += 1) {
    const amount = amounts.get(addDays(day, -n));
    if (amount !== undefined) before.push(amount);
  }
  if (before.length < DAYS_BEFORE.reported) return {};
  return { baseline: divide(sumMoney(before), before.length), basis: 'days', basisDays: before.length };
}
