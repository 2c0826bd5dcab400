/** How much a period's usage differs from that of the window before it, and which days made the difference. */

import type { Day } from '../time/calendar.ts';
import { pluralize } from '../wording.ts';
import { changeInPercent, divide, type Money, sumMoney } from './amount.ts';
import { type DayFigure, reportedAmounts, sumSpentOn, type Usage } from './usage.ts';

/** A value for the period, and one for the window before it. */
export interface PeriodPair<T> {
  readonly current: T;
  readonly before: T;
}

/** How many of some complete days are reported; of the `partial` ones, an item is unreadable. */
export interface Coverage {
  readonly reported: number;
  readonly of: number;
  readonly partial: number;
}

/** Sums; averages a day if the two do not have the same number of reported days. */
export interface UsageChangeFigures extends PeriodPair<Money> {
  readonly basis: 'total' | 'average';
  /** Averages per day, whatever is compared. */
  readonly daily: PeriodPair<Money>;
  /** Absent when it would mislead: too few reported days, nothing spent before, or a credit. */
  readonly percent?: Money;
}

export interface UsageChange {
  readonly coverage: PeriodPair<Coverage>;
  /** Absent if either has no reported day. */
  readonly figures?: UsageChangeFigures;
}

const SIDES = ['current', 'before'] as const;
type Side = (typeof SIDES)[number];

const pair = <T>(of: (side: Side) => T): PeriodPair<T> => ({ current: of('current'), before: of('before') });

/** Compares complete reported days only. @param days the complete days that each usage should cover */
export function compareUsage(current: Usage, before: Usage, days: PeriodPair<readonly Day[]>): UsageChange {
  const usages = { current, before };
  const spent = pair((side) => sumSpentOn(usages[side], days[side]));
  const coverage = pair((side): Coverage => {
    const covered = new Set(days[side]);
    const partial = usages[side].partialDays.filter((day) => covered.has(day)).length;
    return { reported: spent[side].reported, of: days[side].length, partial };
  });
  if (spent.current.reported === 0 || spent.before.reported === 0) return { coverage };
  const daily = pair((side) => divide(spent[side].sum, spent[side].reported));
  const basis = spent.current.reported === spent.before.reported ? 'total' : 'average';
  const values = basis === 'total' ? pair((side) => spent[side].sum) : daily;
  return { coverage, figures: figuresOf(basis, values, daily, coverage) };
}

function figuresOf(
  basis: UsageChangeFigures['basis'],
  values: PeriodPair<Money>,
  daily: PeriodPair<Money>,
  coverage: PeriodPair<Coverage>,
): UsageChangeFigures {
  const percent = isPoorlyReported({ coverage }) ? undefined : changeInPercent(values.current, values.before);
  return { basis, ...values, daily, ...(percent && { percent }) };
}

/**
 * Adds up several projects' changes over the same days: the sum of their averages a day, with the coverage of the one
 * that is reported worst.
 *
 * @returns undefined unless all of them have figures
 */
export function sumChanges(changes: readonly UsageChange[]): UsageChange | undefined {
  const figures = changes.flatMap((change) => change.figures ?? []);
  if (changes.length === 0 || figures.length < changes.length) return undefined;
  const daily = pair((side) => sumMoney(figures.map((each) => each.daily[side])));
  const coverage = pair((side) =>
    changes.map((each) => each.coverage[side]).reduce((a, b) => (wholeDays(b) < wholeDays(a) ? b : a)),
  );
  return { coverage, figures: figuresOf('average', daily, daily, coverage) };
}

const wholeDays = ({ reported, partial }: Coverage): number => reported - partial;

/** Whether fewer than four fifths of either's days are reported: too few for a percentage. */
export const isPoorlyReported = (change: Pick<UsageChange, 'coverage'>): boolean =>
  shortSides(change).length > 0;

const shortSides = ({ coverage }: Pick<UsageChange, 'coverage'>): readonly Side[] =>
  SIDES.filter((side) => !isWellReported(wholeDays(coverage[side]), coverage[side].of));

/** Whether at least one day and at least four fifths of all days are reported. */
export const isWellReported = (reported: number, of: number): boolean =>
  reported > 0 && reported * 5 >= of * 4;

/**
 * Why two sides can't be compared, by the side that falls short; '' if they can: `No comparison: Thu 25 Feb isn’t reported
 * yet.`, `Too few days reported to compare with 1–30 Sep (1–31 Oct: 22 of 31 days reported).`
 */
