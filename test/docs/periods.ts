/** The examples of periods in docs/asking.md, as of Saturday, 21 November 2026, 10:15 UTC. */
import { code, type Tables } from './tables.ts';

interface Days {
  readonly phrases: readonly string[];
  readonly days: string;
}

interface Ambiguous {
  readonly phrase: string;
  readonly readings: readonly string[];
}

interface Refused {
  readonly phrase: string;
  readonly because: string;
}

const of = (days: string, ...phrases: readonly string[]): Days => ({ phrases, days });

export const PERIOD_EXAMPLES: readonly Days[] = [
  of('Sat 21 Nov 2026', 'today'),
  of('Fri 20 Nov 2026', 'yesterday', 'last-day'),
  of('Mon 16 Nov 2026', 'monday', 'last monday'),
  of('Tue 17 Nov 2026', 'the 17th'),
  of('Sat 3 Oct 2026', '3 october', '2026-10-03', '3.10.'),
  of('9–15 Nov 2026', 'last-week'),
  of('2–8 Nov 2026', 'w45', 'the week of 4 november'),
  of('14–20 Nov 2026', 'last-7-days', '7d', 'past seven days'),
  of('15–21 Nov 2026', 'last-7-days including today'),
  of('19 Oct – 15 Nov 2026', 'last-4-weeks', '4w'),
  of('1–31 Oct 2026', 'last-month', 'october', '2026-10'),
  of('1–21 Nov 2026', 'this-month', 'mtd', 'month to date'),
  of('1–15 Oct 2026', 'oct 1-15', '1.10.-15.10.', '2026-10-01..2026-10-15'),
  of('2–21 Nov 2026', 'since nov 2', 'from 2 november'),
  of('1 Jul – 30 Sep 2026', 'last-quarter', 'q3', 'third quarter of 2026'),
  of('1 Jan – 31 Dec 2025', 'last-year', 'year 2025'),
];

export const AMBIGUOUS_PERIODS: readonly Ambiguous[] = [
  { phrase: '05/11/2026', readings: ['2026-11-05', '2026-05-11'] },
  { phrase: '2 weeks ago', readings: ['2026-11-07', '2026-w45'] },
  { phrase: 'first week of october', readings: ['2026-10-01..2026-10-07', '2026-w40'] },
];

const refused = (phrase: string, because: string): Refused => ({ phrase, because });

export const REFUSED_PERIODS: readonly Refused[] = [
  refused('7m', 'minutes or months? `7mo` is clear'),
  refused('few days', 'how many?'),
  refused('2026-02-30', 'that month ends on the 28th'),
  refused('next-week', 'it has not begun'),
  refused('last-4000-days', 'more than 3,660 days are too long for one question'),
  refused('last 24 hours', 'Tally counts in whole days'),
];

export const PERIOD_TABLES: Tables = {
  periods: [
    ['you type', 'Tally asks about'],
    ...PERIOD_EXAMPLES.map(({ phrases, days }) => [code(phrases), days]),
  ],
  ambiguous: [
    ['you type', 'buttons'],
    ...AMBIGUOUS_PERIODS.map(({ phrase, readings }) => [code([phrase]), code(readings)]),
  ],
  refused: [
    ['you type', 'because'],
    ...REFUSED_PERIODS.map(({ phrase, because }) => [code([phrase]), because]),
  ],
};
