/**
 * The days that phrases name, as of today: what the actions of language.peggy call. A date whose year is open (`20 dec`,
 * `october`, `monday`) is a pair of functions: the latest by a day, and the next from a day on.
 */
import { WEEKDAY_NAMES } from '../time/cadence.ts';
import {
  addDays,
  countUnits,
  type Day,
  daysBefore,
  daysBetween,
  daysInMonth,
  endOfUnit,
  formatDays,
  isoWeekday,
  shiftUnits,
  startOfUnit,
  type Unit,
  type Zone,
} from '../time/calendar.ts';
import type { ComparisonRule } from '../time/comparison-window.ts';
import type { NamedDays } from '../time/period.ts';
import { pluralize } from './text.ts';

/** Where something stands in the text that was read: offsets in characters. */
export interface Place {
  readonly start: number;
  readonly end: number;
}

/** Why words can't be asked about. Each text in `instead` stands for the place; two or more are the readings of the words. */
export interface WordsRefusal extends Partial<Place> {
  readonly why: string;
  readonly works: string;
  readonly instead: readonly string[];
  /** What is quoted, if not the words at the place. */
  readonly quotes?: Place;
}

/** Days of the calendar that may lie in the future: `count` whole units, or days. */
export interface Span extends Place {
  readonly first: Day;
  readonly last: Day;
  readonly unit: Unit;
  readonly count: number;
  /** Canonical words that mean it relative to today, where there are any: `last-month`. */
  readonly relative?: string;
  readonly refusal?: WordsRefusal;
}

/** A named part of the calendar. */
export interface Point extends Place {
  /** Two ends of one kind are found by one another: `20 dec - 5 jan`. */
  readonly kind: string;
  /** Whether it comes again: every year, month or week as a day, or every year as a longer part of it. */
  readonly recurs?: 'day' | 'part';
  /** Whether it says its year. */
  readonly isDated?: boolean;
  /** The latest that has begun by a day. */
  readonly latest: (limit: Day) => Span;
  /** The first from a day on. */
  readonly next: (from: Day) => Span;
}

export type DaysOrRefusal = Omit<NamedDays, 'typed'> & { readonly refusal?: WordsRefusal };

/** Ten years; a longer period is almost certainly a mistake. */
export const MAX_PERIOD_DAYS = 3660;
const MIN_YEAR = 1900;
const MAX_YEAR = 2199;
/** The most years between two 29ths of February, or two 53rd weeks. */
const LEAP_GAP = 8;
/** Enough months in a row for a day of any number, even a 31st. */
const MONTHS_TO_31ST = 4;
const DAYS: ComparisonRule = { kind: 'days' };
const NO_COUNT = ['asks for nothing', 'Counts start at 1, such as last-1-day or last-7-days.'] as const;
const OUTSIDE: WordsRefusal = {
  why: 'is outside the years that Tally covers',
  works: `Type a year from ${MIN_YEAR} to ${MAX_YEAR}.`,
  instead: [],
};
const NOWHERE: Place = { start: -1, end: -1 };

const FUTURE = 'Ask about a period up to today, such as this-month or last-7-days.';
const NAME_DAYS = 'Name the first and the last day, such as 1-7 october.';
const YEAR_FIRST = 'Put the year first, such as 2026-10-05.';
const tooLong = (...instead: readonly string[]): WordsRefusal =>
  refuseWords('is longer than 3,660 days', 'Ask for ten years or less, such as last-3-years.', ...instead);

export const MONTH_NAMES: readonly string[] =
  'january february march april may june july august september october november december'.split(' ');

export const refuseWords = (why: string, works: string, ...instead: readonly string[]): WordsRefusal => ({
  why,
  works,
  instead,
});

const pad = (n: number): string => String(n).padStart(2, '0');
const yearOf = (day: Day): number => Number(day.slice(0, 4));
const monthName = (month: number): string =>
  (MONTH_NAMES[month - 1] ?? '').replace(/^./, (c) => c.toUpperCase());

const dayAlone = (day: Day): Span => ({ ...NOWHERE, first: day, last: day, unit: 'day', count: 1 });

