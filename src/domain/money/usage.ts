/** What billing charged in a period, added up: its days, its sums, and how much that differs from the window before it. */
import type { Day } from '../time/calendar.ts';
import { type DayNamer, listDays } from '../time/day-groups.ts';
import { pluralize } from '../wording.ts';
import {
  changeInPercent,
  divide,
  type Money,
  type MoneyFormatter,
  sumMoney,
  toPlainDigits,
} from './amount.ts';

/**
 * An amount of a day. `raw`: the digits as they were sent, or those of the sum of several items; `readable`: how many
 * items are in `value`; `incomplete`: another one is unreadable.
 */
export type RowAmount =
  | {
      readonly value: Money;
      readonly raw: string;
      readonly readable: number;
      readonly incomplete: boolean;
    }
  | { readonly unreadable: string };

/**
 * What the service charged on a day, or an item without a readable one. Amount and bonuses are never added: the API does
 * not say whether one contains the other.
 */
export interface DayCharges {
  /** Absent when the service sent no readable day. */
  readonly day?: Day;
  /** The day, or what the service sent in its place. */
  readonly shown: string;
  readonly amount: RowAmount;
  readonly bonuses: RowAmount;
  /** How many items are added up here; usually 1. */
  readonly merged: number;
}

export interface UsageRow extends DayCharges {
  /** The day was not requested. False when there is no day. */
  readonly outside: boolean;
}

/** `readable` and `unreadable` count items. Without a readable one, `value` is zero but means nothing. */
export interface UsageTotal {
  readonly value: Money;
  readonly incomplete: boolean;
  readonly readable: number;
  readonly unreadable: number;
}

/** @returns what was spent; undefined if no item is readable */
export const readableTotal = ({ total }: Pick<Usage, 'total'>): Money | undefined =>
  total.readable === 0 ? undefined : total.value;

export interface DayFigure {
  readonly day: Day;
  readonly value: Money;
}

export interface Usage {
  /** Requested days that have an item, ascending; then other days; then items without a day, as they were sent. */
  readonly rows: readonly UsageRow[];
  /** Everything the service sent, with today and other days. */
  readonly total: UsageTotal;
  readonly bonuses: UsageTotal;
  /** How many complete days were requested: `reported`, `missing` and `unreadableDays` together. */
  readonly fullDays: number;
  /** Complete requested days whose whole amount is readable, and their amounts. */
  readonly reported: readonly Day[];
  readonly amounts: ReadonlyMap<Day, Money>;
  /** Complete requested days without an item: missing, not zero. */
  readonly missing: readonly Day[];
  /** Complete requested days with an amount that can't be read, or not all of it. */
  readonly unreadableDays: readonly Day[];
  /** The items of days that were not requested; the readable ones are in `total`. */
  readonly outside: UsageTotal;
  /** The items without a day; the readable ones are in `total`. */
  readonly unplaced: UsageTotal;
  /** The average of the days in `reported`. */
  readonly average?: Money;
  /** The most expensive day among `reported`; of equal days the earliest. */
  readonly highest?: DayFigure;
  /** Today so far, if it was requested and has a readable amount. */
  readonly today?: DayFigure;
}

/**
 * `today` is set if the period includes it, whether `days` does or not: it counts toward the total only, because it is
 * not over.
 */
export interface UsageQuestion {
  readonly days: readonly Day[];
  readonly today?: Day;
}

/** @param charges in any order, each day once. Never throws. */
export function computeUsage(charges: readonly DayCharges[], question: UsageQuestion): Usage {
  const requested = new Set(question.days);
  const isOutside = ({ day }: DayCharges) =>
    day !== undefined && day !== question.today && !requested.has(day);
  const all = charges.map((charge): UsageRow => ({ outside: isOutside(charge), ...charge }));
  const outside = all.filter((row) => row.outside).sort(byName);
  const unplaced = all.filter(({ day }) => day === undefined);
  const inside = all.filter((row) => !row.outside && row.day !== undefined).sort(byName);
  const rows = [...inside, ...outside, ...unplaced];
  const byDay = new Map(inside.map(({ day, amount }) => [day, amount]));
  const fullDays = [...requested].filter((day) => day !== question.today).sort();
  const figures = fullDays.flatMap((day): DayFigure[] => {
    const amount = byDay.get(day);
    return amount && 'value' in amount && !amount.incomplete ? [{ day, value: amount.value }] : [];
  });
  const amounts = new Map(figures.map(({ day, value }) => [day, value]));
  const [highest] = figures.toSorted((a, b) => b.value.cmp(a.value));
  const today = byDay.get(question.today);
  return {
    fullDays: fullDays.length,
    rows,
    total: totalOf(rows, 'amount'),
    bonuses: totalOf(rows, 'bonuses'),
    outside: totalOf(outside, 'amount'),
    unplaced: totalOf(unplaced, 'amount'),
    reported: [...amounts.keys()],
    amounts,
    missing: fullDays.filter((day) => !byDay.has(day)),
    unreadableDays: fullDays.filter((day) => byDay.has(day) && !amounts.has(day)),
    ...(highest && { average: divide(sumMoney([...amounts.values()]), amounts.size), highest }),
    ...(question.today &&
      today &&
      'value' in today && { today: { day: question.today, value: today.value } }),
  };
}

