/** How much a period's usage differs from that of the window before it. */

import type { Day } from '../time/calendar.ts';
import { pluralize } from '../wording.ts';
import { changeInPercent, divide, type Money, sumMoney } from './amount.ts';
import { sumSpentOn, type Usage } from './usage.ts';

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