function unitAt(unit: Unit, day: Day, count = 1): Span {
  const first = startOfUnit(unit, day);
  return { ...NOWHERE, first, last: addDays(shiftUnits(unit, first, count), -1), unit, count };
}

/** The year that an ISO week belongs to is its Thursday's. */
const isoYear = (monday: Day): number => yearOf(addDays(monday, 3));

function isoWeekNumber(monday: Day): number {
  return 1 + daysBetween(startOfUnit('week', `${isoYear(monday)}-01-04`), monday) / 7;
}

const UNIT_TEXT: Readonly<Record<Unit, (first: Day) => string>> = {
  day: (first) => first,
  week: (first) => `${isoYear(first)}-w${pad(isoWeekNumber(first))}`,
  month: (first) => first.slice(0, 7),
  quarter: (first) => `${first.slice(0, 4)}-q${Math.ceil(Number(first.slice(5, 7)) / 3)}`,
  year: (first) => `year-${first.slice(0, 4)}`,
};

/** The span in absolute dates: `2026-10`, `2026-h1`, `2026-w40..2026-w45`. */
export function absoluteText({
  first,
  last,
  unit,
  count,
}: Pick<Span, 'first' | 'last' | 'unit' | 'count'>): string {
  const name = UNIT_TEXT[unit];
  if (unit === 'quarter' && count === 2 && /-0[17]-/.test(first))
    return `${first.slice(0, 4)}-h${first.slice(5, 7) === '01' ? 1 : 2}`;
  const [from, to] = [name(first), name(startOfUnit(unit, last))];
  return from === to ? from : `${from}..${to}`;
}

/** One fixed part of the calendar. */
const fixed = (span: Span, kind: string = span.unit): Point => ({
  ...NOWHERE,
  kind,
  latest: () => span,
  next: () => span,
});

const isWeekend = (first: Day, last: Day): boolean => isoWeekday(first) === 6 && last === addDays(first, 1);

/** The refusal at the place of a point, if it has none of its own. */
const at = (refusal: WordsRefusal, { start, end }: Place): WordsRefusal =>
  start < 0 ? refusal : { start, end, ...refusal };

const quoting = (refusal: WordsRefusal, { start, end }: Place): WordsRefusal =>
  start < 0 ? refusal : { ...refusal, quotes: { start, end } };

const isLong = (unit: Unit): boolean => unit !== 'day' && unit !== 'week';

const areAlike = (begin: Span, end: Span): boolean =>
  begin.unit === end.unit || (isLong(begin.unit) && isLong(end.unit));

/** `2026-08..2026-10`, `2026-w40..2026-w45`; days where the ends are not alike. */
function joinEnds(begin: Span, end: Span): string {
  if (!areAlike(begin, end)) return `${begin.first}..${end.last}`;
  const from = absoluteText(begin).replace(/\.\..*/, '');
  const to = absoluteText(end).replace(/.*\.\./, '');
  return from === to ? from : `${from}..${to}`;
}

function onWeekday(day: Day, weekday: number): Span {
  const actual = isoWeekday(day);
  if (weekday === actual) return dayAlone(day);
  const why = `isn’t a date: ${formatDays(day, day).slice(4)} is a ${WEEKDAY_NAMES[actual - 1]}`;
  return { ...dayAlone(day), refusal: refuseWords(why, 'Leave out the weekday, or the date.') };
}

/** Why no date can be in this month. */
function refusedMonth(year: number, month: number): WordsRefusal | undefined {
  if (year < MIN_YEAR || year > MAX_YEAR) return OUTSIDE;
  if (month < 1 || month > 12)
    return refuseWords(
      'has a month that doesn’t exist',
      'Months are 01 to 12, such as 2026-10 or 2026-10-05.',
    );
  return undefined;
}

/** Undefined for a week that the year does not have. */
function partOfYear(kind: 'month' | 'quarter' | 'half' | 'week', n: number, year: number): Span | undefined {
  if (kind === 'week') {
    const monday = addDays(startOfUnit('week', `${year}-01-04`), 7 * (n - 1));
    return isoYear(monday) === year ? unitAt('week', monday) : undefined;
  }
  const months = { month: 1, quarter: 3, half: 6 }[kind];
  const first = `${year}-${pad((n - 1) * months + 1)}-01`;
  return kind === 'half' ? unitAt('quarter', first, 2) : unitAt(kind, first);
}

