import { InvalidWord } from '../../../../failure/index.ts';
import {
  addDays,
  countUnits,
  type Day,
  daysBefore,
  daysBetween,
  formatDays,
  shiftUnits,
  startOfUnit,
  type Unit,
  type Zone,
} from '../../../../time/calendar.ts';
import type { ComparisonRule } from '../../../../time/comparison-window.ts';
import { clipWord } from '../../../text.ts';
import type { DateExpression } from './date-ast.ts';
import { formatPhrase, MAX_PERIOD_DAYS, PERIOD_TOO_LONG, type PeriodPhrase } from './period-ast.ts';
import {
  areSameKind,
  type CalendarSpan,
  calendarSpan,
  createInvalidDate,
  datedSpan,
  isRecurring,
  lacksYear,
  latestDay,
  namesYear,
  nextDay,
} from './resolve-date.ts';

/** Resolves a period phrase to days of the calendar, as of today. */

export interface DayRange {
  readonly first: Day;
  /** Today at the latest. */
  readonly last: Day;
  readonly plan: ComparisonRule;
}

const DAYS: ComparisonRule = { kind: 'days' };

const PAST = 'Ask about a period up to today, such as this-month or last-7-days.';

const inFuture = (point: { readonly typed: string }, instead?: string): InvalidWord =>
  createInvalidDate(point, 'is in the future', PAST, instead);

/** The unit that is running now, offered if the unit that was asked for has not begun. */
function runningInstead(point: DateExpression, { unit, count }: CalendarSpan): string {
  if (point.kind === 'weekend') return 'last-weekend';
  if (unit === 'day') return 'today';
  return count > 1 ? 'this-year' : `this-${unit}`;
}

/** @param isAll nothing else was asked for, so that what is running now may be offered instead */
function requireBegun(point: DateExpression, span: CalendarSpan, today: Day, isAll = false): CalendarSpan {
  if (span.first > today) throw inFuture(point, isAll ? runningInstead(point, span) : undefined);
  return span;
}

const earlierDay = (a: Day, b: Day): Day => (a < b ? a : b);

function planOf({ last, unit, count, rule }: CalendarSpan, today: Day): ComparisonRule {
  if (rule !== undefined || unit === 'day') return rule ?? DAYS;
  return { kind: last < today ? 'units' : 'running', unit, count };
}

/**
 * How a range is compared: whole weeks, months, quarters and years that are over as units, a range of one unit as that
 * unit alone is, any other as days.
 */
function planBetween(from: CalendarSpan, to: CalendarSpan, today: Day): ComparisonRule {
  if (from.unit === to.unit && from.first === to.first) return planOf(to, today);
  const unit = from.unit === to.unit ? from.unit : 'month';
  const units = [from.unit, to.unit];
  if (units.includes('day') || unit === 'day' || to.last >= today) return DAYS;
  if (unit === 'week') return { kind: 'units', unit, count: (daysBetween(from.first, to.last) + 1) / 7 };
  if (units.includes('week')) return DAYS;
  return { kind: 'units', unit, count: countUnits(unit, from.first, to.last) };
}

type Range = Extract<PeriodPhrase, { kind: 'range' }>;

/** Whether a date means the same days as either end of a range, so that the ends of a reversed one can be swapped. */
const FIXED = /^(?:day|month|quarter|year|today|yesterday)$/;

/** Corrects a reversed range: a month without a year becomes the one before the end; any other range is swapped. */
function correctReversed({ from, to, ...phrase }: Range, end: Day): string | undefined {
  if (!FIXED.test(from.kind) || !FIXED.test(to.kind)) return undefined;
  if ((from.kind !== 'month' && from.kind !== 'quarter') || from.year !== undefined)
    return formatPhrase({ ...phrase, from: to, to: from });
  const year = Number(datedSpan(from, end).first.slice(0, 4));
  const named = to.kind === 'month' || to.kind === 'quarter';
  const closing = named ? { ...to, year: Number(end.slice(0, 4)) } : to;
  return formatPhrase({ ...phrase, from: { ...from, year }, to: closing });
}