/** What some days cost, alone. @param charges of these and other days */
export function usageOn(days: readonly Day[], charges: readonly DayCharges[]): Usage {
  const asked = new Set(days);
  return computeUsage(
    charges.filter(({ day }) => day !== undefined && asked.has(day)),
    { days },
  );
}

function totalOf(charges: readonly DayCharges[], what: 'amount' | 'bonuses'): UsageTotal {
  const known = charges.flatMap(({ [what]: amount }) => ('value' in amount ? [amount] : []));
  const items = charges.reduce((count, { merged }) => count + merged, 0);
  const readable = known.reduce((count, amount) => count + amount.readable, 0);
  const unreadable = items - readable;
  return {
    value: sumMoney(known.map(({ value }) => value)),
    incomplete: unreadable > 0,
    readable,
    unreadable,
  };
}

const byName = (a: UsageRow, b: UsageRow): number => (a.shown < b.shown ? -1 : 1);

/** So many different unreadable texts are shown. */
const SHOWN = 3;

/** @returns undefined without amounts; unreadable if all of them are */
export function sumAmounts(amounts: readonly RowAmount[]): RowAmount | undefined {
  const [first] = amounts;
  if (first === undefined || amounts.length === 1) return first;
  const readable = amounts.filter((amount) => 'value' in amount);
  const [only, ...others] = readable;
  if (only === undefined) {
    const texts = [
      ...new Set(amounts.flatMap((amount) => ('unreadable' in amount ? amount.unreadable : []))),
    ];
    return { unreadable: [...texts.slice(0, SHOWN), ...(texts.length > SHOWN ? ['…'] : [])].join(', ') };
  }
  const value = sumMoney(readable.map((amount) => amount.value));
  return {
    value,
    raw: others.length === 0 ? only.raw : toPlainDigits(value),
    readable: readable.reduce((count, amount) => count + amount.readable, 0),
    incomplete: readable.length < amounts.length || readable.some(({ incomplete }) => incomplete),
  };
}

/** @returns the sum of those of `days` that have an amount, and how many they are */
export function sumReported(amounts: ReadonlyMap<Day, Money>, days: readonly Day[]) {
  const values = [...new Set(days)].flatMap((day) => amounts.get(day) ?? []);
  return { sum: sumMoney(values), reported: values.length };
}

/** `1,234.00`, `1,234.00 (incomplete)` */
export const formatTotal = (
  { value, incomplete }: Pick<UsageTotal, 'value' | 'incomplete'>,
  money: MoneyFormatter,
): string => `${money(value)}${incompleteMark(incomplete)}`;

export const incompleteMark = (isIncomplete: boolean): string => (isIncomplete ? ' (incomplete)' : '');

/** `bonuses 12.00`; '' if they are zero. */
export const formatBonusTotal = (bonuses: UsageTotal, money: MoneyFormatter): string =>
  bonuses.value.eq(0) && !bonuses.incomplete ? '' : `bonuses ${formatTotal(bonuses, money)}`;

/** `6 of 7 days reported, no data for Mon 16 Nov`; of a single day nothing when it is reported. */
export function formatReportedDays({ missing, reported, fullDays }: Usage, nameOf: DayNamer): string {
  if (fullDays === 0) return '';
  if (fullDays === 1) return missing.length > 0 ? 'no data yet' : '';
  const gaps = formatMissingDays({ missing }, nameOf);
  return `${reported.length} of ${fullDays} days reported${gaps && `, ${gaps}`}`;
}

/** `no data for Mon 16 Nov`; '' if every day has some. */
export const formatMissingDays = ({ missing }: Pick<Usage, 'missing'>, nameOf: DayNamer): string =>
  missing.length === 0 ? '' : `no data for ${listDays(missing, nameOf)}`;

/** What could not be read in these figures, a sentence each. Missing days are {@link formatReportedDays}'s. */
export function describeUnreadable(usage: Usage, nameOf: DayNamer): string[] {
  const { unreadableDays, total, bonuses } = usage;
  const lost = bonuses.readable === 0 ? 'none could' : `${pluralize(bonuses.unreadable, 'amount')} couldn’t`;
  return [
    unreadableDays.length > 0 &&
      `The amount for ${listDays(unreadableDays, nameOf)} couldn’t be read in full: it isn’t in the average.`,
    total.incomplete && `The total is incomplete: ${pluralize(total.unreadable, 'amount')} couldn’t be read.`,
    bonuses.incomplete && `The bonuses are incomplete: ${lost} be read.`,
  ].filter((sentence) => sentence !== false);
}

