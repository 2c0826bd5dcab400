/** The examples of docs/periods.md, as of Saturday 21 November 2026, 10:15 UTC. */
import { code, type Tables } from './tables.ts';

interface Days {
  /** Each is typed after a command. */
  readonly phrases: readonly string[];
  /** As an answer prints them. */
  readonly days: string;
}

interface Ambiguous {
  readonly phrase: string;
  /** Texts of the buttons, in their order. */
  readonly readings: readonly string[];
}

interface Refused {
  readonly phrase: string;
  readonly because: string;
}

const of = (days: string, ...phrases: readonly string[]): Days => ({ phrases, days });

const DAYS = {
  day: [
    of('Sat 21 Nov 2026', 'today'),
    of('Fri 20 Nov 2026', 'yesterday', 'last-day'),
    of('Thu 19 Nov 2026', 'the day before yesterday'),
    of('Wed 18 Nov 2026', '3 days ago', 'three days ago'),
    of('Mon 16 Nov 2026', 'monday', 'on monday', 'last monday'),
    of('Fri 13 Nov 2026', 'last week friday', 'friday last week'),
    of('Tue 17 Nov 2026', 'the 17th'),
    of('Sat 3 Oct 2026', '3 october', 'october 3', '3rd of oct', 'oct-3', 'saturday 3 october'),
    of('Sat 3 Oct 2026', 'oct 3, 2026', '2026-10-03', '2026/10/3', '2026-oct-3'),
    of('Thu 5 Nov 2026', '5.11.', '5.11.2026'),
    of('Fri 13 Nov 2026', '13/11/2026'),
    of('Thu 29 Feb 2024', '29 feb'),
    of('Sat 31 Oct 2026', 'last day of october', 'the 31st of last month'),
    of('Mon 5 Oct 2026', 'first monday of october'),
    of('Sat 14 Nov 2026', 'a week ago today'),
  ],
  week: [
    of('9–15 Nov 2026', 'last-week', 'past week'),
    of('16–21 Nov 2026', 'this-week', 'wtd', 'week to date'),
    of('2–15 Nov 2026', 'two weeks', 'last-2-weeks'),
    of('2–8 Nov 2026', 'w45', 'week 45', '2026-w45', 'the week of 4 november', 'week starting 2 november'),
    of('2–8 Nov 2026', 'the week before last', 'w/c 2 november', 'week ending 8 november'),
    of('28 Sep – 8 Nov 2026', 'weeks 40 to 45', 'w40-w45', 'kw 40-45'),
    of('14–15 Nov 2026', 'weekend', 'last weekend'),
    of('Sat 21 Nov 2026', 'this weekend'),
  ],
  month: [
    of('1–31 Oct 2026', 'last-month', 'prev month', 'october', 'oct 2026', '2026-10'),
    of('1–21 Nov 2026', 'this-month', 'mtd', 'current month', 'this month so far', 'november'),
    of('1–30 Sep 2026', 'this september'),
    of('1–30 Nov 2025', 'last november'),
    of('1–31 Oct 2025', 'october last year'),
    of('1–15 Oct 2026', 'first half of october'),
    of('16–31 Oct 2026', 'second half of october'),
    of('1–10 Oct 2026', 'first 10 days of october'),
    of('1–30 Sep 2026', 'the month before last'),
  ],
  longer: [
    of('1 Jul – 30 Sep 2026', 'last-quarter', 'q3', '2026-q3', 'third quarter of 2026', 'q3 this year'),
    of('1 Oct – 21 Nov 2026', 'this-quarter', 'qtd', 'quarter to date'),
    of('1 Jan – 30 Jun 2026', 'h1', 'h1 2026', 'first half of 2026'),
    of('1 Jan – 31 Dec 2025', 'last-year', 'year 2025'),
    of('1 Oct – 31 Dec 2025', 'last quarter of 2025', 'last 3 months of 2025'),
    of('1 Jan – 21 Nov 2026', 'this-year', 'ytd', 'year to date', 'year 2026'),
  ],
  count: [
    of('14–20 Nov 2026', 'last-7-days', '7 days', '7d', 'past seven days', 'trailing 7 days'),
    of('15–21 Nov 2026', 'last-7-days including today', '7d incl today'),
    of('19 Oct – 15 Nov 2026', 'last-4-weeks', '4w', '4 weeks', 'four weeks'),
    of('1 Sep – 31 Oct 2026', 'past two months', 'last-2-months'),
    of('1 Aug – 31 Oct 2026', 'last-3-months', '3mo'),
    of('1 Apr – 30 Sep 2026', 'last-2-quarters'),
    of('1 Jan 2024 – 31 Dec 2025', 'last-2-years'),
  ],
  range: [
    of(
      '1–15 Oct 2026',
      'oct 1-15',
      '1-15 oct',
      '1 to 15 october',
      'between 1 and 15 october',
      '1.10.-15.10.',
    ),
    of('1–15 Oct 2026', 'from oct 1 through oct 15', '2026-10-01..2026-10-15', '2026-10-01 until 2026-10-15'),
    of('28 Oct – 3 Nov 2026', '28 oct - 3 nov', 'between 28 october and 3 november'),
    of('20 Dec 2025 – 5 Jan 2026', '20 dec - 5 jan'),
    of('1 Aug – 31 Oct 2026', '2026-08..2026-10', 'august to october'),
    of('1 Jul – 31 Oct 2026', '2026-q3 to october'),
    of('1 Oct – 21 Nov 2026', 'oct, nov', 'october and november'),
    of('1–20 Nov 2026', 'this-month excluding today'),
    of('2–21 Nov 2026', 'since nov 2', 'from 2 november', 'since 2026-11-02'),
    of('16–21 Nov 2026', 'since monday'),
    of('1 Oct – 21 Nov 2026', 'since october', 'october to date'),
    of('1–21 Nov 2026', 'from 1 november to now'),
  ],
} satisfies Readonly<Record<string, readonly Days[]>>;

