/** How people name a day, week, month, quarter, half or year. */
import { WEEKDAY_NAMES } from '../../../../time/cadence.ts';
import { isoWeekday, type Unit } from '../../../../time/calendar.ts';
import { type Match, ParseError, type Parser, parseErrorAt, senseOf, typedText } from '../parser.ts';
import { isBareYear, isDayNumber, type TokenizedText } from '../tokenizer.ts';
import {
  canonical,
  type DateExpression,
  type DateMeaning,
  dateText,
  HALVES,
  isMonth,
  partOf,
  type Span,
  type YearOf,
} from './date-ast.ts';
import { MAX_YEAR, MIN_YEAR, monthDay, yearMonthDay } from './date-literal.ts';
import { Grammar, memoize, RefusedPhrase } from './grammar.ts';
import { type Count, countOf } from './period-ast.ts';
import { DATE_CLASSES, oneToken, rankOrLast, tokenOfKind } from './token-classes.ts';

/** The day of a month, refused if no such month has it. */
export function dayOf(
  month: number,
  day: number,
  year?: YearOf,
  weekday?: number,
): DateMeaning | RefusedPhrase {
  const parsed = typeof year === 'number' ? yearMonthDay(year, month, day) : monthDay(month, day);
  if (parsed.kind === 'bad') return new RefusedPhrase(parsed.why, parsed.works);
  if (parsed.kind === 'day') return onWeekday(parsed.day, weekday);
  return { ...parsed, ...(year !== undefined && { year }), ...(weekday !== undefined && { weekday }) };
}

function onWeekday(day: string, weekday: number | undefined): DateMeaning | RefusedPhrase {
  const actual = isoWeekday(day);
  if (weekday === undefined || weekday === actual) return { kind: 'day', day };
  return new RefusedPhrase(
    `isn’t a date: ${day} is a ${WEEKDAY_NAMES[actual - 1]}`,
    'Leave out the weekday, or the date.',
  );
}

/** `2 weeks ago`, which may mean a day or a week. */
function agoMeaning(counted: Count, unit: Unit, as?: Unit): DateMeaning | RefusedPhrase {
  const count = countOf(counted);
  if (count instanceof RefusedPhrase) return count;
  if (as !== undefined || unit === 'day') return { kind: 'ago', count, unit, as: as ?? 'day' };
  const readings = (['day', unit] as const).map((reading) =>
    dateText({ kind: 'ago', count, unit, as: reading }),
  );
  return new RefusedPhrase(
    `could be a day or a whole ${unit}`,
    `For the day, type ${readings.join(`; for the ${unit}, `)}.`,
    readings,
  );
}

/** `this month`, `last month`, `month before last`. A day has names of its own. */
const unitsAgo = (unit: Unit, count: 0 | 1 | 2): DateMeaning | undefined =>
  unit === 'day' ? undefined : { kind: 'ago', count, unit, as: unit };