const SIZES = ['day', 'week', 'month', 'quarter', 'half', 'year'];

/** Weeks of a month may be seven days each from its first on, or back from its last, or weeks from Monday. */
function refuseWeeks(from: number, to: number, whole: Span): WordsRefusal {
  const why = 'could be seven days or a week from Monday';
  if (whole.unit !== 'month' || from !== to) return refuseWords(why, NAME_DAYS);
  const day = from > 0 ? addDays(whole.first, 7 * (from - 1)) : addDays(whole.last, 7 * (from + 1));
  const [first, last] = from > 0 ? [day, addDays(day, 6)] : [addDays(day, -6), day];
  if (last > whole.last) return refuseWords(why, NAME_DAYS);
  return refuseWords(why, NAME_DAYS, `${first}..${last}`, absoluteText(unitAt('week', day)));
}

/** Each day, weekday, weekend, month or quarter of a part of the calendar. */
function piecesOf(each: Unit | 'weekend' | number, { first, last }: Span): readonly Span[] {
  if (each === 'month' || each === 'quarter') {
    const count = countUnits(each, first, last);
    return Array.from({ length: count }, (_, n) => unitAt(each, shiftUnits(each, first, n)));
  }
  const days = Array.from({ length: daysBetween(first, last) + 1 }, (_, n) => addDays(first, n));
  if (each === 'weekend')
    return days
      .filter((day) => isoWeekday(day) === 6 && day < last)
      .map((day) => ({ ...dayAlone(day), last: addDays(day, 1) }));
  return (typeof each === 'number' ? days.filter((day) => isoWeekday(day) === each) : days).map(dayAlone);
}

function pickPart(each: Unit | 'weekend' | number, from: number, to: number, whole: Span): Span {
  const pieces = piecesOf(each, whole);
  const [first, last] = [from, to].map((place) => pieces.at(place > 0 ? place - 1 : place));
  const isWithin = from > 0 ? Math.max(from, to) <= pieces.length : -from <= pieces.length;
  if (first === undefined || last === undefined || !isWithin) {
    const name = typeof each === 'number' ? (WEEKDAY_NAMES[each - 1] ?? '') : each;
    const why = `doesn’t exist: ${formatDays(whole.first, whole.last)} has ${pluralize(pieces.length, name)}`;
    return { ...whole, refusal: refuseWords(why, 'Name the days, such as 2026-10-01..2026-10-15.') };
  }
  const span = { ...first, last: last.last, count: first.unit === 'day' ? 1 : to - from + 1 };
  const isHalf = from > 0 ? isoWeekday(whole.first) === 7 : isoWeekday(whole.last) === 6;
  if (each !== 'weekend' || !isHalf) return span;
  const readings = [0, from > 0 ? -7 : 7].map((n) => `${addDays(span.first, n)}..${addDays(span.last, n)}`);
  const why = 'could be either of two weekends';
  return { ...span, refusal: refuseWords(why, `Type ${readings.join(' or ')}.`, ...readings) };
}

/** The calendar as of a day in a zone. */
export class Calendar {
  constructor(
    readonly today: Day,
    readonly zone: Zone,
  ) {}

  // Units around today.

