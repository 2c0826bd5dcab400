/** Resolves a period phrase to days of the calendar, as of today. */

import { InvalidWord } from '../../failure/index.ts';
import {
  addDays,
  countUnits,
  type Day,
  daysBefore,
  daysBetween,
  endOfUnit,
  formatDays,
  shiftUnits,
  startOfUnit,
  type Unit,
  type Zone,
} from '../../time/calendar.ts';
import type { ComparisonRule } from '../../time/comparison-window.ts';
import { clipWord } from '../text.ts';
import type { DateExpression } from './date-expression.ts';
import { formatPhrase, MAX_PERIOD_DAYS, PERIOD_TOO_LONG, type PeriodPhrase } from './period-phrase.ts';

export interface DayRange {
  readonly first: Day;
  /** Today at the latest. */
  readonly last: Day;
  readonly plan: ComparisonRule;
}

/** Weeks have no names, so no date expression is one. */
type NamedUnit = Exclude<Unit, 'week'>;

type CalendarSpan = { readonly first: Day; readonly last: Day; readonly unit: NamedUnit };

const DAYS: ComparisonRule = { kind: 'days' };

const PAST = 'Ask about a period up to today, such as this-month or last-7-days.';

function inFuture(typed: string, instead?: string): InvalidWord {
  return new InvalidWord(clipWord(typed), 'is in the future', PAST, instead);
}

function unitOf(unit: NamedUnit, day: Day): CalendarSpan {
  const first = startOfUnit(unit, day);
  return { first, last: endOfUnit(unit, first), unit };
}

/** The first month of a month or quarter; without a year the latest that has begun by `today`. */
function season(point: Extract<DateExpression, { kind: 'month' | 'quarter' }>, today: Day): CalendarSpan {
  const month = point.kind === 'month' ? point.month : point.quarter * 3 - 2;
  const thisYear = Number(today.slice(0, 4));
  const begins = (year: number) => `${year}-${String(month).padStart(2, '0')}-01`;
  const year = point.year ?? (begins(thisYear) > today ? thisYear - 1 : thisYear);
  return unitOf(point.kind, begins(year));
}

function stretchOf(point: DateExpression, today: Day, zone: Zone): CalendarSpan {
  switch (point.kind) {
    case 'day':
      return unitOf('day', point.day);
    case 'today':
      return unitOf('day', today);
    case 'yesterday':
      return unitOf('day', daysBefore(today, 1, zone)[0] ?? addDays(today, -1));
    case 'year':
      return unitOf('year', `${point.year}-01-01`);
    default:
      return season(point, today);
  }
}

/** @param isAll nothing else was asked for, so that what is running now may be offered instead */
function begun(point: DateExpression, today: Day, zone: Zone, isAll = false): CalendarSpan {
  const stretch = stretchOf(point, today, zone);
  const instead = stretch.unit === 'day' ? 'today' : `this-${stretch.unit}`;
  if (stretch.first > today) throw inFuture(point.typed, isAll ? instead : undefined);
  return stretch;
}

const earlier = (a: Day, b: Day): Day => (a < b ? a : b);

function planOf({ last, unit }: CalendarSpan, today: Day): ComparisonRule {
  if (unit === 'day') return DAYS;
  return last < today ? { kind: 'units', unit, count: 1 } : { kind: 'running', unit };
}

function spanAt(point: DateExpression, today: Day, zone: Zone): DayRange {
  const stretch = begun(point, today, zone, true);
  return { ...stretch, last: earlier(stretch.last, today), plan: planOf(stretch, today) };
}

/**
 * Whole months, quarters and years that are over count as units, and one of them is what it is alone; any other range
 * counts as days.
 */
function planBetween(from: CalendarSpan, to: CalendarSpan, today: Day): ComparisonRule {
  if (from.unit === to.unit && from.first === to.first) return planOf(to, today);
  if (from.unit === 'day' || to.unit === 'day' || to.last >= today) return DAYS;
  const unit = from.unit === to.unit ? from.unit : 'month';
  return { kind: 'units', unit, count: countUnits(unit, from.first, to.last) };
}

type Range = Extract<PeriodPhrase, { kind: 'range' }>;

/** Corrects a reversed range: a month without a year becomes the one before the end; any other range is swapped. */
function correctReversed({ from, to, ...phrase }: Range, end: Day): string {
  if ((from.kind !== 'month' && from.kind !== 'quarter') || from.year !== undefined)
    return formatPhrase({ ...phrase, from: to, to: from });
  const year = Number(season(from, end).first.slice(0, 4));
  const named = to.kind === 'month' || to.kind === 'quarter';
  const closing = named ? { ...to, year: Number(end.slice(0, 4)) } : to;
  return formatPhrase({ ...phrase, from: { ...from, year }, to: closing });
}

function spanBetween(phrase: Range, today: Day, zone: Zone): DayRange {
  const [from, to] = [begun(phrase.from, today, zone), stretchOf(phrase.to, today, zone)];
  if (to.last < from.first)
    throw new InvalidWord(
      clipWord(phrase.typed),
      `ends before it begins (${from.first} to ${to.last})`,
      'Put the earlier date first, such as 2026-10-01..2026-10-15.',
      correctReversed(phrase, to.last),
    );
  if (to.first > today) throw inFuture(phrase.to.typed, formatPhrase({ ...phrase, kind: 'since' }));
  return { first: from.first, last: earlier(to.last, today), plan: planBetween(from, to, today) };
}

function spanLast(unit: Unit, count: number, including: boolean, today: Day, zone: Zone): DayRange {
  if (unit !== 'day') {
    const first = startOfUnit(unit, today);
    const plan: ComparisonRule = { kind: 'units', unit, count };
    return { first: shiftUnits(unit, first, -count), last: addDays(first, -1), plan };
  }
  const [before, last] = including ? [count - 1, today] : [count, addDays(today, -1)];
  return { first: daysBefore(today, before, zone)[0] ?? today, last, plan: DAYS };
}

function rangeOf(phrase: PeriodPhrase, today: Day, zone: Zone): DayRange {
  switch (phrase.kind) {
    case 'last':
      return spanLast(phrase.unit, phrase.count, phrase.includingToday, today, zone);
    case 'this':
      return {
        first: startOfUnit(phrase.unit, today),
        last: today,
        plan: { kind: 'running', unit: phrase.unit },
      };
    case 'at':
      return spanAt(phrase.at, today, zone);
    case 'range':
      return spanBetween(phrase, today, zone);
    case 'since':
      return { first: begun(phrase.from, today, zone).first, last: today, plan: DAYS };
  }
}

/** @throws InvalidWord for a period in the future, reversed, too long, or that cannot include today as asked */
export function resolveRange(phrase: PeriodPhrase, today: Day, zone: Zone): DayRange {
  const span = rangeOf(phrase, today, zone);
  const length = daysBetween(span.first, span.last) + 1;
  // Thousands of years back dates overflow, and the length is NaN.
  if (!(length <= MAX_PERIOD_DAYS))
    throw new InvalidWord(
      clipWord(phrase.typed),
      PERIOD_TOO_LONG,
      'Ask for ten years or less, such as last-3-years.',
      'last-3-years',
    );
  if (phrase.includingToday && span.last !== today)
    throw new InvalidWord(
      'including today',
      `doesn’t work with “${clipWord(phrase.typed)}”, which is over (${formatDays(span.first, span.last)})`,
      'Use it with a number of days, such as last-7-days including today.',
    );
  return span;
}