const days = new Grammar(DATE_CLASSES, dateText)
  .rule('WEEKDAY? ISO_DAY', (weekday, day) => onWeekday(day, weekday))
  .rule('WEEKDAY? DAY_MONTH', (weekday, { month, day }) => dayOf(month, day, undefined, weekday))
  .rule('WEEKDAY? the? DAY of? MONTH of|in? YEAR?', (weekday, day, month, year) =>
    dayOf(month, day, year, weekday),
  )
  .rule('RANK of MONTH of|in? YEAR?', (day, month, year) => dayOf(month, day, year))
  .rule('WEEKDAY? MONTH the? DAY of|in? YEAR?', (weekday, month, day, year) =>
    dayOf(month, day, year, weekday),
  )
  .rule('MONTH the? RANK', (month, day) => dayOf(month, day))
  .rule('WEEKDAY? YEAR_BEFORE MONTH the? DAY', (weekday, year, month, day) =>
    dayOf(month, day, year, weekday),
  )
  .rule('ORDINAL', (day) => ({ kind: 'day-of-month', day }))
  .rule('WEEKDAY the? ORDINAL', (weekday, day) => ({ kind: 'day-of-month', day, weekday }))
  // After a project, 1 to 3 are numbers of products, not days.
  .rule('WEEKDAY DAY', (weekday, day) => (day > 3 ? { kind: 'day-of-month', day, weekday } : undefined))
  .rule(['this? last WEEKDAY', 'WEEKDAY'], (weekday) => ({ kind: 'weekday', weekday }))
  .rule('WEEKDAY before last', (weekday) => ({ kind: 'weekday', weekday, week: 'before-last' }))
  .rule(['WEEKDAY of? last week', 'last week on? WEEKDAY'], (weekday) => ({
    kind: 'weekday',
    weekday,
    week: 'last',
  }))
  .rule(['this WEEKDAY', 'WEEKDAY of? this week', 'this week on? WEEKDAY'], (weekday) => ({
    kind: 'weekday',
    weekday,
    week: 'this',
  }))
  .rule(['today', 'this day'], () => ({ kind: 'today' }))
  .rule('yesterday', () => ({ kind: 'yesterday' }))
  .rule('day before yesterday', () => ({ kind: 'ago', count: 2, unit: 'day', as: 'day' }))
  .rule('AMOUNT UNIT ago', (count, unit) => (unit === 'day' ? agoMeaning(count, unit) : undefined))
  .rule('AMOUNT UNIT ago today', (count, unit) => agoMeaning(count, unit, 'day'))
  .rule('this time last UNIT', (unit) => agoMeaning({ digits: '1' }, unit));

const isThe = ({ tokens }: TokenizedText, at: number): boolean => {
  const token = tokens[at];
  return token?.kind === 'word' && token.spelling === 'the';
};

/** Reads the longer one of a date and a date after `the`, which some names of days begin with as well. */
const alsoAfterThe =
  <T>(parse: Parser<T>): Parser<T> =>
  (source, at, bareYear) => {
    const found = parse(source, at, bareYear);
    if (!isThe(source, at)) return found;
    const after = parse(source, at + 1, bareYear);
    return after !== undefined && after.next > (found?.next ?? at) ? after : found;
  };

/** 'year 2026'; a bare number only where it cannot be a project: a range sign shows that too, as in '2024..2025'. */
const year: Parser<number> = ({ tokens }, at, bareYear) => {
  const [token, number] = [tokens[at], tokens[at + 1]];
  if (token?.kind === 'number') {
    const inRange = tokens[at - 1]?.kind === 'range-sign' || number?.kind === 'range-sign';
    return isBareYear(token.digits) && (bareYear || inRange)
      ? { value: Number(token.digits), next: at + 1 }
      : undefined;
  }
  const isNamed = token?.kind === 'word' && token.spelling === 'year';
  if (!isNamed || number?.kind !== 'number' || !/^\d{4}$/.test(number.digits)) return undefined;
  const value = Number(number.digits);
  if (value >= MIN_YEAR && value <= MAX_YEAR) return { value, next: at + 2 };
  throw new ParseError(
    number.start,
    number.end,
    'is outside the years that Tally covers',
    `Type a year from ${MIN_YEAR} to ${MAX_YEAR}.`,
  );
};

/** `october 2025`, `last month` */
const month: Parser<DateMeaning> = (source, at, bareYear) => {
  if (source.tokens[at]?.kind === 'number') return undefined;
  const found = datesAt(source, at, bareYear);
  return found && isMonth(found.value) ? found : undefined;
};

const whole: Parser<DateMeaning> = (source, at) => {
  const found = parseDate(source, at, true);
  if (found !== undefined) return found;
  const unit = DATE_CLASSES.SINGULAR_UNIT.parse(source, isThe(source, at) ? at + 1 : at, true);
  const value = unit && unitsAgo(unit.value, 0);
  return value && { value, next: unit.next };
};

/** `last month`, `this month`, `the month` */
export const monthly: Parser<DateMeaning> = (source, at, bareYear) => {
  const found = whole(source, at, bareYear);
  return found?.next === at + 2 && found.value.kind === 'ago' && found.value.as === 'month'
    ? found
    : undefined;
};