  /** `last-7-days`, `last-3-months`: the complete ones; days may include today. */
  lastUnits(unit: Unit, count: number, includesToday = false): DaysOrRefusal {
    const relative = count === 1 ? `last-${unit}` : `last-${count}-${unit}s`;
    if (count === 0) return { ...this.#today(), refusal: refuseWords(...NO_COUNT) };
    if (count > MAX_PERIOD_DAYS)
      return { ...this.#today(), refusal: tooLong(...(unit === 'day' ? [] : ['last-3-years'])) };
    if (unit === 'day') {
      const [n, last] = includesToday ? [count - 1, this.today] : [count, addDays(this.today, -1)];
      const first = daysBefore(this.today, n, this.zone)[0] ?? this.today;
      const text = includesToday ? `${relative} including today` : count === 1 ? 'yesterday' : relative;
      return this.#checked({ first, last, text, rule: this.#ruleOfDays(first, last), counted: count });
    }
    const first = shiftUnits(unit, startOfUnit(unit, this.today), -count);
    const last = addDays(startOfUnit(unit, this.today), -1);
    return this.#checked({ first, last, text: relative, rule: { kind: 'units', unit, count } });
  }

  /** `this-month`, and with `n` the nth unit before it. */
  unitsAgo(unit: Unit, n: number): Span {
    if (unit === 'day') return this.daysAgo(n);
    const span = unitAt(unit, shiftUnits(unit, startOfUnit(unit, this.today), -n));
    return n > 1 ? span : { ...span, relative: n === 0 ? `this-${unit}` : `last-${unit}` };
  }

  daysAgo(n: number): Span {
    if (n > MAX_PERIOD_DAYS) return { ...dayAlone(this.today), refusal: tooLong() };
    const span = dayAlone(daysBefore(this.today, n, this.zone)[0] ?? this.today);
    return n > 1 ? span : { ...span, relative: n === 0 ? 'today' : 'yesterday' };
  }

  /** The day `n` units before today. */
  dayUnitsAgo = (unit: Unit, n: number): Span =>
    unit === 'day' ? this.daysAgo(n) : dayAlone(shiftUnits(unit, this.today, -Math.min(n, MAX_PERIOD_DAYS)));

  /** @param weeks 0 for this week's weekend, 1 for the latest whole one */
  weekend(weeks: number): Span {
    const saturday = addDays(startOfUnit('week', this.today), 5 - 7 * weeks);
    const span = { ...dayAlone(saturday), last: addDays(saturday, 1) };
    return weeks > 1 ? span : { ...span, relative: weeks === 0 ? 'this-weekend' : 'last-weekend' };
  }

  weekBefore = (point: Point): Span => dayAlone(addDays(point.latest(this.today).first, -7));

  /** @param weekday 1 for Monday; the one in the week `weeks` before this one */
  weekdayOf(weekday: number, weeks: number): Span {
    return dayAlone(addDays(startOfUnit('week', this.today), weekday - 1 - 7 * weeks));
  }

  // Dates with an open year.

  /** The latest such weekday before today. */
  weekday(weekday: number): Point {
    const latest = (limit: Day): Span => {
      const before = limit < this.today ? addDays(limit, 1) : this.today;
      return dayAlone(addDays(before, -((isoWeekday(before) - weekday + 6) % 7) - 1));
    };
    const next = (from: Day): Span => dayAlone(addDays(from, (weekday - isoWeekday(from) + 7) % 7));
    return { ...NOWHERE, kind: 'weekday', recurs: 'day', latest, next };
  }

  /** `the 17th` */
  dayOfMonth(day: number): Point {
    const falls = (near: Day, step: 1 | -1): readonly Day[] =>
      Array.from({ length: MONTHS_TO_31ST }, (_, n) =>
        shiftUnits('month', `${near.slice(0, 7)}-01`, step * n),
      )
        .filter((first) => Number(endOfUnit('month', first).slice(8)) >= day)
        .map((first) => `${first.slice(0, 8)}${pad(day)}`);
    return this.#recurring('day-of-month', falls);
  }

  /** `3 october`; without a year the latest, or the next. */
  monthDay(month: number, day: number, year?: number): Point {
    const name = monthName(month);
    if (year !== undefined) return this.date(year, month, day);
    const most = name === '' ? 0 : daysInMonth(2024, month);
    if (day < 1 || day > most)
      return this.#refused(
        name === ''
          ? refuseWords('isn’t a date', YEAR_FIRST)
          : refuseWords(
              `isn’t a date: ${name} has ${most} days at most`,
              `The last one is ${name.toLowerCase()}-${most}.`,
            ),
      );
    const falls = (near: Day, step: 1 | -1): readonly Day[] =>
      Array.from({ length: LEAP_GAP + 1 }, (_, n) => yearOf(near) + step * n)
        .filter((y) => daysInMonth(y, month) >= day)
        .map((y) => `${y}-${pad(month)}-${pad(day)}`);
    return this.#recurring('day', falls);
  }

  #recurring(kind: string, falls: (near: Day, step: 1 | -1) => readonly Day[]): Point {
    return {
      ...NOWHERE,
      kind,
      recurs: 'day',
      latest: (limit) => dayAlone(falls(limit, -1).find((day) => day <= limit) ?? limit),
      next: (from) => dayAlone(falls(from, 1).find((day) => day >= from) ?? from),
    };
  }

