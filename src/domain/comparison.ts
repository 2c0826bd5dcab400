/** What a period's complete days are compared with: the days of a window before it. */
import { addDays, type Day, daysBefore, daysFrom, endOfDay, formatDays, startOfDay } from './calendar.ts';
import { shiftUnits, type Unit } from './unit.ts';

export interface Comparison {
  /** First and last millisecond of the window. */
  readonly from: number;
  readonly to: number;
  /** The days of the window, in order. */
  readonly days: readonly Day[];
  /** The complete days of the asked period: what the window is compared with. */
  readonly currentDays: readonly Day[];
  /** '7–13 Nov', or '7–13 Nov 2025' when that is not the year the asked period ends in. */
  readonly label: string;
  /** 'the 7 days before', 'the month before', 'the first 20 days of the month before' */
  readonly basis: string;
}

/** Days against days, whole units against whole units, a unit that runs against the beginning of the one before. */
export type Plan =
  | { readonly kind: 'days' }
  | { readonly kind: 'units'; readonly unit: Unit; readonly count: number }
  | { readonly kind: 'running'; readonly unit: Unit };

type Window = Pick<Comparison, 'days' | 'basis'>;

const several = (count: number, unit: Unit): string => (count === 1 ? unit : `${count} ${unit}s`);

function daysDirectlyBefore(first: Day, count: number, zone: string): Window {
  return { days: daysBefore(first, count, zone), basis: `the ${several(count, 'day')} before` };
}

function unitsBefore(first: Day, unit: Unit, count: number, zone: string): Window {
  return {
    days: daysFrom(shiftUnits(unit, first, -count), addDays(first, -1), zone),
    basis: `the ${several(count, unit)} before`,
  };
}

/** Clamped at the end of the unit before: 30 days of March meet the 28 that February has. */
function beginningBefore(first: Day, unit: Unit, count: number, zone: string): Window {
  const whole = unitsBefore(first, unit, 1, zone);
  if (count >= whole.days.length) return whole;
  return { days: whole.days.slice(0, count), basis: `the first ${several(count, 'day')} of ${whole.basis}` };
}

function windowBefore(first: Day, plan: Plan, count: number, zone: string): Window {
  if (plan.kind === 'days') return daysDirectlyBefore(first, count, zone);
  if (plan.kind === 'units') return unitsBefore(first, plan.unit, plan.count, zone);
  return beginningBefore(first, plan.unit, count, zone);
}

/** `first` is where the asked period begins, `complete` its complete days. None of these: nothing to compare. */
export function compare(
  first: Day,
  complete: readonly Day[],
  plan: Plan,
  zone: string,
): Comparison | undefined {
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