const classes = {
  ...DATE_CLASSES,
  /** A day, named in any way. */
  ANY_DAY: { begins: undefined, parse: memoize(alsoAfterThe(days.parse)) },
  YEAR_ALONE: { begins: ['number', 'unit'], parse: year },
  /** Month and year in digits, `2026-10`. */
  YEAR_MONTH: tokenOfKind('year-month', (date) => date),
  /** A month, named in any way. */
  ANY_MONTH: { begins: undefined, parse: month },
  /** A period with parts, after `of`, where no number is a project. `the month` is the current month. */
  WHOLE: { begins: undefined, parse: whole },
  MONTHLY: { begins: undefined, parse: monthly },
  /** Which one of several; -1 for the last. */
  PLACE: oneToken(['rank', 'ordinal', 'last'], rankOrLast),
  /** 1 for the first units of a period, -1 for the last. */
  EDGE: oneToken(['rank', 'ordinal', 'last'], (token) => {
    const place = rankOrLast(token) ?? 0;
    return Math.abs(place) === 1 ? place : undefined;
  }),
};

const withYear = (span: Span, year: YearOf | 'whole' | undefined): DateMeaning => ({
  ...span,
  ...(year !== undefined && { year }),
});

const weekOf = (day: DateMeaning, edge?: 'starting' | 'ending'): DateMeaning => ({
  kind: 'week-of',
  day: canonical(day),
  ...(edge && { edge }),
});

function halfOf(half: number, of: DateMeaning): DateMeaning | RefusedPhrase | undefined {
  const days = HALVES[half - 1];
  return days && partOf('day', days, of);
}

/** `3rd of last month` */
export const dayOfMonth = (day: number, of: DateMeaning): DateMeaning | undefined => {
  const found = partOf('day', [day, day], of);
  return found instanceof RefusedPhrase ? undefined : found;
};

/** `one day in october`: it may be any. */
const someOf = (unit: Unit, of: DateMeaning): RefusedPhrase | undefined =>
  partOf(unit, [1, 1], of) &&
  new RefusedPhrase(`doesn’t say which ${unit}s`, 'Say first or last, such as first 10 days of october.');

/** `last months`, `first days of october` */
const howMany = (place: number, unit: Unit): RefusedPhrase =>
  new RefusedPhrase(
    'doesn’t say how many',
    place < 0
      ? `Type last-${unit} or last-3-${unit}s.`
      : 'Say how many, such as first 10 days of october or first 3 months of 2025.',
  );

/** `first 10 days`, `last 3 months` */
function edgeOf(edge: number, counted: Count, unit: Unit, of: DateMeaning) {
  const count = countOf(counted);
  if (count instanceof RefusedPhrase) return count;
  return partOf(unit, edge > 0 ? [1, count] : [-count, -1], of);
}

