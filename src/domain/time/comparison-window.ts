/** What a period's complete days are compared with, the days of a window before it, and what that comparison says. */

import { changeInPercent, divide, type Money, sumMoney } from '../money/amount.ts';
import { sumSpentOn, type Usage } from '../money/usage.ts';
import {
  addDays,
  type Day,
  dayExists,
  daysBefore,
  daysInRange,
  endOfDay,
  formatDays,
  startOfDay,
} from './calendar.ts';
import { shiftUnits, type Unit } from './calendar-unit.ts';

export interface ComparisonWindow {
  /** First and last millisecond of the window. */
  readonly from: number;
  readonly to: number;
  /** The days of the window, in order. */
  readonly days: readonly Day[];
  /** The complete days of the asked period: what the window is compared with. */
  readonly currentDays: readonly Day[];
  /** '7–13 Nov', or '7–13 Nov 2025' when that is not the year the asked period ends in. */
  readonly label: string;
  /** 'the 7 days before', 'the same weekday a week before', 'the month before', 'the first 20 days of the month before' */
  readonly basis: string;
}

/** Days against days, whole units against whole units, a unit that runs against the beginning of the one before. */
export type ComparisonRule =
  | { readonly kind: 'days' }
  | { readonly kind: 'units'; readonly unit: Unit; readonly count: number }
  | { readonly kind: 'running'; readonly unit: Unit };

type Window = Pick<ComparisonWindow, 'days' | 'basis'>;

const several = (count: number, unit: Unit): string => (count === 1 ? unit : `${count} ${unit}s`);

/** The same weekdays a week before, without those that the zone left out: a Saturday against a Friday is always a drop. */
export const sameDaysLastWeek = (days: readonly Day[], zone: string): readonly Day[] =>
  days.map((day) => addDays(day, -7)).filter((day) => dayExists(day, zone));

function daysDirectlyBefore(first: Day, count: number, zone: string): Window {
  return { days: daysBefore(first, count, zone), basis: `the ${several(count, 'day')} before` };
}

function unitsBefore(first: Day, unit: Unit, count: number, zone: string): Window {
  return {
    days: daysInRange(shiftUnits(unit, first, -count), addDays(first, -1), zone),
    basis: `the ${several(count, unit)} before`,
  };
}

/** Clamped at the end of the unit before: 30 days of March meet the 28 that February has. */
function beginningBefore(first: Day, unit: Unit, count: number, zone: string): Window {
  const whole = unitsBefore(first, unit, 1, zone);
  if (count >= whole.days.length) return whole;
  return { days: whole.days.slice(0, count), basis: `the first ${several(count, 'day')} of ${whole.basis}` };
}

function windowBefore(first: Day, plan: ComparisonRule, count: number, zone: string): Window {
  if (plan.kind === 'units') return unitsBefore(first, plan.unit, plan.count, zone);
  if (plan.kind === 'running') return beginningBefore(first, plan.unit, count, zone);
  if (count > 1) return daysDirectlyBefore(first, count, zone);
  return { days: sameDaysLastWeek([first], zone), basis: 'the same weekday a week before' };
}

/** `firstOf` is where the asked period begins, `complete` its complete days. None of these: nothing to compare. */
export function findComparisonWindow(
  first: Day,
  complete: readonly Day[],
  plan: ComparisonRule,
  zone: string,
): ComparisonWindow | undefined {
  const end = complete.at(-1);
  if (end === undefined) return undefined;
  const { days, basis } = windowBefore(first, plan, complete.length, zone);
  const [from, to] = [days[0], days.at(-1)];
  if (from === undefined || to === undefined) return undefined;
  return {
    from: startOfDay(from, zone),
    to: endOfDay(to, zone),
    days,
    currentDays: complete,
    label: formatDays(from, to, end.slice(0, 4)),
    basis,
  };
}

/** The asked period, and the window it is compared with. */
interface Sides<T> {
  readonly current: T;
  readonly before: T;
}

/** How many of a side's complete days are reported; of some of those an item may be unreadable. */
export interface Coverage {
  readonly reported: number;
  readonly of: number;
  readonly partial: number;
}

/** Sums, or averages a day where the sides do not have equally many reported days. */
export interface UsageChangeFigures extends Sides<Money> {
  readonly basis: 'total' | 'average';
  /** The averages a day of both, whatever the basis. */
  readonly daily: Sides<Money>;
  /** Absent where a percentage would mislead: too few reported days, nothing before, or a credit on either side. */
  readonly percent?: Money;
}

export interface UsageChange {
  readonly coverage: Sides<Coverage>;
  /** Absent where a side has no reported day. */
  readonly figures?: UsageChangeFigures;
}

/** Compares complete reported days only. `dayBlocks` are those that each side is meant to cover. */
export function compareUsage(current: Usage, before: Usage, days: Sides<readonly Day[]>): UsageChange {
  const [now, then] = [sumSpentOn(current, days.current), sumSpentOn(before, days.before)];
  const coverage = {
    current: coverageOf(current, days.current, now.reported),
    before: coverageOf(before, days.before, then.reported),
  };
  if (now.reported === 0 || then.reported === 0) return { coverage };
  const daily = { current: divide(now.sum, now.reported), before: divide(then.sum, then.reported) };
  const isEven = now.reported === then.reported;
  return {
    coverage,
    figures: isEven
      ? figuresOf('total', { current: now.sum, before: then.sum }, daily, coverage)
      : figuresOf('average', daily, daily, coverage),
  };
}

function coverageOf(usage: Usage, days: readonly Day[], reported: number): Coverage {
  const wanted = new Set(days);
  return { reported, of: days.length, partial: usage.partialDays.filter((day) => wanted.has(day)).length };
}

function figuresOf(
  basis: UsageChangeFigures['basis'],
  sides: Sides<Money>,
  daily: Sides<Money>,
  coverage: Sides<Coverage>,
): UsageChangeFigures {
  const percent = isPoorlyReported({ coverage }) ? undefined : changeInPercent(sides.current, sides.before);
  return { basis, ...sides, daily, ...(percent && { percent }) };
}

/** Several projects' changes over the same days as one: their averages a day added up. Undefined unless all have figures. */
export function sumChanges(changes: readonly UsageChange[]): UsageChange | undefined {
  const figures = changes.flatMap((one) => one.figures ?? []);
  if (changes.length === 0 || figures.length < changes.length) return undefined;
  const added = (side: keyof Sides<Money>) => sumMoney(figures.map(({ daily }) => daily[side]));
  const least = (side: keyof Sides<Coverage>) =>
    changes.map(({ coverage }) => coverage[side]).reduce((a, b) => (wholeDays(b) < wholeDays(a) ? b : a));
  const daily = { current: added('current'), before: added('before') };
  const coverage = { current: least('current'), before: least('before') };
  return { coverage, figures: figuresOf('average', daily, daily, coverage) };
}

const wholeDays = ({ reported, partial }: Coverage): number => reported - partial;

/** Whether every day of both sides is reported, each in full. */
export const isFullyReported = ({ coverage: { current, before } }: UsageChange): boolean =>
  [current, before].every((side) => wholeDays(side) === side.of);

/** Whether a side has fewer than four fifths of its days: too few for a percentage. */
export const isPoorlyReported = ({ coverage: { current, before } }: UsageChange): boolean =>
  [current, before].some((side) => !isWellReported(wholeDays(side), side.of));

/** Whether at least four fifths of some days are reported, and at least one. */
export const isWellReported = (reported: number, of: number): boolean =>
  reported > 0 && reported * 5 >= of * 4;