/** A value for the period, and one for the window before it. */
export interface PeriodPair<T> {
  readonly current: T;
  readonly before: T;
}

/** How many of some complete days are reported. */
export interface Coverage {
  readonly reported: number;
  readonly of: number;
}

/** Sums; averages a day if the two do not have the same number of reported days. */
export interface UsageChangeFigures extends PeriodPair<Money> {
  readonly basis: 'total' | 'average';
  /** Averages per day, whatever is compared. */
  readonly daily: PeriodPair<Money>;
  /** Absent when it would mislead: nothing spent before, or a credit. */
  readonly percent?: Money;
}

export interface UsageChange {
  readonly coverage: PeriodPair<Coverage>;
  /** Absent if too few days of either are reported. */
  readonly figures?: UsageChangeFigures;
}

const SIDES = ['current', 'before'] as const;
type Side = (typeof SIDES)[number];

const pair = <T>(of: (side: Side) => T): PeriodPair<T> => ({ current: of('current'), before: of('before') });

/** Compares complete reported days only. @param days the complete days that each usage should cover */
export function compareUsage(current: Usage, before: Usage, days: PeriodPair<readonly Day[]>): UsageChange {
  const usages = { current, before };
  const spent = pair((side) => sumReported(usages[side].amounts, days[side]));
  const coverage = pair((side) => ({ reported: spent[side].reported, of: days[side].length }));
  if (shortSides(coverage).length > 0) return { coverage };
  const daily = pair((side) => divide(spent[side].sum, spent[side].reported));
  const basis = spent.current.reported === spent.before.reported ? 'total' : 'average';
  return {
    coverage,
    figures: figuresOf(basis, basis === 'total' ? pair((side) => spent[side].sum) : daily, daily),
  };
}

function figuresOf(
  basis: UsageChangeFigures['basis'],
  values: PeriodPair<Money>,
  daily: PeriodPair<Money>,
): UsageChangeFigures {
  const percent = changeInPercent(values.current, values.before);
  return { basis, ...values, daily, ...(percent && { percent }) };
}

/**
 * Adds up several projects' changes over the same days: of their totals where all have them, else of their averages a day.
 * The coverage is that of the one that is reported worst.
 *
 * @returns undefined unless all of them have figures
 */
export function sumChanges(changes: readonly UsageChange[]): Required<UsageChange> | undefined {
  const figures = changes.flatMap((change) => change.figures ?? []);
  if (changes.length === 0 || figures.length < changes.length) return undefined;
  const sumOf = (pairOf: (each: UsageChangeFigures) => PeriodPair<Money>) =>
    pair((side) => sumMoney(figures.map((each) => pairOf(each)[side])));
  const isTotal = figures.every(({ basis }) => basis === 'total');
  const daily = sumOf((each) => each.daily);
  const coverage = pair((side) =>
    changes.map((each) => each.coverage[side]).reduce((a, b) => (b.reported < a.reported ? b : a)),
  );
  return {
    coverage,
    figures: isTotal
      ? figuresOf(
          'total',
          sumOf((each) => each),
          daily,
        )
      : figuresOf('average', daily, daily),
  };
}

const shortSides = (coverage: UsageChange['coverage']): readonly Side[] =>
  SIDES.filter((side) => !isWellReported(coverage[side].reported, coverage[side].of));

/** Whether at least one day and at least four fifths of all days are reported: fewer are too few for a percentage. */
export const isWellReported = (reported: number, of: number): boolean =>
  reported > 0 && reported * 5 >= of * 4;

/**
 * Why two sides can't be compared, by the side that falls short; '' if they can: `No comparison: Thu 25 Feb isn’t reported
 * yet.`, `Too few days reported to compare with 1–30 Sep (1–31 Oct: 22 of 31 days reported).`
 */
export function formatUncompared({ coverage }: UsageChange, labels: PeriodPair<string>): string {
  const short = shortSides(coverage);
  const [side] = short;
  if (side === undefined) return '';
  if (coverage[side].of === 1)
    return `No comparison: ${labels[side]} isn’t reported${side === 'current' ? ' yet' : ''}.`;
  const counts = short.map((each) => `${labels[each]}: ${formatCoverage(coverage[each])}`);
  const which = side === 'before' ? formatCoverage(coverage.before) : counts.join(', ');
  return `Too few days reported to compare with ${labels.before} (${which}).`;
}

/** `6 of 7 days reported`; of a single day `not reported` */
export const formatCoverage = ({ reported, of }: Coverage): string =>
  of === 1
    ? reported === 0
      ? 'not reported'
      : 'reported'
    : `${reported} of ${pluralize(of, 'day')} reported`;
