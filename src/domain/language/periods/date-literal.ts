/** Dates in digits. The year must come first: with the year last, 03/04 could be in March or April. */
import { type Day, daysInMonth } from '../../time/calendar.ts';
import { MONTH_NAMES } from '../vocabulary.ts';

interface Refused {
  readonly kind: 'bad';
  readonly why: string;
  readonly works: string;
  readonly instead: readonly string[];
  readonly isAmbiguous?: boolean;
}

type Read =
  | { readonly kind: 'day'; readonly day: Day }
  | { readonly kind: 'year-month'; readonly year: number; readonly month: number }
  | Refused;

export type DateLiteral = Read & { readonly length: number };

/** No bill is older, and within these years every calculation is exact. */
export const MIN_YEAR = 1900;
export const MAX_YEAR = 2199;

const YEAR_FIRST = 'Put the year first, such as 2026-10-05.';

const refused = (why: string, works: string, ...instead: string[]): Refused => ({
  kind: 'bad',
  why,
  works,
  instead,
});

const padded = (number: number): string => String(number).padStart(2, '0');

const titled = (name: string): string => name.replace(/^./, (letter) => letter.toUpperCase());

function isDay(year: number, month: number, day: number): boolean {
  return month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month);
}

const iso = (year: number, month: number, day: number): Day => `${year}-${padded(month)}-${padded(day)}`;

function yearMonth(year: number, month: number): Read {
  if (year < MIN_YEAR || year > MAX_YEAR)
    return refused('is outside the years that Tally covers', `Type a year from ${MIN_YEAR} to ${MAX_YEAR}.`);
  if (month < 1 || month > 12)
    return refused('has a month that doesn’t exist', 'Months are 01 to 12, such as 2026-10 or 2026-10-05.');
  return { kind: 'year-month', year, month };
}

export function yearMonthDay(year: number, month: number, day: number): Read {
  const read = yearMonth(year, month);
  if (read.kind === 'bad') return read;
  if (isDay(year, month, day)) return { kind: 'day', day: iso(year, month, day) };
  const length = daysInMonth(year, month);
  const last = iso(year, month, length);
  return refused(
    `isn’t a date: ${titled(MONTH_NAMES[month - 1] ?? '')} ${year} has ${length} days`,
    `The last day of the month is ${last}.`,
    ...(day > length ? [last] : []),
  );
}

/** Both readings of a date with the year last, when it has two; the one, when it has one. */
function yearLast(a: number, b: number, year: number): Read {
  const readings = [
    ...new Set([
      ...(isDay(year, b, a) ? [iso(year, b, a)] : []),
      ...(isDay(year, a, b) ? [iso(year, a, b)] : []),
    ]),
  ];
  const [only, other] = readings;
  if (only && other)
    return { ...refused('doesn’t say which is the month', YEAR_FIRST, only, other), isAmbiguous: true };
  if (only) return refused('has the year last', `Put the year first: ${only}.`, only);
  return refused('isn’t a date', YEAR_FIRST);
}

function monthYear(month: number, year: number): Read {
  if (month < 1 || month > 12) return refused('isn’t a month', 'Put the year first, such as 2026-10.');
  const month7 = `${year}-${padded(month)}`;
  return refused('has the year last', `Put the year first: ${month7}.`, month7);
}

function dayNamed(day: number, name: string, year: number | undefined): Read {
  const month = MONTH_NAMES.findIndex((full) => full.startsWith(name.slice(0, 3))) + 1;
  if (year === undefined) return refused('has no year', YEAR_FIRST);
  if (!isDay(year, month, day)) return refused('isn’t a date', YEAR_FIRST);
  return refused('has the year last', `Put the year first: ${iso(year, month, day)}.`, iso(year, month, day));
}

const NAMES = `(${MONTH_NAMES.join('|')}|sept|${MONTH_NAMES.map((name) => name.slice(0, 3)).join('|')})`;

/** Longer forms first, as they begin like the shorter ones. No digit may follow, so no number is cut off. */
const FORMS: readonly (readonly [RegExp, (parts: readonly string[]) => Read])[] = [
  [
    /(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?!\d)/y,
    ([, y, , m, d]) => yearMonthDay(Number(y), Number(m), Number(d)),
  ],
  [/(\d{1,2})([-/.])(\d{1,2})\2(\d{4})(?!\d)/y, ([, a, , b, y]) => yearLast(Number(a), Number(b), Number(y))],
  [/\d{1,2}([-/.])\d{1,2}\1\d\d(?!\d)/y, () => refused('doesn’t say which is the year', YEAR_FIRST)],
  [/(\d{4})[-/](\d{1,2})(?!\d)/y, ([, y, m]) => yearMonth(Number(y), Number(m))],
  // After a month's name the first number is a day: 'may-5-2028'.
  [/(?<![a-z]-?)(\d{1,2})[-/.]((?:19|20)\d\d)(?!\d)/y, ([, m, y]) => monthYear(Number(m), Number(y))],
  [/\d{1,2}\/\d{1,2}(?!\d)/y, () => refused('has no year', YEAR_FIRST)],
  [
    new RegExp(`(\\d{1,2})-?${NAMES}(?![a-z])(?:-?(\\d{4})(?!\\d))?`, 'y'),
    ([, d, name = '', y]) => dayNamed(Number(d), name, y === undefined ? undefined : Number(y)),
  ],
];

/** The date that begins at a character which begins a number. */
export function parseDateLiteral(text: string, at: number): DateLiteral | undefined {
  for (const [form, read] of FORMS) {
    form.lastIndex = at;
    const parts = form.exec(text);
    if (parts) return { ...read(parts), length: parts[0].length };
  }
  return undefined;
}
