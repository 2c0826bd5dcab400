/** Reads a watch's rule as it is typed, and measures a project for it. */
import { Big } from 'big.js';
import { cleanTyping } from '../language/typed-text.ts';
import {
  addDays,
  type Day,
  daysBefore,
  daysInRange,
  endOfUnit,
  startOfUnit,
  type Zone,
} from '../time/calendar.ts';
import { type Amount, divide, type Money, sumMoney, ZERO } from './amount.ts';
import { forecastTotal } from './forecast.ts';
import { type Account, type Runway, runwayFrom } from './runway.ts';
import { sumReported } from './usage.ts';

/** What billing reported about a project, as far as a watch needs it. */
export interface WatchFigures {
  readonly today: Day;
  readonly zone: Zone;
  readonly account?: Account;
  /** What each reported complete day cost. A day without an entry is missing, not zero. */
  readonly amounts: ReadonlyMap<Day, Money>;
}

/** A calendar month up to yesterday, for a budget. */
export interface MonthSpend {
  /** `2026-11` */
  readonly month: string;
  readonly spent: Money;
  readonly reported: number;
  readonly of: number;
  /** Forecast of the whole month; absent if the month is over or there is too little data. */
  readonly forecast?: Money;
}

export interface DaySpend {
  readonly day: Day;
  readonly amount: Money;
  /** The day's usual amount; absent if there is too little data. */
  readonly baseline?: Money;
  /** What `baseline` comes from: the same weekday of the weeks before, or the days before; and how many of them. */
  readonly basis?: 'weekday' | 'days';
  readonly basisDays?: number;
}

export type WatchMeasurement =
  /** `runway` is how long the balance alone lasts. Both are absent when the balance is not known. */
  | { readonly kind: 'balance'; readonly balance?: Money; readonly runway?: Runway }
  /** `runway` is absent when the balance is not known. */
  | { readonly kind: 'runway'; readonly runway?: Runway }
  /** The month of `today`; in its first 7 days, the month before comes first. */
  | { readonly kind: 'budget'; readonly months: readonly MonthSpend[] }
  /** `days` are in ascending order. */
  | { readonly kind: 'spike'; readonly today: Day; readonly days: readonly DaySpend[] };

/** In the first 7 days of a month, watches still check the previous one, as data can come late. */
const LATE_DAYS = 7;
/** How many days are measured for a spike, enough to find the first day of a run of spikes. */
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

/** The runway from the average of the last 7 complete days, the same that `/balance` shows. */
function runwayOf(account: Account, { amounts, today, zone }: WatchFigures): Runway {
  const days = daysBefore(today, WEEK, zone);
  return runwayFrom(account, { of: days.length, ...sumReported(amounts, days) }, today);
}

/** The average of the reported days among the last 7 complete ones; undefined when too few are reported. */
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
  return { month: day.slice(0, 7), spent, reported, of: days.length };
}

/** The reported days, each with its baseline. */
export const spendOf = (days: readonly Day[], amounts: WatchFigures['amounts']): readonly DaySpend[] =>
  days.flatMap((day) => {
    const amount = amounts.get(day);
    if (amount === undefined) return [];
    const baseline = baselineOf(day, amounts);
    return [{ day, amount, ...baseline }];
  });

/** How many earlier same weekdays a baseline uses, and how many of them have to be reported. */
const SAME_WEEKDAYS = { weeks: 4, minReported: 3 } as const;
/** Without enough same weekdays: how many reported days to average, and how many days back to look for them. */
const DAYS_BEFORE = { reported: 14, within: 60 } as const;

/** The median of the last four same weekdays; if fewer than three are reported, the average of the 14 days before. */
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

function median(values: readonly Money[]): Money {
  const sorted = values.toSorted((a, b) => a.cmp(b));
  const middle = sorted.slice(Math.ceil(sorted.length / 2) - 1, Math.floor(sorted.length / 2) + 1);
  return divide(sumMoney(middle), middle.length);
}