const dates = new Grammar(classes, dateText)
  .rule('ANY_DAY', (day) => day)
  .rule('SPAN of|in? YEAR?', withYear)
  .rule('YEAR_BEFORE SPAN', (year, span) => withYear(span, year))
  .rule('last SPAN', (span) => withYear(span, 'whole'))
  .rule('this SPAN', (span) => withYear(span, 'this'))
  .rule('YEAR_MONTH', ({ month, year }) => ({ kind: 'month', number: month, year }))
  .rule('month of? ANY_MONTH', (month) => month)
  .rule('RANK half of? ANY_MONTH', halfOf)
  .rule('last half of? ANY_MONTH', (of) => halfOf(2, of))
  .rule('last half of YEAR', (year) => withYear({ kind: 'half', number: 2 }, year))
  .rule('PLACE SINGULAR_UNIT of|in WHOLE', (n, unit, of) => partOf(unit, [n, n], of))
  .rule(['PLACE PLURAL_UNIT', 'RANK a? few of? UNIT'], howMany)
  .rule('PLACE WEEKDAY of|in WHOLE', (n, weekday, of) => partOf(weekday, [n, n], of))
  .rule('PLACE weekend of|in WHOLE', (n, of) => partOf('weekend', [n, n], of))
  .rule('EDGE COUNT UNIT of|in WHOLE', edgeOf)
  .rule('AMOUNT UNIT of|in WHOLE', (_, unit, of) => someOf(unit, of))
  .rule('a? few of? UNIT of|in WHOLE', someOf)
  .rule(['ORDINAL of? MONTHLY', 'RANK of MONTHLY'], dayOfMonth)
  .rule('last UNIT', (unit) => unitsAgo(unit, 1))
  .rule('this UNIT', (unit) => unitsAgo(unit, 0))
  .rule('WEEK of|in? YEAR?', (week, year) => ({ kind: 'week', week, ...(year !== undefined && { year }) }))
  .rule('YEAR_BEFORE WEEK', (year, week) => ({ kind: 'week', week, year }))
  .rule('week of ANY_DAY', (day) => weekOf(day))
  .rule('week starting|beginning on? ANY_DAY', (day) => weekOf(day, 'starting'))
  .rule('week ending on? ANY_DAY', (day) => weekOf(day, 'ending'))
  .rule('SINGULAR_UNIT before last', (unit) => unitsAgo(unit, 2))
  .rule('SINGULAR_UNIT before last UNIT', (unit, last) => (unit === last ? unitsAgo(unit, 2) : undefined))
  .rule('weekend before last weekend?', () => ({ kind: 'weekend', which: 'before-last' }))
  .rule(['weekend', 'this? last weekend'], () => ({ kind: 'weekend', which: 'last' }))
  .rule('this weekend', () => ({ kind: 'weekend', which: 'this' }))
  .rule('AMOUNT UNIT ago', (count, unit) => (unit === 'day' ? undefined : agoMeaning(count, unit)))
  .rule('day COUNT UNIT ago', (count, unit) => agoMeaning(count, unit, 'day'))
  .rule('UNIT COUNT UNIT ago', (as, count, unit) => (as === unit ? agoMeaning(count, unit, as) : undefined))
  .rule('YEAR_ALONE', (year) => ({ kind: 'year', year }));

/** `last day of last month of q3 of 2025` has three. Without a limit, a long text of these would overflow the stack. */
const MOST_NESTED = 5;
let nested = 0;
const anyDateAt = memoize(dates.parse);
const datesAt: Parser<DateMeaning> = (source, at, bareYear) => {
  if (nested === MOST_NESTED) return undefined;
  nested += 1;
  try {
    return anyDateAt(source, at, bareYear);
  } finally {
    nested -= 1;
  }
};
const parseDate = alsoAfterThe(datesAt);

/** The longest name of a date that begins at a token. @throws ParseError where it is refused or has several meanings */
export function parseDateExpression(
  source: TokenizedText,
  at: number,
  bareYear: boolean,
): Match<DateExpression> | undefined {
  const found = parseDate(source, at, bareYear);
  return found && { next: found.next, value: { typed: typedText(source, at, found.next), ...found.value } };
}

/** A number of 1 to 31 beside a month is its day, never a product or a project. @throws ParseError */
export function refuseDayNumber(source: TokenizedText, at: number): void {
  const [before, token, after] = [source.tokens[at - 1], source.tokens[at], source.tokens[at + 1]];
  const isListed =
    before?.kind === 'comma' && isDayNumber(source.tokens[at - 2]) && senseOf(source.tokens[at - 3], 'month');
  const isBeside = senseOf(before, 'month') ?? senseOf(after, 'month') ?? isListed;
  if (!isBeside || !isDayNumber(token)) return;
  const [first, last] = senseOf(after, 'month') ? [at, at + 1] : [isListed ? at : at - 1, at];
  throw parseErrorAt(
    source,
    first,
    last + 1,
    'could be a day',
    `Type the day as a date, such as 2026-10-05, or project ${token.digits}.`,
  );
}
