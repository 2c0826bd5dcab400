/** Dates in digits: the year first, the day first where there are dots, or any order that can be read in one way only. */
import { type Day, daysInMonth } from '../../../../time/calendar.ts';
import { nameOfMonth } from '../vocabulary.ts';

interface Refused {
  readonly kind: 'bad';
  readonly why: string;
  readonly works: string;
  /** Texts to type instead; two or more are the readings to choose from. */
  readonly instead: readonly string[];
}

type Read =
  | { readonly kind: 'day'; readonly day: Day }
  | { readonly kind: 'year-month'; readonly year: number; readonly month: number }
  /** `5.11.`, without a year */
  | { readonly kind: 'month-day'; readonly month: number; readonly day: number }
  | Refused;

export type DateLiteral = Read & { readonly length: number };

/** No bill is older, and date calculations are exact from this year to `MAX_YEAR`. */
export const MIN_YEAR = 1900;
export const MAX_YEAR = 2199;

const YEAR_FIRST = 'Put the year first, such as 2026-10-05.';

const refuse = (why: string, works: string, ...instead: string[]): Refused => ({
  kind: 'bad',
  why,
  works,
  instead,
});

const capitalize = (name: string): string => name.replace(/^./, (letter) => letter.toUpperCase());

export const pad = (number: number): string => String(number).padStart(2, '0');

function isDay(year: number, month: number, day: number): boolean {
  return month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month);
}

const isoDay = (year: number, month: number, day: number): Day => `${year}-${pad(month)}-${pad(day)}`;

/** Why no date can be in this month. */
function refusedMonth(year: number, month: number): Refused | undefined {
  if (year < MIN_YEAR || year > MAX_YEAR)
    return refuse('is outside the years that Tally covers', `Type a year from ${MIN_YEAR} to ${MAX_YEAR}.`);
  if (month < 1 || month > 12)
    return refuse('has a month that doesn’t exist', 'Months are 01 to 12, such as 2026-10 or 2026-10-05.');
  return undefined;
}

const yearMonth = (year: number, month: number): Read =>
  refusedMonth(year, month) ?? { kind: 'year-month', year, month };

export function yearMonthDay(
  year: number,
  month: number,
  day: number,
): Extract<Read, { kind: 'day' | 'bad' }> {
  const refusal = refusedMonth(year, month);
  if (refusal) return refusal;
  if (isDay(year, month, day)) return { kind: 'day', day: isoDay(year, month, day) };
  const length = daysInMonth(year, month);
  const last = isoDay(year, month, length);
  return refuse(
    `isn’t a date: ${capitalize(nameOfMonth(month))} ${year} has ${length} days`,
    `The last day of the month is ${last}.`,
    ...(day > length ? [last] : []),
  );
}

/** `1/2` as day/month or month/day: the only reading that is a date, or a refusal that names both. */
function onlyReading<T extends Read>(readings: readonly T[], textOf: (reading: T) => string): Read {
  const [only, other] = new Set(readings.map(textOf));
  if (only !== undefined && other !== undefined)
    return refuse('doesn’t say which is the month', YEAR_FIRST, only, other);
  return readings[0] ?? refuse('isn’t a date', YEAR_FIRST);
}

/** As day and month, and as month and day: where one of them is a date. */
const daysOf = (a: number, b: number, year: number) =>
  [yearMonthDay(year, b, a), yearMonthDay(year, a, b)].filter((read) => read.kind === 'day');

const yearLast = (a: number, b: number, year: number): Read =>
  onlyReading(daysOf(a, b, year), ({ day }) => day);

/** `5/11/26`; with dots the day is first, and with dashes the year may be. */
function shortYear(a: number, b: number, year: number, sign: string): Refused {
  const days = daysOf(a, b, year).slice(0, ['-', '.', '/'].indexOf(sign));
  return refuse('doesn’t say which is the year', YEAR_FIRST, ...days.map(({ day }) => day));
}

function monthYear(month: number, year: number): Read {
  if (month < 1 || month > 12) return refuse('isn’t a month', 'Put the year first, such as 2026-10.');
  return { kind: 'year-month', year, month };
}

/** A leap year: each month has as many days as it ever has. */
const LEAP_YEAR = 2024;

export function monthDay(month: number, day: number): Extract<Read, { kind: 'month-day' | 'bad' }> {
  if (isDay(LEAP_YEAR, month, day)) return { kind: 'month-day', month, day };
  const name = nameOfMonth(month);
  if (name === '') return refuse('isn’t a date', YEAR_FIRST);
  const most = daysInMonth(LEAP_YEAR, month);
  return refuse(
    `isn’t a date: ${capitalize(name)} has ${most} days at most`,
    `The last one is ${name}-${most}.`,
  );
}

const readSlashed = (a: number, b: number): Read =>
  onlyReading(
    [monthDay(b, a), monthDay(a, b)].filter((read) => read.kind === 'month-day'),
    ({ month, day }) => `${nameOfMonth(month)}-${day}`,
  );

/** Longer forms first, as they begin like the shorter ones. No digit may follow, so no number is cut off. */
const FORMS: readonly (readonly [RegExp, (parts: readonly string[]) => Read])[] = [
  [
    /(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?!\d)/y,
    ([, y, , m, d]) => yearMonthDay(Number(y), Number(m), Number(d)),
  ],
  [/(\d{1,2})\.(\d{1,2})\.(\d{4})(?!\d)/y, ([, d, m, y]) => yearMonthDay(Number(y), Number(m), Number(d))],
  [/(\d{1,2})([-/])(\d{1,2})\2(\d{4})(?!\d)/y, ([, a, , b, y]) => yearLast(Number(a), Number(b), Number(y))],
  [
    /(\d{1,2})([-/.])(\d{1,2})\2(\d\d)(?!\d)/y,
    ([, a, sign = '', b, y]) => shortYear(Number(a), Number(b), 2000 + Number(y), sign),
  ],
  [/(\d{1,2})\.(\d{1,2})\.(?![\d.])/y, ([, d, m]) => monthDay(Number(m), Number(d))],
  [/(\d{4})[-/](\d{1,2})(?!\d)/y, ([, y, m]) => yearMonth(Number(y), Number(m))],
  // After a month's name the first number is a day: 'may-5-2028'.
  [/(?<![a-z]-?)(\d{1,2})[-/.]((?:19|20)\d\d)(?!\d)/y, ([, m, y]) => monthYear(Number(m), Number(y))],
  [/(\d{1,2})\/(\d{1,2})(?!\d)/y, ([, a, b]) => readSlashed(Number(a), Number(b))],
];

/** Every form begins like this, so one test rules out most numbers. */
const BEGINNING = /\d{1,4}[-/.]\d/y;

/** The date that begins at a character which begins a number. */
export function parseDateLiteral(text: string, at: number): DateLiteral | undefined {
  BEGINNING.lastIndex = at;
  if (!BEGINNING.test(text)) return undefined;
  for (const [form, parse] of FORMS) {
    form.lastIndex = at;
    const parts = form.exec(text);
    if (parts) return { ...parse(parts), length: parts[0].length };
  }
  return undefined;
}