/**
 * The first day is the latest that has begun and lies before the last one; the last is the next such day after it. Ends of
 * different kinds mean what each means alone.
 * @throws InvalidWord where the last one is not the next after the first, with both readings
 */
function endsOf(phrase: Range, today: Day, zone: Zone): readonly [CalendarSpan, CalendarSpan] {
  const { from, to } = phrase;
  const isAlike = areSameKind(from, to);
  const alone = calendarSpan(to, today, zone);
  const until = earlierDay(alone.last, today);
  const begin =
    isRecurring(from) && isAlike && !isRecurring(to)
      ? latestDay(from, today, until)
      : requireBegun(from, calendarSpan(from, namesYear(to) && lacksYear(from) ? until : today, zone), today);
  if (!isRecurring(to) && !lacksYear(to)) return [begin, alone];
  const next = isRecurring(to) ? nextDay(to, begin.first) : nextSpan(to, begin.first, zone);
  const hasNoYear = isAlike || isRecurring(to) || from.kind === 'month-day';
  if (next.first >= alone.first) return [begin, hasNoYear ? next : alone];
  if (isAlike && isRecurring(to)) return [begin, next];
  const readings = [next, alone].map(({ last }) => {
    const day = earlierDay(last, today);
    return formatPhrase({ ...phrase, to: { kind: 'day', day, typed: day } });
  });
  const why = 'doesn’t say which day is the last one';
  throw createInvalidDate(phrase, why, 'Name it as a date, such as 2026-10-05.', readings);
}

/** The first such month, quarter, half or week from `first` on: the latest that has begun a year later. */
const nextSpan = (point: DateExpression, first: Day, zone: Zone): CalendarSpan =>
  calendarSpan(point, addDays(shiftUnits('year', first, 1), -1), zone);

function spanBetween(phrase: Range, today: Day, zone: Zone): DayRange {
  const [from, to] = endsOf(phrase, today, zone);
  // `this-month excluding today` on the first of a month: nobody typed a day that is too early.
  if (from.first === today && to.last < today && !phrase.typed.includes(phrase.to.typed))
    throw createInvalidDate(phrase, 'begins today, and today is left out', 'Type today.', 'today');
  if (to.last < from.first)
    throw createInvalidDate(
      phrase,
      `ends before it begins (${from.first} to ${to.last})`,
      'Put the earlier date first, such as 2026-10-01..2026-10-15.',
      correctReversed(phrase, to.last),
    );
  if (to.first > today) {
    const instead = lacksYear(phrase.to)
      ? correctReversed(phrase, calendarSpan(phrase.to, today, zone).last)
      : formatPhrase({ ...phrase, kind: 'since' });
    throw inFuture(phrase.typed.includes(phrase.to.typed) ? phrase.to : phrase, instead);
  }
  return { first: from.first, last: earlierDay(to.last, today), plan: planBetween(from, to, today) };
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
        plan: { kind: 'running', unit: phrase.unit, count: 1 },
      };
    case 'at': {
      const span = requireBegun(phrase.at, calendarSpan(phrase.at, today, zone), today, true);
      return { first: span.first, last: earlierDay(span.last, today), plan: planOf(span, today) };
    }
    case 'range':
      return spanBetween(phrase, today, zone);
    case 'since':
      return {
        first: requireBegun(phrase.from, calendarSpan(phrase.from, today, zone), today).first,
        last: today,
        plan: DAYS,
      };
  }
}

/** @throws InvalidWord for a period in the future, reversed, too long, or that cannot include today as asked */
export function resolveRange(phrase: PeriodPhrase, today: Day, zone: Zone): DayRange {
  const span = rangeOf(phrase, today, zone);
  const length = daysBetween(span.first, span.last) + 1;
  // Dates thousands of years ago overflow, which makes the length NaN.
  if (!(length <= MAX_PERIOD_DAYS))
    throw createInvalidDate(
      phrase,
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