export function formatUncompared(change: UsageChange, labels: PeriodPair<string>): string {
  const { coverage } = change;
  const short = shortSides(change);
  const [side] = short;
  if (side === undefined) return '';
  if (coverage[side].of === 1) {
    const missing = side === 'current' ? 'isn’t reported yet' : 'isn’t reported';
    return `No comparison: ${labels[side]} ${coverage[side].reported > 0 ? 'is reported only in part' : missing}.`;
  }
  const counts = short.map((each) => `${labels[each]}: ${formatCoverage(coverage[each])}`);
  const said = side === 'before' ? formatCoverage(coverage.before) : counts.join(', ');
  return `Too few days reported to compare with ${labels.before} (${said}).`;
}

/** `6 of 7 days reported`, `7 of 7 days reported, 1 only in part`; of a single day `not reported` */
export function formatCoverage({ reported, of, partial }: Coverage): string {
  if (of === 1) return reported === 0 ? 'not reported' : partial > 0 ? 'reported only in part' : 'reported';
  return `${reported} of ${pluralize(of, 'day')} reported${partial > 0 ? `, ${partial} only in part` : ''}`;
}

/** A part of a difference: what was spent in the period minus what was spent in the window before it. */
export interface Difference {
  readonly value: Money;
}

/** A day of the period and the day at the same place in the window, both reported. */
export interface DayDifference extends Difference, PeriodPair<DayFigure> {}

/** `value` is exactly the sum of `pairs` and `unpaired.current`, minus `unpaired.before`. */
export interface UsageDifference extends Difference {
  /** The largest difference first; of equal differences the earliest day. */
  readonly pairs: readonly DayDifference[];
  /**
   * Reported days without a counterpart that still count: those for which a shorter window has no day, and, where
   * both windows have equally many reported days and so their totals are compared, all of them.
   */
  readonly unpaired: PeriodPair<readonly DayFigure[]>;
  /** Reported days that don't count, because their counterpart is not reported: missing, not zero. */
  readonly uncompared: PeriodPair<readonly DayFigure[]>;
}

/** Compares the first day with the first, the second with the second … @param days the complete days that each usage should cover, ascending */
export function compareDays(
  current: Usage,
  before: Usage,
  days: PeriodPair<readonly Day[]>,
): UsageDifference {
  const usages = { current, before };
  const figures = pair((side) => {
    const amounts = reportedAmounts(usages[side]);
    return days[side].map((day): DayFigure | undefined => {
      const value = amounts.get(day);
      return value && { day, value };
    });
  });
  const pairs: DayDifference[] = [];
  const [single, unpaired, uncompared] = [emptySides(), emptySides(), emptySides()];
  for (let at = 0; at < Math.max(days.current.length, days.before.length); at++) {
    const [now, then] = [figures.current[at], figures.before[at]];
    if (now && then) pairs.push({ current: now, before: then, value: now.value.minus(then.value) });
    else if (now) (at < days.before.length ? single : unpaired).current.push(now);
    else if (then) (at < days.current.length ? single : unpaired).before.push(then);
  }
  const lone = (side: Side) => single[side].length + unpaired[side].length;
  const counted = lone('current') === lone('before') ? unpaired : uncompared;
  pair((side) => counted[side].push(...single[side]));
  return {
    value: sumMoney(pairs.map(({ value }) => value))
      .plus(sumFigures(unpaired.current))
      .minus(sumFigures(unpaired.before)),
    pairs: pairs.sort(byDifference),
    unpaired: pair((side) => unpaired[side].sort((a, b) => (a.day < b.day ? -1 : 1))),
    uncompared,
  };
}

const emptySides = () => pair((): DayFigure[] => []);

export const sumFigures = (figures: readonly Pick<DayFigure, 'value'>[]): Money =>
  sumMoney(figures.map(({ value }) => value));

/** Sorts the largest difference first, whichever its sign; equal ones stay in their order. */
export const byDifference = (a: Difference, b: Difference): number => b.value.abs().cmp(a.value.abs());

/**
 * Splits what is sorted by difference.
 * @param noun what they are: `days`
 * @returns at most `most` that are not zero, and the others with their label, `The other 4 days`; all, if that leaves one
 */
export function splitLargest<T extends Difference>(sorted: readonly T[], most: number, noun: string) {
  const changed = sorted.findIndex(({ value }) => value.eq(0));
  const count = Math.min(most, changed < 0 ? sorted.length : changed);
  const rest = sorted.slice(count);
  return rest.length < 2
    ? { largest: sorted, rest: [], label: '' }
    : {
        largest: sorted.slice(0, count),
        rest,
        label: `${count === 0 ? 'All' : 'The other'} ${rest.length} ${noun}`,
      };
}
