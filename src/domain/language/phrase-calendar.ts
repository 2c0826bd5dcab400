/**
 * The calendar of commands.peggy. A `Point` such as `20 dec` becomes days when the phrase is complete, because its year
 * depends on the words beside it. A point that has no days throws, and `Calendar` turns the error into a refusal.
 */
import { WEEKDAY_NAMES } from '../time/cadence.ts';
import {
  addDays,
  countUnits,
  type Day,
  daysBefore,
  daysBetween,
  daysInMonth,
  formatDays,
  isoWeekday,
  MONTH_NAMES,
  shiftUnits,
  startOfUnit,
  type Unit,
  type Zone,
} from '../time/calendar.ts';
import { type ComparisonRule, MAX_PERIOD_DAYS, type NamedDays } from '../time/period.ts';
import { pluralize } from '../wording.ts';

export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** Each text of `instead` can replace the refused words. Several texts are alternative readings. */
export interface WordsRefusal extends TextRange {
  readonly why: string;
  readonly works: string;
  readonly instead: readonly string[];
}

/** Whole calendar units or single days, possibly in the future. */
export interface DayRange {
  readonly first: Day;
  readonly last: Day;
  readonly unit: Unit;
  readonly count: number;
  /** The canonical text, if it is relative to today: `last-month`. */
  readonly relative?: string;
}

type AbsoluteRange = Omit<DayRange, 'relative'>;

interface Point {
  /** In a range whose ends are of the same kind, the ends depend on each other: `20 dec - 5 jan`. */
  readonly kind: string;
  /** `day`: a day of each year, month or week. `part`: a longer part of each year. Undefined: doesn't recur. */
  readonly recurs?: 'day' | 'part';
  readonly isDated?: boolean;
  readonly place?: TextRange;
  /** The latest occurrence that has begun by `limit`. @throws RefusedWords */
  readonly latest: (limit: Day) => DayRange;
  /** The first occurrence that begins on or after `from`. @throws RefusedWords */
  readonly next: (from: Day) => DayRange;
}

type Days = Omit<NamedDays, 'typed'>;
type Refused = { readonly refusal: Omit<WordsRefusal, keyof TextRange> & Partial<TextRange> };

const DAYS: ComparisonRule = { kind: 'days' };
const FUTURE = 'Ask about a period up to today, such as this-month or last-7-days.';
const NAME_DAYS = 'Name the first and the last day, such as 1-7 october.';
const YEAR_FIRST = 'Put the year first, such as 2026-10-05.';

class RefusedWords extends Error {
  constructor(readonly refusal: Refused['refusal']) {
    super(refusal.why);
  }
}

function refuse(why: string, works: string, ...instead: readonly string[]): never {
  throw new RefusedWords({ why, works, instead });
}

const refuseLength = (): never =>
  refuse('is longer than 3,660 days', 'Ask for ten years or less.', 'last-3-years');

function orRefusal<T extends object>(read: () => T): T | Refused {
  try {
    return read();
  } catch (error) {
    if (error instanceof RefusedWords) return { refusal: error.refusal };
    throw error;
  }
}

function at<T extends object>(place: TextRange | undefined, read: () => T): T {
  const result = orRefusal(read);
  if ('refusal' in result) throw new RefusedWords({ ...place, ...result.refusal });
  return result;
}

const earlier = (a: Day, b: Day): Day => [a, b].sort()[0] ?? a;
const pad = (n: number): string => String(n).padStart(2, '0');
const dateOf = (year: number, month: number, day: number): Day => `${year}-${pad(month)}-${pad(day)}`;
const yearOf = (day: Day): number => Number(day.slice(0, 4));

const daySpan = (day: Day): DayRange => ({ first: day, last: day, unit: 'day', count: 1 });

function unitAt(unit: Unit, day: Day, count = 1): DayRange {
  const first = startOfUnit(unit, day);
  return { first, last: addDays(shiftUnits(unit, first, count), -1), unit, count };
}

/** An ISO week belongs to the year of its Thursday. A year's first week contains 4 January. */
const isoYear = (monday: Day): number => yearOf(addDays(monday, 3));
const firstWeek = (year: number): Day => startOfUnit('week', `${year}-01-04`);