export const AMBIGUOUS_PERIODS: readonly Ambiguous[] = [
  { phrase: '05/11/2026', readings: ['2026-11-05', '2026-05-11'] },
  { phrase: '2 weeks ago', readings: ['day-2-weeks-ago', 'week-2-weeks-ago'] },
  { phrase: 'monthly', readings: ['last-month', 'last-12-months'] },
  { phrase: 'first week of october', readings: ['october-1..october-7', 'week-of-october-1'] },
];

const refused = (phrase: string, because: string): Refused => ({ phrase, because });

export const REFUSED_PERIODS: readonly Refused[] = [
  refused('7m', 'minutes or months? `7mo` is clear'),
  refused('last-weeks', 'how many? `last-week` or `last-3-weeks`'),
  refused('few days', 'how many?'),
  refused('friday 3 october', 'it was a Saturday'),
  refused('2026-02-30', 'that month ends on the 28th'),
  refused('30 february', 'February never has 30 days'),
  refused('last-0-days', 'there is nothing in it'),
  refused('next-week', 'it has not begun'),
  refused('2026-12', 'it has not begun'),
  refused('2026-10-15..2026-10-01', 'it ends before it begins'),
  refused('last-4000-days', 'more than 3,660 days are too long for one question'),
  refused('last 24 hours', 'Tally counts in whole days'),
];

export const PERIOD_EXAMPLES = Object.values(DAYS)
  .flat()
  .flatMap(({ phrases, days }) => phrases.map((phrase) => ({ phrase, days })));

const daysTable = (rows: readonly Days[]) => [
  ['you type', 'Tally asks about'],
  ...rows.map(({ phrases, days }) => [code(phrases), days]),
];

export const PERIOD_TABLES: Tables = {
  ...Object.fromEntries(Object.entries(DAYS).map(([name, rows]) => [name, daysTable(rows)])),
  ambiguous: [
    ['you type', 'buttons'],
    ...AMBIGUOUS_PERIODS.map(({ phrase, readings }) => [code([phrase]), code(readings)]),
  ],
  refused: [
    ['you type', 'because'],
    ...REFUSED_PERIODS.map(({ phrase, because }) => [code([phrase]), because]),
  ],
};