/** What a watch checks. Amounts are in the service's currency, which it does not name. */
export type WatchRule =
  /** Balance without bonuses falls below this. */
  | { readonly kind: 'balance'; readonly below: Money }
  /** Balance and bonuses last fewer than this many days. */
  | { readonly kind: 'runway'; readonly days: number }
  /** The month's spend so far reaches 50, 80 or 100 % of `amount`, or its forecast exceeds `amount`. */
  | { readonly kind: 'budget'; readonly amount: Money }
  /** A day costs more than `factor` times its baseline, and at least `floor`. */
  | { readonly kind: 'spike'; readonly factor: Money; readonly floor: Money };

export type WatchKind = WatchRule['kind'];

export const MAX_THRESHOLD_DIGITS = 30;
export const MAX_RUNWAY_DAYS = 3_650;
export const BUDGET_STEPS = [50, 80, 100] as const;

/** The forms of numbers grouped by three digits, with an optional fraction, and what separates the groups. */
const GROUPED: readonly (readonly [form: RegExp, separator: string])[] = [
  [/^[1-9]\d{0,2}(?: \d{3})+(?:[.,]\d+)?$/, ' '],
  [/^[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?$/, ','],
  [/^[1-9]\d{0,2}(?:\.\d{3})+,\d+$/, '.'],
  [/^[1-9]\d{0,2}(?:\.\d{3}){2,}$/, '.'],
];
const DECIMAL = /^\d+(?:[.,]\d+)?$/;
/** Three digits after a point: `50.000` can only be grouped, `1.234` may also be a fraction. */
const EITHER = /^([1-9]\d{0,2})\.(\d{3})$/;

/**
 * The amounts that a text can mean, each with the digits to type for it: none, one, or two for `1.234`, which may be
 * thousands or a fraction. Reads `50000`, `50,000`, `50 000`, `50.000`, `1.234,56` and `50k`, with or without the sign of a
 * currency.
 */
export const readAmounts = (typed: string): readonly { readonly value: Money; readonly digits: string }[] =>
  amountsIn(typed).map((digits) => ({ value: new Big(digits), digits }));

function amountsIn(typed: string): readonly string[] {
  const text = cleanTyping(typed).replace(/^\p{Sc} ?|(?<=\d) ?\p{Sc}$|^-(?=0$)/gu, '');
  if (text.replace(/\D/g, '').length > MAX_THRESHOLD_DIGITS) return [];
  const thousands = /^(\d+(?:[.,]\d{1,2})?) ?k$/i.exec(text)?.[1];
  if (thousands !== undefined) return [new Big(thousands.replace(',', '.')).times(1000).toFixed()];
  const [, whole, places] = EITHER.exec(text) ?? [];
  if (whole !== undefined)
    return places === '000' ? [`${whole}000`] : [`${whole}${places}`, `${whole}.${places}0`];
  const [, separator] = GROUPED.find(([form]) => form.test(text)) ?? [];
  const plain = (separator === undefined ? text : text.replaceAll(separator, '')).replace(',', '.');
  return separator !== undefined || DECIMAL.test(text) ? [plain] : [];
}

/** @returns whole days; undefined for an invalid number of days */
export function parseRunwayDays(typed: string): number | undefined {
  const [, digits, unit = ''] = /^(\d{1,6}) ?(days?|d|weeks?|w)?$/i.exec(cleanTyping(typed)) ?? [];
  const days = Number(digits) * (unit.toLowerCase().startsWith('w') ? 7 : 1);
  return days >= 1 && days <= MAX_RUNWAY_DAYS ? days : undefined;
}

/** `2`, `2x`, `2×`, `x2`, `1.5x`, `1,5x`. @returns undefined unless it is a factor above 1 */
export function parseFactor(typed: string): Money | undefined {
  const [, before, after] =
    /^(?:[x×] ?(\d{1,6}(?:[.,]\d{1,6})?)|(\d{1,6}(?:[.,]\d{1,6})?) ?[x×]?)$/i.exec(cleanTyping(typed)) ?? [];
  const digits = before ?? after;
  if (digits === undefined) return undefined;
  const value = new Big(digits.replace(',', '.'));
  return value.gt(1) ? value : undefined;
}