const isHalf = ({ unit, count }: AbsoluteRange): boolean => unit === 'quarter' && count === 2;

const UNIT_TEXT: Readonly<Record<Unit, (first: Day) => string>> = {
  day: (first) => first,
  week: (first) => `${isoYear(first)}-w${pad(1 + daysBetween(firstWeek(isoYear(first)), first) / 7)}`,
  month: (first) => first.slice(0, 7),
  quarter: (first) => `${first.slice(0, 4)}-q${Math.ceil(Number(first.slice(5, 7)) / 3)}`,
  year: (first) => `year-${first.slice(0, 4)}`,
};

/** Two days, two weeks or two longer units can be written as a range: `2026-w40..2026-w45`. */
const areAlike = (...spans: readonly Pick<DayRange, 'unit'>[]): boolean =>
  new Set(spans.map(({ unit }) => (unit === 'day' || unit === 'week' ? unit : 'month'))).size === 1;

/** Makes `2026-10` or `2026-w40..2026-w45`, or a range of dates if the units differ. */
export function absoluteText(begin: AbsoluteRange, end = begin): string {
  // On the 2nd of a month, `this-month up to yesterday` is a single day.
  if (begin.first === end.last) return begin.first;
  if (!areAlike(begin, end)) return `${begin.first}..${end.last}`;
  const nameOf = (span: AbsoluteRange, day: Day): string =>
    isHalf(span) && /-0[17]-/.test(span.first)
      ? `${span.first.slice(0, 4)}-h${span.first.slice(5, 7) === '01' ? 1 : 2}`
      : UNIT_TEXT[span.unit](startOfUnit(span.unit, day));
  const [from, to] = [nameOf(begin, begin.first), nameOf(end, end.last)];
  return from === to ? from : `${from}..${to}`;
}

const sinceText = ({ unit, first }: DayRange): string => `since ${UNIT_TEXT[unit](first)}`;

const fixed = (kind: string, read: () => DayRange): Point => ({ kind, latest: read, next: read });

function relativePoint(kind: string, n: number, span: DayRange): Point {
  const relative = (kind === 'day' ? ['today', 'yesterday'] : [`this-${kind}`, `last-${kind}`])[n];
  return fixed(kind, () => ({ ...span, ...(relative && { relative }) }));
}

/** How many units away to look: not every year has a 29 February or a week 53, and not every month a 31st. */
const BEFORE = [1, 0, -1, -2, -3, -4, -5, -6, -7, -8];
const AFTER = BEFORE.map((n) => 1 - n);

/** @param within finds the occurrence in the unit that starts on the given day; undefined if that unit has none */
function recurring(
  kind: string,
  recurs: 'day' | 'part',
  unit: Unit,
  within: (start: Day) => DayRange | undefined,
): Point {
  const find = (near: Day, steps: readonly number[], fits: (first: Day) => boolean): DayRange => {
    for (const step of steps) {
      const span = within(shiftUnits(unit, startOfUnit(unit, near), step));
      if (span !== undefined && fits(span.first)) return span;
    }
    return daySpan(near);
  };
  return {
    kind,
    recurs,
    latest: (limit) => find(limit, BEFORE, (first) => first <= limit),
    next: (from) => find(from, AFTER, (first) => first >= from),
  };
}

function checkMonth(year: number, month: number): void {
  if (year < 1900 || year > 2199 || month < 1 || month > 12)
    refuse('isn’t a date', 'Type a year from 1900 to 2199 and a month from 01 to 12, such as 2026-10.');
}

const MONTHS_IN = { month: 1, quarter: 3, half: 6, year: 12 };

type Part = keyof typeof MONTHS_IN | 'week';

function partOfYear(kind: Part, n: number, year: number): DayRange | undefined {
  if (kind === 'week') {
    const monday = addDays(firstWeek(year), 7 * (n - 1));
    return isoYear(monday) === year ? unitAt('week', monday) : undefined;
  }
  const first = dateOf(year, (n - 1) * MONTHS_IN[kind] + 1, 1);
  return kind === 'half' ? unitAt('quarter', first, 2) : unitAt(kind, first);
}

const SIZES = ['day', 'week', 'month', 'quarter', 'half', 'year'];