  /** A day that was named with its weekday, refused where they disagree. */
  checked(point: Point, weekday: number | null): Point {
    const check = (span: Span): Span =>
      weekday === null || span.refusal ? span : { ...span, ...onWeekday(span.first, weekday) };
    return {
      ...point,
      latest: (limit) => check(point.latest(limit)),
      next: (from) => check(point.next(from)),
    };
  }

  /** A date in digits. */
  date(year: number, month: number, day: number): Point {
    const refusal = refusedMonth(year, month);
    if (refusal) return this.#refused(refusal);
    const length = daysInMonth(year, month);
    const last = `${year}-${pad(month)}-${pad(length)}`;
    if (day < 1 || day > length)
      return this.#refused(
        refuseWords(
          `isn’t a date: ${monthName(month)} ${year} has ${length} days`,
          `The last day of the month is ${last}.`,
          ...(day > length ? [last] : []),
        ),
      );
    return { ...fixed(dayAlone(`${year}-${pad(month)}-${pad(day)}`)), isDated: true };
  }

  /** The dates that two numbers can be: the day first, and the month first. */
  #datesOf(a: number, b: number, year?: number): readonly Point[] {
    const points = [this.monthDay(b, a, year), this.monthDay(a, b, year)];
    const first = (point: Point): Day => point.latest(this.today).first;
    const valid = points.filter((point) => point.latest(this.today).refusal === undefined);
    return valid.filter((point, n) => n === 0 || first(point) !== first(valid[0] ?? point));
  }

  /** `1/2/2026`: the only date that it can be, or refused with both. */
  eitherDate(a: number, b: number, year?: number): Point {
    const [only = this.refused('isn’t a date', YEAR_FIRST), other] = this.#datesOf(a, b, year);
    if (other === undefined) return only;
    const texts = [only, other].map((point) => point.latest(this.today).first);
    return this.refused('doesn’t say which is the month', YEAR_FIRST, ...texts);
  }

  /** `5/11/26`: refused, with the days it may be; with dots the day is first, with dashes the year may be. */
  shortYear(a: number, b: number, year: number, sign: string): Point {
    const days = this.#datesOf(a, b, 2000 + year).map((point) => point.latest(this.today).first);
    return this.refused(
      'doesn’t say which is the year',
      YEAR_FIRST,
      ...days.slice(0, ['-', '.', '/'].indexOf(sign)),
    );
  }

  fixed = fixed;
  monthNames = MONTH_NAMES;
  #refused = (refusal: WordsRefusal): Point => fixed({ ...dayAlone(this.today), refusal });
  refused = (...said: Parameters<typeof refuseWords>): Point => this.#refused(refuseWords(...said));

  /** @param year undefined: the latest that has begun; 'whole': the latest that is over */
  part(kind: 'month' | 'quarter' | 'half' | 'week', n: number, year?: number | 'whole'): Point {
    const of = (y: number): Span | undefined => partOfYear(kind, n, y);
    if (typeof year === 'number') return { ...fixed(of(year) ?? this.#noWeek(year), kind), isDated: true };
    const found = (test: (span: Span) => boolean, from: Day): Span =>
      Array.from({ length: LEAP_GAP + 2 }, (_, back) => of(yearOf(from) + 1 - back)).find(
        (span) => span !== undefined && test(span),
      ) ?? dayAlone(from);
    if (year === 'whole')
      return fixed(
        found(({ last }) => last < this.today, this.today),
        `last ${kind}`,
      );
    const latest = (limit: Day): Span => found(({ first }) => first <= limit, limit);
    const next = (from: Day): Span => latest(addDays(shiftUnits('year', from, 1), -1));
    return { ...NOWHERE, kind, recurs: 'part', latest, next };
  }

  #noWeek = (year: number): Span => ({
    ...dayAlone(this.today),
    refusal: refuseWords(`isn’t a week: ${year} has 52 weeks`, `Type ${year}-w52.`),
  });

  /** `2026-10` */
  monthOf(year: number, month: number): Point {
    const refusal = refusedMonth(year, month);
    return refusal ? this.#refused(refusal) : this.part('month', month, year);
  }

  year(year: number): Point {
    if (year >= MIN_YEAR && year <= MAX_YEAR) return fixed(unitAt('year', `${year}-01-01`));
    return this.#refused(OUTSIDE);
  }

  /** The ISO week of a day; with an edge the day has to be its first or last. */
  weekOf(day: Point, edge?: 'start' | 'end'): Point {
    const { first, refusal } = day.latest(this.today);
    const week = unitAt('week', first);
    if (refusal || edge === undefined || first === (edge === 'start' ? week.first : week.last))
      return fixed({ ...week, ...(refusal && { refusal }) });
    const name = WEEKDAY_NAMES[isoWeekday(first) - 1];
    const why = `doesn’t ${edge === 'start' ? 'start on a Monday' : 'end on a Sunday'}: ${formatDays(first, first).slice(4)} is a ${name}`;
    const instead = week.first <= this.today ? [absoluteText(week)] : [];
    return this.#refused(refuseWords(why, 'Weeks are Monday to Sunday.', ...instead));
  }

  // Parts of longer parts.

  /**
   * Some of the days, weekdays, weekends, months or quarters of a part of the calendar: places count from 1 on, or back from
   * -1. Where its year is open, the latest such part that has begun.
   *
   * @param each a unit, or a weekday (1 for Monday)
   */
  partOf(each: Unit | 'weekend' | number, from: number, to: number, of: Point): Point {
    const whole = of.latest(this.today);
    if (whole.refusal) return fixed(whole);
    if (each === 'week') return this.#refused(refuseWeeks(from, to, whole));
    const found = pickPart(each, from, to, whole);
    const isLater = of.recurs === 'part' && found.first > this.today && !found.refusal;
    return fixed(isLater ? pickPart(each, from, to, of.latest(addDays(whole.first, -1))) : found, 'part');
  }

  /** Whether one is a part of the other. */
  canHave(each: Unit | 'weekend' | number, of: Point): boolean {
    const { unit, count } = of.latest(this.today);
    const size = unit === 'quarter' && count === 2 ? 'half' : unit;
    const piece = typeof each === 'number' ? 'day' : each === 'weekend' ? 'week' : each;
    return each !== 'year' && SIZES.indexOf(size) > SIZES.indexOf(piece);
  }

  /** The first or second half of a month. */
  halfMonth(half: number, of: Point): Point {
    return half === 1
      ? this.partOf('day', 1, 15, of)
      : this.partOf('day', 16, Number(of.latest(this.today).last.slice(8)), of);
  }

  // What can be asked about.

  #today = (): DaysOrRefusal => ({ first: this.today, last: this.today, text: 'today', rule: DAYS });

  #ruleOfDays = (first: Day, last: Day): ComparisonRule =>
    isWeekend(first, last) ? { kind: 'weekend', unit: 'week' } : DAYS;

  #checked(days: DaysOrRefusal): DaysOrRefusal {
    const isShort = daysBetween(days.first, days.last) < MAX_PERIOD_DAYS;
    if (isShort || days.refusal) return days;
    return { ...days, refusal: tooLong(...(days.counted === undefined ? ['last-3-years'] : [])) };
  }

  /** @param isAlone nothing else was asked for, so that what is running now is offered in place of the future */
  #inFuture({ unit, count, relative }: Span, isAlone: boolean): WordsRefusal {
    const running =
      relative === 'this-weekend'
        ? 'last-weekend'
        : unit === 'day'
          ? 'today'
          : count > 1
            ? 'this-year'
            : `this-${unit}`;
    return refuseWords('is in the future', FUTURE, ...(isAlone ? [running] : []));
  }

  /** One named part of the calendar, until today. */
  at(point: Point): DaysOrRefusal {
    const span = point.latest(this.today);
    const { first, unit, count } = span;
    const isOver = span.last < this.today;
    const last = isOver ? span.last : this.today;
    const isHalf = unit === 'quarter' && count === 2;
    const isOpen = unit === 'day' ? span.last > this.today : count > 1 && !isHalf && span.last >= this.today;
    const text = span.relative ?? (isOpen ? `since ${UNIT_TEXT[unit](first)}` : absoluteText(span));
    const running: ComparisonRule = { kind: isOver ? 'units' : 'running', unit, count };
    const rule = unit === 'day' ? this.#ruleOfDays(first, span.last) : isOpen ? DAYS : running;
    const refusal = span.refusal ?? (first > this.today ? this.#inFuture(span, true) : undefined);
    return this.#checked({ first, last, text, rule, ...(refusal && { refusal }) });
  }

  /** From a day until now. */
  since(point: Point): DaysOrRefusal {
    const span = point.latest(this.today);
    const { first, relative } = span;
    const refusal = span.refusal ?? (first > this.today ? this.#inFuture(span, false) : undefined);
    const text = relative === 'today' ? relative : `since ${absoluteText(span)}`;
    return this.#checked({
      first,
      last: this.today,
      text,
      rule: DAYS,
      ...(refusal && { refusal: at(refusal, point) }),
    });
  }

  /**
   * The first day is the latest that has begun and lies before the last one; the last is the next such day after it. Ends of
   * different kinds mean what each means alone.
   */
  between(from: Point, to: Point): DaysOrRefusal {
    const [begin, end, readings] = this.#ends(from, to);
    const refusal =
      (begin.refusal && at(begin.refusal, from)) ??
      (end.refusal && at(end.refusal, to)) ??
      (begin.first > this.today ? at(this.#inFuture(begin, false), from) : undefined) ??
      readings ??
      this.#refusedEnds(from, begin, to, end);
    const isOver = end.last < this.today;
    const last = isOver ? end.last : this.today;
    const isOpen = end.relative === 'today' || (end.last > this.today && !areAlike(begin, end));
    const text = isOpen ? `since ${absoluteText(begin)}` : joinEnds(begin, end);
    const rule = isOpen ? DAYS : this.#ruleBetween(begin, end);
    return this.#checked({ first: begin.first, last, text, rule, ...(refusal && { refusal }) });
  }

  #ends(from: Point, to: Point): readonly [Span, Span, WordsRefusal?] {
    const isAlike = from.kind === to.kind;
    const alone = to.latest(this.today);
    const isOver = alone.last < this.today;
    const until = isOver ? alone.last : this.today;
    const isFound =
      (from.recurs === 'day' && isAlike && to.recurs !== 'day') || (to.isDated && from.recurs === 'part');
    const begin = from.latest(isFound ? until : this.today);
    if (to.recurs === undefined) return [begin, alone];
    const next = to.next(begin.first);
    if (next.refusal) return [begin, next];
    if (next.first >= alone.first)
      return [begin, isAlike || to.recurs === 'day' || from.recurs === 'day' ? next : alone];
    if (isAlike && to.recurs === 'day') return [begin, next];
    const readings = [next, alone].map(({ last }) => {
      const isOver = last < this.today;
      return `${absoluteText(begin)}..${isOver ? last : this.today}`;
    });
    const why = 'doesn’t say which day is the last one';
    return [begin, alone, refuseWords(why, 'Name it as a date, such as 2026-10-05.', ...readings)];
  }

  #refusedEnds(from: Point, begin: Span, to: Point, end: Span): WordsRefusal | undefined {
    if (end.last < begin.first) {
      const swapped = to.latest(this.today);
      const isClear = from.recurs === undefined || (from.recurs === 'part' && to.recurs === 'part');
      const instead = isClear ? [joinEnds(swapped, begin)] : [];
      return refuseWords(
        `ends before it begins (${begin.first} to ${end.last})`,
        'Put the earlier date first, such as 2026-10-01..2026-10-15.',
        ...instead,
      );
    }
    if (end.first <= this.today) return undefined;
    return quoting(refuseWords('is in the future', FUTURE, ...this.#endedEarlier(from, begin, to, end)), to);
  }

  /** A range that ends in the future: until now, or as it was the last time where it is longer: `friday to monday`. */
  #endedEarlier(from: Point, begin: Span, to: Point, end: Span): readonly string[] {
    const unit = to.kind === 'weekday' ? 'week' : 'year';
    const isWithin = startOfUnit(unit, begin.first) === startOfUnit(unit, end.first);
    if (to.recurs !== undefined && from.recurs === to.recurs && from.kind === to.kind && !isWithin) {
      const last = to.latest(this.today);
      return [joinEnds(from.latest(addDays(last.first, -1)), last)];
    }
    return to.recurs === 'part' || begin.first >= this.today ? [] : [`since ${absoluteText(begin)}`];
  }

  /** `1-15 october` */
  daysOfMonth(a: number, b: number, month: number, year?: number): DaysOrRefusal {
    const [from, to] = [a, b].map((day) => this.monthDay(month, day, year));
    return this.#inOrder(a <= b, from, to);
  }

  /** `the 1st to the 15th of last month` */
  daysWithin(a: number, b: number, of: Point): DaysOrRefusal {
    const [from, to] = [a, b].map((day) => this.partOf('day', day, day, of));
    return this.#inOrder(a <= b, from, to);
  }

  #inOrder(isInOrder: boolean, from?: Point, to?: Point): DaysOrRefusal {
    if (from === undefined || to === undefined) return this.#today();
    const days = this.between(from, to);
    if (isInOrder || from.latest(this.today).refusal || to.latest(this.today).refusal) return days;
    return {
      ...days,
      refusal: refuseWords(
        'ends before it begins',
        'Put the earlier day first.',
        this.between(to, from).text,
      ),
    };
  }

  /** `september and october`: one period where each begins as the one before ends; otherwise undefined. */
  joined(...points: readonly Point[]): DaysOrRefusal | undefined {
    const [first, last] = [points[0], points.at(-1)];
    if (first === undefined || last === undefined) return undefined;
    const [a, b] = [first, last].map((point) => point.latest(this.today).relative);
    if (a === 'today' && b === 'yesterday') return this.between(last, first);
    const areAdjacent = points.slice(1).every((point, n) => {
      const [begin, end, readings] = this.#ends(points[n] ?? first, point);
      return readings === undefined && end.first === addDays(begin.last, 1);
    });
    return areAdjacent ? this.between(first, last) : undefined;
  }

  /** Whole weeks, months, quarters and years that are over are compared as units, one unit as that unit alone is. */
  #ruleBetween(begin: Span, end: Span): ComparisonRule {
    if (begin.unit === end.unit && begin.first === end.first) {
      const { unit, count, last } = end;
      if (unit === 'day') return this.#ruleOfDays(begin.first, last);
      return { kind: last < this.today ? 'units' : 'running', unit, count };
    }
    const unit = begin.unit === end.unit ? begin.unit : 'month';
    if (unit === 'day') return this.#ruleOfDays(begin.first, end.last);
    const units = [begin.unit, end.unit];
    if (units.includes('day') || end.last >= this.today) return DAYS;
    if (unit === 'week') return { kind: 'units', unit, count: (daysBetween(begin.first, end.last) + 1) / 7 };
    if (units.includes('week')) return DAYS;
    return { kind: 'units', unit, count: countUnits(unit, begin.first, end.last) };
  }
}

/** `this-week`, `last-month` @param n how many units ago */
export const unitDays = (unit: Unit, n: 0 | 1, today: Day, zone: Zone): NamedDays => {
  const calendar = new Calendar(today, zone);
  const span = calendar.unitsAgo(unit, n);
  return { ...calendar.at(fixed(span)), typed: span.relative ?? '' };
};
