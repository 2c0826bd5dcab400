/** How much a period's usage differs from that of the window before it. */

import { pluralize } from '../language/text.ts';
import type { Day } from '../time/calendar.ts';
import { changeInPercent, divide, type Money, sumMoney } from './amount.ts';
import { sumSpentOn, type Usage } from './usage.ts';

/** A value for the period, and one for the window before it. */
export interface Compared<T> {
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
export interface UsageChangeFigures extends Compared<Money> {
  readonly basis: 'total' | 'average';
  /** Averages per day, whatever is compared. */
  readonly daily: Compared<Money>;
  /** Absent when it would mislead: too few reported days, nothing spent before, or a credit. */
  readonly percent?: Money;
}

export interface UsageChange {
  readonly coverage: Compared<Coverage>;
  /** Absent if either has no reported day. */
  readonly figures?: UsageChangeFigures;
}

/** Compares complete reported days only. @param days the complete days that each usage should cover */
export function compareUsage(current: Usage, before: Usage, days: Compared<readonly Day[]>): UsageChange {
  const spent = { current: sumSpentOn(current, days.current), before: sumSpentOn(before, days.before) };
  const coverage = {
    current: coverageOf(current, days.current, spent.current.reported),
    before: coverageOf(before, days.before, spent.before.reported),
  };
  if (spent.current.reported === 0 || spent.before.reported === 0) return { coverage };
  const daily = {
    current: divide(spent.current.sum, spent.current.reported),
    before: divide(spent.before.sum, spent.before.reported),
  };
  const isSameCount = spent.current.reported === spent.before.reported;
  return {
    coverage,
    figures: isSameCount
      ? figuresOf('total', { current: spent.current.sum, before: spent.before.sum }, daily, coverage)
      : figuresOf('average', daily, daily, coverage),
  };
}

function coverageOf(usage: Usage, days: readonly Day[], reported: number): Coverage {
  const covered = new Set(days);
  return { reported, of: days.length, partial: usage.partialDays.filter((day) => covered.has(day)).length };
}

function figuresOf(
  basis: UsageChangeFigures['basis'],
  values: Compared<Money>,
  daily: Compared<Money>,
  coverage: Compared<Coverage>,
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
  const sumOf = (side: keyof Compared<Money>) => sumMoney(figures.map(({ daily }) => daily[side]));
  const worstOf = (side: keyof Compared<Coverage>) =>
    changes.map(({ coverage }) => coverage[side]).reduce((a, b) => (wholeDays(b) < wholeDays(a) ? b : a));
  const daily = { current: sumOf('current'), before: sumOf('before') };
  const coverage = { current: worstOf('current'), before: worstOf('before') };
  return { coverage, figures: figuresOf('average', daily, daily, coverage) };
}

const wholeDays = ({ reported, partial }: Coverage): number => reported - partial;

/** Whether every day of both is reported in full. */
export const isFullyReported = ({ coverage: { current, before } }: UsageChange): boolean =>
  [current, before].every((side) => wholeDays(side) === side.of);

/** Whether either has fewer than four fifths of its days: too few for a percentage. */
export const isPoorlyReported = ({ coverage: { current, before } }: UsageChange): boolean =>
  [current, before].some((side) => !isWellReported(wholeDays(side), side.of));

/** Whether at least one day and at least four fifths of all days are reported. */
export const isWellReported = (reported: number, of: number): boolean =>
  reported > 0 && reported * 5 >= of * 4;

/** `Thu 25 Feb isn’t reported yet`: why a change has no figures. */
export function formatUncompared(
  { coverage: { current, before } }: UsageChange,
  labels: Compared<string>,
): string {
  const isCurrent = current.reported === 0;
  const [{ of }, label] = isCurrent ? [current, labels.current] : [before, labels.before];
  return `${of === 1 ? `${label} isn’t` : `no day of ${label} is`} reported${isCurrent ? ' yet' : ''}`;
}

/** `6 of 7 days reported`, `7 of 7 days reported, 1 only in part`; of a single day `not reported` */
export function formatCoverage({ reported, of, partial }: Coverage): string {
  if (of === 1) return reported === 0 ? 'not reported' : partial > 0 ? 'reported only in part' : 'reported';
  return `${reported} of ${pluralize(of, 'day')} reported${partial > 0 ? `, ${partial} only in part` : ''}`;
}

/** `6 of 7 days reported now, 7 of 7 days reported before` */
export const formatCoverageOfBoth = ({ coverage: { current, before } }: UsageChange): string =>
  `${formatCoverage(current)} now, ${formatCoverage(before)} before`;