type Piece = Unit | 'weekend' | number;

/** Refuses “the second week of october”: it could be seven days from the 8th, or a week from Monday. */
function refuseWeek(from: number, to: number, { first, last, unit }: DayRange): never {
  const start = from > 0 ? addDays(first, 7 * (from - 1)) : addDays(last, 7 * from + 1);
  const week = unitAt('week', from > 0 ? start : addDays(start, 6));
  const isClear = unit === 'month' && from === to && Math.abs(from) < 5;
  const readings = isClear ? [`${start}..${addDays(start, 6)}`, absoluteText(week)] : [];
  refuse('could be seven days or a week from Monday', NAME_DAYS, ...readings);
}

function piecesOf(each: Piece, { first, last }: DayRange): readonly DayRange[] {
  const unit = each === 'month' || each === 'quarter' ? each : 'day';
  const count = unit === 'day' ? daysBetween(first, last) + 1 : countUnits(unit, first, last);
  const all = Array.from({ length: count }, (_, n) => unitAt(unit, shiftUnits(unit, first, n)));
  if (typeof each === 'number') return all.filter((day) => isoWeekday(day.first) === each);
  if (each !== 'weekend') return all;
  const saturdays = all.filter((day) => isoWeekday(day.first) === 6 && day.last < last);
  return saturdays.map((day) => ({ ...day, last: addDays(day.last, 1) }));
}

function pickPieces(each: Piece, from: number, to: number, whole: DayRange): DayRange {
  const pieces = piecesOf(each, whole);
  const [first, last] = [from, to].map((place) => pieces.at(place > 0 ? place - 1 : place));
  if (first === undefined || last === undefined) {
    const name = typeof each === 'number' ? (WEEKDAY_NAMES[each - 1] ?? '') : each;
    const why = `doesn’t exist: ${formatDays(whole.first, whole.last)} has ${pluralize(pieces.length, name)}`;
    return refuse(why, 'Name the days, such as 2026-10-01..2026-10-15.');
  }
  const isCut = from > 0 ? isoWeekday(whole.first) === 7 : isoWeekday(whole.last) === 6;
  const span = { ...first, last: last.last, count: first.unit === 'day' ? 1 : to - from + 1 };
  if (each !== 'weekend' || !isCut) return span;
  const readings = [0, from > 0 ? -7 : 7].map((n) => `${addDays(span.first, n)}..${addDays(span.last, n)}`);
  return refuse('could be either of two weekends', NAME_DAYS, ...readings);
}

export class Calendar {
  constructor(
    readonly today: Day,
    readonly zone: Zone,
  ) {}

  unitsAgo(unit: Unit, n: number): Point {
    if (unit === 'day') return this.dayAgo('day', n);
    return relativePoint(unit, n, unitAt(unit, shiftUnits(unit, startOfUnit(unit, this.today), -n)));
  }

  dayAgo(unit: Unit, n: number): Point {
    if (n > MAX_PERIOD_DAYS) return fixed('day', refuseLength);
    if (unit !== 'day') return fixed('day', () => daySpan(shiftUnits(unit, this.today, -n)));
    return relativePoint('day', n, daySpan(daysBefore(this.today, n, this.zone)[0] ?? this.today));
  }

  weekend(weeks: number): Point {
    const saturday = addDays(startOfUnit('week', this.today), 5 - 7 * weeks);
    return relativePoint('weekend', weeks, { ...daySpan(saturday), last: addDays(saturday, 1) });
  }

  /** @param weekday 1 for Monday @param weeks 0 for this week, 1 for last week */
  weekdayOf(weekday: number, weeks: number): Point {
    return fixed('day', () => daySpan(addDays(startOfUnit('week', this.today), weekday - 1 - 7 * weeks)));
  }

  weekBefore = (point: Point): Point =>
    fixed('day', () => daySpan(addDays(point.latest(this.today).first, -7)));

  weekday(weekday: number): Point {
    const point = recurring('weekday', 'day', 'week', (monday) => daySpan(addDays(monday, weekday - 1)));
    const yesterday = addDays(this.today, -1);
    return { ...point, latest: (limit) => point.latest(earlier(limit, yesterday)) };
  }

  dayOfMonth = (day: number): Point =>
    recurring('day-of-month', 'day', 'month', (first) => {
      const found = addDays(first, day - 1);
      return found.slice(0, 7) === first.slice(0, 7) ? daySpan(found) : undefined;
    });

  /** `3 october 2026`. Without a year, the latest or the next 3 October. */
  date(year: number | null, month: number, day: number): Point {
    const read = (inYear: number): DayRange => {
      checkMonth(inYear, month);
      const length = daysInMonth(inYear, month);
      if (day >= 1 && day <= length) return daySpan(dateOf(inYear, month, day));
      const name = [MONTH_NAMES[month - 1], year].filter(Boolean).join(' ');
      const last = year === null ? `${name.toLowerCase()}-${length}` : dateOf(year, month, length);
      const most = name === 'February' ? `at most ${length}` : length;
      const works = `Its last day is ${year === null ? `${length} ${name}` : last}.`;
      return refuse(
        `isn’t a date: ${name} has ${most} days`,
        works,
        ...(day < 1 || (year === null && month === 2) ? [] : [last]),
      );
    };
    if (year !== null) return { ...fixed('day', () => read(year)), isDated: true };
    const inLeapYear = orRefusal(() => read(2024));
    if ('refusal' in inLeapYear) return fixed('day', () => read(2024));
    return recurring('day', 'day', 'year', (first) =>
      day > daysInMonth(yearOf(first), month) ? undefined : read(yearOf(first)),
    );
  }

  /** Refuses a date that isn't on the typed weekday (1 for Monday). */
  checked(point: Point, weekday: number | null): Point {
    const check = (span: DayRange): DayRange => {
      const actual = isoWeekday(span.first);
      if (weekday === null || weekday === actual) return span;
      const why = `isn’t a date: ${formatDays(span.first, span.first).slice(4)} is a ${WEEKDAY_NAMES[actual - 1]}`;
      return refuse(why, 'Leave out the weekday, or the date.');
    };
    return {
      ...point,
      latest: (limit) => check(point.latest(limit)),
      next: (from) => check(point.next(from)),
    };
  }

  /** Refuses `1/2/2026` with both readings, unless only one is a date. `sign` comes before a two-digit year. */
  eitherDate(a: number, b: number, year: number | null = null, sign = ''): Point {
    const points = [this.date(year, b, a), this.date(year, a, b)].filter((p) => this.#spanOf(p));
    const days = [...new Set(points.map((point) => point.latest(this.today).first))];
    const known = days.slice(0, '-./'.indexOf(sign));
    if (sign !== '') return this.refused('doesn’t say which is the year', YEAR_FIRST, ...known);
    const names = days.map((day) => `${Number(day.slice(8))} ${MONTH_NAMES[Number(day.slice(5, 7)) - 1]}`);
    if (days.length > 1) return this.refused(`{word}: ${names.join(' or ')}?`, '', ...days);
    return points[0] ?? this.refused('isn’t a date', YEAR_FIRST);
  }

  refused = (...refusal: Parameters<typeof refuse>): Point => fixed('day', () => refuse(...refusal));

  /** @param year null for the latest part that has begun, 'whole' for the latest that is over */
  part(kind: Part, n: number, year: number | 'whole' | null = null): Point {
    if (typeof year === 'number') {
      const read = (): DayRange => {
        checkMonth(year, kind === 'month' ? n : 1);
        const span = partOfYear(kind, n, year);
        return span ?? refuse(`isn’t a week: ${year} has 52 weeks`, `Type ${year}-w52.`);
      };
      return { ...fixed(kind, read), isDated: true };
    }
    const point = recurring(kind, 'part', 'year', (first) => partOfYear(kind, n, yearOf(first)));
    if (year === null) return point;
    return fixed(`last ${kind}`, () => {
      const span = point.latest(this.today);
      return span.last < this.today ? span : point.latest(addDays(span.first, -1));
    });
  }

  year = (year: number): Point => this.part('year', 1, year);

  weekOf(day: Point, edge?: 'start' | 'end'): Point {
    return fixed('week', () => {
      const { first } = day.latest(this.today);
      const week = unitAt('week', first);
      if (edge === undefined || first === (edge === 'start' ? week.first : week.last)) return week;
      const end = edge === 'start' ? 'start on a Monday' : 'end on a Sunday';
      const why = `doesn’t ${end}: ${formatDays(first, first).slice(4)} is a ${WEEKDAY_NAMES[isoWeekday(first) - 1]}`;
      const instead = week.first <= this.today ? [absoluteText(week)] : [];
      return refuse(why, 'Weeks are Monday to Sunday.', ...instead);
    });
  }

  partOf(each: Piece, from: number, to: number, of: Point): Point {
    return fixed('part', () => {
      const whole = of.latest(this.today);
      if (each === 'week') refuseWeek(from, to, whole);
      const found = pickPieces(each, from, to, whole);
      const isLater = of.recurs === 'part' && found.first > this.today;
      return isLater ? pickPieces(each, from, to, of.latest(addDays(whole.first, -1))) : found;
    });
  }

  unitOf(point: Point): Unit | 'half' {
    const span = this.#spanOf(point) ?? daySpan(this.today);
    return isHalf(span) ? 'half' : span.unit;
  }

  canHave(each: Piece, of: Point): boolean {
    const piece = typeof each === 'number' ? 'day' : each === 'weekend' ? 'week' : each;
    return SIZES.indexOf(this.unitOf(of)) > SIZES.indexOf(piece);
  }

  #spanOf(point: Point): DayRange | undefined {
    const span = orRefusal(() => point.latest(this.today));
    return 'refusal' in span ? undefined : span;
  }

  #days(read: () => Days): Days | Refused {
    return orRefusal(() => {
      const days = read();
      return daysBetween(days.first, days.last) < MAX_PERIOD_DAYS ? days : refuseLength();
    });
  }

  /** Counts complete units only, except that days may include today. */
  lastUnits(unit: Unit, count: number, includesToday = false): Days | Refused {
    return this.#days(() => {
      if (count === 0) refuse('asks for nothing', 'Counts start at 1, such as last-1-day or last-7-days.');
      if (count > MAX_PERIOD_DAYS) refuseLength();
      const ago = (n: number): DayRange => this.unitsAgo(unit, includesToday ? n - 1 : n).latest(this.today);
      const days = this.#until(ago(count), ago(1));
      const name = count === 1 ? `last-${unit}` : `last-${count}-${unit}s`;
      if (unit !== 'day') return { ...days, text: name };
      const text = includesToday ? `${name} including today` : count === 1 ? days.text : name;
      return { ...days, text, counted: count, rule: DAYS };
    });
  }

  at(point: Point): Days | Refused {
    return this.#days(() => {
      const span = point.latest(this.today);
      if (span.first <= this.today) return this.#until(span, span);
      const { unit, count, relative } = span;
      const running = unit === 'day' ? 'today' : count > 1 ? 'this-year' : `this-${unit}`;
      return refuse('is in the future', FUTURE, relative === 'this-weekend' ? 'last-weekend' : running);
    });
  }

  since = (point: Point): Days | Refused => this.between(point, this.dayAgo('day', 0));

  between(from: Point, to: Point): Days | Refused {
    return this.#days(() => {
      const [begin, end, other] = this.#ends(from, to);
      const rangeTo = ({ last }: DayRange): string => `${absoluteText(begin)}..${earlier(last, this.today)}`;
      if (other)
        refuse('doesn’t say which day is last', 'Type the last day as a date.', rangeTo(other), rangeTo(end));
      if (end.last < begin.first) {
        const isClear = from.recurs === undefined || (from.recurs === 'part' && to.recurs === 'part');
        refuse(
          `ends before it begins (${begin.first} to ${end.last})`,
          'Put the earlier date first, such as 2026-10-01..2026-10-15.',
          ...(isClear ? [absoluteText(end, begin)] : []),
        );
      }
      if (end.first <= this.today) return this.#until(begin, end);
      return refuse('ends in the future', FUTURE, ...this.#endedEarlier(from, begin, to, end));
    });
  }

  joined(...points: readonly Point[]): Days | Refused {
    return this.#days(() => {
      const ends = points.slice(1).map((point, n) => this.#ends(points[n] ?? point, point));
      const areAdjacent = ends.every(([begin, end, other]) => !other && end.first === addDays(begin.last, 1));
      const [first, last] = [ends[0]?.[0], ends.at(-1)?.[1]];
      if (areAdjacent && first && last)
        return last.first > this.today ? refuse('is in the future', FUTURE) : this.#until(first, last);
      return refuse('isn’t one period', 'Ask about one at a time, or a range such as 2026-08..2026-10.');
    });
  }

  #begun(point: Point, limit: Day): DayRange {
    return at(point.place, () => {
      const span = point.latest(limit);
      return span.first > this.today ? refuse('is in the future', FUTURE) : span;
    });
  }

  #ends(from: Point, to: Point): readonly [begin: DayRange, end: DayRange, other?: DayRange] {
    const [, alone = daySpan(this.today)] = [from, to].map((point) =>
      at(point.place, () => point.latest(this.today)),
    );
    const isAlike = from.kind === to.kind;
    // In `3 oct to 5 nov 2025`, both days are in 2025.
    const isFound =
      (from.recurs === 'day' && isAlike && to.recurs !== 'day') || (to.isDated && from.recurs === 'part');
    const begin = this.#begun(from, isFound ? earlier(alone.last, this.today) : this.today);
    if (to.recurs === undefined) return [begin, alone];
    const next = at(to.place, () => to.next(begin.first));
    if (next.first >= alone.first)
      return [begin, isAlike || to.recurs === 'day' || from.recurs === 'day' ? next : alone];
    if (isAlike && to.recurs === 'day') return [begin, next];
    return [begin, alone, next];
  }

  /** Suggestions for `friday to monday` on a Saturday: the Friday and Monday before, or from Friday until now. */
  #endedEarlier(from: Point, begin: DayRange, to: Point, end: DayRange): readonly string[] {
    const unit = to.kind === 'weekday' ? 'week' : 'year';
    const isSplit = startOfUnit(unit, begin.first) !== startOfUnit(unit, end.first);
    if (isSplit && to.recurs !== undefined && from.kind === to.kind && from.recurs === to.recurs) {
      const latest = to.latest(this.today);
      return [absoluteText(from.latest(addDays(latest.first, -1)), latest)];
    }
    return to.recurs === 'part' || begin.first >= this.today ? [] : [sinceText(begin)];
  }

  #until(begin: DayRange, end: DayRange): Days {
    const isOver = end.last < this.today;
    const isOne = begin.unit === end.unit && begin.first === end.first;
    const isCut = end.last > this.today && (end.unit === 'day' || !areAlike(begin, end));
    const isPart = isOne && !isOver && end.count > 1 && !isHalf(end);
    // If `since 5 october` is typed on 5 October and read again later, it means all days since then.
    const isUntilNow = end.relative === 'today' && begin.relative !== 'today';
    const relative = isOne && !isUntilNow ? end.relative : undefined;
    const isOpen = isCut || isPart || isUntilNow;
    const text = relative ?? (isOpen ? sinceText(begin) : absoluteText(begin, end));
    const rule = isOpen && relative === undefined ? DAYS : this.#ruleBetween(begin, end);
    return { first: begin.first, last: earlier(end.last, this.today), text, rule };
  }

  /** Compares complete units with as many before, a running unit with the unit before, and other periods day by day. */
  #ruleBetween(begin: DayRange, end: DayRange): ComparisonRule {
    const isOver = end.last < this.today;
    const units = [begin.unit, end.unit];
    if (units.every((unit) => unit === 'day')) {
      const isWeekend = isoWeekday(begin.first) === 6 && end.last === addDays(begin.first, 1);
      return isWeekend ? { kind: 'weekend', unit: 'week' } : DAYS;
    }
    if (begin.unit === end.unit && begin.first === end.first)
      return { kind: isOver ? 'units' : 'running', unit: end.unit, count: end.count };
    if (units.includes('day') || !isOver || !areAlike(begin, end)) return DAYS;
    if (end.unit === 'week')
      return { kind: 'units', unit: 'week', count: (daysBetween(begin.first, end.last) + 1) / 7 };
    const unit = begin.unit === end.unit ? end.unit : 'month';
    return { kind: 'units', unit, count: countUnits(unit as 'month', begin.first, end.last) };
  }
}
